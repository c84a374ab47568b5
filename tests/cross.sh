#!/bin/sh
# The files of core/ that depend on the processor, compiled for another one: with the objects of all others, which are the same there,
# they define all that the library needs. LDPBENCH names the program, whose objects and library are taken.
set -eu
build=$(dirname "$LDPBENCH")
build=${build#"$PWD/"}
unset MAKEFLAGS MFLAGS MAKELEVEL
files=$({ printf '%s\n' core/*/*.c | sed "s|\(.*\)c\$|$build/\1d|" | xargs grep -l 'core/simd/simd\.h' | sed "s|^$build/||; s/d\$/c/"
    grep -lE '__x86_64__|intrin\.h' core/*/*.c; } | sort -u)
objects=$(echo "$files" | sed 's|\(.*\)c$|build/cross/\1o|')
# shellcheck disable=SC2086 # words
make -s MODE=cross CC=aarch64-linux-gnu-gcc PKG=true -j2 $objects >/dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
same=$(printf '%s\n' core/*/*.c | grep -vxF "$files" | sed "s|\(.*\)c\$|$build/\1o|")
names() { nm -A "$@" | awk -v name="$name" '{ kind = $(NF - 1) } (kind ~ /[Uw]/) == (name == "needs") { print $NF }' | sort -u; }
# shellcheck disable=SC2086 # words
{
    name=needs names $objects $same >"$work/needs"
    name=has names $objects $same >"$work/has"
    name=needs names "$build/libldpbench.a" >"$work/all" # with the names of the C library
    name=has names "$build/libldpbench.a" | comm -23 "$work/all" - >"$work/libc"
}
missing=$(sort -u "$work/has" "$work/libc" | comm -23 "$work/needs" - | grep -vE '^(__aarch64_.*|getauxval|ceil|floor|rint|sqrt|trunc)$' || true)
[ -z "$missing" ] || { echo "cross: nothing defines $missing" >&2; exit 1; }
