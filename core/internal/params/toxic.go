package params

import (
	"crypto/sha256"
	"slices"

	"github.com/consensys/gnark-crypto/ecc/bls12-381/fr"

	"github.com/libcuzk/libcuzk/core/internal/status"
)

// Toxic holds the secret values of a setup. Who knows them can prove anything,
// so files made here are only for tests.
type Toxic struct{ Alpha, Beta, Gamma, Delta, Tau fr.Element }

// GoldenLabel names the toxic values behind golden/params.
const GoldenLabel = "golden"

// ToxicFromLabel derives public toxic values: for [GoldenLabel] those of
// golden/README.md, for any other label values of its own.
func ToxicFromLabel(label string) *Toxic {
	prefix := ""
	if label != GoldenLabel {
		prefix = label + " "
	}
	return &Toxic{
		Alpha: LabelScalar(prefix + "alpha"),
		Beta:  LabelScalar(prefix + "beta"),
		Gamma: LabelScalar(prefix + "gamma"),
		Delta: LabelScalar(prefix + "delta"),
		Tau:   LabelScalar(prefix + "tau"),
	}
}

// RandomToxic draws toxic values from the system's randomness.
func RandomToxic() (*Toxic, error) {
	t := new(Toxic)
	for _, v := range t.all() {
		if _, err := v.SetRandom(); err != nil {
			return nil, status.New(status.Internal, "random", "system randomness: %w", err)
		}
	}
	return t, nil
}

// LabelScalar is the scalar that golden/README.md calls toxic(label): SHA-256 of
// "libcuzk test setup " ‖ label, little endian, with the top two bits cleared.
func LabelScalar(label string) (v fr.Element) {
	sum := sha256.Sum256([]byte("libcuzk test setup " + label))
	sum[31] &= 0x3f
	slices.Reverse(sum[:])
	v.SetBytes(sum[:])
	return v
}

func (t *Toxic) all() []*fr.Element {
	return []*fr.Element{&t.Alpha, &t.Beta, &t.Gamma, &t.Delta, &t.Tau}
}

// validate refuses values for which no parameters exist: zero, and τ in the
// evaluation domain.
func (t *Toxic) validate(vanishing *fr.Element) error {
	for _, v := range t.all() {
		if v.IsZero() {
			return status.New(status.Argument, "toxic", "a toxic value is zero")
		}
	}
	if vanishing.IsZero() {
		return status.New(status.Argument, "toxic.tau", "tau lies in the evaluation domain")
	}
	return nil
}
