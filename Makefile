# libcuzk. `make` alone lists the targets.

SHELL      := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PREFIX     ?= /usr/local
DESTDIR    ?=
BUILD      := $(CURDIR)/build
LIB        := $(BUILD)/lib
# Test parameters are made when missing and kept outside the tree; nothing
# relies on them being there.
export CUZK_TEST_PARAMS ?= $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/cuzk
export CARGO_TARGET_DIR ?= $(CUZK_TEST_PARAMS)/cargo

HEADER     := include/cuzk.h
VERSION    := $(shell sed -n 's/^\#define CUZK_VERSION_\(MAJOR\|MINOR\|PATCH\) //p' $(HEADER) | paste -sd.)
ABI        := $(shell sed -n 's/^\#define CUZK_ABI_VERSION //p' $(HEADER))
SONAME     := libcuzk.so.$(ABI)
GO_SOURCES := $(shell find core capi gpu -name '*.go' -o -name '*.s' -o -name '*.c' -o -name '*.h') go.mod go.sum

# cgosymbolizer, which shows C frames in traces, is in debug builds only.
DEBUG      ?=
GO_TAGS    := $(if $(DEBUG),-tags cuzkdebug,)
STRIP      := $(if $(DEBUG),,-s -w)
EXT_LD     := -Wl,-soname,$(SONAME) -Wl,--version-script=$(CURDIR)/capi/libcuzk.map -Wl,-z,relro,-z,now -Wl,--build-id=none

# The Go runtime of the C libraries: see capi/internal/goruntime.
# The folder begins with _ so that ./... does not take it for a package.
GO_RUNTIME := $(BUILD)/_goruntime/overlay.json
GO_LIBRARY  = go build -overlay $(GO_RUNTIME) $(GO_TAGS) -trimpath

