#!/bin/sh
# The pages of agreement of all papers, from nothing: runs the configs that their claims name, repeats the cells of claims
# that are undecided, writes a page for each. The same command makes the same pages, byte by byte, except for times.
# usage: agreement.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) gets a folder for each config and reproduction.md, reproduction-calibrate.md,
# reproduction-vldb.md, reproduction-icml.md, reproduction-calm.md. PAPER: ndss2020, calibrate2019, vldb2021, icml2022,
# calm2018 (default: all of them). Where LDPBENCH_DATA names a folder with the papers' data the configs run on these,
# otherwise on the models that stand in for them. LDPBENCH names the program (default build/release/ldpbench).
#
# Cells of undecided claims get four times as many repetitions at a time, at most LIMIT times (default 1000) the config's.
# Cells on sketches, and searches, are slow: most of them get more once, some not at all, and all of them as many as they need
# with PATIENCE=1, which decides what the ten minutes of the whole leave undecided; the rows say about how many repetitions
# that takes. Times are processor seconds of runs by one thread, and are measured once.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 6 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/agreement}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ndss2020 calibrate2019 vldb2021 icml2022 calm2018
limit=${LIMIT:-1000}

takes_times() {
    grep -q '"times"' "configs/$1.json"
}

run() { # CONFIG OPTIONS...
    config=$1
    shift
    if takes_times "$config"; then set -- "$@" -j 1; fi
    "$program" run "configs/$config.json" -o "$results/$config" --quiet "$@"
}

# Whether the cells of a config may have more repetitions in a round (1, 2, ...), for all pages to take ten minutes.
may_grow() { # CONFIG ROUND
    [ "${PATIENCE:-0}" = 0 ] || return 0
    case $1 in
    vldb2021-fig6 | vldb2021-fig7c | vldb2021-table2) return 1 ;;
    vldb2021-fig7ab) [ "$2" -eq 1 ] ;;
    vldb2021-fig8 | vldb2021-fig9 | vldb2021-fig10) [ "$2" -le 2 ] ;;
    esac
}

# Runs what a file says that open claims need: lines FOLDER, repetitions, cell. Fails where that is nothing.
run_open() { # FILE ROUND
    any=1
    for folder in $(cut -f 1 "$1" | sort -u); do
        open=$(basename "$folder")
        takes_times "$open" && continue # which more of the same noise does not decide
        may_grow "$open" "$2" || continue
        awk -F '\t' -v folder="$folder" '$1 == folder { print $2 "\t" $3 }' "$1" >"$1.cells"
        run "$open" --cells "$1.cells" || exit
        rm -f "$1.cells"
        any=0
    done
    return $any
}

page_of() {
    case $1 in
    ndss2020) echo reproduction.md ;;
    calibrate2019) echo reproduction-calibrate.md ;;
    vldb2021) echo reproduction-vldb.md ;;
    icml2022) echo reproduction-icml.md ;;
    calm2018) echo reproduction-calm.md ;;
    esac
}

for paper; do
    [ -d "papers/$paper" ] || refuse "expected a folder of papers/, got \"$paper\""
    start=$(date +%s)
    for config in $(grep -o '"run": "[^"]*"' "papers/$paper/statements.json" | cut -d '"' -f 4 | sort -u); do
        run "$config"
    done
    "$program" agree "papers/$paper" "$results" --format open --limit "$limit" >"$results/$paper.open"
    round=1
    while run_open "$results/$paper.open" "$round"; do
        round=$((round + 1))
        "$program" agree "papers/$paper" "$results" --format open --limit "$limit" >"$results/$paper.open"
    done
    rm -f "$results/$paper.open"
    "$program" agree "papers/$paper" "$results" -o "$results/$(page_of "$paper")"
    if [ "$paper" = vldb2021 ]; then
        {
            printf '\n## What the published unary client does\n\n'
            printf 'Made by scripts/unary-error.sh: mean squared errors of unbiased estimates on the data of Figure 1a, exact, with the\n'
            printf 'true bit set as it should be and as the published client sets it, and the ε that the client keeps.\n\n'
            sh scripts/unary-error.sh
        } >>"$results/$(page_of "$paper")"
    fi
    echo "agreement: $results/$(page_of "$paper") in $(($(date +%s) - start)) s"
done
