module github.com/libcuzk/libcuzk

go 1.26.8

require (
	github.com/consensys/gnark-crypto v0.22.0
	github.com/go-json-experiment/json v1.27.2
	github.com/stretchr/testify v1.12.1
	golang.org/x/crypto v0.59.0
	golang.org/x/sys v0.50.0
)

require (
	github.com/bits-and-blooms/bitset v1.25.0 // indirect
	github.com/ianlancetaylor/cgosymbolizer v0.0.0-20240503222823-736c933a666d
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
