#!/bin/sh
# Writes version.h: what a result says about the program that made it. The file is left alone where nothing
# changed, so that nothing is built anew.
# usage: version.sh VERSION COMPILER SHARE_FOLDER OUTPUT
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

mkdir -p "$(dirname "$output")"
cat >"$output.new" <<END
#define LDPBENCH_VERSION "$version"
#define LDPBENCH_COMMIT "$commit"
#define LDPBENCH_COMPILER "${compiler:-unknown}"
#define LDPBENCH_SHARE_FOLDER "$share"
END
if cmp -s "$output.new" "$output"; then
    rm -f "$output.new"
else
    mv -f "$output.new" "$output"
fi
