#!/bin/sh
# Rewrites README.md's tables of what is implemented, between its markers, from `ldpbench list`.
# usage: readme-tables.sh [--check]
#
# With --check nothing is written: exit status 1 where the README is not what the program says.
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
check=
[ "${1:-}" != --check ] || {
    check=yes
    shift
}
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
fresh=$(mktemp)
list=$(mktemp)
trap 'rm -f "$fresh" "$list"' EXIT

"$program" list --format md >"$list"
awk -v list="$list" '
    /^<!-- list -->$/ {
        print; print ""
        while ((getline line < list) > 0)
            print line
        print ""
        inside = 1; next
    }
    /^<!-- \/list -->$/ { inside = 0; pairs++ }
    !inside
    END { exit pairs == 1 && !inside ? 0 : 1 }' README.md >"$fresh" || {
    echo "readme-tables: README.md needs one pair of markers <!-- list --> and <!-- /list -->" >&2
    exit 1
}
if [ -n "$check" ]; then
    diff -u README.md "$fresh" || {
        echo "readme-tables: README.md is out of date; run sh scripts/readme-tables.sh" >&2
        exit 1
    }
else
    cmp -s README.md "$fresh" || cat "$fresh" >README.md
fi
