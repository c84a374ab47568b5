#!/bin/sh
# Marginals of records: runs configs/calm2018-epsilon.json, calm2018-epsilon-6.json, calm2018-mixed.json,
# calm2018-rivals.json, calm2018-choice.json and calm2018-choice-mixed.json and shows their tables as a Markdown page on
# standard output.
# usage: marginals.sh [RESULTS_FOLDER]      docs/marginals.md is made by: LDPBENCH_DATA=FOLDER sh scripts/marginals.sh
#
# Records that are not found are replaced by chains, as the configs say. RESULTS_FOLDER (default results) gets a folder for
# each config. LDPBENCH names the program (default build/release/ldpbench). Where results are complete, nothing runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results}
for config in calm2018-epsilon calm2018-epsilon-6 calm2018-mixed calm2018-rivals calm2018-choice calm2018-choice-mixed; do
    "$program" run "configs/$config.json" -o "$results/$config" >&2
done

cat <<'END'
# Marginals of many attributes

Every user holds one value of each of many attributes, and the analyst wants the joint frequencies of any few of them. A
*synopsis* (`ldpbench list synopses`) decides which attributes are asked together, which users are asked, and how the tables are
combined. This page is made by `scripts/marginals.sh`, which runs [calm2018-epsilon](../configs/calm2018-epsilon.json),
[-6](../configs/calm2018-epsilon-6.json), [-mixed](../configs/calm2018-mixed.json), [-rivals](../configs/calm2018-rivals.json),
[-choice](../configs/calm2018-choice.json) and [-choice-mixed](../configs/calm2018-choice-mixed.json):

    LDPBENCH_DATA=FOLDER sh scripts/marginals.sh > docs/marginals.md

The records are drawn with replacement to 65,536 users. Each number is the sum of squared errors of a marginal, averaged over
random marginals and repetitions, with its standard error. The oracle is `adaptive`. [reproduction-calm.md](reproduction-calm.md)
compares the claims of CALM's paper with the same runs.

- `calm` is CALM as far as it is published; consistency, non-negativity, reconstruction and the choice of the number of tables m
  and of their attributes l are this project's. A first part of the users, at most a fifth, reports pairs of attributes
  (`core/marginals/pilot.c`). From these the dependence between attributes is estimated, and the design of least predicted error
  is chosen, unless it would lose too much if the dependence were weaker: on average at most 2 % for this mistake, and 2 % for
  asking for pairs (`core/marginals/choice.c`). After the collection every interaction that is more probably noise is dropped. If
  no pilot could show a dependence, no users are asked for pairs, and `calm` equals `product`. If `m` and `l` are given, nothing
  is chosen or dropped.
- `calm_shrunk` is not CALM: every interaction of several attributes is multiplied by its expected share of signal
  (`core/marginals/shrink.c`). Of the same tables `calm` keeps the interactions where this share is above a half.
- `rem` (all pairs) does not use maximum entropy: interactions that are in no table are 0, unless negative cells require otherwise.
- `em` reports every attribute with epsilon / d. If that is small, its likelihood is nearly flat, so it stops near
  `uniform`. Reports that do not name a value (unary encoding, which `adaptive` uses from 5 values on) need users times cells
  operations per round, and are refused above 2^26.
- `fc` and `ft` collect quantities whose number grows with all attributes: see [reproduction-calm.md](reproduction-calm.md). `ft`
  gives every interaction of up to k attributes its share of the users.
- `product` and `uniform` are reference points: a synopsis with a larger error has learnt nothing from tables of several attributes.

For tables that were collected elsewhere, `ldpbench synopsis FOLDER` applies the steps of `calm` that follow its collection.
`ldpbench recommend --task marginals` recommends a synopsis, tables and an oracle for records like yours
([recommending.md](recommending.md)).

The mixed records (br2000, adult) are shown for marginals of 2 and 3 attributes only: a marginal of 6 attributes of br2000 has up
to 6,021,120 cells, and each answer is a table of that size. `calm`, `product` and `uniform` answer a few of them in seconds; the
wanted marginals may have 16,777,216 cells together (`rem` with non-negativity 1,048,576), and more are refused.

