#!/bin/sh
# Marginals of records: runs configs/calm2018-epsilon.json, calm2018-epsilon-6.json, calm2018-mixed.json,
# calm2018-mixed-6.json, calm2018-rivals.json, calm2018-attributes.json, calm2018-users.json, calm2018-choice.json and
# calm2018-choice-mixed.json and shows their tables as a Markdown page on standard output.
# usage: marginals.sh [RESULTS_FOLDER]      studies/marginals.md is made by: LDPBENCH_DATA=FOLDER sh scripts/marginals.sh
#
# Records that are not found are replaced by chains, as the configs say. RESULTS_FOLDER (default results) gets a folder for
# each config. LDPBENCH names the program (default build/release/ldpbench). Where results are complete, nothing runs.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}
for config in epsilon epsilon-6 mixed mixed-6 rivals attributes users choice choice-mixed; do
    "$program" run "configs/calm2018-$config.json" -o "$results/calm2018-$config" >&2
done
facts=$(mktemp)
trap 'rm -f "$facts" "$facts.json"' EXIT

cat <<'END'
# Marginals of many attributes

Which synopsis answers marginals of a few of many attributes best? `plan`, which asks for the tables of least expected error, except
where so few users answer that it is a guess whether attributes depend on each other ([plans.md](plans.md) compares it with others). Of the published ones
`calm`, unless all attributes together have at most 2^20 cells, where `maxent` can be better.

Every user holds one value of each of many attributes, and the analyst wants the joint frequencies of any few of them. A
*synopsis* (`ldpbench list synopses`) decides which attributes are asked together, which users are asked, and how the tables are
combined. This page is made by `scripts/marginals.sh`, which runs [calm2018-epsilon](../configs/calm2018-epsilon.json),
[-6](../configs/calm2018-epsilon-6.json), [-mixed](../configs/calm2018-mixed.json),
[-mixed-6](../configs/calm2018-mixed-6.json), [-rivals](../configs/calm2018-rivals.json),
[-attributes](../configs/calm2018-attributes.json), [-users](../configs/calm2018-users.json),
[-choice](../configs/calm2018-choice.json) and [-choice-mixed](../configs/calm2018-choice-mixed.json):

    LDPBENCH_DATA=FOLDER sh scripts/marginals.sh > studies/marginals.md

The records are drawn with replacement to 65,536 users, except where a table says otherwise. Each number is the sum of squared
errors of a marginal, averaged over random marginals and repetitions, with its standard error. The oracle is `adaptive`.
[papers/calm2018.md](papers/calm2018.md) compares the claims of CALM's paper with runs of the same kind.

- `calm` is CALM as far as it is published; consistency, non-negativity, reconstruction and the choice of the number of tables m
  and of their attributes l are this project's. A first part of the users, at most a fifth, reports pairs of attributes
  (`core/marginals/pilot.c`). From these the dependence between attributes is estimated, and the design of least predicted error
  is chosen, unless it would lose too much if the dependence were weaker: on average at most 2 % for this mistake, and 2 % for
  asking for pairs (`core/marginals/choice.c`). After the collection every interaction that is more probably noise is dropped. If
  no pilot could show a dependence, no users are asked for pairs, and `calm` equals `product`, except that frequencies of single
  attributes are shrunk towards uniform by their share of noise, unless their values are rare (`core/marginals/singles.c`). If `m` and `l` are given, nothing is chosen, dropped or shrunk.
- `calm_shrunk` is not CALM: every interaction of several attributes is multiplied by its expected share of signal
  (`core/marginals/shrink.c`). Of the same tables `calm` keeps the interactions where this share is above a half.
- `rem` (all pairs) does not use maximum entropy: interactions that are in no table are 0, unless negative cells require otherwise.
- `em` reports every attribute with epsilon / d. If that is small, its likelihood is nearly flat, so it stops near
  `uniform`. Reports that do not name a value (unary encoding, which `adaptive` uses from 5 values on) need users times cells
  operations per round, and are refused above 2^26.
- `fc` and `ft` collect quantities whose number grows with all attributes: see [papers/calm2018.md](papers/calm2018.md). `ft`
  gives every interaction of up to k attributes its share of the users.
- `product` and `uniform` are reference points: a synopsis with a larger error has learnt nothing from tables of several attributes.

For tables that were collected elsewhere, `ldpbench estimate FOLDER` applies the steps of `calm` that follow its collection.
`ldpbench advise records.csv` names a synopsis, tables and an oracle for records like yours
([advising.md](advising.md)).

Records are a CSV with a header. A column holds whole numbers from 0, or words if its first value is no number: words are
numbered in the order of their bytes, `ldpbench list` shows the numbers, and the table of marginals (`"outputs":
["marginals"]`) has the words, with %2B for a + in one.

