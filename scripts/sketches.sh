#!/bin/sh
# The tables of docs/sketches.md, from the results of configs/sketches.json: at one epsilon (default 1), for each dataset and
# sketch the errors of the unprocessed estimate and of each method; then, over all datasets, sizes and epsilons, where least
# squares (nnls) are the best decoder.
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
echo
awk -F, '
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
split($at["oracle"], word, " ") >= 4 {
    decoder = word[4] # behind ROWS x COLUMNS
    setting = $at["dataset"] " " word[1] " x " word[3] " " $at["epsilon"]
    which = ($at["query"] == "top_k" ? "top 50" : "full domain") SUBSEP $at["method"]
    key = which SUBSEP setting
    if (!(key in known)) { known[key] = which; settings[which]++ }
    if (decoder == "nnls") nnls[key] = $at["mse"]
    else if (!(key in best) || $at["mse"] + 0 < best[key]) best[key] = $at["mse"] + 0
}
END {
    for (key in known) {
        ratio = best[key] > 0 ? nnls[key] / best[key] : 1
        which = known[key]
        if (ratio < 1) wins[which]++
        if (!(which in least) || ratio < least[which]) least[which] = ratio
        if (ratio > most[which]) most[which] = ratio
    }
    print "| answer | method | nnls is best | least ratio to the best other | largest |"
    print "|---|---|---|---|---|"
    n = split("base base_cut norm_sub power npmle", method, " ")
    m = split("full domain|top 50", answer, "|")
    for (a = 1; a <= m; a++)
        for (i = 1; i <= n; i++) {
            which = answer[a] SUBSEP method[i]
            printf "| %s | %s | %d of %d | %.2g | %.2g |\n", answer[a], method[i], wins[which], settings[which], least[which],
                   most[which]
        }
}' "$folder/mse.csv"
