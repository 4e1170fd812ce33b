#!/bin/bash
# redirect.sh IN.a OUT.a: writes a copy of libfilcrypto.a in which the calls that
# libcuzk_filcrypto.so has bear other names (filcrypto_NAME), so that a program
# that links -lcuzk_filcrypto and this copy takes them from libcuzk.
#
# The calls are those of include/cuzk_filcrypto.h but for memory and destroy
# functions, which both libraries may share. OBJCOPY and NM may name other tools.
# The copy is checked before it gets its name: each call must be gone from the
# definitions and from the references of the archive, and nothing else changed.
set -euo pipefail
[ $# = 2 ] || { echo "usage: $0 libfilcrypto.a out.a" >&2; exit 2; }
in=$1 out=$2
[ "$in" -ef "$out" ] && { echo "$0: $out is the original" >&2; exit 2; }
header=$(dirname "$0")/../../include/cuzk_filcrypto.h
objcopy=${OBJCOPY:-objcopy} nm=${NM:-nm}

# Names before an opening parenthesis, outside comments.
mapfile -t calls < <(sed ':a;N;$!ba;s|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' "$header" |
    grep -oE '\b[a-z][a-z0-9_]*\(' | tr -d '(' | grep -vE '^(destroy_|alloc_boxed_slice$)' | sort -u)
[ ${#calls[@]} -ge 15 ] || { echo "$0: only ${#calls[@]} calls in $header" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
symbols() { "$nm" --format=posix "$1" 2>/dev/null | awk 'NF >= 2 && $1 !~ /:$/ {print $1, $2}' | sort; }

symbols "$in" > "$work/before"
renames=()
for name in "${calls[@]}"; do
    awk -v n="$name" '$1 == n && $2 == "T" {found = 1} END {exit !found}' "$work/before" ||
        { echo "$0: $in does not define $name" >&2; exit 1; }
    renames+=(--redefine-sym "$name=filcrypto_$name")
done
"$objcopy" "${renames[@]}" "$in" "$work/out.a"

symbols "$work/out.a" > "$work/after"
printf '%s\n' "${calls[@]}" > "$work/calls"
awk 'NR == FNR {call[$1]; next} {print ($1 in call ? "filcrypto_" $1 : $1), $2}' "$work/calls" "$work/before" |
    sort > "$work/expected"
if ! diff -u "$work/expected" "$work/after" > "$work/diff"; then
    echo "$0: the copy is not what was asked for:" >&2
    head -20 "$work/diff" >&2
    exit 1
fi
mv "$work/out.a" "$out"
echo "$out: ${#calls[@]} calls redirected"
