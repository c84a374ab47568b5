#!/bin/sh
# Figures 1 to 11 of Cormode, Maddock and Maple (PVLDB 2021): runs their configs, draws their tables, compares them
# with the paper.
# usage: figures-vldb.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets a folder for each config, figures/vldb01a.svg (and pdf, png) to vldb11, and
# reproduction-vldb.md. LDPBENCH names the program (default build/release/ldpbench), FORMATS the formats. Times are taken
# by one thread and mean something only where nothing else runs. Figures show Kosarak and clicked addresses where their
# files are found (LDPBENCH_DATA), else fitted models. The bits of reports are a table without a picture.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}

mkdir -p "$results/figures"
collect() { # PICTURE NAME
    for format in $formats; do
        cp "$results/$config/$1.$format" "$results/figures/$2.$format"
    done
}
for figure in 1a 1b 1c 2 2-users 3a 3b 3c 4a 4b 4c 4d 5a 5b 5c 5c-bits 6 7ab 7c 8 9 10 11; do
    config=vldb2021-fig$figure
    name=vldb0$figure
    picture=full_domain
    threads=
    case $figure in
    1c | 3c | 5c)
        picture="times"
        threads="-j 1"
        ;;
    7ab) name=vldb07a ;;
    7c) picture=top_k ;;
    1[01]) name=vldb$figure ;;
    esac
    # shellcheck disable=SC2086 # words and a list of formats
    "$program" run "configs/$config.json" -o "$results/$config" $threads
    [ $figure != 5c-bits ] || continue
    draw "$results/$config"
    collect $picture $name
    case $figure in
    5a | 8 | 9 | 11) collect top_k $name-top-k ;;
    7ab) collect top_k vldb07b ;;
    esac
done
echo "figures: $results/figures/vldb01a to vldb11 ($formats)"
"$program" check papers/vldb2021 "$results" -o "$results/reproduction-vldb.md"
echo "figures: agreement with the paper: $results/reproduction-vldb.md"
