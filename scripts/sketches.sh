#!/bin/sh
# The table of docs/sketches.md, from the results of configs/sketches.json: at one epsilon (default 1), for each dataset and
# sketch the errors of the unprocessed estimate and of each method.
# usage: sketches.sh FOLDER [EPSILON]
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 1 2 "$@"
folder=$1
awk -F, -v epsilon="${2:-1}" '
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$at["epsilon"] != epsilon { next }
{
    row = $at["dataset"] " | " $at["oracle"]; column = $at["query"] == "top_k" ? "top " : ""
    if (!(row in known)) { known[row] = 1; rows[++nrows] = row }
    mse[row, column $at["method"]] = $at["mse"]
}
END {
    n = split("base base_cut norm_sub power npmle uniform", method, " ")
    printf "| dataset | oracle |"
    for (i = 1; i <= n; i++) printf " %s |", method[i]
    for (i = 1; i < n; i++) printf " top 50, %s |", method[i]
    printf "\n|---|---|"
    for (i = 1; i < 2 * n; i++) printf "---|"
    print ""
    for (r = 1; r <= nrows; r++) {
        printf "| %s |", rows[r]
        for (i = 1; i <= n; i++) printf " %.2g |", mse[rows[r], method[i]]
        for (i = 1; i < n; i++) printf " %.2g |", mse[rows[r], "top " method[i]]
        print ""
    }
}' "$folder/mse.csv"
