package curve

// DecodeAllG1 sets dst[i] to the uncompressed point in the first SizeG1 bytes of at(i),
// for all i. If some are not valid it returns the error of DecodeG1 for the first of them
// and its position.
func DecodeAllG1(dst []G1Affine, at func(i int) []byte, check Check) (bad int, err error) {
	i := 0
	if check < CheckSubgroup {
		for d := newDecoderG1(); d != nil && i+8 <= len(dst); i += 8 {
			if !d.decode((*[8]G1Affine)(dst[i:]), i, at, check) {
				break // the scalar code says why
			}
		}
	}
	for ; i < len(dst); i++ {
		if err := DecodeG1(&dst[i], at(i), check); err != nil {
			return i, err
		}
	}
	return 0, nil
}
