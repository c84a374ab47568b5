#!/bin/sh
# Holds every oracle against the best possible: writes docs/oracles.svg, and the table between the markers of
# docs/oracles.md, from configs/oracles.json. Nothing is simulated; it takes a second.
# usage: oracles.sh
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" run configs/oracles.json -o "$folder/oracles" --quiet
awk -F, 'NR > 1 { printf "%s\t%s\t%.4f\t%s\t%.6g\n", $6, $5, $8, $9, $10 / $4 }' "$folder/oracles/oracles.csv" \
    >"$folder/points.tsv"
"$program" plot "$folder/oracles" >/dev/null
cp "$folder/oracles/oracles-tradeoff.svg" docs/oracles.svg

awk -F'\t' '
    !($2 in seen) { seen[$2] = 1; name[++names] = $2 }
    { over[$2, $1] = $3; bits[$2, $1] = $4; work[$2, $1] = $5 }
    END {
        print "| oracle | error over the optimum | | | | bits of a report | | | | operations of the server for a user | | | |"
        print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        split("0.5 1 2 4", epsilon, " ")
        printf "| epsilon"
        for (part = 1; part <= 3; part++)
            for (i = 1; i <= 4; i++)
                printf " | %s", epsilon[i]
        print " |"
        for (o = 1; o <= names; o++) {
            printf "| %s", name[o]
            for (i = 1; i <= 4; i++)
                printf " | %.3f", over[name[o], epsilon[i]]
            for (i = 1; i <= 4; i++)
                printf " | %d", bits[name[o], epsilon[i]]
            for (i = 1; i <= 4; i++)
                printf " | %.4g", work[name[o], epsilon[i]]
            print " |"
        }
    }' "$folder/points.tsv" >"$folder/table.md"
awk -v table="$folder/table.md" '
    /^<!-- oracles -->$/ { print; print ""; while ((getline line < table) > 0) print line; print ""; inside = 1 }
    /^<!-- \/oracles -->$/ { inside = 0 }
    !inside && !/^<!-- oracles -->$/ { print }' docs/oracles.md >"$folder/oracles.md"
cp "$folder/oracles.md" docs/oracles.md
