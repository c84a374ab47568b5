#!/bin/sh
# Sketches against an oracle over the whole domain: runs configs/sketches.json, writes studies/sketches.svg, and the tables and
# the numbers of studies/sketches.md. A sentence that does not hold is an error.
# usage: sketches.sh [RESULTS_FOLDER]
#
# LDPBENCH names the program (default build/release/ldpbench), LDPBENCH_DATA a folder that has kosarak.counts, PYTHON a python3
# with NumPy. What the folder (default results/sketches) has already is not run again.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results/sketches}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" run configs/sketches.json -o "$results" --quiet
"$program" plot "$results" >/dev/null
cp "$results/full_domain.svg" "$pages/sketches.svg"

# At epsilon = 1, for each dataset and sketch the errors of the unprocessed estimate and of each method.
awk -F, -v epsilon=1 '
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
}' "$results/mse.csv" >"$folder/errors"

# Over all datasets and epsilons, the errors of each decoder over those of oue after the same method: least and largest.
awk -F, '
function range(low, high) { return sprintf("%.2g to %.2g", low, high) }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    setting = $at["dataset"] SUBSEP $at["epsilon"] SUBSEP ($at["query"] == "top_k") SUBSEP $at["method"]
    if ($at["oracle"] == "oue") whole[setting] = $at["mse"]
    else {
        if (!($at["oracle"] in known)) { known[$at["oracle"]] = 1; oracles[++noracles] = $at["oracle"] }
        mse[$at["oracle"] SUBSEP setting] = $at["mse"]
    }
}
END {
    print "| sketch | full domain, base | full domain, best method | top 50, base | top 50, best method |"
    print "|---|---|---|---|---|"
    n = split("base_cut norm_sub power npmle", method, " ")
    for (key in whole) {
        split(key, k, SUBSEP)
        if (k[4] != "base") continue
        for (o = 1; o <= noracles; o++) {
            best = best_whole = 1e300
            for (i = 1; i <= n; i++) {
                other = k[1] SUBSEP k[2] SUBSEP k[3] SUBSEP method[i]
                if (mse[oracles[o] SUBSEP other] + 0 < best) best = mse[oracles[o] SUBSEP other] + 0
                if (whole[other] + 0 < best_whole) best_whole = whole[other] + 0
            }
            r[0] = mse[oracles[o] SUBSEP key] / whole[key]; r[1] = best / best_whole
            for (i = 0; i < 2; i++) {
                at_key = oracles[o] SUBSEP k[3] SUBSEP i
                if (!(at_key in low) || r[i] < low[at_key]) low[at_key] = r[i]
                if (r[i] > high[at_key]) high[at_key] = r[i]
            }
        }
    }
    for (o = 1; o <= noracles; o++) {
        printf "| %s |", oracles[o]
        for (q = 0; q < 2; q++)
            for (i = 0; i < 2; i++) printf " %s |", range(low[oracles[o] SUBSEP q SUBSEP i], high[oracles[o] SUBSEP q SUBSEP i])
        print ""
    }
}' "$results/mse.csv" >"$folder/decoders"

# How many cells amp needs, predicted.
find_numpy || { echo "sketches.sh: expected a python3 with NumPy, found none" >&2; exit 3; }
for data in $(echo "${LDPBENCH_DATA:-}" | tr : ' ') data datasets/data; do
    [ ! -e "$data/kosarak.counts" ] || break
done
PYTHONPATH=python "$python" scripts/cells.py "zipf(s=1.1)=zipf:1.1,20000,1000000" "kosarak=$data/kosarak.counts" >"$folder/cells"

# The numbers of sentences, and what they say of all numbers.
awk -F, -v OFS='\t' -v cells="$folder/cells" '
function hold(true, sentence) { if (!true) { print "sketches.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
function times(x) { return sprintf(x < 99.5 ? "%.2g" : "%.0f", x) }
function between(low, high) { return times(low) " to " times(high) }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    mse[$at["dataset"], $at["oracle"], $at["epsilon"], $at["query"] == "top_k", $at["method"]] = $at["mse"] + 0
    dataset[$at["dataset"]] = 1; epsilons[$at["epsilon"]] = 1
}
END {
    while ((getline line < cells) > 0) {
        split(line, f, / *[|] */)
        gsub(/,/, "", f[9])
        if (f[2] == "kosarak") need[f[3]] = f[9]
    }
    n = split("base_cut norm_sub power npmle", method, " ")
    split("mean median nnls", decoder, " ")
    for (d in dataset) for (e in epsilons) for (q = 0; q < 2; q++) for (i = 1; i <= n; i++) {
        m = method[i]; whole = mse[d, "oue", e, q, m]
        ratio = mse[d, "32 x 1024 amp", e, q, m] / whole
        if (e < 3 && ratio > most_amp) most_amp = ratio
        if (e > 3 && ratio > most_four) most_four = ratio
        for (j = 1; j <= 3; j++) {
            x = mse[d, "32 x 1024 " decoder[j], e, q, m] / mse[d, "32 x 1024 amp", e, q, m]
            if (!(j in least) || x < least[j]) least[j] = x
            if (x > most[j]) most[j] = x
        }
        x = mse[d, "8 x 256 amp", e, q, m] / whole
        if (e <= 1 && x > small_one) small_one = x
        if (e > 3 && x > small_four) small_four = x
        all++
        better += mse[d, "32 x 1024 amp", e, q, m] <= mse[d, "32 x 1024 nnls", e, q, m]
        better_small += mse[d, "8 x 256 amp", e, q, m] <= mse[d, "8 x 256 nnls", e, q, m]
    }
    print "amp_loss", sprintf("%.0f %%", 100 * (most_amp - 1))
    print "amp_four", sprintf("%.0f %%", 100 * (most_four - 1))
    print "small_one", times(small_one)
    print "small_four", times(small_four)
    print "cells_one", need["1"]
    print "cells_four", need["4"]
    print "of_mean", between(least[1], most[1])
    print "of_median", between(least[2], most[2])
    print "of_nnls", between(least[3], most[3])
    print "amp_better", better " of " all
    print "amp_better_small", better_small " of " all
    hold(least[1] > 0.7, "amp is at most a little worse than the mean")
    for (d in dataset) for (e in epsilons) {
        hold(mse[d, "32 x 1024 nnls", e, 0, "base"] < mse[d, "oue", e, 0, "base"], "nnls is below unprocessed oue")
        for (q = 0; q < 2; q++)
            hold(mse[d, "32 x 1024 amp", e, q, "base"] < mse[d, "32 x 1024 mean", e, q, "base"], "amp is below the mean, unprocessed")
    }
    exit failed
}' "$results/mse.csv" >"$folder/values"
fill_page sketches "$folder"
