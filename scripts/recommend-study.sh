#!/bin/sh
# recommend-study.sh - how good a method do predictions on synthetic populations choose? Writes docs/recommending.md to
# standard output. usage: scripts/recommend-study.sh > docs/recommending.md   (12 minutes of a processor)
#
# The task `selection` does what `ldpbench recommend` does, once for each of REPETITIONS collections, and with each
# surrogate; its selection.csv counts which method was chosen. How good that is, is judged by the errors of the
# task `frequency` over many more collections.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
repetitions=${REPETITIONS:-60} trials=${TRIALS:-100} judged=${JUDGED:-2000}
[ -x build/release/ldpbench ] || make -s all >&2
program=$PWD/build/release/ldpbench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LDPBENCH_DATA="${LDPBENCH_DATA:+$LDPBENCH_DATA:}${LDPBENCH_DATASETS:-../shared/datasets}:datasets/data"

# study NAME SETS DATASET...: SETS is the file of fixed sets.
study()
{
    name=$1 sets=$2
    shift 2
    cat >"$work/$name.json" <<EOF
 "datasets": [$*],
 "oracles": ["olh"], "epsilon": [0.2, 0.5, 1, 2, 4],
 "methods": ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul",
             {"name": "norm_cut", "rescale": true, "label": "norm_cut"}, "norm_sub", "mle_apx", "power", "power_ns"],
 "queries": [{"type": "set_value", "percent": [1, 10, 50], "sets": 30, "label": "set_value"},
             {"type": "fixed_sets", "file": "$sets", "otherwise": {"sets": 24, "mean_size": 10.4}},
             {"type": "top_k", "k": [2, 8, 32]}]}
EOF
    { echo "{\"name\": \"$name\", \"seed\": 20200223, \"repetitions\": $repetitions, \"task\": \"selection\","
      echo " \"trials\": $trials, \"surrogates\": [\"posterior\", \"norm_sub\", \"power_ns\", \"truth\"],"
      cat "$work/$name.json"; } >"$work/$name-selection.json"
    { echo "{\"name\": \"$name\", \"seed\": 1, \"repetitions\": $judged,"
      cat "$work/$name.json"; } >"$work/$name-frequency.json"
    "$program" run "$work/$name-selection.json" -o "$work/$name" --quiet
    "$program" run "$work/$name-frequency.json" -o "$work/$name-judge" --quiet
}

# judge NAME...: dataset,epsilon,surrogate,query,parameter,best,chosen most often,share within 10 %,mean excess,largest,
# rival (chosen most often among those beyond 10 %); then for best and rival: mean prediction / true error, and the
# relative standard deviation of predictions between collections.
judge()
{
    for name; do
        awk -F, '
            FNR == 1 { file++; next }
            file == 1 {
                key = $2 "," $6 "," $8 "," $9
                mse[key, $7] = $11
                if (!(key in least) || $11 < least[key]) { least[key] = $11; best[key] = $7 }
                next
            }
            {
                key = $2 "," $6 "," $9 "," $10
                row = $2 "," $6 "," $7 "," $9 "," $10
                if (!(row in all)) { order[++n] = row; keys[n] = key }
                ratio = mse[key, $8] / least[key]
                all[row] += $16
                good[row] += $16 * (ratio <= 1.1)
                excess[row] += $16 * (ratio - 1)
                if ($16 > 0 && ratio > largest[row]) largest[row] = ratio
                if ($16 > most[row]) { most[row] = $16; chosen[row] = $8 }
                if (ratio > 1.1 && $16 > most_rival[row]) { most_rival[row] = $16; rival[row] = $8 }
                predicted[row, $8] = $12 / mse[key, $8]
                spread[row, $8] = $13 * sqrt($11) / $12
            }
            END {
                for (i = 1; i <= n; i++) {
                    row = order[i]
                    print row "," best[keys[i]] "," chosen[row] "," good[row] / all[row] "," excess[row] / all[row] \
                        "," largest[row] "," rival[row] "," predicted[row, best[keys[i]]] "," \
                        spread[row, best[keys[i]]] "," predicted[row, rival[row]] "," spread[row, rival[row]]
                }
            }' "$work/$name-judge/mse.csv" "$work/$name/selection.csv"
    done
}

