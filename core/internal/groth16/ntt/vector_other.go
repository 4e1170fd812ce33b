//go:build !amd64 || purego

package ntt

const vectorMin = 0

func newVector(n, workers int) Transform { return newPortable(n, workers) }
