package gpu

import _ "embed" // for header

// header makes the C interface an input of this package: go follows no include to
// another folder, and would go on with code that was compiled with an older one.
//
//go:embed cuda/cuzk_cuda.h
//lint:ignore U1000 embedding it is the use
var header string
