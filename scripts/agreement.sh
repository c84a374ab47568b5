#!/bin/sh
# The pages of agreement of all papers, from nothing: runs the configs that their claims name, with more repetitions where
# statements are inconclusive, writes a page for each. The same command makes the same pages, byte by byte, except for times.
# usage: agreement.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) gets a folder for each config, and for each paper its page PAPER.md and a file
# PAPER.csv of verdicts. PAPER: a folder of papers/ (default: all of them). Where LDPBENCH_DATA names a folder with the papers' data the configs run on these,
# otherwise on the models that stand in for them. LDPBENCH names the program (default build/release/ldpbench).
#
# A config that an inconclusive statement needs gets four times as many repetitions, and again, as long as that is inconclusive and it has
# fewer than LIMIT (default 5000). Configs on sketches, and searches, are slow: they stop earlier, for all pages to take ten minutes;
# PATIENCE=1 runs these too. LANES (default 2) papers are worked on at a time, so that one has the processors that another leaves idle.
#
# Times are processor seconds of runs by one thread, whatever else runs. What the timer does to a whole process, and which
# random marginals are asked for, repetitions of one run have in common: configs with times or random marginals run AGAIN
# (default 10) times, where a claim of CALM needs it three times as often, in turn, with seeds that follow on the config's, into
# RESULTS_FOLDER, RESULTS_FOLDER/again-2, ..., and the mean of each run is one number; with PATIENCE=1 twice as often until
# every claim is decided, or AGAIN is 160.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 "any number of" "$@"
cd "$(dirname "$0")/.."
[ $# -gt 1 ] || {
    set -- "${1:-results/agreement}" vldb2021 calm2018 # the longest first
    for folder in papers/*/; do
        case $folder in *vldb2021* | *calm2018*) ;; *) set -- "$@" "$(basename "$folder")" ;; esac
    done
}
program=${LDPBENCH:-build/release/ldpbench}
results=$1
shift
limit=${LIMIT:-5000} again=${AGAIN:-10}
# Threads that wait for others leave their processor to the other lane.
export OMP_WAIT_POLICY="${OMP_WAIT_POLICY:-passive}"

takes_times() {
    grep -q '"times"' "configs/$1.json"
}

is_run_again() { # CONFIG
    takes_times "$1" || grep -q '"marginals": {"k": [^}]*"count"' "configs/$1.json"
}

run_into() { # FOLDER CONFIG OPTIONS...
    folder=$1 config=$2
    shift 2
    if takes_times "$config"; then set -- "$@" -j 1; fi
    "$program" run "configs/$config.json" -o "$folder/$config" --quiet "$@" &
    running=$!
    wait "$running"
}

seed_of() { # CONFIG
    sed -n 's/^ *"seed": \([0-9]*\),$/\1/p' "configs/$1.json"
}

run() { # CONFIG OPTIONS...
    run_into "$results" "$@" --seed "$(seed_of "$1")"
}

# How often a config is run. Some of CALM's ratios are near their bounds (3.7 of 3, 280 of 316), and ten draws of the
# marginals know them within a tenth.
times_of() { # CONFIG TIMES
    case $1 in
    calm2018-attributes | calm2018-fourier) echo $((3 * $2)) ;;
    *) echo "$2" ;;
    esac
}

# Each config that is run again, as often as that, in turn.
run_again() { # PAPER TIMES
    number=2
    while [ "$number" -le $((3 * $2)) ]; do
        for config in $(configs_of "$1"); do
            if is_run_again "$config" && [ "$number" -le "$(times_of "$config" "$2")" ]; then
                mkdir -p "$results/again-$number"
                run_into "$results/again-$number" "$config" --seed $(($(seed_of "$config") + number - 1)) --data-seed "$number"
            fi
        done
        number=$((number + 1))
    done
}

configs_of() { # PAPER
    grep -o '"run": "[^"]*"' "papers/$1/statements.json" | cut -d '"' -f 4 | sort -u
}

agree() { # PAPER OPTIONS...
    of=$1
    shift
    set -- "$results" "$@"
    for folder in "$results"/again-*; do
        if [ -d "$folder" ]; then set -- "$folder" "$@"; fi
    done
    "$program" check "papers/$of" "$@" || [ $? = 1 ] # 1: a statement differs that has no note
}

# The repetitions from which on a config gets no more: those of most sketches, and searches, take seconds each.
enough() { # CONFIG
    [ "${PATIENCE:-0}" = 0 ] || { echo "$limit"; return; }
    case $1 in
    vldb2021-table2-users | vldb2021-fig6 | vldb2021-fig6-kept | vldb2021-fig7ab | vldb2021-fig7c | vldb2021-fig8 | vldb2021-fig9) echo 20 ;;
    vldb2021-table2) echo 60 ;;
    vldb2021-fig10) echo 300 ;;
    *) echo "$limit" ;;
    esac
}

repetitions_of() { # CONFIG: what it was run with
    sed -n 's/^[[:space:]]*"repetitions":[[:space:]]*\([0-9]*\),\{0,1\}$/\1/p' "$results/$1/run.json"
}

# Runs the configs of inconclusive statements again, longer, but for those that are run again in other ways. Fails where there
# is nothing to run.
run_longer() { # PAPER
    any=1
    for open in $(agree "$1" --format csv | awk -F , '!NF { exit } $4 == "inconclusive" && $5 == "own" && $7 == "inconclusive" { print $6 }' | sort -u); do
        now=$(repetitions_of "$open")
        if is_run_again "$open" || [ "$now" -ge "$(enough "$open")" ]; then continue; fi
        run "$open" --repetitions $((4 * now)) || exit
        any=0
    done
    return $any
}

make_page() { # PAPER
    paper=$1
    start=$(date +%s)
    for config in $(configs_of "$paper"); do
        run "$config"
    done
    run_again "$paper" "$again"
    while run_longer "$paper"; do :; done
    times=$again
    while [ "${PATIENCE:-0}" != 0 ] && [ "$times" -lt 160 ] && agree "$paper" | grep -q 'inconclusive'; do
        times=$((2 * times))
        run_again "$paper" "$times"
    done
    agree "$paper" --format md -o "$results/$paper.md"
    agree "$paper" --format csv -o "$results/$paper.csv"
    echo "agreement: $results/$paper.md in $(($(date +%s) - start)) s"
    sed -n '/^Data: /p' "$results/$paper.md"
}

# Makes the pages that no other lane has taken yet.
lane() { # PAPER...
    running=
    trap 'kill $running; exit 1' TERM
    for each; do
        if mkdir "$taken/$each" 2>/dev/null; then make_page "$each"; fi
    done
}

for paper; do
    [ -d "papers/$paper" ] || refuse "expected a folder of papers/, got \"$paper\""
done
mkdir -p "$results"
taken=$(mktemp -d)
trap 'rm -rf "$taken"' EXIT
trap 'kill $lanes; wait; exit 1' INT TERM
lanes=
for number in $(seq "${LANES:-2}"); do
    lane "$@" &
    lanes="$lanes $!"
done
status=0
for number in $lanes; do
    wait "$number" || status=$?
done
exit $status
