#!/bin/sh
# The pages of agreement of all papers, from nothing: runs their configs, asks for more repetitions until every claim is
# decided, writes a page for each.
# usage: agreement.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) gets a folder for each config and reproduction.md, reproduction-calibrate.md,
# reproduction-vldb.md, reproduction-icml.md, reproduction-calm.md. PAPER: ndss2020, calibrate2019, vldb2021, icml2022,
# calm2018 (default: all of them). Where LDPBENCH_DATA names a folder with the papers' data, their configs run on these
# too, in RESULTS_FOLDER/data. LDPBENCH names the program (default build/release/ldpbench).
#
# Cells of undecided claims get more repetitions; LIMIT (default 1000) bounds how many times as many as the config's there
# may be. Runs on sketches, which are slow, get more with PATIENT=1 only, and then four times as many. Runs that take times
# are run once, by one thread; their numbers mean something only if the machine does nothing else.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 6 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/agreement}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ndss2020 calibrate2019 vldb2021 icml2022 calm2018
limit=${LIMIT:-1000}
data=${LDPBENCH_DATA:-}

# Runs a config without the papers' data and with them.
run() {
    threads=
    ! grep -q '"times"' "configs/$1.json" || threads="-j 1"
    # shellcheck disable=SC2086 # words
    LDPBENCH_DATA='' "$program" run "configs/$1.json" -o "$results/$1" --quiet $threads
    if [ -n "$data" ] && grep -q '"otherwise"' "configs/$1.json"; then
        LDPBENCH_DATA=$data "$program" run "configs/$1.json" -o "$results/data/$1" --quiet
    fi
}

# Whether a repetition of a config takes little of the time that all pages have: those on sketches take seconds.
is_quick() {
    case $1 in
    vldb2021-fig6 | vldb2021-fig7* | vldb2021-fig8 | vldb2021-fig9 | vldb2021-fig10 | vldb2021-table2) return 1 ;;
    esac
}

# Runs what a file says that open claims need, in all runs or in quick ones: lines FOLDER, repetitions, cell. Fails where
# that is nothing.
run_open() {
    any=1
    for folder in $(cut -f 1 "$1" | sort -u); do
        config=$(basename "$folder")
        grep -q '"times"' "configs/$config.json" && continue # which more of the same noise does not decide
        [ "$2" = all ] || is_quick "$config" || continue
        awk -F '\t' -v folder="$folder" '$1 == folder { print $2 "\t" $3 }' "$1" >"$1.cells"
        if [ "$folder" = "$results/data/$config" ]; then with=$data; else with=; fi
        LDPBENCH_DATA=$with "$program" run "configs/$config.json" -o "$folder" --cells "$1.cells" --quiet || exit
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

agree() { # PAPER OPTIONS...
    paper=$1
    shift
    if [ -d "$results/data" ]; then
        "$program" agree "papers/$paper" "$results" "$results/data" "$@"
    else
        "$program" agree "papers/$paper" "$results" "$@"
    fi
}

for paper; do
    [ -d "papers/$paper" ] || refuse "expected a folder of papers/, got \"$paper\""
    for config in configs/"$paper"-*.json; do
        run "$(basename "$config" .json)"
    done
    # Cells of open claims get four times their repetitions at a time, until none is open or may have more. Where
    # repetitions are slow this is left to PATIENT=1, once.
    runs=quick
    [ "${PATIENT:-0}" = 0 ] || runs=all
    agree "$paper" --format open --limit $((limit < 4 ? limit : 4)) >"$results/$paper.open"
    while run_open "$results/$paper.open" $runs; do
        runs=quick
        agree "$paper" --format open --limit "$limit" >"$results/$paper.open"
    done
    rm -f "$results/$paper.open"
    agree "$paper" -o "$results/$(page_of "$paper")"
    if [ "$paper" = vldb2021 ]; then
        {
            printf '\n## What the published unary client does\n\n'
            printf 'Made by scripts/unary-error.sh: mean squared errors of unbiased estimates on the data of Figure 1a, exact, with the\n'
            printf 'true bit set as it should be and as the published client sets it, and the ε that the client keeps.\n\n'
            sh scripts/unary-error.sh
        } >>"$results/$(page_of "$paper")"
    fi
    echo "agreement: $results/$(page_of "$paper")"
done