study emoji emoji.categories '{"type": "counts", "file": "emoji.counts", "label": "emoji",
    "otherwise": {"type": "zipf_mandelbrot", "d": 1573, "n": 884427, "label": "emoji-model"}}'
study laws none.categories '{"type": "zipf", "d": 1024, "n": 1000000, "s": 1.5},
    {"type": "zipf", "d": 1024, "n": 1000000, "s": 1.1}'
study limits none.categories '{"type": "geometric", "d": 1024, "n": 1000000, "ratio": 0.99},
    {"type": "uniform", "d": 256, "n": 1000000}'
judge emoji laws >"$work/main.csv"
judge limits >"$work/limits.csv"

# shares FILE: a row for each dataset and query, over epsilon and points.
shares()
{
    echo '| dataset | query | cases | `posterior` | `norm_sub` | `power_ns` | `truth` |'
    echo '|---|---|---:|---:|---:|---:|---:|'
    awk -F, '
        {
            key = "| " $1 " | `" $4 "` | "
            if (!(key in cases)) order[++n] = key
            cases[key] += $3 == "posterior"
            within[key, $3] += $8
            good[key, $3] += $8 >= 0.9 - 1e-9
        }
        function cell(key, surrogate) {
            return sprintf(" %.1f %% (%d) |", 100 * within[key, surrogate] / cases[key], good[key, surrogate])
        }
        END {
            for (i = 1; i <= n; i++)
                print order[i] cases[order[i]] " |" cell(order[i], "posterior") cell(order[i], "norm_sub") \
                    cell(order[i], "power_ns") cell(order[i], "truth")
        }' "$1"
}

# failures FILE: the cases where the posterior falls below 9 of 10.
failures()
{
    echo '| dataset | epsilon | query | best | most often chosen | within 10 % | mean excess | largest excess |'
    echo '|---|---:|---|---|---|---:|---:|---:|'
    awk -F, '$3 == "posterior" && $8 < 0.9 - 1e-9 {
        printf "| %s | %s | `%s` %s | `%s` | `%s` | %.0f %% | %.1f %% | %.0f %% |\n", $1, $2, $4, $5, $6, $7, 100 * $8,
            100 * $9, 100 * ($10 - 1) }' "$1"
}

# reasons FILE: how far predictions for the best method and for its rival are off in those cases.
reasons()
{
    echo '| dataset | epsilon | query | best | predicted / true | spread | rival | predicted / true | spread |'
    echo '|---|---:|---|---|---:|---:|---|---:|---:|'
    awk -F, '$3 == "posterior" && $8 < 0.9 - 1e-9 {
        printf "| %s | %s | `%s` %s | `%s` | %.2f | %.0f %% | `%s` | %.2f | %.0f %% |\n", $1, $2, $4, $5, $6, $12, 100 * $13,
            $11, $14, 100 * $15 }' "$1"
}

# count FILE SURROGATE: "GOOD of CASES".
count()
{
    awk -F, -v s="$2" '$3 == s { n++; good += $8 >= 0.9 - 1e-9 } END { printf "%d of %d", good, n }' "$1"
}

# What recommend says beside its choice: "methods|oracles kind|epsilon NAME | query | rankings | shares ... |", and of
# emoji's sets "emoji | epsilon | collections | wrong | names a good one | tied |".
make -s build/release/run-tests >&2
for filter in 'advice/study*' recommend/statements_of_the_study; do
    LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter "$filter" 2>&1
done | sed -n 's/^\[WARN\] \(methods\|oracles\|emoji\) /\1 /p' >"$work/statements.txt"
[ -s "$work/statements.txt" ] || { echo "recommend-study: no statements measured" >&2; exit 1; }

# "range | kind | point | collections | trials alone | chosen | all |" and "choice | point | collections | shares |"
LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter 'ranges/study*' 2>&1 |
    sed -n 's/^\[WARN\] \(range\|choice\|truth\|model\|reach\) |/\1 |/p' >"$work/ranges.txt"
