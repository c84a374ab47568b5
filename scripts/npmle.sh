#!/bin/sh
# Where npmle beats power and where not: runs configs/npmle.json, writes docs/npmle.md's text to standard output.
# usage: npmle.sh [RESULTS_FOLDER] > docs/npmle.md
#
# LDPBENCH names the program (default build/release/ldpbench), LDPBENCH_DATA the folders with kosarak.counts.
set -eu
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/npmle}

"$program" run configs/npmle.json -o "$results" --quiet

cat <<'END'
# The maximum-likelihood prior against the power law

`power` presumes that true counts follow a power law. `npmle` presumes nothing but counts in [0, n]: its prior is the law that
makes the estimates most likely (`core/methods/npmle.c`). `npmle_ns` and `power_ns` project the answers onto the simplex.

Made by `sh scripts/npmle.sh > docs/npmle.md` from the tables of `configs/npmle.json`.

END
awk -F, '
function number(x) { return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : "%.3f", x) }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
    cell = $at["dataset"] "," $at["epsilon"]
    if (!(cell in seen)) {
        seen[cell] = 1; cells[++ncells] = cell
        d[cell] = $at["d"]; n[cell] = $at["n"]; repetitions = $at["repetitions"]
    }
    if (!(($at["method"]) in known)) { known[$at["method"]] = 1; methods[++nmethods] = $at["method"] }
    mse[cell, $at["method"]] = $at["mse"]; stderr[cell, $at["method"]] = $at["stderr"]
}
END {
    printf "Full-domain mean squared error times 10^9 and its standard error, OLH, %d repetitions; the least is bold.\n\n", repetitions
    printf "| data | d | epsilon"
    for (i = 1; i <= nmethods; i++) printf " | %s", methods[i]
    printf " |\n|---|---|---"
    for (i = 1; i <= nmethods; i++) printf "|---"
    print "|"
    for (c = 1; c <= ncells; c++) {
        cell = cells[c]; split(cell, key, ","); least = methods[1]
        for (i = 2; i <= nmethods; i++) if (mse[cell, methods[i]] < mse[cell, least]) least = methods[i]
        printf "| %s | %d | %s", key[1], d[cell], key[2]
        for (i = 1; i <= nmethods; i++) {
            mark = methods[i] == least ? "**" : ""
            printf " | %s%s%s ± %s", mark, number(1e9 * mse[cell, methods[i]]), mark, number(1e9 * stderr[cell, methods[i]])
        }
        print " |"
    }
    print "\nThe quotient of the errors of npmle_ns and power_ns. Its standard error is computed as if the two were independent; both"
    print "see the same noise, so that it is an upper bound where their errors rise and fall together. A difference of less than"
    print "3 standard errors decides nothing.\n"
    print "| data | epsilon | npmle_ns / power_ns | better | npmle / power |\n|---|---|---|---|---|"
    for (c = 1; c <= ncells; c++) {
        cell = cells[c]; split(cell, key, ",")
        for (i = 1; i <= 2; i++) {
            a = i == 1 ? "npmle_ns" : "npmle"; b = i == 1 ? "power_ns" : "power"
            r[i] = mse[cell, a] / mse[cell, b]
            e[i] = r[i] * sqrt((stderr[cell, a] / mse[cell, a]) ^ 2 + (stderr[cell, b] / mse[cell, b]) ^ 2)
        }
        better = r[1] < 1 - 3 * e[1] ? "npmle_ns" : r[1] > 1 + 3 * e[1] ? "power_ns" : "undecided"
        list[better] = list[better] (list[better] == "" ? "" : last[better] == key[1] ? ", " : "; ") \
            (last[better] == key[1] ? "" : key[1] " at epsilon ") key[2]
        last[better] = key[1]
        printf "| %s | %s | %.4f ± %.4f | %s | %.4f ± %.4f |\n", key[1], key[2], r[1], e[1], better, r[2], e[2]
    }
    print ""
    if (list["npmle_ns"] != "") print "- npmle_ns is better on " list["npmle_ns"] "."
    if (list["power_ns"] != "") print "- power_ns is better on " list["power_ns"] "."
    if (list["undecided"] != "") print "- Undecided: " list["undecided"] "."
}' "$results/mse.csv"
cat <<'END'

Where a power law of one parameter is nearly true, it is fitted with less error than a law of any shape; where it is far off,
as on uniform data, it pulls answers to where they do not belong. npmle has something to learn where many
estimates lie within a standard deviation of each other; the answer to an isolated one is the estimate itself.
END
