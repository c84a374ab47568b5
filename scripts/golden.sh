#!/bin/sh
# golden.sh - rewrites the golden tables with the program LDPBENCH. usage: scripts/golden.sh
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/../tests/golden"
program=${LDPBENCH:-../../build/release/ldpbench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for config in *.json; do
    name=${config%.json}
    "$program" run "$config" -o "$work/$name" --quiet
    mkdir -p "$name"
    rm -f "$name"/*.csv
    cp "$work/$name"/*.csv "$name/"
done
