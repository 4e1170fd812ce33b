module github.com/libcuzk/libcuzk/tests/curio

go 1.25.0

require (
	github.com/stretchr/testify v1.12.1
	google.golang.org/grpc v1.75.1
	google.golang.org/protobuf v1.36.9
)

require (
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/net v0.41.0 // indirect
	golang.org/x/sys v0.33.0 // indirect
	golang.org/x/text v0.26.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20250707201910-8d1bb00bc6a7 // indirect
)