A marginal of 6 attributes of mixed records is large: of br2000 up to 6,021,120 cells, of adult (its nine columns of
categories) up to 3,810,240. The wanted marginals may have 16,777,216 cells together, so only four of 6 attributes are asked of
these two, beside 20 of 2 and 3. Each synopsis refuses what is too much for it and names its limit: `em` 67,108,864 users times
cells of a marginal, `maxent` 1,048,576 cells of the whole domain (both refuse these four), `rem` with non-negativity 1,048,576
cells of the wanted marginals together, `ft` 4,194,304 coefficients (both take seconds for each repetition of these four, and are
left out).

Interactions of three and more attributes cannot be estimated from pairs before the tables are chosen; `calm` assumes
that they are products of pairs' dependence. If epsilon or the number of users is so large that noise vanishes, give `m` and `l`.
END

# Over all points of a config: the geometric mean of the error over that of calm, and where it is smaller or larger by more
# than two standard errors of the difference.
cat <<'END'

## Which synopsis wins

Over all datasets and ε of a run: the geometric mean of the error divided by that of `calm`, its range, and at how many points it
is smaller and larger than that of `calm` by more than two standard errors of the difference. Mixed attributes are those of
br2000 and adult, with 2 to 42 values.
END
compare() { # CONFIG TITLE
    awk -F, -v title="$2" -v config="$1" -v facts="$facts" '
# Where a synopsis is better: of each dataset, the values of ε, or at one ε of attributes.
function note(at,   part, name, x) {
    split(at, part, ",")
    name = part[1]; sub(/ resampled$/, "", name); sub(/\(.*/, "", name); name = name " at " (config ~ /attributes/ ? "d" : "ε") " = "
    x = config ~ /attributes/ ? part[4] : part[3]
    if (!(name in place)) { place[name] = x; names[++nplaces] = name }
    else if (index(", " place[name] ",", ", " x ",") == 0) place[name] = place[name] ", " x
}
function places(   i, text) {
    for (i = 1; i <= nplaces; i++) text = text (i > 1 ? "; " : "") names[i] place[names[i]]
    return text
}
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    s = $column["synopsis"]; at = $column["dataset"] "," $column["k"] "," $column["epsilon"] "," $column["d"]
    if (!(s in known)) { known[s] = 1; synopses[++ns] = s }
    if (!(at in there)) { there[at] = 1; points[++np] = at }
    sse[s, at] = $column["sse"]; error[s, at] = $column["sse_stderr"]
}
END {
    printf "\n%s (%d points):\n\n| synopsis | mean ratio | from | to | smaller | larger |\n|---|---:|---:|---:|---:|---:|\n", title, np
    for (j = 1; j <= ns; j++) {
        s = synopses[j]
        if (s == "calm") continue
        sum = count = smaller = larger = least = most = 0; nplaces = 0; split("", place)
        for (i = 1; i <= np; i++) {
            at = points[i]
            if (!((s, at) in sse) || sse["calm", at] <= 0) continue
            ratio = sse[s, at] / sse["calm", at]; sum += log(ratio); count++
            if (least == 0 || ratio < least) least = ratio
            if (ratio > most) most = ratio
            apart = sse[s, at] - sse["calm", at]; two = 2 * sqrt(error[s, at] ^ 2 + error["calm", at] ^ 2)
            if (apart < -two) { smaller++; note(at) }
            larger += apart > two
        }
        printf "%s|%s|%.3g|%.3g|%.3g|%d|%d|%s\n", config, s, exp(sum / count), least, most, larger, count, places() >> facts
        printf "| `%s` | %.3g | %.3g | %.3g | %d | %d |\n", s, exp(sum / count), least, most, smaller, larger
    }
}' "$results/$1/marginals.csv"
}
compare calm2018-epsilon "Marginals of 3 binary attributes"
compare calm2018-epsilon-6 "Marginals of 6 binary attributes"
compare calm2018-mixed "Marginals of 2 and 3 attributes of 2 to 42 values"
compare calm2018-mixed-6 "Marginals of 6 attributes of 2 to 42 values"
compare calm2018-rivals "Marginals of 3 of 10 binary attributes, where the domain is small enough for \`maxent\`"
compare calm2018-attributes "Marginals of 3 of the first 8, 16 and 32 binary attributes, ε = 1"

