#!/bin/sh
# golden.sh - rewrites the golden tables with the program LDPBENCH. usage: scripts/golden.sh
#
# tests/golden/versions lists LDP_ALGORITHM_VERSION and the SHA-256 of all golden tables, the newest last. Tables that
# existed before and changed under a version that is listed are refused: raise the version. UNRELEASED=1 records them
# all the same, for a version that no release has had yet.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/../tests/golden"
program=${LDPBENCH:-../../build/release/ldpbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^#define LDP_ALGORITHM_VERSION \([0-9]*\)$/\1/p' ../../core/ldp.h)

for config in *.json; do
    name=${config%.json}
    "$program" run "$config" -o "$work/$name" --quiet
    rm -f "$work/$name/run.json" "$work/$name/store.sqlite"
done

# fingerprint FOLDER: of the golden tables in it.
fingerprint()
{
    (cd "$1" && LC_ALL=C sh -c 'sha256sum */*.csv' | sha256sum | cut -d' ' -f1)
}

print=$(fingerprint "$work")
if ! grep -qx "$version $print" versions; then
    changed=
    for table in */*.csv; do
        cmp -s "$table" "$work/$table" || changed="$changed $table"
    done
    if [ -n "$changed" ] && grep -q "^$version " versions && [ -z "${UNRELEASED:-}" ]; then
        echo "golden.sh: other numbers at LDP_ALGORITHM_VERSION $version:$changed" >&2
        echo "golden.sh: raise it in core/ldp.h, or set UNRELEASED=1 if no release has had version $version" >&2
        exit 1
    fi
    echo "golden.sh: version $version has the tables $print" >&2
    echo "golden.sh: sh scripts/pages.sh --check names the pages that are older" >&2
fi
for config in *.json; do
    name=${config%.json}
    mkdir -p "$name"
    rm -f "$name"/*.csv
    cp "$work/$name"/*.csv "$name/"
done
# The tables as they are now come last.
grep -vx "$version $print" versions >"$work/versions" || true
echo "$version $print" >>"$work/versions"
cp "$work/versions" versions