Interactions of three and more attributes cannot be estimated from pairs before the tables are chosen; `calm` assumes
that they are products of pairs' dependence. If epsilon or the number of users is so large that noise vanishes, give `m` and `l`.
END

# Over all points of a config: the geometric mean of the error over that of calm, and where it is smaller or larger by more
# than two standard errors of the difference.
cat <<'END'

## Which synopsis wins

Over all datasets and ε of a run: the geometric mean of the error divided by that of `calm`, its range, and at how many points it
is smaller and larger than that of `calm` by more than two standard errors of the difference.
END
compare() { # CONFIG TITLE
    awk -F, -v title="$2" '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    s = $column["synopsis"]; at = $column["dataset"] "," $column["k"] "," $column["epsilon"]
    if (!(s in known)) { known[s] = 1; synopses[++ns] = s }
    if (!(at in there)) { there[at] = 1; points[++np] = at }
    sse[s, at] = $column["sse"]; error[s, at] = $column["sse_stderr"]
}
END {
    printf "\n%s (%d points):\n\n| synopsis | mean ratio | from | to | smaller | larger |\n|---|---:|---:|---:|---:|---:|\n", title, np
    for (j = 1; j <= ns; j++) {
        s = synopses[j]
        if (s == "calm") continue
        sum = count = smaller = larger = least = most = 0
        for (i = 1; i <= np; i++) {
            at = points[i]
            if (!((s, at) in sse) || sse["calm", at] <= 0) continue
            ratio = sse[s, at] / sse["calm", at]; sum += log(ratio); count++
            if (least == 0 || ratio < least) least = ratio
            if (ratio > most) most = ratio
            apart = sse[s, at] - sse["calm", at]; two = 2 * sqrt(error[s, at] ^ 2 + error["calm", at] ^ 2)
            smaller += apart < -two; larger += apart > two
        }
        printf "| `%s` | %.3g | %.3g | %.3g | %d | %d |\n", s, exp(sum / count), least, most, smaller, larger
    }
}' "$results/$1/marginals.csv"
}
compare calm2018-epsilon "Marginals of 3 binary attributes"
compare calm2018-epsilon-6 "Marginals of 6 binary attributes"
compare calm2018-mixed "Marginals of 2 and 3 attributes of 2 to 42 values"
compare calm2018-rivals "Marginals of 3 of 10 binary attributes, where the domain is small enough for \`maxent\`"

