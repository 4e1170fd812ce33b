# Formatters, analysers and the slower checks; included by the top Makefile. Tools
# are pinned here and installed into build/tools; Rust's come with the tool-chain.

STATICCHECK   := v0.8.2
GOVULNCHECK   := v1.9.0
RUFF          := 0.17.6
CLANG_FORMAT  := 23.1.5
RUST_VERSION  := 1.95.0

TOOLS := $(BUILD)/tools
CARGO_PINNED := cargo +$(RUST_VERSION)
CRATES := bindings/rust/Cargo.toml tests/interop/Cargo.toml

# One stamp a version: a new pin installs anew.
$(TOOLS)/staticcheck-$(STATICCHECK):
	GOBIN=$(TOOLS) go install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK)
	mv $(TOOLS)/staticcheck $@

$(TOOLS)/govulncheck-$(GOVULNCHECK):
	GOBIN=$(TOOLS) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK)
	mv $(TOOLS)/govulncheck $@

FORMATTERS := $(TOOLS)/python-$(RUFF)-$(CLANG_FORMAT)
$(FORMATTERS)/ready:
	python3 -m venv --clear $(FORMATTERS)
	$(FORMATTERS)/bin/pip install --quiet --disable-pip-version-check ruff==$(RUFF) clang-format==$(CLANG_FORMAT)
	touch $@

# include/ is laid out by hand: the headers are the manual. The oldest header stays as it was.
C_FILES  = $(shell git ls-files '*.c' '*.h' '*.cpp' '*.hpp' '*.cu' '*.cuh' ':!include' ':!tests/abi/oldest')
# From bindings/python, whose pyproject.toml has the rules.
PY_FILES = . ../../tests

.PHONY: format
format: $(FORMATTERS)/ready ## Lay out every file: gofmt, clang-format, rustfmt, ruff
	gofmt -w $$(git ls-files '*.go')
	$(FORMATTERS)/bin/clang-format -i $(C_FILES)
	for crate in $(CRATES); do $(CARGO_PINNED) fmt --all --manifest-path $$crate; done
	cd bindings/python && $(FORMATTERS)/bin/ruff check --quiet --fix $(PY_FILES) && $(FORMATTERS)/bin/ruff format --quiet $(PY_FILES)

.PHONY: format-check
format-check: $(FORMATTERS)/ready ## Fail if a formatter would change a file, or ruff finds something
	test -z "$$(gofmt -l $$(git ls-files '*.go') | tee /dev/stderr)"
	$(FORMATTERS)/bin/clang-format --dry-run -Werror $(C_FILES)
	for crate in $(CRATES); do $(CARGO_PINNED) fmt --all --check --manifest-path $$crate; done
	cd bindings/python && $(FORMATTERS)/bin/ruff format --quiet --check $(PY_FILES) && $(FORMATTERS)/bin/ruff check --quiet $(PY_FILES)

.PHONY: analyse
analyse: shared $(TOOLS)/staticcheck-$(STATICCHECK) ## Run staticcheck, and clippy with warnings as errors
	$(TOOLS)/staticcheck-$(STATICCHECK) ./...
	$(RUST_ENV) $(CARGO_PINNED) clippy --quiet --locked --all-features --all-targets --manifest-path bindings/rust/Cargo.toml -- -D warnings

# The database of known weaknesses is a service: where it cannot be reached the
# check is not made, and says so; anything else that fails is a failure.
.PHONY: vulnerabilities
vulnerabilities: $(TOOLS)/govulncheck-$(GOVULNCHECK) ## Ask the Go vulnerability database for what the product calls
	@mkdir -p $(BUILD); rc=0; $< ./core/... ./capi/... ./gpu/... >$(BUILD)/vulnerabilities.log 2>&1 || rc=$$?; \
	cat $(BUILD)/vulnerabilities.log; \
	if [ $$rc != 0 ] && grep -q 'fetching vulnerabilities:' $(BUILD)/vulnerabilities.log; then \
	    printf '\n*** NOT CHECKED: govulncheck could not reach its database (the line above says why).\n*** Run "make vulnerabilities" with network before a release.\n\n'; \
	else exit $$rc; fi

# Packages whose tests are about goroutines that share memory.
RACE := jobs sched srs budget batch metrics timeline

.PHONY: race
race: ## Run the concurrent parts under Go's race detector, the engine on toy circuits
	go test -race -short -timeout 15m $(addprefix ./core/internal/engine/,$(RACE)) ./core/internal/spawn
	go test -race -short -timeout 15m -skip '$(RACE_SKIP)' ./core/internal/engine

# Tests that prove real circuits of 2 KiB, which takes minutes with the detector, and one that measures pauses.
RACE_SKIP := ^Test(DevicesProve|PausesAreIdle|BudgetCoversAPartition|SameBytesOfRealProofs|DamagedParameters|Faults|DeviceFaults)$$

.PHONY: race-long
race-long: ## Run every Go test of the product under the race detector
	go test -race -short -timeout 120m ./core/... ./capi/... ./gpu/...

.PHONY: purego
purego: ## Test what runs where there is no assembly (-tags purego), and vet it for arm64 with its tests
	go test -short -tags purego ./core/internal/curve ./core/internal/groth16/ntt ./core/internal/poseidon ./core/internal/verify
	CGO_ENABLED=0 GOARCH=arm64 go vet ./core/internal/field ./core/internal/curve ./core/internal/groth16/... \
	    ./core/internal/poseidon ./core/internal/verify ./core/internal/params

# The circuits of 32 GiB, every constraint of them: two minutes of two cores.
.PHONY: circuits-32gib
circuits-32gib: ## Check the published digests of the 32 GiB circuits of all four kinds
	@mkdir -p $(TOOLS); go build -o $(TOOLS)/verify-circuits ./core/cmd/verify-circuits
	printf 'r1cs/%s-34359738368\n' window_post porep update winning_post | \
	    xargs -P $$(nproc) -I{} $(TOOLS)/verify-circuits -run {} tests/golden

.PHONY: nightly
nightly: ## Run what .ci/run has no time for: all digests, faults, soak, long tests, races, bellperson
	$(MAKE) verify-circuits
	$(MAKE) faults
	$(MAKE) syscall-faults
	$(MAKE) soak
	$(MAKE) test-long
	$(MAKE) race-long
	$(MAKE) bench
