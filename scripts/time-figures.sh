#!/bin/sh
# Wall-clock seconds of figures: NDSS 2020 by counts, its Figure 4 report by report (a minute or more), and the sketches
# of PVLDB 2021, Figures 7 to 10 and Figure 6 (minutes; with Kosarak and clicked addresses where LDPBENCH_DATA has them).
# usage: time-figures.sh PROGRAM OUTPUT.tsv
#
# Lines of OUTPUT: what was run, the command, seconds, the goal in seconds, processor seconds; scripts/performance.sh
# shows them.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 2 2 "$@"
program=$1 output=$2
configs=$(dirname "$0")/../configs
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

now() { date +%s.%N; }
# Processor seconds of all that the shell had run when it wrote "times": the second line, of the form 1m2.3s 0m0.1s.
spent() { awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } print sum }' "$1"; }
measure() { # WHAT GOAL SHOWN-COMMAND, then a function's name
    start=$(now)
    times >"$results/before"
    "$4" >&2
    times >"$results/after"
    echo "$(now) $start $(spent "$results/after") $(spent "$results/before")" |
        awk -v OFS='\t' -v what="$1" -v goal="$2" -v shown="$3" '{ print what, shown, $1 - $2, goal, $3 - $4 }'
}
counts() {
    for config in "$configs"/ndss2020-*.json; do
        "$program" run "$config" -o "$results/$(basename "$config" .json)" --quiet
    done
}
vldb() { # FIGURE...
    for figure; do
        "$program" run "$configs/vldb2021-fig$figure.json" -o "$results/vldb$figure" --quiet
    done
}
vldb_most() { vldb 7ab 7c 8 9 10; }
vldb_6() { vldb 6; }
reports() { "$program" run "$configs/ndss2020-fig4.json" -o "$results/reports" --simulation reports --quiet; }
{
    measure "all NDSS figures by counts, the paper's repetitions" 10 "ldpbench run configs/ndss2020-*.json" counts
    measure "Figure 4 report by report" 300 "ldpbench run configs/ndss2020-fig4.json --simulation reports" reports
    measure "PVLDB 2021, Figures 7 to 10" 60 "ldpbench run configs/vldb2021-fig7ab.json .. fig10.json" vldb_most
    measure "PVLDB 2021, Figure 6" 180 "ldpbench run configs/vldb2021-fig6.json" vldb_6
} >"$output.new"
mv "$output.new" "$output"
