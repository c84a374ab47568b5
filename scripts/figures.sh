#!/bin/sh
# All figures of NDSS 2020: runs their configs, draws their tables, compares them with the paper.
# usage: figures.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets a folder for each config, figures/figure01.svg (and pdf, png) to figure10, and
# reproduction.md. LDPBENCH names the program (default build/release/ldpbench), FORMATS the formats.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}

for config in configs/ndss2020-*.json; do
    "$program" run "$config" -o "$results/$(basename "$config" .json)"
done

mkdir -p "$results/figures"
collect() { # NUMBER CONFIG PICTURE
    for format in $formats; do
        cp "$results/ndss2020-$2/$3.$format" "$results/figures/figure$1.$format"
    done
}
for config in configs/ndss2020-*.json; do
    draw "$results/$(basename "$config" .json)"
done
collect 01 fig1-3 mean
collect 02 fig1-3 bias
collect 03 fig1-3 variance
collect 04 fig4 full_domain
collect 05 fig5 n_equivalent
collect 06 fig6 set_value
collect 07 fig7 set_value
collect 08 fig8 fixed_sets
collect 09 fig9 selection
collect 10 fig10 top_k
echo "figures: $results/figures/figure01 to figure10 ($formats)"
"$program" check papers/ndss2020 "$results" -o "$results/reproduction.md"
echo "figures: agreement with the paper: $results/reproduction.md"