[ -s "$work/ranges.txt" ] || { echo "recommend-study: no ranges measured" >&2; exit 1; }

held_out()
{
    echo '| query | collections | truth within: trials alone | the range, of the choice | the range, of every method | least over kinds, of the choice |'
    echo '|---|---:|---:|---:|---:|---:|'
    awk -F ' *\\| *' '$1 == "range" {
            if (!($3 in n)) { order[++m] = $3; least[$3] = 1 }
            n[$3]++; collections[$3] += $4; alone[$3] += $5; chosen[$3] += $6; all[$3] += $7
            if ($6 < least[$3]) { least[$3] = $6; kind[$3] = $2 }
        }
        END {
            for (i = 1; i <= m; i++) {
                p = order[i]
                printf "| `%s` | %d | %.0f %% | %.0f %% | %.0f %% | %.0f %% (%s) |\n", p, collections[p], 100 * alone[p] / n[p],
                    100 * chosen[p] / n[p], 100 * all[p] / n[p], 100 * least[p], kind[p]
            }
        }' "$work/ranges.txt"
    echo
    echo '| query | choices | within 10 % of the best | median ratio | 90 % of them below | worst |'
    echo '|---|---:|---:|---:|---:|---:|'
    awk -F ' *\\| *' '$1 == "choice" { printf "| `%s` | %d | %.0f %% | %s | %s | %s |\n", $2, $3, 100 * $4, $5, $6, $7 }' \
        "$work/ranges.txt"
}

limits()
{
    echo '| query | truth | choices | within 10 % of the best | median ratio | 90 % of them below | worst |'
    echo '|---|---|---:|---:|---:|---:|---:|'
    for kind in truth model; do
        awk -F ' *\\| *' -v kind="$kind" '
            $1 == kind {
                printf "| `%s` | %s | %d | %.0f %% | %s | %s | %s |\n", $2, kind == "truth" ? "known" : "drawn from the model", $3,
                    100 * $4, $5, $6, $7
            }' "$work/ranges.txt"
    done
}

reach()
{
    echo '| query | collections | the kind of population is known | it is not known |'
    echo '|---|---:|---:|---:|'
    awk -F ' *\\| *' '$1 == "reach" { printf "| `%s` | %d | %.1f %% | %.1f %% |\n", $2, $3, 100 * $4, 100 * $5 }' "$work/ranges.txt"
}

statements()
{
    echo '| candidates | epsilon | query | rankings | wrongly worse | tied | bound too low | median bound | bound of the choice for all too low |'
    echo '|---|---:|---|---:|---:|---:|---:|---:|---:|'
    awk -F ' *\\| *' '$1 ~ / epsilon / {
        split($1, word, " ")
        if ($2 == "all")
            printf "| %s | %s | all of these | %d | | | | %.0f %% | %.1f %% |\n", word[1], word[3], $3, 100 * $9, 100 * $8
        else
            printf "| %s | %s | `%s` | %d | %.1f %% | %.0f %% | %.1f %% | %.0f %% | %.1f %% |\n", word[1], word[3], $2, $3, 100 * $4,
                100 * $6, 100 * $7, 100 * $9, 100 * $8
    }' "$work/statements.txt"
}

# The populations where the bounds of a query are too low most often.
low_bounds()
{
    awk -F ' *\\| *' '$1 ~ /^methods kind / && $2 != "all" && $7 > 0.2 {
        sub(/^methods kind /, "", $1)
        list = list (list ? "; " : "") sprintf("%s, `%s` (%.0f %% of %d)", $1, $2, 100 * $7, $3)
    } END { print list ? list : "none" }' "$work/statements.txt"
}

of_sets()
{
    echo '| epsilon | collections | wrongly worse | names a good one | tied |'
    echo '|---:|---:|---:|---:|---:|'
    awk -F ' *\\| *' '$1 == "emoji" { printf "| %s | %d | %.0f %% | %.0f %% | %.1f |\n", $2, $3, 100 * $4, 100 * $5, $6 }' \
        "$work/statements.txt"
}

