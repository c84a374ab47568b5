#!/bin/sh
# All figures of Calibrate (INFOCOM 2019): runs their configs, draws their tables, compares them with the paper.
# usage: figures-calibrate.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets a folder for each config, figures/calibrate03.svg (and pdf, png) to calibrate09,
# and reproduction-calibrate.md. LDPBENCH names the program (default build/release/ldpbench), FORMATS the formats.
# Figures show Kosarak and Retail where their counts are found (LDPBENCH_DATA), else fitted models.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}

mkdir -p "$results/figures"
for figure in 3 4 5 6 7 8 9; do
    config=calibrate2019-fig$figure
    "$program" run "configs/$config.json" -o "$results/$config"
    draw "$results/$config"
    case $figure in
    3) picture=distribution ;;
    4) picture=noise ;;
    7) picture=full_domain ;;
    *) picture=heavy_hitters ;;
    esac
    for format in $formats; do
        cp "$results/$config/$picture.$format" "$results/figures/calibrate0$figure.$format"
    done
done
echo "figures: $results/figures/calibrate03 to calibrate09 ($formats)"
"$program" check papers/calibrate2019 "$results" -o "$results/reproduction-calibrate.md"
echo "figures: agreement with the paper: $results/reproduction-calibrate.md"
