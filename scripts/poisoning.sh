#!/bin/sh
# Which oracle and method malicious users harm least: runs configs/poisoning.json and configs/poisoning-methods.json, writes
# docs/poisoning.md to standard output. Under a minute on two processors.
# usage: poisoning.sh [RESULTS_FOLDER] > docs/poisoning.md
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results/poisoning}
"$program" run configs/poisoning.json -o "$results/oracles" --quiet
"$program" run configs/poisoning-methods.json -o "$results/methods" --quiet

awk -F, '
function number(x) { return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : "%.2f", x) }
function share(x) { return sprintf(x < 0.0995 ? "%.3f" : "%.2f", x) }
function power10(x) { return sprintf(x >= 1e4 ? "%.1e" : x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : x >= 1 ? "%.2f" : "%.3f", x) }
function sort_by(key, list, n,   i, j, kept) { # of cell values key[list[i]], the least first
    for (i = 2; i <= n; i++) {
        kept = list[i]
        for (j = i - 1; j > 0 && key[list[j]] > key[kept]; j--) list[j + 1] = list[j]
        list[j + 1] = kept
    }
}
FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
file == 1 && $at["method"] == "base" {
    o = $at["oracle"]; e = $at["epsilon"]; a = $at["attack"]; repetitions = $at["repetitions"]
    if (!(o in known)) { known[o] = 1; oracles[++no] = o }
    if (!(e in seen)) { seen[e] = 1; epsilons[++ne] = e }
    beta = $at["fraction"]; n = $at["n"]; d = $at["d"]
    gain[o, e, a] = $at["gain"]; exact[o, e, a] = $at["gain_exact"]; error[o, e, a] = $at["gain_stderr"]
    exact_error[o, e, a] = $at["gain_exact_stderr"]; clean[o, e] = $at["mse_clean"]; top[o, e, a] = $at["false_positives"]
    if (best[e] == 0 || clean[o, e] < best[e]) best[e] = clean[o, e]
}
file == 2 {
    m = $at["method"]; e = $at["epsilon"]; a = $at["attack"] " " $at["fraction"]
    if (!(m in method_known)) { method_known[m] = 1; methods[++nm] = m }
    if (!(a in attack_known)) { attack_known[a] = 1; attacks[++na] = a }
    g[m, e, a] = $at["gain"]; mse[m, e, a] = $at["mse"]; mse_clean[m, e] = $at["mse_clean"]; method_repetitions = $at["repetitions"]
    if (m == "base") base[e, a] = $at["gain"]
}
END {
    one = "mga one target"
    for (k = 1; k <= no; k++) { order[k] = oracles[k]; key[oracles[k]] = gain[oracles[k], 1, one] / beta }
    sort_by(key, order, no)
    print "# Malicious users"
    print ""
    print "Which oracle and method do malicious users harm least?"
    for (k = 1; k <= no && key[order[k]] < 1.01 * key[order[1]]; k++) {
        least = least (k > 1 ? ", " : "") order[k]
        if (price_least == 0 || clean[order[k], 1] < price_least) price_least = clean[order[k], 1]
        if (clean[order[k], 1] > price_most) price_most = clean[order[k], 1]
    }
    printf "**%s is harmed most**: at epsilon = 1 one malicious user counts as much as %s genuine ones. **%s\n", \
        order[no], number(key[order[no]]), least
    printf "are harmed least**: %s; no pure oracle can be below e^epsilon / (e^epsilon - 1) = 1.58. The price is variance: their errors on\n", number(key[order[1]])
    printf "clean data are %s to %s times that of the best oracle here. A sketch is harmed as the oracle of its rows is (hcms as hm, cms as\n", \
        number(price_least / best[1]), number(price_most / best[1])
    print "sue, count_min and count_sketch as oue). Post-processing does not help against one target: what dampens its"
    print "gain spoils clean data far more (second table).\n"
    print "Made by `sh scripts/poisoning.sh > docs/poisoning.md` from [configs/poisoning.json](../configs/poisoning.json) and"
    printf "[configs/poisoning-methods.json](../configs/poisoning-methods.json): Zipf 1.5, d = %d, %d genuine users, to whom malicious ones come\n", d, n
    printf "who are a fraction of %s of all. They make the *maximal gain attack* (`mga`; Cao, Jia and Gong, USENIX Security 2021): every\n", beta
    print "report supports as many targets as a report can, and local hashing tries 1,000 hash functions a user. The *gain* is what"
    print "the estimates of all targets together rise by, from the same collection without malicious users.\n"
    print "## What one malicious user counts for\n"
    printf "The gain for one target (rank 500) in the place of one genuine user (gain / fraction), epsilon by column; then, at epsilon = 1, the\n"
    printf "same for each of ten targets, the share of these in the estimated top 20, and the full-domain squared error on clean data over the\n"
    printf "least. Unprocessed estimates, %d repetitions. Sketches have their default sizes.\n\n", repetitions
    printf "| oracle |"
    for (i = 1; i <= ne; i++) printf " %s |", epsilons[i]
    print " each of ten | in the top 20 | clean error |"
    printf "|---|"
    for (i = 1; i <= ne + 3; i++) printf "---|"
    print ""

    for (k = 1; k <= no; k++) {
        o = order[k]
        printf "| %s |", o
        for (i = 1; i <= ne; i++) {
            printf " %s |", number(gain[o, epsilons[i], one] / beta)
        }
        printf " %s | %s | %s |\n", number(gain[o, 1, "mga"] / beta / 10), share(top[o, 1, "mga"]), number(clean[o, 1] / best[1])
    }
    for (k = 1; k <= no; k++) for (i = 1; i <= ne; i++) {
        ria = gain[oracles[k], epsilons[i], "ria"] / beta
        if (least_ria == 0 || ria < least_ria) least_ria = ria
        if (ria > most_ria) most_ria = ria
    }
    printf "\nMalicious users who hold a target and follow the protocol (`ria`) count as one genuine user each, under every oracle and epsilon\n"
    printf "(%.2f to %.2f here, with the noise of their reports): that is a change of the population, and no test of reports can see it.\n\n", least_ria, most_ria
    print "The tables hold `gain_exact` beside each gain: what the malicious reports of a repetition are expected to add,"
    print "fraction (sum of a_v - f_T), a_v = (s_v - q)/(p - q), s_v their share that supports v. Tests hold it against closed forms and"
    print "against collections (`tests/test_attacks.c`). `she` is left out: nothing bounds what one of its reports adds. `flh` is decoded"
    print "as published, because its default decoder is no sum over users.\n"
    print "## What methods leave of it\n"
    printf "The gain over that of unprocessed estimates at epsilon = 0.5, 1 and 2, olh, %d repetitions; then the squared error at epsilon = 1 on clean\n", method_repetitions
    print "data and under attack, in 10^-7. `shift` and `ldp_recover` are published countermeasures; `\"all\"` leaves them out.\n"
    printf "| method |"
    for (i = 1; i <= na; i++) printf " %s |", attacks[i]
    print " clean | " attacks[1] " | " attacks[3] " |"
    printf "|---|"
    for (i = 1; i <= na + 3; i++) printf "---|"
    print ""
    for (k = 1; k <= nm; k++) {
        m = methods[k]
        printf "| %s |", m
        for (i = 1; i <= na; i++)
            printf " %.2f %.2f %.2f |", g[m, 0.5, attacks[i]] / base[0.5, attacks[i]], g[m, 1, attacks[i]] / base[1, attacks[i]], g[m, 2, attacks[i]] / base[2, attacks[i]]
        printf " %s | %s | %s |\n", power10(1e7 * mse_clean[m, 1]), power10(1e7 * mse[m, 1, attacks[1]]), power10(1e7 * mse[m, 1, attacks[3]])
    }
    printf "\nAgainst one target, norm_mul leaves %.2f of the gain and shift %.2f at epsilon = 1; their clean errors are %.0f and %.0f times that of\n", \
        g["norm_mul", 1, attacks[1]] / base[1, attacks[1]], g["shift", 1, attacks[1]] / base[1, attacks[1]], \
        mse_clean["norm_mul", 1] / mse_clean["norm_sub", 1], mse_clean["shift", 1] / mse_clean["norm_sub", 1]
    printf "norm_sub, which leaves %.2f. ldp_recover is norm_sub of (1 + eta) times the estimate: it *raises* one target (%.2f), and its clean\n", \
        g["norm_sub", 1, attacks[1]] / base[1, attacks[1]], g["ldp_recover", 1, attacks[1]] / base[1, attacks[1]]
    printf "error is %.0f times norm_sub'"'"'s. What looks like a defence with ten targets and a tenth of all users malicious is the sum of the\n", \
        mse_clean["ldp_recover", 1] / mse_clean["norm_sub", 1]
    print "estimates: unprocessed, the targets alone exceed 1, and any answer that sums to 1 has to cut them."
    for (i = 1; i <= ne; i++) {
        e = epsilons[i]
        if (gain["hcms", e, one] / gain["blh", e, one] > 1.01 || gain["cms", e, one] / gain["sue", e, one] > 1.01 || \
            gain["count_min", e, one] / gain["oue", e, one] > 1.01 || gain["count_sketch", e, one] / gain["oue", e, one] > 1.01) order[no] = "?"
    }
    if (order[no] != "grr" || g["ldp_recover", 1, attacks[1]] <= base[1, attacks[1]]) {
        print "poisoning: a sentence does not hold" >"/dev/stderr"; exit 1
    }
}' "$results/oracles/attacks.csv" "$results/methods/attacks.csv"
