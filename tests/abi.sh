#!/bin/sh
# Compares the shared library that was built with that of the last tag (v1.2.3): the same number after .so needs every
# function of it, with the same types. Skipped, and said, where there is no abidiff, no tag, or another number.
set -eu
cd "$(dirname "$0")/.."
build=$(dirname "${LDPBENCH:-build/release/ldpbench}")
skip() { echo "abi: skipped: $1" >&2; exit 0; }
command -v abidiff >/dev/null || skip "no abidiff (abigail-tools)"
tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null) || skip "no tag"
[ -n "$(git diff --name-only "$tag" -- core Makefile)" ] || skip "core is that of $tag"
soname=$(readlink "$build/libldpbench.so")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
git archive "$tag" | tar -xf - -C "$work"
make --no-print-directory -C "$work" MODE=debug CFLAGS=-O0 "build/debug/$soname" >"$work/log" 2>&1 || skip "$tag builds no $soname"
header() { sed -n "s|^PUBLIC_HEADERS := |$1/|p" "$1/Makefile"; }
abidiff --no-added-syms --drop-private-types --header-file1 "$(header "$work")" --header-file2 "$(header .)" \
    "$work/build/debug/$soname" "$build/$soname" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
