#!/bin/sh
# What reports in many rounds protect, and what they cost: runs configs/longitudinal.json, -unchanged and -sequence, writes
# studies/longitudinal.md to standard output. Seconds.
# usage: longitudinal.sh [RESULTS_FOLDER] > studies/longitudinal.md
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results/longitudinal}
for name in longitudinal longitudinal-unchanged longitudinal-sequence; do
    "$program" run "configs/$name.json" -o "$results/$name" --quiet
done

awk -F, '
function number(x) { return sprintf(x >= 100 || x == int(x) ? "%.0f" : "%.3g", x) }
function tenthousandths(x) { x = x < 1e-12 ? 0 : 10000 * x; return sprintf(x >= 100 ? "%.0f" : x >= 10 ? "%.1f" : "%.2f", x) }
function fail(what) { print "longitudinal: a sentence does not hold: " what >"/dev/stderr"; failed = 1; exit 1 }
FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
{
    name = $at[file, "chain"]; how = $at[file, "change"] > 0 ? "redraw" : "static"
    run = file % 2 ? (file + 1) / 2 : file / 2
}
file % 2 == 1 {
    if (!((run, name) in known)) { known[run, name] = 1; chain[run, ++n[run]] = name }
    mse[run, how, name] = $at[file, "mse_exact"]; average[run, how, name] = $at[file, "mse_average_exact"]
    trend[run, how, name] = $at[file, "mse_trend_exact"]; simulated[run, how, name] = $at[file, "mse"]
    d = $at[file, "d"]; users = $at[file, "n"]; rounds = $at[file, "rounds"]; repetitions = $at[file, "repetitions"]
}
file % 2 == 0 {
    memo[run, name] = $at[file, "epsilon_memo"]; one[run, name] = $at[file, "epsilon_report"]
    same[run, name] = $at[file, "epsilon_unchanged"]; low[run, name] = $at[file, "epsilon_sequence_low"]
    high[run, name] = $at[file, "epsilon_sequence"]; worst[run, name] = $at[file, "epsilon_worst"]
    memos[run, how, name] = $at[file, "epsilon_memos"]; seen[run, name] = $at[file, "changes_seen"]
}
END {
    if (failed) exit 1
    print "# Reports in many rounds"
    print ""
    print "Users report every day. What do all of their reports together protect, and which chain costs least?"
    print ""
    best = "l_grr"
    for (k = 1; k <= n[2]; k++)
        if (chain[2, k] !~ /^(dbitflip|split|once|fresh)/ && mse[2, "static", chain[2, k]] < mse[2, "static", best]) best = chain[2, k]
    printf "**If values stay, use memos**: at epsilon = 2 for all %d reports of a user whose value stays, `%s` has an error of %s in 10^-4 in\n", \
        rounds, best, tenthousandths(mse[2, "static", best])
    printf "every round; without memos `split` has %s. **If values may change, memos protect next to nothing**: the reports of two\n", \
        tenthousandths(mse[2, "static", "split"])
    printf "sequences of values differ by epsilon = %s or more with `loloha`, g = 2, and by %s or more with `l_sue`, though each memo has 2. Let\n", \
        number(low[1, "loloha(g=2)"]), number(low[1, "l_sue"])
    printf "**each user report once** then (`once`): all reports have exactly epsilon = 2, and the mean over rounds has an error of %s, %.0f\n", \
        tenthousandths(average[3, "redraw", "once"]), average[3, "redraw", "split"] / average[3, "redraw", "once"]
    print "times less than that of splitting the budget among the rounds."
    print ""
    print "Made by `sh scripts/longitudinal.sh > studies/longitudinal.md` from [configs/longitudinal.json](../configs/longitudinal.json),"
    print "[-unchanged](../configs/longitudinal-unchanged.json) and [-sequence](../configs/longitudinal-sequence.json):"
    printf "Zipf 1.1, d = %d, %d users, %d rounds; errors are exact, and each was simulated %d times besides. The task is\n", d, users, rounds, repetitions
    print "`longitudinal` ([reference.md](../docs/reference.md)); `ldpbench list chains` names the chains, `ldpbench list chains --epsilon 2 --d 100` prints"
    print "what each protects, and `ldpbench run --dry-run` does so for a config."
    print ""
    print "## What is protected"
    print ""
    print "A memo has epsilon = 2, one report half of it. *Same value*: all reports of a user whose value stays, exact. *Any values*: all"
    print "reports of two users whose values differ in any way, between a lower bound, of a pair of sequences that was found, and an upper one."
    print "*Memos*: epsilon times the most memos that a user can need, which papers print as the worst case; it bounds only users whose"
    print "values change in the same rounds. *Seen*: the probability that a change of the value changes the memo."
    print ""
    print "| chain | one report | same value | any values | memos | seen |"
    print "|---|---:|---:|---:|---:|---:|"
    for (k = 1; k <= n[1]; k++) {
        c = chain[1, k]
        range = low[1, c] == high[1, c] ? (low[1, c] == "" ? "not protected" : number(low[1, c])) : number(low[1, c]) " to " number(high[1, c])
        printf "| `%s` | %s | %s | %s | %s | %s |\n", c, number(one[1, c]), number(same[1, c]), range, number(worst[1, c]), \
            seen[1, c] == "" ? "" : sprintf("%.0f %%", 100 * seen[1, c])
        if (low[1, c] != "" && worst[1, c] < low[1, c]) beyond++
    }
    if (beyond < 6) fail("sequences have more than the memos")
    print ""
    print "A second round hides the memo, not that it is the same one: reports before and after a change are related otherwise than those of"
    print "a value that stays, whatever the budget of the memos is. That is why the bounds hardly fall with epsilon, why they grow with d for"
    print "unary encoding, where all d bits of a memo are drawn anew, and why `\"equal\": \"sequence\"` refuses chains with memos. `dbitflip` has no"
    print "second round: its reports are its memos, so that a pattern of changes is seen at once."
    print ""
    print "## Errors at epsilon = 2"
    print ""
    print "In 10^-4: of a round, of the mean over rounds, of the difference between the last and the first; values that stay, then values"
    print "that are drawn anew with probability 0.25 in each round."
    print ""
    print "| chain | round | mean, stay | trend, stay | mean, change | trend, change |"
    print "|---|---:|---:|---:|---:|---:|"
    for (k = 1; k <= n[1]; k++) {
        c = chain[1, k]
        printf "| `%s` | %s | %s | %s | %s | %s |\n", c, tenthousandths(mse[1, "static", c]), tenthousandths(average[1, "static", c]), \
            tenthousandths(trend[1, "static", c]), tenthousandths(average[1, "redraw", c]), tenthousandths(trend[1, "redraw", c])
    }
    if (average[1, "static", "l_osue"] <= average[1, "redraw", "l_osue"]) fail("values that change average out")
    print ""
    print "Memos do not change the error of a round: it is that of one collection at the budget of one report. They are the floor of the mean:"
    printf "with values that stay, %d rounds of `l_osue` have %.0f %% of the error of one round, and `fresh` has %.0f %%. Values that change draw new\n", \
        rounds, 100 * average[1, "static", "l_osue"] / mse[1, "static", "l_osue"], 100 * average[1, "static", "fresh"] / mse[1, "static", "fresh"]
    print "memos, so their noise averages out sooner; with local hashing it does so less, because the hash function is kept. `dbitflip` reports its"
    print "memos: its rounds have the least error, which no number of them reduces, and it shows every change."
    print ""
    print "## Equal protection of a value that stays"
    print ""
    printf "`\"equal\": \"unchanged\"`: each chain has the budget with which all %d reports of a user whose value stays have epsilon = 2.\n", rounds
    print ""
    print "| chain | a memo | one report | round | mean | any values |"
    print "|---|---:|---:|---:|---:|---:|"
    for (k = 1; k <= n[2]; k++) {
        c = chain[2, k]
        printf "| `%s` | %s | %s | %s | %s | %s |\n", c, memos[2, "static", c] == "" ? "" : number(memo[2, c]), number(one[2, c]), \
            tenthousandths(mse[2, "static", c]), tenthousandths(average[2, "static", c]), \
            low[2, c] == "" ? "not protected" : number(low[2, c]) (low[2, c] == high[2, c] ? "" : " or more")
    }
    print ""
    print "## Equal protection of any values"
    print ""
    print "`\"equal\": \"sequence\"`: all reports of any values have epsilon = 2, exactly. Chains with memos are refused: with memos of any budget"
    print "the bound is above that."
    print ""
    print "| chain | one report | round | mean | trend |"
    print "|---|---:|---:|---:|---:|"
    for (k = 1; k <= n[3]; k++) {
        c = chain[3, k]
        printf "| `%s` | %s | %s | %s | %s |\n", c, number(one[3, c]), tenthousandths(mse[3, "redraw", c]), \
            tenthousandths(average[3, "redraw", c]), tenthousandths(trend[3, "redraw", c])
        if (c != "once" && (mse[3, "redraw", c] < mse[3, "redraw", "once"] || average[3, "redraw", c] < average[3, "redraw", "once"]))
            fail("once has the least error")
    }
    print ""
    print "## Published second rounds"
    print ""
    print "The papers that introduced `l_grr` and `loloha`, and three published programs, leave out the memos that are neither of two values"
    print "when they solve for the second round. One report is then more private than it is said to be, up to a thousandfold as noisy:"
    print "`\"published\": true` gives that second round. [papers/loloha2023.md](papers/loloha2023.md) compares what the paper"
    print "states under both."
}' "$results/longitudinal/longitudinal.csv" "$results/longitudinal/budget.csv" \
    "$results/longitudinal-unchanged/longitudinal.csv" "$results/longitudinal-unchanged/budget.csv" \
    "$results/longitudinal-sequence/longitudinal.csv" "$results/longitudinal-sequence/budget.csv"
