#!/bin/sh
# How many verdicts another seed changes: the claims of the papers judged by the results of scripts/agreement.sh, and by
# those of other seeds. A line for each row whose verdict turns from agrees or equal to differs or back, and for each paper
# the number of rows, of those that turn, and of those that are undecided with one seed alone.
# usage: flips.sh [RESULTS_FOLDER [PAPER...]]
#
# RESULTS_FOLDER (default results/agreement) is made by agreement.sh, or completed; RESULTS_FOLDER/seeds gets the results of
# the other seeds, which are SEEDS (default 1000) more. Exit status 1 if more than one row of 300 turns.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 "any number of" "$@"
cd "$(dirname "$0")/.."
results=${1:-results/agreement} other=${SEEDS:-1000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- $(ls papers/*/statements.json | cut -d / -f 2) # words
SEEDS=0 sh scripts/agreement.sh "$results" "$@"
SEEDS=$other sh scripts/agreement.sh "$results/seeds" "$@"
for paper; do
    awk -F , -v paper="$paper" '
        function side(verdict) { return verdict == "differs" ? -1 : verdict == "agrees" || verdict == "equal" ? 1 : 0 }
        FNR == 1 { past = 0 }
        !NF { past = 1 }
        past || FNR == 1 { next }
        { key = $1 FS $2 FS $3 }
        NR == FNR { first[key] = $4; next }
        {
            rows++
            if (side(first[key]) * side($4) < 0) {
                turned++
                print paper ": " $1 " (" $2 ($3 == "" ? "" : ", " $3) "): " first[key] ", " $4
            } else if (side(first[key]) != side($4))
                open++
        }
        END { print paper ": " rows + 0 " rows, " turned + 0 " turn, " open + 0 " are undecided with one seed alone" }
    ' "$results/$paper.csv" "$results/seeds/$paper.csv"
done | tee "$results/flips"
awk '/ rows, / { rows += $2; turned += $4 } END { exit turned * 300 > rows }' "$results/flips"