# The same in words. Standard input: lines `SYNOPSIS|where it is worth having`.
tell() {
    printf '\nIn words, as multiples of the error of `calm`, the mean with its range:\n\n'
    awk -F'|' -v facts="$facts" '
BEGIN {
    run["calm2018-epsilon"] = "3 binary attributes"; run["calm2018-epsilon-6"] = "6 binary attributes"
    run["calm2018-mixed"] = "2 and 3 mixed ones"; run["calm2018-mixed-6"] = "6 mixed ones"
    run["calm2018-rivals"] = "3 of 10"; run["calm2018-attributes"] = "3 of 8, 16 and 32"
    while ((getline line < facts) > 0) {
        split(line, f, "|")
        text[f[2]] = text[f[2]] (text[f[2]] == "" ? "" : ", ") f[3] " (" f[4] " to " f[5] ") for " run[f[1]]
        if (!(f[1] in least)) { least[f[1]] = 0.995; runs[++nruns] = f[1] } # what rounds to 1 is equal
        if (f[3] < least[f[1]]) { least[f[1]] = f[3]; best[f[1]] = f[2] }
        if (f[8] != "") better[f[2]] = better[f[2]] (better[f[2]] == "" ? "" : ". For ") run[f[1]] ": " f[8]
    }
    for (i = 1; i <= nruns; i++)
        if (!(runs[i] in best)) own = own (own == "" ? "" : ", ") run[runs[i]]
        else others = others (others == "" ? "" : ", ") "`" best[runs[i]] "` for " run[runs[i]] " (" least[runs[i]] ")"
    printf "- `calm`: no other has a mean that is smaller by 0.5 %% or more for %s%s. ", own, others == "" ? "" : "; smaller is " others
    printf "Worth having wherever marginals of a few of many attributes are wanted and nothing is known of the dependence.\n"
}
{
    printf "- `%s`: %s. ", $1, text[$1]
    if (better[$1] == "") printf "Nowhere smaller by more than two standard errors. "
    else printf "Smaller by more than two standard errors for %s. ", better[$1]
    printf "%s\n", $2
}' | fold -s -w 120 | sed -e '/^- /!s/^/  /' -e 's/ *$//'
}
tell <<'END'
calm_shrunk|It keeps weak interactions that `calm` drops.
maxent|Worth having wherever the whole domain has at most 1,048,576 cells and its tables are enough: every table improves every marginal.
rem|Worth having if estimates without bias and their exact variance are wanted (`nonnegative` 0), and where attributes depend on each other strongly but ε is too small for the pilot of `calm` to show it.
em|Worth having only if every user must report every attribute once and for all; then nothing need be known of what will be asked.
ft|Worth having only as the older rival.
am|Worth having if each answer must be without bias and stand by itself; with every further attribute the groups get smaller.
fc|Worth having only where the whole domain has few cells and marginals of nearly all attributes are wanted: its error does not depend on k.
product|Worth having where attributes hardly depend on each other, or where ε and the users are too few to show a dependence: then `calm` equals it, unless it is expected to be worse than `uniform`.
uniform|Nothing is collected. Where it is smaller than `product`, the tables of single attributes hold more noise than information, and a product of six of them still more.
END

