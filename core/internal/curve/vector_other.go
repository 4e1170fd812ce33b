//go:build !amd64 || purego

package curve

// Without vectors every batch is scalar.
type (
	vectorsG1 struct{}
	vectorsG2 struct{}
)

func (w *adderG1) flushVector() bool { return false }
func (w *adderG2) flushVector() bool { return false }

func prefetchG1(*G1Affine) {}
func prefetchG2(*G2Affine) {}
