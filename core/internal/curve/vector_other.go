//go:build !amd64 || purego

package curve

// vectorScratch is empty without vectors.
type vectorScratch struct{}

// flushVector needs the vector arithmetic of amd64.
func (w *adderG1) flushVector() bool { return false }

func prefetchG1(*G1Affine) {}
