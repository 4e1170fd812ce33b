//go:build !amd64 || purego

package curve

// Without vectors every batch is scalar.
type (
	vectorsG1 struct{}
	vectorsG2 struct{}
	ifmaG1    struct{}
	ifmaG2    struct{}
)

func (w *adderG1) flushVector() bool { return false }
func (w *adderG2) flushVector() bool { return false }
