package curve

// flushVector exists for G1 only; the quadratic extension stays scalar.
func (w *adderG2) flushVector() bool { return false }

func prefetchG2(*G2Affine) {}
