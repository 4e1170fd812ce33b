package cuzk

// Version is the version of libcuzk, that of include/cuzk.h.
const Version = "0.1.0"
