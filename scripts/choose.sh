#!/bin/sh
# Which oracle and which method answer a query best: runs configs/kosarak.json and configs/npmle.json, writes studies/choose.md's
# text to standard output.
# usage: choose.sh [RESULTS_FOLDER] > studies/choose.md
#
# LDPBENCH names the program (default build/release/ldpbench), LDPBENCH_DATA the folders with emoji.counts, kosarak.counts. With
# a folder of results that are complete, nothing runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results/choose}

for name in kosarak npmle; do
    "$program" run configs/$name.json -o "$results/$name" --quiet
done
data=$(awk -F, 'NR == 2 { print $2 ", " $3 " values, " $4 " users" }' "$results/kosarak/mse.csv")

cat <<END
# Choosing an oracle and a method

Which oracle and which method answer my query best? The oracle of the least variance for your number of values and epsilon
(\`ldpbench oracles --epsilon E --d D\`, [oracles.md](oracles.md)). With few values, as in a survey, \`norm_sub\` or \`power_ns\`;
with thousands, as on this page, \`power_ns\` or \`npmle_ns\` for all values and for sets, and with \`base_pos\`
for the most frequent values, or \`mix_top\`, which is made for them ([mix.md](mix.md)); these have to learn a law from many values.

\`power_ns\` is the better one of the two where the counts follow a power law, \`npmle_ns\` where they do not ([below](#npmle_ns-or-power_ns));
without knowing the data take \`mix\` ([mix.md](mix.md)). On data of your own \`ldpbench advise\` compares all of them
([advising.md](advising.md)), and a sweep shows where the choice matters ([sweeps.md](sweeps.md)).

Made by \`LDPBENCH_DATA=FOLDER sh scripts/choose.sh > studies/choose.md\`, which runs [configs/kosarak.json](../configs/kosarak.json) and
[configs/npmle.json](../configs/npmle.json). FOLDER has the counts of Kosarak and emoji ([data](../docs/data.md));
without them fitted models are used.

## On Kosarak

Data: **$data**, the clicks on the pages of a news portal, the dataset of Calibrate (Jia and Gong, INFOCOM 2019). Mean squared errors of
frequencies, or F-scores of which values are frequent, in 5 repetitions: they leave a few percent of uncertainty for single frequencies
and up to a half for large sets. The best of a row as printed is **bold**. Other methods, and every method with every oracle, are in
\`ldpbench report\` of the run. Methods on \`olh\`:

END
awk -F, '
function number(x, hitters,   text) {
    if (hitters)
        return sprintf("%.3f", x)
    text = sprintf(x >= 0.01 ? "%.2g" : "%.1e", x)
    sub(/e-0/, "e-", text)
    sub(/e\+0/, "e+", text)
    return text
}
function better(a, b, hitters) { return hitters ? a > b : a < b }
# A row of both tables: the methods shown on olh, and each oracle with its best method.
function row_of(query, parameter, epsilon, title, hitters,   i, j, key, best, text, found, where, least) {
    for (j = 1; j <= noracles; j++) {
        found[j] = ""
        for (i = 1; i <= nmethods; i++) {
            key = query SUBSEP parameter SUBSEP epsilon SUBSEP oracles[j] SUBSEP methods[i]
            if ((key in value) && value[key] != "" && (found[j] == "" || better(value[key], found[j], hitters))) {
                found[j] = value[key]
                where[j] = methods[i]
            }
        }
        if (least == "" || better(found[j], least, hitters))
            least = found[j]
        if (oracles[j] == "olh")
            best = where[j]
    }
    text = "| " title " | " epsilon " |"
    for (j = 1; j <= noracles; j++)
        if (oracles[j] != "adaptive")
            by_oracle[nrows + 1] = by_oracle[nrows + 1] " " mark(number(found[j], hitters), number(least, hitters)) " |"
    by_oracle[++nrows] = text by_oracle[nrows]
    for (i = 1; i <= nshown; i++) {
        key = query SUBSEP parameter SUBSEP epsilon SUBSEP "olh" SUBSEP shown[i]
        value_text[shown[i]] = number(value[key], hitters)
        text = text " " mark(value_text[shown[i]], number(value[query, parameter, epsilon, "olh", best], hitters)) " |"
    }
    if (!is_said(query, number(value[query, parameter, epsilon, "olh", best], hitters)))
        fails = fails " " title
    by_method[nrows] = text
}
# The first paragraph: what the best method on olh shares its error with, as printed.
function is_said(query, best) {
    if (query == "heavy_hitters")
        return 1
    if (query == "top_k")
        return value_text["base_pos"] == best
    return value_text["power_ns"] == best || value_text["npmle_ns"] == best
}
function queries(query, parameter, title,   i, n, budgets) {
    n = split("1 4", budgets, " ")
    for (i = 1; i <= n; i++)
        row_of(query, parameter, budgets[i], title, query == "heavy_hitters")
}
function mark(text, best) { return text == best ? "**" text "**" : text }
function head(names, n,   i, line) {
    line = "| query | ε |"
    for (i = 1; i <= n; i++)
        line = line " " names[i] " |"
    print line
    gsub(/[^|]+/, "---", line)
    print line
}
BEGIN { nshown = split("base base_pos base_cut norm_mul norm_cut norm_sub power power_ns npmle npmle_ns", shown, " ") }
FNR == 1 {
    split("", column)
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
{
    if (!($5 in oracle_seen)) {
        oracle_seen[$5] = 1
        oracles[++noracles] = $5
    }
    if (!($7 in method_seen)) {
        method_seen[$7] = 1
        methods[++nmethods] = $7
    }
    query = $column["query"]
    sub(/\(.*/, "", query)
    value[query, $column["parameter"], $6, $5, $7] = "mse" in column ? $column["mse"] : $column["f_score"]
}
END {
    queries("full_domain", "", "all values")
    queries("set_value", 1, "random sets of 1 %")
    queries("set_value", 50, "random sets of 50 %")
    queries("fixed_sets", "", "100 disjoint sets")
    queries("top_k", 100, "the 100 most frequent")
    queries("heavy_hitters", 0.001, "which values a thousandth of the users hold")
    if (fails) {
        print "choose.sh: its first paragraph does not hold for " fails >"/dev/stderr"
        exit 1
    }
    head(shown, nshown)
    for (i = 1; i <= nrows; i++)
        print by_method[i]
    print "\nOracles, each with its best method:\n"
    for (j = 1; j <= noracles; j++)
        if (oracles[j] != "adaptive")
            names[++nnames] = oracles[j]
    head(names, nnames)
    for (i = 1; i <= nrows; i++)
        print by_oracle[i]
}' "$results/kosarak/mse.csv" "$results/kosarak/heavy_hitters.csv"

cat <<'END'

## npmle_ns or power_ns

`power` assumes that true counts follow a power law. `npmle` assumes only that counts are in [0, n]: its prior is the law that
makes the estimates most likely (`core/methods/npmle.c`). `npmle_ns` and `power_ns` project the answers onto the simplex.
`npmle_ns` is better where the counts do not follow a power law and many of them lie within the noise of each other; with few values
far apart it is worse than the unprocessed estimate.

In the table `geometric` has a ratio of 0.99 from one value to the next. `spread` has a ratio of 0.97 and only 64 values, with counts
between 5,000 and 35,000, so few values are within one standard deviation of the noise. Methods that are left out are in `ldpbench report`.
END
awk -F, '
function number(x) { return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : "%.3f", x) }
# Of the methods from i to j the one with the least error.
function least_of(cell, i, j,   best) {
    for (best = methods[i++]; i <= j; i++)
        if (mse[cell, methods[i]] < mse[cell, best])
            best = methods[i]
    return best
}
# The quotient of two errors; its standard error in quotient_error.
function over(cell, a, b,   r) {
    r = mse[cell, a] / mse[cell, b]
    quotient_error = r * sqrt((stderr[cell, a] / mse[cell, a]) ^ 2 + (stderr[cell, b] / mse[cell, b]) ^ 2)
    return r
}
function append(verdict, data, epsilon) {
    list[verdict] = list[verdict] (list[verdict] == "" ? "" : last[verdict] == data ? ", " : "; ") \
        (last[verdict] == data ? "" : data " at ε = ") epsilon
    last[verdict] = data
}
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    cell = $at["dataset"] "," $at["epsilon"]
    if (!(cell in seen)) {
        seen[cell] = 1; cells[++ncells] = cell
        d[cell] = $at["d"]; repetitions = $at["repetitions"]
    }
    # npmle and npmle_ns are the last two.
    if (!(($at["method"]) in known)) { known[$at["method"]] = 1; methods[++nmethods] = $at["method"] }
    mse[cell, $at["method"]] = $at["mse"]; stderr[cell, $at["method"]] = $at["stderr"]
}
END {
    print ""
    printf "Full-domain mean squared error of frequencies times 10^9 with its standard error, olh, %d repetitions. The standard\n", repetitions
    print "error of the quotient is computed as if the two were independent; both methods get the same noise, so it is an upper bound"
    print "if their errors are positively correlated. The verdict requires a difference of 3 standard errors. The best of the others"
    print "is known only afterwards: it is a different method from row to row.\n"
    print "| data | d | ε | npmle_ns | best of the others | its error | npmle_ns / best | verdict | npmle_ns / power_ns | npmle_ns / base |"
    print "|---|---|---|---|---|---|---|---|---|---|"
    for (c = 1; c <= ncells; c++) {
        cell = cells[c]; split(cell, key, ",")
        best = least_of(cell, 1, nmethods - 2)
        r = over(cell, "npmle_ns", "base")
        base_verdict = r > 1 + 3 * quotient_error ? "worse than base" : ""
        p = over(cell, "npmle_ns", "power_ns")
        power_error = quotient_error
        b = over(cell, "npmle_ns", best)
        verdict = b < 1 - 3 * quotient_error ? "better" : b > 1 + 3 * quotient_error ? "worse" : "undecided"
        append(verdict, key[1], key[2])
        append(p < 1 - 3 * power_error ? "better than power_ns" : p > 1 + 3 * power_error ? "worse than power_ns" : "as power_ns", key[1], key[2])
        if (base_verdict != "")
            append(base_verdict, key[1], key[2])
        printf "| %s | %d | %s | %s ± %s | %s | %s ± %s | %.3f ± %.3f | %s | %.3f | %s |\n", key[1], d[cell], key[2],
            number(1e9 * mse[cell, "npmle_ns"]), number(1e9 * stderr[cell, "npmle_ns"]), best, number(1e9 * mse[cell, best]),
            number(1e9 * stderr[cell, best]), b, quotient_error, verdict, p, sprintf("%.3g", r)
    }
    print "\n- Better than every other: " list["better"] "."
    print "- Worse than the best other: " list["worse"] "."
    if (list["undecided"] != "") print "- Undecided: " list["undecided"] "."
    print "- Against power_ns alone: better on " list["better than power_ns"] "; worse on " list["worse than power_ns"] \
        (list["as power_ns"] == "" ? "." : "; undecided on " list["as power_ns"] ".")
    print "- Worse than no post-processing at all: " (list["worse than base"] == "" ? "nowhere here" : list["worse than base"]) "."
}' "$results/npmle/mse.csv"
# What the last section says in numbers; it must hold.
eval "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { data = $at["dataset"]; mse[data, $at["epsilon"], $at["method"]] = $at["mse"]; epsilon[$at["epsilon"]] = 1 }
    END {
        for (e in epsilon) {
            ratio = mse["zipf", e, "npmle_ns"] / mse["zipf", e, "power_ns"] - 1
            if (least == "" || ratio < least) least = ratio
            if (ratio > most) most = ratio
        }
        worse = mse["spread", 4, "npmle"] / mse["spread", 4, "base"]
        if (least <= 0 || mse["emoji", 0.2, "npmle_ns"] <= mse["emoji", 0.2, "power_ns"] || worse <= 1 ||
            mse["emoji", 4, "npmle_ns"] <= mse["emoji", 4, "power_ns"] || mse["spread", 2, "npmle"] <= mse["spread", 2, "base"])
            { print "choose.sh: its last sections does not hold" >"/dev/stderr"; print "exit 1"; exit }
        printf "zipf=\"%.0f to %.0f\" spread=%.2f\n", 100 * least, 100 * most, worse
    }' "$results/npmle/mse.csv")"
sed -e "s/@ZIPF@/$zipf/" -e "s/@SPREAD@/$spread/" <<'END'

### Why

- Where a power law of one parameter is nearly true, it is fitted with less error than a law of any shape, and power_ns is
  better (on Zipf's law npmle_ns has an error that is @ZIPF@ % larger); where the power law is far from the truth, as on geometric
  and uniform data, it pulls answers to wrong values.
- npmle pools estimates within one noise standard deviation; more of them improve its prior.
  Many rare values, as on Kosarak, and many values with the same count suit it; on Zipf's law power_ns is better at every ε, on
  emoji at the smallest and the largest.
- With few estimates per standard deviation of the noise its prior is wrong. A prior of largest likelihood consists of a few
  points, placed where estimates happen to cluster; answers are then pulled to these points, although the true counts
  are spread evenly and the estimate itself is nearly the best answer. On such data (`spread`, from ε = 2 on) it is
  worse than base, @SPREAD@ times at ε = 4. This is a property of the method, not of its fit: use norm_sub or mle_apx there;
  `ldpbench advise` compares them on the given data. When estimates are even further apart, each becomes a point of its
  own, and npmle gives the same answer as base.
- Sums over sets behave differently: [advising.md](advising.md).

### Which problem npmle solves

The prior of largest likelihood may have its points anywhere. `npmle` finds the likeliest prior on a grid: points a quarter
of a standard deviation of the noise apart near estimates, and points on isolated estimates, with estimates in bins of 1/16 of a
standard deviation. On that grid the mean log-likelihood is within 1e-6 of its maximum. Compared with points anywhere, it is up to
3.6e-4 per value lower, and the answers differ by up to 0.11 standard deviations, on the five samples of
`build/release/run-tests --filter npmle/what_the_grid_costs --verbose=1` ([methods.md](../docs/methods.md)).
END
