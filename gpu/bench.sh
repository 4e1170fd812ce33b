#!/bin/bash
# Everything that is measured on a machine with GPUs, with prebuilt programs:
#
#	gpu/bench.sh BIN OUT [CASES…]
#
# BIN holds bench (core/internal/device/bench), libcuzk_cuda.so and gpu_test (both
# make -f gpu/cuda/gpu.mk), and libcuzk.so (make shared) for the cases of the
# engine; OUT takes results.jsonl, traces, proofs and a log per case. Each case has a
# limit of its own; a failure ends none of the others. Run it in the root of the
# sources, whose tests/golden it reads. GOLDEN names another folder, COMMIT what
# results say. Cases of parameter files put them in a folder below TMPDIR that is
# removed at the end: 46 GiB for 32 GiB PoRep. The cases first and second are all
# others in two parts of less than ten minutes; no case runs longer than DEADLINE
# seconds after the start.
set -u
BIN=$(realpath "$1") OUT=$(realpath -m "$2")
shift 2
GOLDEN=${GOLDEN:-tests/golden} COMMIT=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
CARD=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
DRIVER=$(grep -om1 '[0-9]\+\.[0-9][0-9.]*' /proc/driver/nvidia/version 2>/dev/null)
mkdir -p "$OUT"
PARAMS=$(mktemp -d)
trap 'rm -rf "$PARAMS"' EXIT

# within SECONDS COMMAND…
within() {
	local left=$((${DEADLINE:-86400} - SECONDS))
	timeout -k 5 $(($1 < left ? $1 : left > 1 ? left : 1)) "${@:2}"
}

# bench NAME SECONDS ARGUMENTS…
bench() {
	local name=$1 limit=$2 start=$SECONDS
	shift 2
	within "$limit" "$BIN/bench" -library "$BIN/libcuzk_cuda.so" -golden "$GOLDEN" -out "$OUT" -commit "$COMMIT" -driver "$DRIVER" "$@" \
		> "$OUT/$name.log" 2>&1
	local rc=$?
	echo "$name: rc $rc, $((SECONDS - start)) s"
	[ $rc = 0 ] || tail -3 "$OUT/$name.log"
}

# kernels NAME SECONDS COMMANDS…
kernels() {
	local name=$1 limit=$2 start=$SECONDS
	shift 2
	within "$limit" "$BIN/gpu_test" --commit "$COMMIT" --vectors gpu/cuda/test/gnark.bin "$@" > "$OUT/$name.log" 2>&1
	local rc=$?
	grep '^{' "$OUT/$name.log" >> "$OUT/results.jsonl"
	echo "$name: rc $rc, $((SECONDS - start)) s: $(tail -1 "$OUT/$name.log")"
	[ $rc = 0 ] || grep FAIL "$OUT/$name.log" | head -3
}

# engine NAME SECONDS ARGUMENTS…
engine() {
	local name=$1 limit=$2 start=$SECONDS
	shift 2
	CUZK_LIBRARY="$BIN/libcuzk.so" PYTHONPATH=bindings/python/src within "$limit" python3 gpu/engine.py --params "$PARAMS" --out "$OUT" \
		--device-library "$BIN/libcuzk_cuda.so" --commit "$COMMIT" --device "$CARD" --driver "$DRIVER" --memory 100GiB "$@" > "$OUT/$name.log" 2>&1
	local rc=$?
	echo "$name: rc $rc, $((SECONDS - start)) s"
	[ $rc = 0 ] || tail -3 "$OUT/$name.log"
}

# The parameter files of the engine's cases.
files() { [ -n "$(find "$PARAMS" -name '*.params' | tail -n +2)" ] || run params; }

run() {
	case $1 in
	kernels) kernels kernels 120 field ntt rows msm weigh setup ;;
	kernel-bench) kernels kernel-bench 120 bench-ntt=27:27 bench-msm=27:6:24 bench-msm2=22:13:20 bench-sum=27 bench-weigh=25:1 bench-weigh2=22:1 bench-setup=26 ;;
	sanitizer)
		for tool in memcheck racecheck synccheck initcheck; do
			timeout 60 compute-sanitizer --tool $tool --error-exitcode 1 "$BIN/gpu_test" --vectors gpu/cuda/test/gnark.bin --small field ntt rows msm weigh setup \
				> "$OUT/sanitizer-$tool.log" 2>&1
			echo "sanitizer $tool: rc $?: $(tail -1 "$OUT/sanitizer-$tool.log")"
		done ;;
	tiny) bench tiny 300 -times "${TIMES:-200}" tiny ;;
	small) bench small 120 -check -repeat 3 2k-v1_1:porep 2k-v1_1:winning_post 2k-v1_1:window_post 2k-v1_1:update ;;
	leak) bench leak 120 -leak 100 2k-v1_1:porep 2k-v1_1:winning_post 2k-v1_1:window_post 2k-v1_1:update ;;
	# sections in pieces on a card that would hold them
	pieces) bench pieces 120 -stay 1 -host 2GiB -piece 524288 -label _pieces 2k-v1_1:porep 2k-v1_1:winning_post ;;
	file) bench file 180 -file -stay 1 -label _file 2k-v1_1:porep ;;
	winning) bench winning 90 -repeat 100 32g-sparse:winning_post ;;
	porep) bench porep 300 -repeat 3 32g-sparse:porep ;;
	update) bench update 300 -repeat 1 32g-sparse:update ;;
	window) bench window 300 -repeat 5 32g-sparse:window_post ;;
	limit-*) bench "$1" 480 -limit "${1#limit-}" -host 64GiB -label "_${1#limit-}" 32g-sparse:porep ;;
	# a real file of 46 GiB: made, read, decoded and checked, proved with
	params) bench params 300 -file -params "$PARAMS" -label _file 32g-sparse:winning_post 32g-sparse:porep ;;
	engine) files && engine engine 240 --beside winning_post:32GiB ;;
	engine-*) files && engine "$1" 240 --device-memory-limit "${1#engine-}" --label "_${1#engine-}" --repeat 1 ;;
	first) for c in kernels kernel-bench sanitizer small leak pieces file winning porep window update limit-48GB; do run $c; done ;;
	second) for c in tiny params engine engine-24GB; do run $c; done ;;
	two) bench two 400 -devices 0,1 -repeat 4 -label _two 32g-sparse:porep ;;
	*) echo "no case $1" ;;
	esac
}

[ $# -gt 0 ] || set -- first second limit-16GB limit-24GB
for case in "$@"; do run "$case"; done