# What chooses its tables against the floors, at every point: the ratio of errors, paired over repetitions (`ldpbench check`),
# and whether it is above 1 by more than chance, with Holm's correction over all points.
points() { # SYNOPSIS FLOOR: a line for each config, k and x at which both are there
    for config in epsilon epsilon-6 mixed mixed-6 rivals attributes users; do
        awk -F, -v OFS='\t' -v above="$1" -v below="$2" '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
$column["synopsis"] == above || $column["synopsis"] == below {
    x = $1 ~ /attributes/ ? "d" : $1 ~ /users/ ? "n" : "epsilon"; at = $1 OFS $column["k"] OFS x OFS $column[x]
    seen[at, $column["synopsis"]] = 1
    if (seen[at, above] && seen[at, below] && !said[at]++) print at
}' "$results/calm2018-$config/marginals.csv"
    done
}
against() { # SYNOPSIS FLOOR
    points "$1" "$2" | awk -F '\t' -v above="$1" -v below="$2" '
BEGIN { printf "{\"paper\": \"floors\", \"citation\": \"-\", \"about\": [], \"names\": {}, \"notes\": [], \"claims\": [" }
{
    printf "%s\n{\"id\": \"%s %s %s\", \"place\": \"-\", \"claim\": \"-\", \"paper\": \"-\", \"run\": \"%s\", \"measure\": \"sse\", \"reduce\": \"mean ratio\", \"relation\": \"between\"", (NR > 1 ? "," : ""), $1, $2, $4, $1
    printf ", \"x\": \"%s\", \"from\": %s, \"until\": %s, \"where\": {\"k\": %s}, \"of\": {\"synopsis\": \"%s\"}, \"to\": {\"synopsis\": \"%s\"}, \"high\": 1}", $3, $4, $4, $2, above, below
}
END { print "]}" }' >"$facts.json"
    "$program" check "$facts.json" "$results" --format csv | awk -F , -v above="$1" -v below="$2" '
# Of Student'"'"'s law with f degrees of freedom, above t: Simpson over the angle whose tangent is t / sqrt(f).
function tail(t, f,   i, from, h, sum, all, part) {
    from = atan2(t, sqrt(f)); h = (1.5707963267949 - from) / 1000
    for (i = 0; i <= 1000; i++) sum += (i == 0 || i == 1000 ? 1 : i % 2 ? 4 : 2) * cos(from + i * h) ^ (f - 1)
    part = 3.14159265358979 / 1000
    for (i = 0; i <= 1000; i++) all += (i == 0 || i == 1000 ? 1 : i % 2 ? 4 : 2) * cos(-1.5707963267949 + i * part) ^ (f - 1)
    return sum * h / (all * part)
}
NR == 1 { next }
!NF { exit }
{
    split($13, number, " "); ratio = number[1]; error = number[3]; n++
    if (error == "" || error == 0) { equal++; unlike += ratio != 1; next }
    t = (ratio - 1) / error; f = ($1 ~ /mixed-6/ ? 20 : $1 ~ /users/ ? 5 : 10) - 1; p = tail(t, f)
    larger += t > 2; smaller += t < -2; chance += tail(2, f)
    if (least == "" || p < least) { least = p; worst = ratio; place = $2; config = $1 }
    if (ratio > most) { most = ratio; where = $2; at = $1 }
}
function told(place, config,   part) {
    split(config, part, " ")
    return sprintf("%s, k = %s, %s = %s", place, part[2], part[1] ~ /attributes/ ? "d" : part[1] ~ /users/ ? "n" : "ε", part[3])
}
END {
    printf "- `%s` over `%s`: of %d points, %d are equal number by number. Of the other %d, by more than two standard errors: larger %d (by chance %.1f, were all equally good), smaller %d. ", above, below, n, equal, n - equal, larger, chance, smaller
    p = n * least
    printf "The largest ratio is %.3g (%s). The one most clearly above 1 is %.3g (%s): with Holm'"'"'s correction for %d points its p-value is %s.\n", most, told(where, at), worst, told(place, config), n, p < 1 ? sprintf("%.2g", p) : "1"
    if (unlike) exit 1
}' | fold -s -w 120 | sed -e '/^- /!s/^/  /' -e 's/ *$//'
}
printf '\nAgainst the floors, at every point of the seven runs (ratios are paired over repetitions):\n\n'
against calm product
against calm uniform
against calm_shrunk product
against calm_shrunk uniform

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
    if (!("sse_noise" in column)) next # asking for $column["sse_noise"] would make it
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

# A table of a config over another column than ε.
over() { # CONFIG COLUMN NAME
    awk -F, -v x="$2" -v name="$3" '
function short(x) { return sprintf("%.2g", x) }
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    d = $column["dataset"]; sub(/\(.*/, "", d); s = $column["synopsis"]; at = $column[x]
    if (!(d in seen)) { seen[d] = 1; datasets[++nd] = d }
    if (!(s in known)) { known[s] = 1; synopses[++ns] = s }
    if (!(at in there)) { there[at] = 1; points[++np] = at }
    text[d, s, at] = short($column["sse"]) " (" short($column["sse_stderr"]) ")"
}
END {
    printf "\n| dataset, synopsis |"
    for (k = 1; k <= np; k++) printf " %s = %s |", name, points[k]
    printf "\n|---|"
    for (k = 1; k <= np; k++) printf "---:|"
    printf "\n"
    for (i = 1; i <= nd; i++)
        for (j = 1; j <= ns; j++) {
            printf "| %s: `%s` |", datasets[i], synopses[j]
            for (k = 1; k <= np; k++) printf " %s |", text[datasets[i], synopses[j], points[k]]
            printf "\n"
        }
}' "$results/$1/marginals.csv"
}

report calm2018-epsilon "Marginals of 3 binary attributes" parts
report calm2018-epsilon-6 "Marginals of 6 binary attributes" parts
report calm2018-mixed "Marginals of 3 attributes of 2 to 42 values" mixed
printf '\n## Marginals of 3 over the number of users, ε = 1\n'
over calm2018-users n n
printf '\n## Marginals of 3 over the number of attributes, ε = 1\n\nThe first d attributes of the records; `chain` has d.\n'
over calm2018-attributes d d
printf '\n## The choice of m and l\n\nThe error divided by that of the best of the designs with given m and l, 13 for binary attributes and 4 for br2000 (the best is\nknown only afterwards; `m=` tables of `l=` attributes; without m all of them). `calm(theta=0.001)` chooses by the rule of the paper\nas reconstructed (`core/marginals/choice.c`): the part of the paper that defines it was not available.\n'
report calm2018-choice "Regret" choice | tail -n +3
report calm2018-choice-mixed "Regret" choice | tail -n +3