##@ Build

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@ / {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: $(LIB)/$(SONAME) $(LIB)/libcuzk.a $(LIB)/pkgconfig/cuzk.pc ## Build libcuzk.so, libcuzk.a and cuzk.pc in build/lib (DEBUG=1: with C frames in traces)

.PHONY: shared
shared: $(LIB)/$(SONAME) ## Build libcuzk.so only

# Depends on the sources of Go's runtime, too, so that a new Go has a new overlay.
$(GO_RUNTIME): $(wildcard capi/internal/goruntime/*) $(shell go env GOROOT)/src/runtime/netpoll_epoll.go
	go run ./capi/internal/goruntime -o $(@D)

# A new file each time: whoever has the old one mapped keeps it.
$(LIB)/$(SONAME): $(GO_SOURCES) $(HEADER) $(GO_RUNTIME) capi/libcuzk.map
	@mkdir -p $(LIB) $(BUILD)/obj
	$(GO_LIBRARY) -buildmode=c-shared -o $(BUILD)/obj/libcuzk.so \
	    -ldflags '$(STRIP) -buildid= -extldflags "$(EXT_LD)"' ./capi
	cp --remove-destination $(BUILD)/obj/libcuzk.so $(LIB)/libcuzk.so.$(VERSION)
	ln -sf libcuzk.so.$(VERSION) $(LIB)/libcuzk.so
	ln -sf libcuzk.so.$(VERSION) $@

# One relocatable object in which only cuzk_* are global, so that a program can
# link the archive beside other Go archives' symbols without seeing ours.
$(LIB)/libcuzk.a: $(GO_SOURCES) $(HEADER) $(GO_RUNTIME)
	@mkdir -p $(LIB) $(BUILD)/obj
	$(GO_LIBRARY) -buildmode=c-archive -o $(BUILD)/obj/full.a -ldflags '$(STRIP) -buildid=' ./capi
	ld -r -d --whole-archive $(BUILD)/obj/full.a -o $(BUILD)/obj/cuzk.o
	objcopy -w --keep-global-symbol='cuzk_*' $(BUILD)/obj/cuzk.o
	rm -f $@
	ar rcsD $@ $(BUILD)/obj/cuzk.o

$(LIB)/pkgconfig/cuzk.pc: capi/cuzk.pc.in $(HEADER)
	@mkdir -p $(@D)
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' $< > $@

.PHONY: install
install: build ## Install library, archive, header and cuzk.pc below PREFIX (default /usr/local)
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include
	install -m 755 $(LIB)/libcuzk.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/
	ln -sf libcuzk.so.$(VERSION) $(DESTDIR)$(PREFIX)/lib/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(PREFIX)/lib/libcuzk.so
	install -m 644 $(LIB)/libcuzk.a $(DESTDIR)$(PREFIX)/lib/
	if [ -f $(BUILD)/gpu/libcuzk_cuda.so ]; then install -m 755 $(BUILD)/gpu/libcuzk_cuda.so $(DESTDIR)$(PREFIX)/lib/; fi
	install -m 644 $(HEADER) $(DESTDIR)$(PREFIX)/include/
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' capi/cuzk.pc.in > $(DESTDIR)$(PREFIX)/lib/pkgconfig/cuzk.pc

.PHONY: syscall-faults
syscall-faults: ## Let each system call on parameter files fail or stall once (strace)
	CUZK_TEST_LONG=1 go test -count=1 -timeout 1h -run 'TestSyscallFaults|TestPairOverKill|TestStalledFileSystem' ./core ./core/internal/files

.PHONY: generate
generate: ## Run every generator: status codes, vector arithmetic, values for tests of the kernels
	go generate ./core/internal/status ./core/internal/field ./core/internal/curve
	go run ./gpu/cuda/test/vectors gpu/cuda/test/gnark.bin

.PHONY: clean
clean: ## Remove build/ (test parameters stay in the cache)
	rm -rf $(BUILD)

##@ Device

include gpu/cuda/gpu.mk

# Tests make it when it is missing; made before, its core-minute is no silence of theirs.
.PHONY: gpu-fake
gpu-fake: ## Build the device library over a CUDA runtime on the CPU, for tests
	$(MAKE) -f gpu/cuda/host/host.mk

gpu: ## Build libcuzk_cuda.so in build/gpu for every architecture; needs no GPU
gpu-test: ## Build the test and benchmark program of the kernels

include capi/filcrypto/filcrypto.mk

##@ Python

VENV   := $(BUILD)/venv
PYTHON := $(VENV)/bin/python
export CUZK_LIBRARY ?= $(LIB)/$(SONAME)

$(VENV)/ready: bindings/python/pyproject.toml
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -e 'bindings/python[test]'
	touch $@

.PHONY: wheel
wheel: shared $(VENV)/ready ## Build a Python wheel that carries the library, in build/wheel
	rm -rf $(BUILD)/wheel-src && cp -r bindings/python $(BUILD)/wheel-src
	mkdir -p $(BUILD)/wheel-src/src/cuzk/_lib && cp -L $(LIB)/$(SONAME) $(BUILD)/wheel-src/src/cuzk/_lib/
	rm -rf $(BUILD)/wheel && $(VENV)/bin/pip wheel --quiet --no-deps -w $(BUILD)/wheel \
	    -C--build-option=--plat-name=linux_$(shell uname -m) $(BUILD)/wheel-src

##@ Try

DEMO := $(BUILD)/demo

.PHONY: demo
demo: shared $(VENV)/ready ## Make 2 KiB test parameters unless cached, prove the bundled sector, verify, print timings
	@mkdir -p $(DEMO)
	@ls $(CUZK_TEST_PARAMS)/v28-stacked*032d3138*.params >/dev/null 2>&1 || \
	    $(PYTHON) -m cuzk params make --kind porep --size 2KiB --out $(CUZK_TEST_PARAMS) --seed-label golden
	$(PYTHON) -m cuzk prove porep --c1 tests/golden/sectors/2k-v1_1/c1-0.json --sector-number 101 --miner-id 1001 \
	    --params $(CUZK_TEST_PARAMS) --out $(DEMO)/proof
	$(PYTHON) -m cuzk verify porep --sector tests/golden/sectors/2k-v1_1/sector-0.json --proof $(DEMO)/proof \
	    --params $(CUZK_TEST_PARAMS)

##@ Check

.PHONY: test
test: test-go ## Run every test that needs less than ten minutes in all
	@# each alone leaves a core idle for half its time
	$(MAKE) --no-print-directory -j2 --output-sync=target test-python test-rust

.PHONY: test-go
test-go: build gpu-fake ## Run the Go tests, with those of the C ABI, the header and the rules of the project
	go vet ./...
	go test -timeout 20m ./...
	cd bindings/go/filecoinffi && go vet ./... && go test ./...

.PHONY: test-long
test-long: ## Run the Go tests that need more time: all partitions of a non-interactive sector, every golden proof and parameter file
	CUZK_TEST_LONG=1 go test -timeout 60m -run '^TestCircuitProofs$$|^TestGoldenParameters$$|^TestGoldenProofs$$|^TestProofs$$' -v \
	    ./core ./core/internal/params ./core/internal/golden ./core/internal/device

.PHONY: test-python
test-python: shared $(VENV)/ready ## Run the Python tests and mypy
	cd bindings/python && $(VENV)/bin/mypy && $(PYTHON) -m pytest -q

# The Rust crates find the library here; cargo builds outside the tree.
RUST_ENV := CUZK_LIB_DIR=$(LIB) LD_LIBRARY_PATH=$(LIB)

.PHONY: test-curio
test-curio: shared $(VENV)/ready ## Run a Go client against the service as Curio would
	cd tests/curio && go vet ./... && go test -count=1 -timeout 10m ./...

.PHONY: test-rust
test-rust: shared ## Run the tests of the Rust bindings
	$(RUST_ENV) cargo test --locked --all-features --manifest-path bindings/rust/Cargo.toml -- --test-threads=1

.PHONY: interop
interop: shared ## Prove and verify together with the published Filecoin crates
	$(RUST_ENV) cargo test --release --locked --manifest-path tests/interop/Cargo.toml -- --test-threads=1 --nocapture

# What hosts build without a C compiler: verification, vanilla checks and proving
# on the CPU, on the machines of their developers too.
PORTABLE := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

.PHONY: portable
portable: ## Compile core and the Go drop-in module without cgo for Linux and macOS
	for target in $(PORTABLE); do \
	    export CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/}; \
	    go build ./core/... && (cd bindings/go/filecoinffi && go build ./...) || exit 1; \
	done

GOLDEN ?= tests/golden

.PHONY: verify-circuits
verify-circuits: ## Check every circuit, assignment and public input in GOLDEN=DIR (default tests/golden); an hour
	go run ./core/cmd/verify-circuits $(GOLDEN)

.PHONY: lint
lint: ## Check the rules of the project: imports, cgo, goroutines, printing, exports, documents
	go vet ./... && go vet -tags cuzkdebug ./capi && test -z "$$(gofmt -l core capi gpu tests | tee /dev/stderr)"
	go test ./tests/lint ./core/internal/status/codegen

include .ci/checks.mk

FUZZTIME ?= 30s
FUZZ     ?= .*
FUZZSKIP ?= none

.PHONY: fuzz-short
fuzz-short: ## Run the fuzz targets that match FUZZ (default all) for FUZZTIME each (default 30s)
	@grep -rlE '^func Fuzz' --include='*_test.go' core | xargs -n1 dirname | sort -u | while read -r dir; do \
	    go test -list '^Fuzz' ./$$dir | grep ^Fuzz | { grep -xE '$(FUZZ)' || true; } | { grep -vxE '$(FUZZSKIP)' || true; } | while read -r target; do \
	        echo "fuzz $$dir $$target"; \
	        go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$dir; \
	    done; \
	done

.PHONY: faults
faults: ## Let every point of a job fail, on the CPU and on an emulated device: an error, a panic, a flipped bit, damaged parameters
	CUZK_TEST_LONG=1 go test -count=1 -timeout 60m -v -run '^(TestFaults|TestDeviceFaults|TestWrongTwiceIsAnError|TestDamagedParameters)$$' ./core/internal/engine

MINUTES ?= 20

.PHONY: soak
soak: ## Run mixed 2 KiB jobs with random priorities, keys, deadlines and cancels for MINUTES (default 20); JSON lines in build/soak.jsonl
	@mkdir -p $(BUILD)
	go test -count=1 -timeout 0 -v -run '^TestSoak$$' ./tests/soak -args -soak $(MINUTES)m | tee $(BUILD)/soak.log
	go test -count=1 -timeout 0 -v -run '^(TestSoak|TestSameBytesEveryTime|TestSameBytesOfRealProofs)$$' ./core/internal/engine -args -soak 1m
	@grep '^{' $(BUILD)/soak.log > $(BUILD)/soak.jsonl

##@ Measure

.PHONY: bench
bench: shared ## Measure every promised figure and the ratio to bellperson: JSON lines, also in build/bench.jsonl
	@mkdir -p $(BUILD) $(CUZK_TEST_PARAMS)
	go run ./core/cmd/bench | tee $(BUILD)/bench.jsonl
	$(RUST_ENV) cargo run --release --locked --manifest-path tests/interop/Cargo.toml --bin compare -- \
	    tests/golden/sectors/2k-v1_1/c1-0.json tests/golden/sectors/2k-v1_1/sector-0.json $(CUZK_TEST_PARAMS) \
	    | tee -a $(BUILD)/bench.jsonl