report() { # CONFIG TITLE MODE
    printf '\n## %s\n' "$2"
    awk -F, -v mode="$3" '
function short(x) { return x == "" ? "" : sprintf("%.2g", x) }
function head(first,   k) {
    printf "\n| %s |", first
    for (k = 1; k <= ne; k++) printf " ε = %s |", epsilons[k]
    printf "\n|---|"
    for (k = 1; k <= ne; k++) printf "---:|"
    printf "\n"
}
function ratios(above, below,   i, k) {
    printf "\nThe error of `%s` over that of `%s`:\n", above, below
    head("dataset")
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
            if (ratio > most) { most = ratio; at = d ", ε = " e }
        }
        if (list != "") printf "%s%s, ε = %s", (said++ ? "; " : ""), d, list
    }
    if (said) printf ". The worst is %.3g times (%s). A star: by more than two standard errors of the difference.\n", most, at
    else printf "none of these.\n"
}
function is_given(name) { return name ~ /[( ][ml]=/ }
# The errors of what chooses over the best and over the worst of the given designs.
function regret(   i, j, k, d, e, best, most, which) {
    head("dataset, synopsis")
    for (i = 1; i <= nd; i++) {
        d = datasets[i]
        for (j = 1; j <= ns; j++) {
            if (is_given(synopses[j])) continue
            printf "| %s: `%s` |", d, synopses[j]
            for (k = 1; k <= ne; k++) {
                e = epsilons[k]; best = most = 0
                for (w = 1; w <= ns; w++) {
                    if (!is_given(synopses[w])) continue
                    if (best == 0 || sse[d, synopses[w], e] < best) { best = sse[d, synopses[w], e]; which = synopses[w] }
                    if (sse[d, synopses[w], e] > most) most = sse[d, synopses[w], e]
                }
                if (j == 1) { name[d, e] = which; top[d, e] = most / best }
                printf " %.2f |", sse[d, synopses[j], e] / best
            }
            printf "\n"
        }
        printf "| %s: the worst of the designs |", d
        for (k = 1; k <= ne; k++) printf " %.2f |", top[d, epsilons[k]]
        printf "\n| %s: the best one |", d
        for (k = 1; k <= ne; k++) printf " %s |", substr(name[d, epsilons[k]], 5)
        printf "\n"
    }
}
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    if (mode != "choice" && index(" 0.2 0.4 0.6 1 1.4 2 ", " " $column["epsilon"] " ") == 0) next
    if (mode == "mixed" && $column["k"] != 3) next
    d = $column["dataset"] (mode == "choice" ? ", k = " $column["k"] : ""); s = $column["synopsis"]; e = $column["epsilon"]
    if (!(d in seen)) { seen[d] = 1; datasets[++nd] = d; title[d] = d " (" $column["d"] " attributes)" }
    if (!(s in known)) { known[s] = 1; synopses[++ns] = s }
    if (!(e in there)) { there[e] = 1; epsilons[++ne] = e }
    sse[d, s, e] = $column["sse"]; error[d, s, e] = $column["sse_stderr"]
    if (mode == "choice") next
    noise[d, s, e] = $column["sse_noise"]; sampling[d, s, e] = $column["sse_sampling"]
    rest[d, s, e] = $column["sse_reconstruction"]; predicted[d, s, e] = $column["sse_predicted"]
}
END {
    if (mode == "choice") { regret(); exit }
    for (i = 1; i <= nd; i++) {
        d = datasets[i]
        printf "\n### %s\n", title[d]
        head("synopsis")
        for (j = 1; j <= ns; j++) {
            printf "| `%s` |", synopses[j]
            for (k = 1; k <= ne; k++) printf " %s (%s) |", short(sse[d, synopses[j], epsilons[k]]), short(error[d, synopses[j], epsilons[k]])
            printf "\n"
        }
        for (j = 1; j <= 2 && "sse_noise" in column; j++) {
            printf "| `%s`: noise, sampling, reconstruction |", synopses[j]
            for (k = 1; k <= ne; k++) { e = epsilons[k]; printf " %s, %s, %s |", short(noise[d, synopses[j], e]), short(sampling[d, synopses[j], e]), short(rest[d, synopses[j], e]) }
            printf "\n| `%s`: predicted |", synopses[j]
            for (k = 1; k <= ne; k++) printf " %s |", predicted[d, synopses[j], epsilons[k]] == "" || predicted[d, synopses[j], epsilons[k]] == "nan" ? "" : short(predicted[d, synopses[j], epsilons[k]])
            printf "\n"
        }
    }
    ratios("calm", "product")
    worse("calm", "product")
    worse("calm_shrunk", "product")
}' "$results/$1/marginals.csv"
}

report calm2018-epsilon "Marginals of 3 binary attributes" parts
report calm2018-epsilon-6 "Marginals of 6 binary attributes" parts
report calm2018-mixed "Marginals of 3 attributes of 2 to 42 values" mixed
printf '\n## The choice of m and l\n\nThe error divided by that of the best of the designs with given m and l, 13 for binary attributes and 4 for br2000 (the best is\nknown only afterwards; `m=` tables of `l=` attributes; without m all of them). `calm(theta=0.001)` chooses by the rule of the paper\nas reconstructed (`core/marginals/threshold.c`): the part of the paper that defines it was not available.\n'
report calm2018-choice "Regret" choice | tail -n +3
report calm2018-choice-mixed "Regret" choice | tail -n +3
