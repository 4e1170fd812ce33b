package gpu

// #include "cuda/cuzk_cuda.h"
import "C"

// The numbers of types.go, which also builds without cgo, are those of
// cuzk_cuda.h: an index that is not 0 does not compile.
var _ = [1]struct{}{}[0+
	(Argument^C.CUZK_CUDA_ARGUMENT)|(Memory^C.CUZK_CUDA_MEMORY)|(Call^C.CUZK_CUDA_CALL)|(Lost^C.CUZK_CUDA_LOST)|
	(Point^C.CUZK_CUDA_POINT)|(Internal^C.CUZK_CUDA_INTERNAL)|(Stopped^C.CUZK_CUDA_STOPPED)]

var _ = [1]struct{}{}[0+
	(H^C.CUZK_CUDA_H)|(L^C.CUZK_CUDA_L)|(A^C.CUZK_CUDA_A)|(B1^C.CUZK_CUDA_B1)|(B2^C.CUZK_CUDA_B2)|
	(Sections^C.CUZK_CUDA_SECTIONS)]

var _ = [1]struct{}{}[0+
	(OnDevice^C.CUZK_CUDA_ON_DEVICE)|(OnHost^C.CUZK_CUDA_ON_HOST)|(InFile^C.CUZK_CUDA_IN_FILE)]

var _ = [1]struct{}{}[0+
	(Upload^C.CUZK_CUDA_UPLOAD)|(Rows^C.CUZK_CUDA_ROWS)|(NTT^C.CUZK_CUDA_NTT)|(SumH^C.CUZK_CUDA_SUM_H)|
	(SumL^C.CUZK_CUDA_SUM_L)|(SumA^C.CUZK_CUDA_SUM_A)|(SumB1^C.CUZK_CUDA_SUM_B1)|(SumB2^C.CUZK_CUDA_SUM_B2)|
	(Download^C.CUZK_CUDA_DOWNLOAD)|(Stages^C.CUZK_CUDA_STAGES)]

var _ = [1]struct{}{}[0+
	(partInputs^C.CUZK_CUDA_INPUTS)|(partScalars^C.CUZK_CUDA_SCALARS)|(partBits^C.CUZK_CUDA_BITS)|
	(partGiven^C.CUZK_CUDA_GIVEN)|(Fillers^C.CUZK_CUDA_FILLERS)]
