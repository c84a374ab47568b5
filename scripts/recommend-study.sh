#!/bin/sh
# recommend-study.sh - how good a method do predictions on synthetic populations choose? Writes docs/recommending.md to
# standard output. usage: scripts/recommend-study.sh > docs/recommending.md   (some minutes)
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

# What recommend says beside its choice: | dataset | epsilon | query | six numbers, without and with replicates by turns:
# share of wrong statements, share that name a good method, number of methods not significantly different |
make -s build/release/run-tests >&2
LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter recommend/statements_of_the_study 2>&1 |
    sed -n 's/^\[WARN\] |/|/p' >"$work/statements.md"
[ -s "$work/statements.md" ] || { echo "recommend-study: no statements measured" >&2; exit 1; }

# "range | kind | point | collections | trials alone | chosen | all |" and "choice | point | collections | shares |"
LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter ranges/study 2>&1 |
    sed -n 's/^\[WARN\] \(range\|choice\) |/\1 |/p' >"$work/ranges.txt"
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

statements()
{
    echo '| dataset | query | cases | wrong | with replicates | names a good one | with replicates | open | with replicates |'
    echo '|---|---|---:|---:|---:|---:|---:|---:|---:|'
    awk -F ' *\\| *' '
        {
            query = $4
            sub(/ [0-9]+$/, "", query)
            key = "| " $2 " | " query " | "
            if (!(key in cases)) order[++n] = key
            cases[key]++
            for (i = 5; i <= 10; i++) sum[key, i] += $i
        }
        function percent(key, i) { return sprintf(" %.1f %% |", 100 * sum[key, i] / cases[key]) }
        END {
            for (i = 1; i <= n; i++) {
                key = order[i]
                print key cases[key] " |" percent(key, 5) percent(key, 6) percent(key, 7) percent(key, 8) \
                    sprintf(" %.1f | %.1f |", sum[key, 9] / cases[key], sum[key, 10] / cases[key])
            }
        }' "$work/statements.md" | sort
}

# The cases where more than one statement in twenty is wrong though replicates are counted.
wrong_statements()
{
    awk -F ' *\\| *' '$6 > 0.05 {
        list = list (list ? ", " : "") sprintf("%s at epsilon %s on %s (%.0f %%)", $4, $3, $2, 100 * $6)
    } END { print list ? list : "none" }' "$work/statements.md"
}

cat <<EOF
# Recommending a method