cat <<EOF
# Recommending a method

\`ldpbench recommend\` takes the supports of one collection, makes synthetic populations of them, simulates collections from
these and ranks methods by their errors there (NDSS 2020, sec. V-D). Its advice is only as good as these populations are close to
the truth. There are two kinds of populations (\`--surrogate\`):

- the estimates of a method that are a distribution, as in the paper: \`norm_sub\` or \`power_ns\`. This gives one population, in which
  small frequencies have already been cut off or shrunk; a method that does the same is favoured;
- \`posterior\`, the default: the law of the small frequencies is estimated from the collection, and every trial draws
  each of them from its posterior under that law. For queries over fixed sets, sets may have different laws if
  the collection supports this (bench/stats/posterior.c).

## How well it chooses

Made by \`sh scripts/recommend-study.sh > docs/recommending.md\`: $repetitions collections by \`olh\` for each case (dataset,
epsilon 0.2, 0.5, 1, 2, 4, query, point); for each of them $trials simulated collections and a choice among the eleven
methods of NDSS 2020. A choice is good if the chosen method's true error, measured over $judged other collections, is
within 10 % of the smallest. Each cell has the share of good choices, and the number of cases where it is at least 9 of 10.
The fixed sets of emoji are their Unicode subgroups; those of laws are random. \`truth\` is a control: the same number of
trials on the true population, which is not known in practice. Its losses are due to the number of trials; further losses are
due to the uncertainty that one collection leaves, and to the model.

EOF
shares "$work/main.csv"
cat <<EOF

In all: \`posterior\` $(count "$work/main.csv" posterior), \`norm_sub\` $(count "$work/main.csv" norm_sub), \`power_ns\`
$(count "$work/main.csv" power_ns) cases.

## Where it fails

Cases where \`posterior\` makes a good choice in fewer than 9 of 10 collections:

EOF
failures "$work/main.csv"
cat <<'EOF'

Predictions in these cases for the best method and for its rival (the most often chosen among those beyond 10 %): the mean
prediction divided by the true error, and the standard deviation of predictions from collection to collection.

EOF
reasons "$work/main.csv"
cat <<'EOF'

- The number of trials is not the cause: the same number on the true population chooses well (`truth` in the first table).
- `fixed_sets` of emoji. The subgroups differ strongly: the 248 flags of countries have about ten users each, the thirteen
  smiling faces have 30 % of all users. For random sets the same predictions choose well. On subgroups, a method that cuts off
  rare values is wrong by their sum, so the error depends on how the users of hundreds of rare values are spread over
  the subgroups. Noise hides this: at epsilon = 0.2 its standard deviation is 10,000 users for each value, and 1,553 of the
  1,572 values have fewer.
- How much of this could be known? If populations drawn from the posterior are taken as the truth, so that the model is exactly
  right, good choices are also fewer than 9 of 10. At epsilon = 0.2 `power_ns` is the best on some of these populations
  and `base_cut` on others; the same collections are consistent with both kinds and hardly distinguish them, and emoji are of
  the second kind. The same holds for `norm_cut` and `post_pos` at epsilon = 4. The further loss on emoji is due to the model:
  subgroups are not draws from a few laws.
- The paper's surrogates do worse on emoji's sets: they cannot represent that the rare values of a set are rare together.
  On Zipf's law `power_ns` is as good as `posterior` or better, and for `top_k` `norm_sub` has more good choices on all three
  datasets.
- `top_k` 32 at epsilon = 0.2 and 0.5. Among the 32 most frequent values of Zipf's law with s = 1.5 only seven are above twice the
  noise at epsilon = 0.2; the other 25 are a guess, and methods that cut off or shrink small values look better than they are:
  the error of the rival is predicted too low.
- For `top_k` predictions are those of three kinds of populations together (see [below](#how-large-the-error-is)). When they were
  those of a smooth law alone (8f71bdd, 21 November 2026), more choices were good on these datasets: 100.0 % on emoji, 97.3 % and
  99.7 % on Zipf's law with s = 1.5 and 1.1; but 58.4 % on the uniform law, where now they are much better (the last section).

## What was tried

The following was tried on data other than the study's: Zipf's law with s = 1.3 and 2, Kosarak and Retail with synthetic sets
(neighbours in rank, with little or much disorder), log-normal groups of three kinds, and a few heavy values in sets of rare ones;
`olh` at epsilon 0.3, 0.7, 1.5 and 3. Judged by the share of good choices:

- more trials: 1000 were hardly better than 100;
- laws of classes trusted always, never, or by a threshold: worse on sets than trust by likelihood, at most 0.85, which is
  what the posterior uses;
- fewer rounds of expectation maximisation: worse on random sets; many more: worse on the most frequent values;
- one law, tilted for each set by an exponent with a normal law: worse on sets;
- predictions shifted towards unbiased estimates of the differences, from copies with more noise (coupled bootstrap):
  no better with a small shift, much worse with a shift by half. Such an estimate does not help in the relevant cases: its own noise
  is as large as the difference;
- trust in classes by the products of residuals within sets; a start from the likeliest of ten power laws; means of the
  logarithms of errors: no better.

Tried for `top_k`, with the predictions by the three kinds of populations below, on 144 collections from eight further laws
(uniform, Zipf with s = 1.2, steps, a line with a tail, log-logistic, equal values before a Zipf tail, geometric, a plateau):
other weights of the kinds, the least worst case over kinds, means of relative errors, of their logarithms trial by trial,
medians, and a bounded loss: no better. If the kind of population that suits the truth best were known, nearly all choices would
be good.

Tried for `top_k` as well: choices by regret, population by population. From each kind many populations are drawn, and from each of
them several collections; a method's regret on a population is its mean error there over the least. The method was chosen that is
most often within 10 %, or that has the least mean of the regret, of its logarithm, of its square root, or of several bounded losses,
with several weights of the kinds. On the eight laws above the best of these made a few more good choices in a hundred than the
predictions do. It was then tried once, on eight laws fixed beforehand (log-logistic, a stretched exponential, levels that halve,
Zipf-Mandelbrot, ten equal values before a geometric tail, quadratic, one value above equal ones, a squared logarithm): hardly more
good choices, and median, ninth decile and worst ratio remained. This is too little for a choice that would no longer be
the method with the smallest predicted error.

Tried on the study's own data: predictions corrected by the bias found in replicates (iterated bootstrap). Choices became
better on emoji's sets at epsilon = 0.2 and worse at epsilon = 1 and on the sets of Zipf's law.

## How certain the choice is

In addition to its choice, `ldpbench recommend` reports which methods are worse and which are not significantly different from it.
Trials alone account only for the one given collection; another collection would have led to other populations. Therefore
collections are drawn from the synthetic populations (20 replicates), populations and predictions are computed from each of them,
and the variation of the ratios of errors among replicates is included in the standard errors: a parametric bootstrap.
Each of them is ranked with a tenth of the trials, or with fewer where those determine its errors; `set_value` is measured over
all sets (its parameter `sets = 0`), so that random sets add no noise.

What is said of candidates beside the best (bench/stats/ranking_compare.c):

- What is known exactly is not simulated: the error of unprocessed estimates for `full_domain` and `set_value` is a formula, and
  has no range. Of one method with two oracles, that with the surely larger variance is `noisier` and no tie, unless
  trials show the other one to be worse; nor is a candidate with more error than the best and a noisier oracle.
- Other candidates are significantly worse if that holds against three doubts: trials are few (paired, the guarded t test of
  bench/stats/contest.h); another collection would have led to other populations (the variation over replicates is added to
  the error); and the kind of population is not known, so that it has to hold for each of the three kinds (see
  [below](#how-large-the-error-is)). The level is 5 % for all candidates of a ranking together (Holm).
- The bound "at most x % above the best of each" is the largest excess over any other candidate by any kind of population, and at
  least the excess that nine of ten replicates do not exceed. Its level is 90 %, for all queries together.

With few trials only exact variances decide; a line tells where trials are too few to distinguish a candidate with more than
twice the error of the best.

Measured by `LDPBENCH_VERIFY=1 build/release/run-tests --filter 'advice/study*'` (after `make build/release/run-tests`) on 14
populations to which nothing was tuned, with fresh seeds: Zipf with s = 0.8, 1.2, 2 and 3, a plateau, three plateaus, Zipf and uniform,
a Laplace law with three heavy values, two values, fifteen values of 2,000, and four real counts (ages, hours of work, delays of flights, taxi rides).
*methods*: all methods of `olh`, four collections each. *oracles*: `olh`, `grr` and `hr` with all methods, two collections each. *wrongly
worse*: rankings that call a candidate significantly worse or noisier that is better than the choice by more than two standard errors of the truth
(600 other collections). *tied*: the share of the other candidates. *bound too low*: the choice's true excess is above
its bound by as much. *median bound*: half of the bounds are below it.

EOF
statements
cat <<EOF

By kind of population the bounds of a query are too low in more than a fifth of the rankings for: $(low_bounds).
The rates of the table are means over populations.

Sets whose values are alike, as the subgroups of emoji, are unlike the model's. On 20 collections each (eleven methods, by
\`recommend/statements_of_the_study\` in the same way; *wrongly worse*: by 2 % or more):

EOF
of_sets
cat <<'EOF'

Replicates cannot show where the model itself is wrong, as there.

## How large the error is

Each error has a range, `from` and `to`. It covers the trials' own noise, the variation of predictions over replicates,
and the unknown smoothness of the law of frequencies: a second prediction uses the law with the fewest
points that fits the estimates, in which large values that may be equal are made equal, and a third uses one population of
nonparametric maximum likelihood. The interval of the trials alone (two standard errors) means little: it is for the error on the
surrogate's own populations.

Measured by `tests/test_ranges.c` under `LDPBENCH_VERIFY=1` on eight kinds of populations that were fixed before the first run:
two levels, for which the range was designed, and seven to which nothing was tuned (geometric, log-logistic, a block of equal
values, Zipf with s = 0.8 and 2.5, three levels, linear; d = 300 to 1000), `olh` at epsilon 0.7, 1.5 and 3, all methods, 8
collections each; the true error is measured over 400 other collections.

EOF
held_out
cat <<'EOF'

What was asked, on data that nothing was tuned to: 97 % of choices within 10 % of the best, 90 % of ratios below 1.03, the worst
below 1.5. Choices for `full_domain` and `set_value 10` reach all three, those for `top_k` reach none. The
next table shows that hardly more can be expected of a rule that sees one collection: with a truth that is drawn from the model
itself, choices for `top_k` are beyond 10 % as often as here.

What is the limit? In the first rows of the next table the true population is known, and as many trials choose on it: the number of
trials costs nothing. In the others the truth is not one of the eight kinds but is drawn from the model that `recommend` has of such
a collection, of its three kinds of populations as often as they count, so that the model is exactly right. What is lost there is
lost because one collection leaves several populations possible, which are best served by different methods.

EOF
limits
cat <<'EOF'

Choices for `top_k` are thus about as good as the model allows: where it is exactly right, they are not better than on the kinds of
populations above.

Could another rule be better? For each of four collections of every kind of truth and epsilon, 16 populations are drawn from the
smooth law and 16 from the law of the fewest points; the third kind is one population. The choice is the method that is within 10 %
of the best on the largest share of them, weighted as `recommend` weights the kinds. If the model is right, no rule that sees the
collection makes more good choices. (`LDPBENCH_VERIFY=1 build/release/run-tests --filter ranges/study_of_the_best_choice`; each
share is taken from the populations that the choice was made by, and so is rather too large.)

EOF
reach
cat <<'EOF'

If it is known which kind of population it is, but not which population, the most frequent values are served about as well as
was asked. The weights of the kinds are fixed, not taken from their likelihoods: the law of the fewest points is made so that its
log-likelihood is at most 3 below the smooth one's, so a comparison of the two says little.

For `top_k` the prediction is the weighted geometric mean of three: over draws from the smooth law, over draws from the law with
the fewest points, and over one population of nonparametric maximum likelihood (bench/stats/kinds.c gives the reason). The tables
of this section use this mean, and so does the task `selection`. `tests/test_recommend.c` predicts from the smooth law
alone.

The nominal level of the range is 95 %; measured, it holds in about nine of ten cases. It is too narrow where many values are exactly equal: methods that learn the
law gain most from this, and the synthetic populations reproduce it too little. Choices for the most frequent values are the
weakest part: if many values share the largest count, the data do not determine which of them are "the" most frequent.
EOF
cat <<'EOF'

## Beyond the paper's data

If no value is frequent, a collection has little information. The two laws here have no heavy values: with 1024 values of a
geometric law none is above the noise at epsilon = 0.2, and under the uniform law none is above the others. The "most frequent"
values of the uniform law are as frequent as any others, so every population that is not exactly uniform gives wrong predictions
for them. Methods that return nearly the uniform distribution are then better than predicted.

EOF
shares "$work/limits.csv"
echo
failures "$work/limits.csv"
cat <<'EOF'

## Sketches

`ldpbench recommend --oracles all` weighs unbiased sketches ([sketches.md](sketches.md)) beside other oracles if they keep fewer
numbers than there are values. It shows the bits of a report, the operations of the server and the bytes of its state.
Biased decoders and other sizes and row oracles are weighed where they are named:

```sh
ldpbench recommend --counts --epsilon 1 --query full_domain --oracles count_min --oracles olh --param decode=nnls \
    --param row_oracle=hm --param row_oracle.t=1 mine.counts
