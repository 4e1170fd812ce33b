#!/bin/bash
# Everything that is measured on a machine with GPUs, with prebuilt programs:
#
#	tests/bench/bench.sh BIN OUT [CASES…]
#
# BIN holds bench (core/cmd/device-bench), libcuzk_cuda.so and gpu_test (both
# make -f gpu/cuda/gpu.mk), and libcuzk.so (make shared). Proofs are measured through
# the engine (tests/bench/engine.py, over libcuzk.so) with parameters in files. OUT takes
# results.jsonl, traces and a log per case. Each case has a limit of its own; a
# failure ends none of the others. COMMIT names the commit in results. The parameter
# files are in a folder below TMPDIR that is removed at the end: 46 GiB for a 32 GiB
# PoRep, and PARAMS names one that stays. The cases first and second are all others
# in two parts of less than ten minutes; no case runs longer than DEADLINE seconds
# after the start.
set -u
BIN=$(realpath "$1") OUT=$(realpath -m "$2")
shift 2
COMMIT=${COMMIT:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
CARD=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
DRIVER=$(grep -om1 '[0-9]\+\.[0-9][0-9.]*' /proc/driver/nvidia/version 2>/dev/null)
mkdir -p "$OUT"
if [ -z "${PARAMS:-}" ]; then
	PARAMS=$(mktemp -d)
	trap 'rm -rf "$PARAMS"' EXIT
fi

# within SECONDS COMMAND…
within() {
	local left=$((${DEADLINE:-86400} - SECONDS))
	timeout -k 5 $(($1 < left ? $1 : left > 1 ? left : 1)) "${@:2}"
}

# bench NAME SECONDS ARGUMENTS…
bench() {
	local name=$1 limit=$2 start=$SECONDS
	shift 2
	within "$limit" "$BIN/bench" -library "$BIN/libcuzk_cuda.so" -out "$OUT" -params "$PARAMS" -commit "$COMMIT" -driver "$DRIVER" "$@" \
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
	CUZK_LIBRARY="$BIN/libcuzk.so" PYTHONPATH=bindings/python/src within "$limit" python3 tests/bench/engine.py --params "$PARAMS" --out "$OUT" \
		--device-library "$BIN/libcuzk_cuda.so" --commit "$COMMIT" --device "$CARD" --driver "$DRIVER" --memory 100GiB "$@" > "$OUT/$name.log" 2>&1
	local rc=$?
	echo "$name: rc $rc, $((SECONDS - start)) s"
	[ $rc = 0 ] || tail -3 "$OUT/$name.log"
}

# need KIND:SIZE…: parameter files that are not there yet are made on the device.
need() { bench "params-${1%%:*}-${1##*:}" 300 make "$@"; }

run() {
	case $1 in
	kernels) kernels kernels 120 field ntt rows msm reduction setup ;;
	kernel-bench) kernels kernel-bench 120 bench-ntt=27:27 bench-msm=27:6:24 bench-msm2=22:13:20 bench-sum=27 bench-reduction=25:1 bench-reduction2=22:1 bench-setup=26 ;;
	sanitizer)
		for tool in memcheck racecheck synccheck initcheck; do
			timeout 60 compute-sanitizer --tool $tool --error-exitcode 1 "$BIN/gpu_test" --vectors gpu/cuda/test/gnark.bin --small field ntt rows msm reduction setup \
				> "$OUT/sanitizer-$tool.log" 2>&1
			echo "sanitizer $tool: rc $?: $(tail -1 "$OUT/sanitizer-$tool.log")"
		done ;;
	tiny) bench tiny 300 -rounds "${ROUNDS:-200}" tiny ;;
	small)
		for kind in porep winning_post window_post update; do
			need $kind:2KiB && engine small-$kind 60 --job $kind:2KiB --label _small --repeat 3
		done ;;
	winning) need winning_post:32GiB && engine winning 90 --job winning_post:32GiB --repeat 100 --together 100 ;;
	porep) need porep:32GiB winning_post:32GiB && engine porep 240 --together 3 --beside winning_post:32GiB ;;
	update) need update:32GiB && engine update 300 --job update:32GiB --together 3 ;;
	window) need window_post:32GiB && engine window 300 --job window_post:32GiB --together 5 ;;
	limit-*) need porep:32GiB && engine "$1" 240 --device-memory-limit "${1#limit-}" --label "_${1#limit-}" --repeat 1 ;;
	two) need porep:32GiB && engine two 400 --devices 0,1 --together 4 --label _two ;;
	first) for c in kernels kernel-bench sanitizer small winning porep; do run $c; done ;;
	second) for c in tiny window update limit-48GB limit-24GB; do run $c; done ;;
	*) echo "no case $1" ;;
	esac
}

[ $# -gt 0 ] || set -- first second limit-16GB
for case in "$@"; do run "$case"; done
