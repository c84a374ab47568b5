#!/bin/sh
# The pages of agreement of all papers, from nothing: runs their configs, asks for more repetitions until every claim is
# decided, writes a page for each.
# usage: agreement.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) gets a folder for each config and reproduction.md, reproduction-calibrate.md,
# reproduction-vldb.md, reproduction-icml.md. PAPER: ndss2020, calibrate2019, vldb2021, icml2022 (default: all of them).
# Where LDPBENCH_DATA names a folder with the papers' data, their configs run on these too, in RESULTS_FOLDER/data. LDPBENCH names the program (default
# build/release/ldpbench). A run's repetitions grow tenfold at a time; LIMIT (default 1000) bounds how many times as many as
# the config's there may be. Runs that take times are run once, by one thread, and mean something only where nothing else runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 4 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/agreement}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- ndss2020 calibrate2019 vldb2021 icml2022
limit=${LIMIT:-1000}
data=${LDPBENCH_DATA:-}

# The repetitions that a config asks for.
asked() { sed -n 's/.*"repetitions": *\([0-9]*\).*/\1/p' "configs/$1.json" | head -n 1; }

# Runs a config FACTOR times as long, without the papers' data and with them: CONFIG FACTOR
run() {
    repetitions=$(($(asked "$1") * $2))
    threads=
    ! grep -q '"times"' "configs/$1.json" || threads="-j 1"
    # shellcheck disable=SC2086 # words
    LDPBENCH_DATA='' "$program" run "configs/$1.json" -o "$results/$1" --repetitions "$repetitions" --quiet $threads
    if [ -n "$data" ] && grep -q '"otherwise"' "configs/$1.json"; then
        LDPBENCH_DATA=$data "$program" run "configs/$1.json" -o "$results/data/$1" --repetitions "$repetitions" --quiet
    fi
}

page_of() {
    case $1 in
    ndss2020) echo reproduction.md ;;
    calibrate2019) echo reproduction-calibrate.md ;;
    vldb2021) echo reproduction-vldb.md ;;
    icml2022) echo reproduction-icml.md ;;
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
        run "$(basename "$config" .json)" 1
    done
    factor=10
    while [ "$factor" -le "$limit" ]; do
        open=$(agree "$paper" --format open)
        for config in $open; do
            grep -q '"times"' "configs/$config.json" || run "$config" "$factor"
        done
        factor=$((factor * 10))
    done
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
