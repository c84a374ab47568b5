#!/bin/sh
# Sketches against an oracle over the whole domain: runs configs/sketches.json, writes docs/sketches.svg, and the tables and
# the numbers of docs/sketches.md. A sentence that does not hold is an error.
# usage: sketches.sh [RESULTS_FOLDER]
#
# LDPBENCH names the program (default build/release/ldpbench), LDPBENCH_DATA a folder that has kosarak.counts. What the folder
# (default results/sketches) has already is not run again.
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

# Over all datasets, sizes and epsilons, where least squares (nnls) are the best decoder.
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
}' "$results/mse.csv" >"$folder/decoders"

# The numbers of sentences, and what they say of all numbers.
awk -F, -v OFS='\t' -v decoders="$folder/decoders" '
function hold(true, sentence) { if (!true) { print "sketches.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
function times(x) { return sprintf(x < 99.5 ? "%.2g" : "%.0f", x) }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    key = $at["dataset"] SUBSEP $at["oracle"] SUBSEP $at["epsilon"] SUBSEP ($at["query"] == "top_k") SUBSEP $at["method"]
    mse[key] = $at["mse"] + 0
    if ($at["epsilon"] == 1) { known[$at["dataset"] SUBSEP $at["oracle"]] = 1; dataset[$at["dataset"]] = 1 }
}
END {
    while ((getline line < decoders) > 0) {
        split(line, f, / *[|] */)
        if (f[4] ~ / of /) { split(f[4], n, " of "); of = n[2]; wins[f[2], f[3]] = n[1]; most[f[2], f[3]] = f[6] }
    }
    hold(wins["full domain", "base"] == of, "without post-processing nnls is the best decoder in the full domain")
    hold(wins["full domain", "norm_sub"] == of && wins["top 50", "norm_sub"] == of, "after norm_sub nnls is the best decoder")
    print "other_base", (of - wins["top 50", "base"]) " of " of " settings, by a factor of up to " most["top 50", "base"]
    print "other_power", (of - wins["top 50", "power"]) ", by up to " most["top 50", "power"]
    for (key in known) {
        split(key, k, SUBSEP)
        d = k[1]; o = k[2]; all = 0; top = 1; low = mse[d, o, 1, 0, "norm_sub"]; high = mse[d, o, 1, 1, "norm_sub"]
        if (o ~ /mean$/) {
            split(o, size, " mean")
            factor = mse[d, o, 1, 0, "base"] / mse[d, size[1] " nnls", 1, 0, "base"]
            if (!least || factor < least) least = factor
            if (factor > largest) largest = factor
            for (i = split("base base_cut power npmle", method, " "); i > 0; i--) {
                hold(low <= mse[d, o, 1, 0, method[i]], "for the mean norm_sub is the best for all values")
                hold(high >= mse[d, o, 1, 1, method[i]], "for the mean norm_sub is the worst for the top 50")
            }
        }
        if (o !~ /nnls$/)
            hold(mse[d, o, 1, 0, "uniform"] < mse[d, o, 1, 0, "base"], "uniform beats every unprocessed estimate")
        else
            hold(mse[d, o, 1, 0, "uniform"] > mse[d, o, 1, 0, "base"], "but not that of nnls")
        for (i = split("base base_cut norm_sub power npmle", method, " "); i > 0 && o == "32 x 1024 mean"; i--) {
            ratio = mse[d, o, 1, 1, method[i]] / mse[d, "oue", 1, 1, method[i]]
            if (ratio > worst) { worst = ratio; where = d ", " method[i] }
        }
    }
    print "over_mean", times(least) " to " times(largest)
    for (d in dataset) if (d !~ /^zipf/) kosarak = d; else zipf = d
    print "over_oue", sprintf("%.0f %%", 100 * (mse[kosarak, "32 x 1024 nnls", 1, 0, "power"] / mse[kosarak, "oue", 1, 0, "power"] - 1))
    print "top_worst", times(worst) " times those of oue (" where ")"
    mean = "8 x 256 mean"; signs = "8 x 256 signs and median"; nnls = "8 x 256 nnls"
    print "mean_four", sprintf("%.2g against %.2g", mse[zipf, mean, 4, 0, "base"], mse[zipf, mean, 1, 0, "base"])
    print "oue_falls", times(mse[zipf, "oue", 1, 0, "base"] / mse[zipf, "oue", 4, 0, "base"])
    print "signs_fall", times(mse[zipf, signs, 1, 0, "base"] / mse[zipf, signs, 4, 0, "base"])
    print "nnls_falls", times(mse[zipf, nnls, 1, 0, "base"] / mse[zipf, nnls, 4, 0, "base"])
    exit failed
}' "$results/mse.csv" >"$folder/values"
fill_page sketches "$folder"
