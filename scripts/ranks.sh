#!/bin/sh
# How evenly ranks share the work: runs a part of configs/sweep.json, five numbers of users and every other epsilon, with 1, 2
# and 4 ranks of one thread each, compares their tables byte for byte, and writes the table between the markers of
# studies/performance.md. WHOLE=1: all of the sweep.
# usage: ranks.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results/ranks) gets a folder for each number of ranks; those that are there are not run again.
# LDPBENCH_MPI names the program (default build/release/ldpbench-mpi, which make mpi builds), REPETITIONS (default 4) those of
# each cell.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH_MPI:-build/release/ldpbench-mpi}
results=${1:-results/ranks}
mkdir -p "$results"
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

config=configs/sweep.json
if [ -z "${WHOLE:-}" ]; then
    config=$results/sweep-ranks.json
    sed -e 's/"name": "sweep"/"name": "sweep-ranks"/' -e 's/"points": 20/"points": 5/' -e 's/"step": 0.1/"step": 0.2/' \
        configs/sweep.json >"$config"
fi

number() { # KEY FILE
    sed -n "s/.*\"$1\":[[:space:]]*\([0-9.e+-]*\).*/\1/p" "$2" | head -n 1
}

{
    echo '| ranks | repetitions | seconds | idle |'
    echo '|---:|---:|---:|---:|'
    for ranks in 1 2 4; do
        folder=$results/$ranks
        [ -f "$folder/run.json" ] ||
            OMP_NUM_THREADS=1 mpirun --oversubscribe -n "$ranks" "$program" run "$config" -o "$folder" -j 1 --quiet \
                --repetitions "${REPETITIONS:-4}"
        cmp "$results/1/mse.csv" "$folder/mse.csv"
        printf '| %d | %d | %.0f | %.1f %% |\n' "$ranks" "$(number repetitions_run "$folder/run.json")" \
            "$(number seconds "$folder/run.json")" \
            "$(number idle "$folder/run.json" | awk '{ print 100 * $1 }')"
    done
} >"$parts/ranks"
awk -v parts="$parts" -f scripts/fill.awk studies/performance.md >"$parts/page"
cp "$parts/page" studies/performance.md
