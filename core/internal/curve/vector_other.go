//go:build !amd64 || purego

package curve

// Without vectors every batch is scalar.
type (
	vectorsG1 struct{}
	vectorsG2 struct{}
	ifmaG1    struct{}
	ifmaG2    struct{}
)

func (w *adderG1) chooseVectors()    {}
func (w *adderG2) chooseVectors()    {}
func (w *adderG1) flushVector() bool { return false }
func (w *adderG2) flushVector() bool { return false }

func (*ifmaG1) refer(int, *G1Affine, bool) {}
func (*ifmaG2) refer(int, *G2Affine, bool) {}

// Without vectors points are decoded one by one.
type (
	decoderG1 struct{}
	decoderG2 struct{}
)

func newDecoderG1() *decoderG1 { return nil }
func newDecoderG2() *decoderG2 { return nil }

func (d *decoderG1) decode(*[8]G1Affine, int, func(int) []byte, Check) bool { return false }
func (d *decoderG2) decode(*[8]G2Affine, int, func(int) []byte, Check) bool { return false }
