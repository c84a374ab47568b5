#!/bin/sh
# The tarball of `make dist`: a clone with another umask gives the same bytes; unpacked, without git, it knows its version and
# its commit, and make finds all that the program and the quick tests are built from. Skipped, and said, outside git.
set -eu
cd "$(dirname "$0")/.."
[ -e .git ] && command -v git >/dev/null || { echo "dist: skipped: no git" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
git clone -q . "$work/clone"
for mask in 022 077; do
    (umask $mask && make --no-print-directory -C "$work/clone" dist >/dev/null)
    cp "$work/clone"/build/*.tar.gz "$work/$mask"
done
cmp "$work/022" "$work/077"
tar -xzf "$work/077" -C "$work"
cd "$work"/ldpbench-*
make --no-print-directory -n all quick CC=true >/dev/null
make --no-print-directory build/release/version.h
grep -qF "COMMIT \"$(git -C "$work/clone" rev-parse --short=12 HEAD)\"" build/release/version.h
grep -qF "VERSION \"${PWD##*-}\"" build/release/version.h
