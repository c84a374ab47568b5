#!/bin/sh
# The figures of a paper: runs its configs configs/PAPER-*.json, draws the pictures that these name, compares with the paper.
# usage: figures.sh [PAPER [RESULTS_FOLDER]]      (default: ndss2020)
#
# RESULTS_FOLDER (default results) gets a folder for each config, figures/CONFIG-PICTURE.svg (and pdf, png), and
# reproduction-PAPER.md. LDPBENCH names the program (default build/release/ldpbench), FORMATS the formats. Times are taken by one
# thread, and mean something only where nothing else runs. Data that are not found (LDPBENCH_DATA) are replaced by models, where a
# config has one.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 2 "$@"
enter_sources
paper=${1:-ndss2020} results=${2:-results}

[ -d "papers/$paper" ] || refuse "expected a folder of papers/, got \"$paper\""
mkdir -p "$results/figures"
for config in configs/"$paper"-*.json; do
    name=$(basename "$config" .json)
    threads=
    ! grep -q '"times"' "$config" || threads='-j 1'
    # shellcheck disable=SC2086 # words
    "$program" run "$config" -o "$results/$name" $threads
    draw "$results/$name"
    for picture in $(grep -o '"picture": "[^"]*"' "$config" | cut -d '"' -f 4); do
        for format in $formats; do
            cp "$results/$name/$picture.$format" "$results/figures/$name-$picture.$format"
        done
    done
done
echo "figures: $results/figures/$paper-* ($formats)"
"$program" check "papers/$paper" "$results" -o "$results/reproduction-$paper.md" || [ $? = 1 ] # 1: a statement differs that has no note
echo "figures: agreement with the paper: $results/reproduction-$paper.md"
