package golden

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/libcuzk/libcuzk/core/internal/circuit"
	"github.com/libcuzk/libcuzk/core/internal/filecoin"
	"github.com/libcuzk/libcuzk/core/internal/params"
)

// totals are the sizes of every circuit, test sizes included, from an
// independent model that reproduces all published counts; the parameter files'
// lengths agree with the published files.
var totals = []struct {
	kind                     filecoin.Kind
	size                     uint64
	inputs, aux, constraints int
	log2Domain               int
	aDensity, bDensity       int
	paramsBytes              int64
}{
	{filecoin.PoRep, 2 * filecoin.KiB, 40, 2_685_673, 2_687_921, 22, 2_674_908, 685_521, 1_114_707_768},
	{filecoin.PoRep, 4 * filecoin.KiB, 40, 2_786_423, 2_788_733, 22, 2_773_158, 716_039, 1_142_600_952},
	{filecoin.PoRep, 16 * filecoin.KiB, 40, 2_974_867, 2_977_173, 22, 2_959_930, 766_963, 1_193_287_800},
	{filecoin.PoRep, 32 * filecoin.KiB, 40, 3_075_617, 3_077_985, 22, 3_058_180, 797_481, 1_221_180_984},
	{filecoin.PoRep, 8 * filecoin.MiB, 40, 3_842_449, 3_844_929, 22, 3_814_996, 1_011_289, 1_429_027_896},
	{filecoin.PoRep, 16 * filecoin.MiB, 40, 3_943_199, 3_945_741, 22, 3_913_246, 1_041_807, 1_456_921_080},
	{filecoin.PoRep, 512 * filecoin.MiB, 40, 4_420_837, 4_423_433, 23, 4_385_040, 1_174_173, 1_988_841_144},
	{filecoin.PoRep, 1 * filecoin.GiB, 40, 4_521_587, 4_524_245, 23, 4_483_290, 1_204_691, 2_016_734_328},
	{filecoin.PoRep, 32 * filecoin.GiB, 328, 130_169_893, 130_278_541, 27, 129_753_292, 33_112_281, 47_373_928_632},
	{filecoin.PoRep, 64 * filecoin.GiB, 328, 131_076_643, 131_185_849, 27, 130_637_542, 33_386_943, 47_624_967_288},
	{filecoin.WinningPoSt, 2 * filecoin.KiB, 133, 91_674, 90_750, 17, 69_300, 66_792, 47_299_128},
	{filecoin.WinningPoSt, 8 * filecoin.MiB, 133, 233_442, 230_670, 18, 176_748, 169_488, 113_383_224},
	{filecoin.WinningPoSt, 512 * filecoin.MiB, 133, 304_326, 300_630, 19, 230_472, 220_836, 165_299_640},
	{filecoin.WinningPoSt, 32 * filecoin.GiB, 133, 375_210, 370_590, 19, 284_196, 272_184, 192_050_232},
	{filecoin.WinningPoSt, 64 * filecoin.GiB, 133, 396_000, 391_314, 19, 299_838, 287_694, 200_014_584},
	{filecoin.WindowPoSt, 2 * filecoin.KiB, 23, 22_128, 21_866, 15, 16_770, 16_028, 11_501_496},
	{filecoin.WindowPoSt, 8 * filecoin.MiB, 23, 65_088, 64_266, 16, 49_330, 47_148, 30_859_704},
	{filecoin.WindowPoSt, 512 * filecoin.MiB, 23, 86_568, 85_466, 17, 65_610, 62_708, 45_257_400},
	{filecoin.WindowPoSt, 32 * filecoin.GiB, 25840, 126_902_376, 125_279_217, 27, 96_179_805, 91_925_766, 60_780_374_232},
	{filecoin.WindowPoSt, 64 * filecoin.GiB, 25301, 131_500_200, 129_887_900, 27, 99_624_500, 95_413_200, 62_556_733_560},
	{filecoin.Update, 1 * filecoin.KiB, 5, 1_247_309, 1_248_389, 21, 1_241_649, 327_403, 534_560_664},
	{filecoin.Update, 2 * filecoin.KiB, 5, 1_703_569, 1_705_039, 21, 1_697_189, 444_403, 655_789_464},
	{filecoin.Update, 4 * filecoin.KiB, 5, 2_163_189, 2_165_109, 22, 2_155_229, 564_063, 979_673_496},
	{filecoin.Update, 8 * filecoin.KiB, 5, 2_618_009, 2_620_359, 22, 2_609_689, 680_063, 1_100_372_376},
	{filecoin.Update, 16 * filecoin.KiB, 5, 6_293_944, 6_300_021, 23, 6_284_882, 1_613_422, 2_477_541_240},
	{filecoin.Update, 32 * filecoin.KiB, 5, 6_753_564, 6_760_091, 23, 6_742_922, 1_733_082, 2_600_098_680},
	{filecoin.Update, 8 * filecoin.MiB, 5, 9_998_039, 10_007_503, 24, 9_981_015, 2_567_921, 4_268_165_208},
	{filecoin.Update, 16 * filecoin.MiB, 5, 10_457_659, 10_467_573, 24, 10_439_055, 2_687_581, 4_390_722_648},
	{filecoin.Update, 512 * filecoin.MiB, 5, 57_401_314, 57_450_479, 26, 57_212_317, 14_916_879, 21_741_422_712},
	{filecoin.Update, 32 * filecoin.GiB, 5, 80_978_488, 81_049_499, 27, 80_743_581, 20_983_607, 34_453_501_368},
	{filecoin.Update, 64 * filecoin.GiB, 5, 84_931_220, 85_006_101, 27, 84_682_725, 22_012_683, 35_507_495_352},
}

func TestTotals(t *testing.T) {
	for _, want := range totals {
		shape, err := filecoin.NewShape(want.kind, want.size)
		require.NoError(t, err)
		c := circuit.Compile(shape)
		a, b, bInputs := c.Density()
		require.Equal(t, want.inputs, c.NumInputs, shape)
		require.Equal(t, want.inputs, shape.NumInputs()+1, shape)
		require.Equal(t, want.aux, c.NumAux, shape)
		require.Equal(t, want.constraints, c.NumRows, shape)
		require.Equal(t, 1<<want.log2Domain, c.Domain(), shape)
		require.Equal(t, want.aDensity, ones(a), shape)
		require.Equal(t, want.bDensity, ones(b), shape)
		require.Equal(t, []int{0}, bInputs, shape)
		require.Equal(t, want.paramsBytes, params.LayoutOf(c).Size(), shape)
		require.Less(t, c.Bytes(), 64<<20, shape)
	}
}
