#!/bin/sh
# Wall-clock seconds of the NDSS figures: all by counts, and Figure 4 report by report (a minute or more).
# usage: time-figures.sh PROGRAM OUTPUT.tsv
#
# Lines of OUTPUT: what was run, the command, seconds, the goal in seconds; scripts/performance.sh shows them.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 2 2 "$@"
program=$1 output=$2
configs=$(dirname "$0")/../configs
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

now() { date +%s.%N; }
measure() { # WHAT GOAL SHOWN-COMMAND, then a function's name
    start=$(now)
    "$4"
    echo "$(now) $start" | awk -v OFS='\t' -v what="$1" -v goal="$2" -v shown="$3" '{ print what, shown, $1 - $2, goal }'
}
counts() {
    for config in "$configs"/ndss2020-*.json; do
        "$program" run "$config" -o "$results/$(basename "$config" .json)" --quiet
    done
}
reports() { "$program" run "$configs/ndss2020-fig4.json" -o "$results/reports" --simulation reports --quiet; }
{
    measure "all NDSS figures by counts, the paper's repetitions" 10 "ldpbench run configs/ndss2020-*.json" counts
    measure "Figure 4 report by report" 300 "ldpbench run configs/ndss2020-fig4.json --simulation reports" reports
} >"$output.new"
mv "$output.new" "$output"