```

## Oracles under limits

Which oracle keeps to what clients may send and the server may compute, and how many users it needs, is known without data, as
variances of unbiased estimates are exact: n = (s1 + tf / d) / error².

```sh
ldpbench recommend --d 1024 --epsilon-at-most 2 --error 0.001 --bits 100 --server-seconds 1
```

The answer names the oracle with the fewest users, what the limits cost, and, where both `--error` and `--n` are given, the least
epsilon that suffices. The table marks the frontier: no other oracle is better in users, bits and seconds at once. Seconds are
operations over `--speed`, 10^9 a second unless it is given. A config with `"outputs": ["oracles"]` draws the same prices.

## Searches of strings

```sh
ldpbench recommend --task search mine.strings --length 6 --alphabet a-z --epsilon 2
ldpbench recommend --task search --bits 48 --n 1000000 --epsilon 4 --top 10
```

Every protocol ([strings.md](strings.md)) starts with several values of `step` and `keep`, on a pilot file that is scaled to `--n`
users, or on a law of strings. All run once, the better half once more, the better half of those twice, and so on; of equally good
ones those with fewer candidates go on. Four finalists run `--trials` times and are ranked by F1, and those that are not
significantly worse than the best are marked. The winner runs once more, for numbers that the choice does not favour, and its
seconds are measured on a search by reports (bench/stats/race.c). Other oracles are shown by their noise, their bits and the
server's operations in the rounds of the winner: the candidates that each group of users was asked about.

## Marginals of records

For joint frequencies of several attributes, the choice is which tables to collect, of how many attributes, and by which oracle:

```sh
ldpbench recommend --task marginals records.csv --n 65536 --epsilon 1 --k 3
ldpbench recommend --task marginals --cardinalities "2 2 5 16" --n 10000 --epsilon 1 --k 2
```

Every synopsis but the slow ones ([docs/marginals.md](marginals.md)) collects from the records, drawn with replacement to `--n` users, or from a
chain of the given cardinalities, and is ranked by its squared error on the marginals that are wanted, with the parts of noise,
sampling and reconstruction. Synopses on tables are tried with the numbers of tables m and attributes l that they choose
themselves, and with others. The reconstruction's part depends on the dependence between attributes, so the records should
be similar to those of the real users; do not use the real users' records unless you are allowed to see them.
EOF
