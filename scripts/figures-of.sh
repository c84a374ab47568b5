#!/bin/sh
# The figures of a paper of which each config is a figure or a table (calm2018, icml2022): runs its configs, draws their
# tables, compares them with the paper.
# usage: figures-of.sh PAPER [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets a folder for each config configs/PAPER-*.json, the pictures that the configs name as
# figures/PAPER-NAME-PICTURE.svg (and pdf, png), and reproduction-PAPER.md. LDPBENCH names the program (default
# build/release/ldpbench), FORMATS the formats. Times are taken by one thread. Data that are not found (LDPBENCH_DATA) are
# replaced by models, where a config has one.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 1 2 "$@"
enter_sources
paper=$1 results=${2:-results}

[ -d "papers/$paper" ] || refuse "expected a folder of papers/, got \"$paper\""
mkdir -p "$results/figures"
for config in configs/"$paper"-*.json; do
    name=$(basename "$config" .json)
    threads=
    ! grep -q '"times"' "$config" || threads='-j 1'
    # shellcheck disable=SC2086 # words
    "$program" run "$config" -o "$results/$name" $threads
    draw "$results/$name"
    for picture in $(sed -n 's/.*"picture": "\([^"]*\)".*/\1/p' "$config"); do
        for format in $formats; do
            cp "$results/$name/$picture.$format" "$results/figures/$name-$picture.$format"
        done
    done
done
echo "figures: $results/figures/$paper-* ($formats)"
"$program" check "papers/$paper" "$results" -o "$results/reproduction-$paper.md"
echo "figures: agreement with the paper: $results/reproduction-$paper.md"
