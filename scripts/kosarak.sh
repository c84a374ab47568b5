#!/bin/sh
# An example on real counts: runs configs/kosarak.json and shows its tables as a Markdown page on standard output.
# usage: kosarak.sh [RESULTS_FOLDER]        docs/kosarak.md is made by: LDPBENCH_DATA=FOLDER sh scripts/kosarak.sh
#
# Kosarak's counts are used where they are found (LDPBENCH_DATA, data/), else a fitted model, and the page says which.
# LDPBENCH names the program (default build/release/ldpbench). With a folder of results that are complete, nothing runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results/kosarak}
"$program" run configs/kosarak.json -o "$results" >&2

member() { sed -n 's/^[[:space:]]*"'"$1"'":[[:space:]]*"\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$results/run.json" | head -n 1; }
data=$(awk -F, 'NR == 2 { print $2 ", " $3 " values, " $4 " users" }' "$results/mse.csv")

cat <<END
# An example on real counts

Which oracle and which method are best on real counts? It depends on the query: the tables below have every pair, with the best of each
column in bold. Kosarak, the clicks on the pages of a news portal, is the dataset of Calibrate (Jia and Gong, INFOCOM 2019). Here every
private oracle but the sketches and every method but \`uniform\` answer each kind of query on it: single frequencies, random sets,
fixed sets (also random, because it has no categories), the most frequent values, and which values are frequent. This page is made
by \`scripts/kosarak.sh\`, which runs [configs/kosarak.json](../configs/kosarak.json); methods that do not suit every oracle have blank cells:

    sh scripts/fetch-datasets.sh kosarak       # without it, a fitted model is used
    sh scripts/kosarak.sh > docs/kosarak.md

Data: **$data**. $(member repetitions) repetitions, seed $(member seed).

Numbers are mean squared errors of frequencies, or F-scores; the best of each column as printed is **bold**. Columns are
oracles; \`adaptive\` is oue here, blh is olh with g = 2, and \`calibrate\` with its defaults is \`power\`. Five repetitions leave a
few percent of uncertainty for single frequencies and up to a half for large sets; the run's folder has all tables with standard
errors. flh is worse than olh because its 10,000 hash functions collide, and more users do not reduce this error; methods that use
the variance of the noise (base_cut, power, npmle) assume that of olh and remove less of the noise.
END
awk -F, '
    function number(x, hitters,   text) {
        if (x == "")
            return ""
        if (hitters)
            return sprintf("%.3f", x)
        text = sprintf(x >= 0.01 ? "%.2g" : "%.1e", x)
        sub(/e-0/, "e-", text)
        sub(/e\+0/, "e+", text)
        return text
    }
    function show(title, query, parameter, epsilon, hitters,   i, j, best, text, key) {
        printf "\n### %s, ε = %s\n\n| method |", title, epsilon
        for (j = 1; j <= noracles; j++)
            printf " %s |", oracles[j]
        printf "\n|---|"
        for (j = 1; j <= noracles; j++) {
            printf "---|"
            best[j] = ""
            for (i = 1; i <= nmethods; i++) {
                key = query SUBSEP parameter SUBSEP epsilon SUBSEP oracles[j] SUBSEP methods[i]
                if ((key in value) && value[key] != "" &&
                    (best[j] == "" || (hitters ? value[key] > value[best[j]] : value[key] < value[best[j]])))
                    best[j] = key
            }
        }
        print ""
        for (i = 1; i <= nmethods; i++) {
            printf "| %s |", methods[i]
            for (j = 1; j <= noracles; j++) {
                key = query SUBSEP parameter SUBSEP epsilon SUBSEP oracles[j] SUBSEP methods[i]
                text = number(value[key], hitters)
                printf text != "" && text == number(value[best[j]], hitters) ? " **%s** |" : " %s |", text
            }
            print ""
        }
    }
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
        key = query SUBSEP $column["parameter"] SUBSEP $6 SUBSEP $5 SUBSEP $7
        value[key] = "mse" in column ? $column["mse"] : $column["f_score"]
    }
    END {
        n = split("1 4", budgets, " ")
        print "\n## Single frequencies"
        for (i = 1; i <= n; i++)
            show("All values", "full_domain", "", budgets[i], 0)
        print "\n## Sets"
        for (i = 1; i <= n; i++) {
            show("Random sets of 1 % of the values", "set_value", 1, budgets[i], 0)
            show("Random sets of 50 % of the values", "set_value", 50, budgets[i], 0)
            show("100 disjoint sets of 40 values on average", "fixed_sets", "", budgets[i], 0)
        }
        print "\n## Frequent values"
        for (i = 1; i <= n; i++) {
            show("The 100 most frequent", "top_k", 100, budgets[i], 0)
            show("Which values have more than a thousandth of all users: F-score", "heavy_hitters", 0.001, budgets[i], 1)
        }
    }' "$results/mse.csv" "$results/heavy_hitters.csv"
