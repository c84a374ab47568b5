#!/bin/sh
# From the benchmark's JSON to a page and its plot: FOLDER/performance.md, FOLDER/performance.svg.
# usage: performance.sh BENCH.json FOLDER [FIGURES.tsv]
#
# FIGURES.tsv, from scripts/time-figures.sh: lines of what was run, command, seconds, limit.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 2 3 "$@"
json=$1 folder=$2 figures=${3:-}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v figures="$figures" -v curves="$work" -f "$here/performance.awk" "$json" >"$work/performance.md"
if command -v gnuplot >/dev/null; then
    levels=$(cut -d ' ' -f 3 "$work/kernel.dat" | uniq | tr '\n' ' ')
    gnuplot -e "curves='$work'; output='$work/performance.svg'; levels='$levels'" "$here/../plots/performance.gp"
    mv "$work/performance.svg" "$folder/performance.svg"
else
    echo "performance.sh: no gnuplot, the plot is left as it was" >&2
fi
mv "$work/performance.md" "$folder/performance.md"
