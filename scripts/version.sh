#!/bin/sh
# Writes version.h: what a result says about the program that made it. The file is left alone where nothing
# changed, so that nothing is rebuilt.
# usage: [FLAGS="compiler's flags"] version.sh VERSION COMPILER SHARE_FOLDER OUTPUT
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 4 4 "$@"
version=$1 compiler=$2 share=$3 output=$4

# Filled in by git archive: a tarball has no history to ask.
archived='$Format:%H$'

cd "$(dirname "$0")/.."
case $archived in
?Format*) commit=unknown ;;
*) commit=$(printf %.12s "$archived") ;;
esac
# Only a repository of our own counts, not one that a tarball happens to be unpacked in.
if [ -e .git ] && head=$(git rev-parse --short=12 HEAD 2>/dev/null); then
    commit=$head
    [ -z "$(git status --porcelain --untracked-files=no 2>/dev/null)" ] || commit=$commit-dirty
fi
compiler=$("$compiler" --version 2>/dev/null | sed -n '1{s/[\\"]//g;p;}')

# The build: a fingerprint of the sources that decide measured numbers, and of the flags that all builds share. Stored
# results belong to it (docs/developing.md).
fingerprint() {
    if command -v sha256sum >/dev/null; then
        sha256sum "$@"
    else
        cksum "$@"
    fi
}
sources=$(find core datasets bench/tasks bench/stats bench/run/runner.[ch] bench/run/store*.[ch] \
    -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort)
# shellcheck disable=SC2086 # names without blanks
build=$({ echo "${FLAGS:-}" && fingerprint $sources; } | fingerprint | cut -d ' ' -f 1 | cut -c 1-16)

mkdir -p "$(dirname "$output")"
cat >"$output.new" <<END
#define LDPBENCH_VERSION "$version"
#define LDPBENCH_COMMIT "$commit"
#define LDPBENCH_COMPILER "${compiler:-unknown}"
#define LDPBENCH_BUILD "$build"
#define LDPBENCH_SHARE_FOLDER "$share"
END
if cmp -s "$output.new" "$output"; then
    rm -f "$output.new"
else
    mv -f "$output.new" "$output"
fi
