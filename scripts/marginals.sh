#!/bin/sh
# Marginals of real records: runs configs/calm2018-epsilon.json and shows its table as a Markdown page on standard output.
# usage: marginals.sh [RESULTS_FOLDER]      docs/marginals.md is made by: LDPBENCH_DATA=FOLDER sh scripts/marginals.sh
#
# Records that are not found are replaced by chains, as the config says. LDPBENCH names the program (default
# build/release/ldpbench). With a folder of results that are complete, nothing runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/calm2018-epsilon}
"$program" run configs/calm2018-epsilon.json -o "$results" >&2

cat <<'END'
# Marginals of many attributes

Every user holds one value of each of many attributes, and the analyst wants the joint frequencies of any few of them. A
*synopsis* (`ldpbench list synopses`) decides which attributes are asked together, of which users, and how the tables are put
together. This page is made by `scripts/marginals.sh`, which runs
[configs/calm2018-epsilon.json](../configs/calm2018-epsilon.json):

    LDPBENCH_DATA=FOLDER sh scripts/marginals.sh > docs/marginals.md

The records are drawn with replacement to 65,536 users. 30 random marginals of 3 attributes are asked for; numbers are the sum
of squared errors of a marginal, the mean over marginals and repetitions, with its standard error.

`calm` alone chooses its tables: a first tenth of the users reports pairs, which tell how strongly attributes depend on each
other; the design of least predicted error follows (`core/marginals/choice.c`). `product` and
`uniform` are floors: a synopsis above them has learnt nothing from tables of several attributes. The number of tables and of
attributes in one is given for the others. The oracle is `adaptive`.

What is not here: an EM on reports of single attributes (LoPub), which is not implemented.
END
awk -F, '
function short(x) { return sprintf("%.2g", x) }
function ratios(title, words, above, below,   i, k) {
    printf "\n## %s\n\n%s\n\n| dataset |", title, words
    for (k = 1; k <= ne; k++) printf " epsilon = %s |", epsilons[k]
    printf "\n|---|"
    for (k = 1; k <= ne; k++) printf "---:|"
    printf "\n"
    for (i = 1; i <= nd; i++) {
        printf "| %s |", datasets[i]
        for (k = 1; k <= ne; k++)
            printf " %.3g |", sse[datasets[i], above, epsilons[k]] / sse[datasets[i], below, epsilons[k]]
        printf "\n"
    }
}
# Where the first of two synopses is worse; a star where by more than two standard errors of the difference.
function worse(above, below,   i, k, d, e, list, most, ratio, at, apart, said) {
    printf "\n`%s` is worse than `%s` on ", above, below
    for (i = 1; i <= nd; i++) {
        d = datasets[i]; list = ""
        for (k = 1; k <= ne; k++) {
            e = epsilons[k]; apart = sse[d, above, e] - sse[d, below, e]
            if (apart <= 0) continue
            list = list (list == "" ? "" : ", ") e (apart > 2 * sqrt(error[d, above, e] ^ 2 + error[d, below, e] ^ 2) ? "*" : "")
            ratio = sse[d, above, e] / sse[d, below, e]
            if (ratio > most) { most = ratio; at = d ", epsilon = " e }
        }
        if (list != "") printf "%s%s, epsilon = %s", (said++ ? "; " : ""), d, list
    }
    if (said) printf ". The worst is %.3g times (%s). A star: by more than two standard errors of the difference.\n", most, at
    else printf "none of these.\n"
}
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    d = $column["dataset"] " (d = " $column["d"] ")"; s = $column["synopsis"]; e = $column["epsilon"]
    if (!(d in seen)) { seen[d] = 1; datasets[++nd] = d }
    if (!(s in known)) { known[s] = 1; synopses[++ns] = s }
    if (!(e in there)) { there[e] = 1; epsilons[++ne] = e }
    sse[d, s, e] = $column["sse"]; error[d, s, e] = $column["sse_stderr"]
    noise[d, s, e] = $column["sse_noise"]; sampling[d, s, e] = $column["sse_sampling"]
    rest[d, s, e] = $column["sse_reconstruction"]; predicted[d, s, e] = $column["sse_predicted"]
}
END {
    for (i = 1; i <= nd; i++) {
        d = datasets[i]
        printf "\n## %s\n\n| synopsis |", d
        for (k = 1; k <= ne; k++) printf " epsilon = %s |", epsilons[k]
        printf "\n|---|"
        for (k = 1; k <= ne; k++) printf "---:|"
        printf "\n"
        for (j = 1; j <= ns; j++) {
            printf "| `%s` |", synopses[j]
            for (k = 1; k <= ne; k++) printf " %s (%s) |", short(sse[d, synopses[j], epsilons[k]]), short(error[d, synopses[j], epsilons[k]])
            printf "\n"
        }
        printf "\nParts of the error of `calm` (noise, sampling, reconstruction; predicted whole): "
        for (k = 1; k <= ne; k++) {
            e = epsilons[k]
            printf "%sepsilon = %s: %s, %s, %s; %s", (k > 1 ? ". " : ""), e, short(noise[d, "calm", e]), short(sampling[d, "calm", e]), short(rest[d, "calm", e]), short(predicted[d, "calm", e])
        }
        printf ".\n"
    }
    ratios("The Fourier method over calm", "Ratio of the mean squared errors of `ft` and `calm`:", "ft", "calm")
    ratios("calm over the product", "Ratio of the mean squared errors of `calm` and `product`. Above 1 the tenth of the users who were asked first, or tables chosen for a dependence that was noise, cost more than they brought:", "calm", "product")
    worse("calm", "product")
}' "$results/marginals.csv"
