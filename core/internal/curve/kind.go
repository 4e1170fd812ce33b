package curve

// addKind is how one affine addition p + q is done.
type addKind uint8

const (
	addSlope  addKind = iota // different x
	addDouble                // p = q
	addTakeP                 // q is the identity
	addTakeQ                 // p is the identity
	addCancel                // q = −p
)