\`ldpbench recommend\` takes the supports of one collection, makes synthetic populations of them, simulates collections from
these and ranks methods by their errors there (NDSS 2020, sec. V-D). Its advice is as good as these populations are like the
truth. There are two kinds (\`--surrogate\`):

- a method whose estimates are a distribution, as in the paper: \`norm_sub\` or \`power_ns\`. One population, on which
  every small frequency has been cut off or shrunk already; a method that does the same is favoured;
- \`posterior\`, the default: the law of the small frequencies is estimated from the collection, and every trial draws
  each of them from its posterior under that law. Where fixed sets are asked for, sets may have different laws, as far as
  the collection says so (bench/stats/posterior.c).

## How well it chooses

Made by \`sh scripts/recommend-study.sh > docs/recommending.md\`: $repetitions collections by \`olh\` for each case (dataset,
epsilon 0.2, 0.5, 1, 2, 4, query, point); for each of them $trials simulated collections and a choice among the eleven
methods of NDSS 2020. A choice is good where the chosen method's true error, measured over $judged other collections, is
within 10 % of the smallest. In each cell: the share of good choices, and the number of cases where it is at least 9 of 10.
The fixed sets of emoji are their Unicode subgroups; those of laws are random. \`truth\` is a control: as many
trials on the true population, which nobody has. What it loses is due to the number of trials, the rest to what
one collection leaves open.

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

What is predicted there for the best method and for its rival (chosen most often among those beyond 10 %): the mean
prediction over the true error, and how much predictions vary from collection to collection (standard deviation).

EOF
reasons "$work/main.csv"
cat <<'EOF'

- It is not the number of trials: as many on the true population choose well (`truth` in the first table).
- `fixed_sets` of emoji. Subgroups are very unlike: the 248 flags of countries have some ten users each, the thirteen
  smiling faces 30 % of all users. For random sets the same predictions choose well; on subgroups a method that cuts
  rare values off is wrong by their sum, and so it matters how the users of hundreds of rare values are spread over
  the subgroups. Noise hides that: at epsilon = 0.2 its standard deviation is 10,000 users for each value, and 1,553 of the
  1,572 values have fewer.
- How much of this could be known? Let populations drawn from the posterior be the truth, so that the model is as right
  as can be: choices fall short of 9 of 10 there, too. At epsilon = 0.2 `power_ns` is the best on some of these populations
  and `base_cut` on others; both kinds are in line with the same collections, which hardly tell them apart, and emoji are of
  the second kind. At epsilon = 4 `norm_cut` and `post_pos` divide them likewise. What emoji lose beyond that is due to the model:
  subgroups are not draws from a few laws.
- The paper's surrogates do worse: they cannot know that the rare values of a set are rare together.
- `top_k` of Zipf's law at epsilon = 0.2: among the 32 most frequent values only seven stand out of twice the noise. The
  other 25 are a guess; where the guess is too low, methods that cut off small values look better than they are.

## What was tried

On other data than the study's: Zipf's law with s = 1.3 and 2, Kosarak and Retail with synthetic sets (neighbours in
rank, with little or much disorder), log-normal groups of three kinds, and a few heavy values in sets of rare ones; `olh` at
epsilon 0.3, 0.7, 1.5 and 3. Judged by the share of good choices:

- more trials: 1000 were hardly better than 100;
- laws of classes believed always, never, or by a threshold: worse on sets than trust by likelihood, at most 0.85, which is
  what the posterior has;
- fewer rounds of expectation maximisation: worse on random sets; many more: worse on the most frequent values;
- one law, tilted for each set by an exponent with a normal law: worse on sets;
- predictions moved towards unbiased estimates of the differences, from copies with more noise (coupled bootstrap):
  no better by a little, much worse by half. Such an estimate is of little help where it matters: its own noise is as large
  as the difference;
- trust in classes by the products of residuals within sets; a start from the likeliest of ten power laws; means of the
  logarithms of errors: no better.

And on the study's own data: predictions corrected by the bias that replicates show (iterated bootstrap), which made choices
better on emoji's sets at epsilon = 0.2 and worse at epsilon = 1 and on the sets of Zipf's law.

## How sure it is

Beside its choice, `ldpbench recommend` says which methods are worse and which are not significantly different from it. Trials alone
tell that of the one collection at hand; another would have led to other populations. So collections are drawn from the
synthetic populations (20 replicates), populations and predictions are made of each anew, and how much ratios of errors
vary among them is part of the standard errors: a parametric bootstrap.

Measured on 60 collections for each case, as above, by `tests/test_recommend.c` under `LDPBENCH_VERIFY=1`. *wrong*: a method is significantly
worse than the choice, and is better by 2 % or more. *names a good one*: the choice, or a method not significantly
different from it, is within 10 % of the best. *open*: methods beside the choice that are not significantly different, of ten.

EOF
statements
cat <<EOF

Cases with more than 5 % of wrong statements though replicates are counted: $(wrong_statements).
EOF
cat <<'EOF'
What the replicates cannot show is where the model itself is wrong, as about emoji's subgroups.

EOF
cat <<'EOF'

## How large the error is

Beside each error stands a range, `from` and `to`. It covers the trials' own noise, the spread of predictions over replicates,
and how smooth the law of frequencies is, which estimates leave open: a second prediction is made by the law of the fewest
points that suits them, with large values that may be the same made the same. What the trials alone say (two standard errors)
means little: it is the error on populations of the surrogate's making.

Measured by `tests/test_ranges.c` under `LDPBENCH_VERIFY=1` on eight kinds of populations that were fixed before the first run:
two levels, on which the range was built, and seven that nothing was tuned to (geometric, log-logistic, a block of equal values, Zipf with s = 0.8 and 2.5, three levels, linear; d = 300 to
1000), `olh` at epsilon 0.7, 1.5 and 3, all methods, 8 collections each; the truth over 400 other collections.

EOF
held_out
cat <<'EOF'

The range is nominally one of 95 %. It is too narrow where many values are exactly equal, of which the methods that learn the
law make the most and the synthetic populations too little. Choices for the most frequent values are the weakest part: where
many values share the largest count, which of them are "the" most frequent is no property of the data.
EOF
cat <<'EOF'

## Beyond the paper's data

Where nothing is frequent there is little to go by. The two laws here have no heavy values: with 1024 values of a geometric law
none stands out of the noise at epsilon = 0.2, and under the uniform law none is above the others. The "most frequent" values of the uniform law are as
frequent as any others, so every population that is not exactly uniform misleads about them; methods that return nearly
the uniform distribution win by large factors, which no choice from data can foresee.

EOF
shares "$work/limits.csv"
echo
failures "$work/limits.csv"
