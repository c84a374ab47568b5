#!/bin/sh
# The pages of agreement of all papers, from nothing: runs the configs that their claims name, repeats the cells of claims
# that are undecided, writes a page for each. The same command makes the same pages, byte by byte, except for times.
# usage: agreement.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) gets a folder for each config, and for each paper its page PAPER.md and a file
# PAPER.rows of verdicts. PAPER: a folder of papers/ (default: all of them). Where LDPBENCH_DATA names a folder with the papers' data the configs run on these,
# otherwise on the models that stand in for them. LDPBENCH names the program (default build/release/ldpbench).
#
# Cells of undecided claims get as many repetitions as would decide these, at most LIMIT times (default 1000) the config's.
# Cells on sketches, and searches, are slow: where a claim needs more of them than ten minutes for all pages allow, it stays
# undecided after 20, and its row says about how many it needs; PATIENCE=1 runs these too. A claim that needed more repetitions than
# the config's is decided by the first two thirds, and its numbers are those of the last third, which the decision did not
# see. LANES (default 2) papers are worked on at a time, so that one has the processors that another leaves idle.
#
# Times are processor seconds of runs by one thread, whatever else runs. What the timer does to a whole process, and which
# random marginals are asked for, repetitions of one run have in common: configs with times or random marginals run AGAIN
# (default 10) times, where a claim of CALM needs it three times as often, in turn, with seeds that follow on the config's, into
# RESULTS_FOLDER, RESULTS_FOLDER/again-2, ..., and the mean of each run is one number; with PATIENCE=1 twice as often until
# every claim is decided, or AGAIN is 160. SEEDS is added to all seeds (scripts/flips.sh).
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
limit=${LIMIT:-1000} again=${AGAIN:-10} seeds=${SEEDS:-0}
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
    config_seed=$(sed -n 's/^ *"seed": \([0-9]*\),$/\1/p' "configs/$1.json")
    echo $((config_seed + seeds))
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
    "$program" agree "papers/$of" "$@"
}

# The repetitions that a cell of a config gets at most, for all pages to take ten minutes: cells on sketches, and searches,
# are slow. Small sketches are faster: the second number is for cells that match the expression after it.
most_repetitions() { # CONFIG
    [ "${PATIENCE:-0}" = 0 ] || { echo 1000000000; return; }
    case $1 in
    vldb2021-table2) echo 60 200 'rows=(32|128).columns=1024.*row_oracle=oue' ;;
    vldb2021-fig6 | vldb2021-fig6-kept) echo 60 ;;
    vldb2021-table2-users) echo 40 ;;
    vldb2021-fig7c) echo 80 1000 'rows=(2|4|8|16).columns' ;;
    vldb2021-fig7ab) echo 80 300 'decode=mean' ;;
    vldb2021-fig9) echo 80 ;;
    vldb2021-fig8) echo 240 ;;
    vldb2021-fig10) echo 1300 ;;
    *) echo 1000000000 ;;
    esac
}

# Runs what a file says that open claims need, but for configs that are run again: lines FOLDER, repetitions, cell, those
# that it has, those that would decide the claim (inf: not known). What would not be decided gets 20 repetitions: one point
# may decide against a claim of many. Fails where there is nothing to run.
run_open() { # FILE
    any=1 # nothing is to be run
    for folder in $(cut -f 1 "$1" | sort -u); do
        open=$(basename "$folder")
        if is_run_again "$open"; then continue; fi
        awk -F '\t' -v OFS='\t' -v folder="$folder" -v limits="$(most_repetitions "$open")" -v least=20 -v grown="$1.grown" '
            BEGIN { split(limits, limit, " ") }
            $1 != folder { next }
            { most = limit[3] != "" && $3 ~ limit[3] ? limit[2] : limit[1] }
            { wanted = $5 != "inf" && $5 + 0 > most + 0 ? least : $2 }
            wanted > most + 0 { wanted = most }
            wanted <= $4 { wanted = $4 }
            wanted > $4 { print >grown }
            { print wanted, $3 }' "$1" >"$1.cells"
        if [ -s "$1.grown" ]; then
            run "$open" --cells "$1.cells" || exit
            any=0
        fi
        rm -f "$1.cells" "$1.grown"
    done
    return $any
}

# Runs the repetitions that the page prints: lines as above.
run_fresh() { # FILE
    for folder in $(cut -f 1 "$1" | sort -u); do
        if is_run_again "$(basename "$folder")"; then continue; fi
        awk -F '\t' -v OFS='\t' -v folder="$folder" '$1 == folder { print $2, $3 }' "$1" >"$1.cells"
        run "$(basename "$folder")" --cells "$1.cells"
        rm -f "$1.cells"
    done
}

# The page, with its links as they are from studies/papers: agree writes them for a folder below the root.
write_page() { # PAPER
    agree "$1" -o "$results/$1.md"
    sed 's|](\.\./configs/|](../../configs/|g' "$results/$1.md" >"$results/$1.linked"
    mv "$results/$1.linked" "$results/$1.md"
}

make_page() { # PAPER
    paper=$1
    start=$(date +%s)
    for config in $(configs_of "$paper"); do
        run "$config"
    done
    run_again "$paper" "$again"
    agree "$paper" --format open --limit "$limit" >"$results/$paper.open"
    while run_open "$results/$paper.open"; do
        agree "$paper" --format open --limit "$limit" >"$results/$paper.open"
    done
    times=$again
    while [ "${PATIENCE:-0}" != 0 ] && [ "$times" -lt 160 ] && agree "$paper" | grep -q '^\*\*Of .* undecided'; do
        times=$((2 * times))
        run_again "$paper" "$times"
    done
    agree "$paper" --format fresh >"$results/$paper.open"
    run_fresh "$results/$paper.open"
    rm -f "$results/$paper.open"
    write_page "$paper"
    agree "$paper" --format rows -o "$results/$paper.rows"
    if [ "$paper" = vldb2021 ]; then
        {
            printf '\n## What the published unary client does\n\n'
            printf 'Made by scripts/unary-error.sh: mean squared errors of unbiased estimates on the data of Figure 1a, exact, with the\n'
            printf 'true bit set as it should be and as the published client sets it, and the ε that the client keeps.\n\n'
            sh scripts/unary-error.sh
        } >>"$results/$paper.md"
    fi
    echo "agreement: $results/$paper.md in $(($(date +%s) - start)) s"
    sed -n '/^This page was made/p' "$results/$paper.md"
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
