#!/bin/sh
# recommend-study.sh - how good a method do predictions on synthetic populations choose? Writes docs/recommending.md to
# standard output. usage: scripts/recommend-study.sh > docs/recommending.md   (some minutes)
#
# The task `selection` does what `ldpbench recommend` does, once for each of REPETITIONS collections whose truth is known, and
# with each surrogate; its regret.csv tells what following the prediction costs.
set -eu
cd "$(dirname "$0")/.."
repetitions=${REPETITIONS:-100} trials=${TRIALS:-50}
make -s all >&2
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
{"name": "$name", "task": "selection", "seed": 20200223, "repetitions": $repetitions, "trials": $trials,
 "surrogates": ["posterior", "norm_sub", "power_ns"], "datasets": [$*],
 "oracles": ["olh"], "epsilon": [0.2, 0.5, 1, 2, 4],
 "methods": ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul",
             {"name": "norm_cut", "rescale": true, "label": "norm_cut"}, "norm_sub", "mle_apx", "power", "power_ns"],
 "queries": [{"type": "set_value", "percent": [1, 10, 50, 90]},
             {"type": "fixed_sets", "file": "$sets", "otherwise": {"sets": 24, "mean_size": 10.4}},
             {"type": "top_k", "k": [2, 8, 32]}]}
EOF
    "$program" run "$work/$name.json" -o "$work/$name" --quiet
    sed 1d "$work/$name/regret.csv" >>"$work/all.csv"
}

study emoji emoji.categories '{"type": "counts", "file": "emoji.counts", "label": "emoji",
    "otherwise": {"type": "zipf_mandelbrot", "d": 1573, "n": 884427, "label": "emoji-model"}}'
study laws none.categories '{"type": "zipf", "d": 1024, "n": 1000000, "s": 1.5},
    {"type": "zipf", "d": 1024, "n": 1000000, "s": 1.1}'
cp "$work/all.csv" "$work/main.csv"
study limits none.categories '{"type": "geometric", "d": 1024, "n": 1000000, "ratio": 0.99},
    {"type": "uniform", "d": 256, "n": 1000000}'
sed 1d "$work/limits/regret.csv" >"$work/limits.csv"

# shares FILE: a row for each dataset and query, over epsilon and points.
shares()
{
    echo '| dataset | query | cases | `posterior` | `norm_sub` | `power_ns` |'
    echo '|---|---|---:|---:|---:|---:|'
    awk -F, '
        {
            key = "| " $2 " | `" $8 "` | "
            if (!(key in cases)) order[++n] = key
            cases[key] += $7 == "posterior"
            within[key, $7] += $13
            good[key, $7] += $13 >= 0.9 - 1e-9
        }
        function cell(key, surrogate) {
            return sprintf(" %.1f %%, %d |", 100 * within[key, surrogate] / cases[key], good[key, surrogate])
        }
        END {
            for (i = 1; i <= n; i++)
                print order[i] cases[order[i]] " |" cell(order[i], "posterior") cell(order[i], "norm_sub") \
                    cell(order[i], "power_ns")
        }' "$1"
}

# failures FILE: the cases where the posterior falls below 9 of 10.
failures()
{
    echo '| dataset | epsilon | query | best | most often chosen | within 10 % | mean excess (s.e.) | largest |'
    echo '|---|---:|---|---|---|---:|---:|---:|'
    awk -F, '$7 == "posterior" && $13 < 0.9 - 1e-9 {
        printf "| %s | %s | `%s` %s | `%s` | `%s` | %.0f %% | %.1f %% (%.1f %%) | %.0f %% |\n", $2, $6, $8, $9, $15, $16,
            100 * $13, 100 * ($11 - 1), 100 * $12, 100 * ($14 - 1) }' "$1"
}

# count FILE SURROGATE: "GOOD of CASES".
count()
{
    awk -F, -v s="$2" '$7 == s { n++; good += $13 >= 0.9 - 1e-9 } END { printf "%d of %d", good, n }' "$1"
}

cat <<EOF
# Recommending a method

\`ldpbench recommend\` takes the supports of one collection, makes synthetic populations of them, simulates collections from
these and ranks methods by their errors there (NDSS 2020, sec. V-D). What it says is as good as the populations are like the
truth. There are two kinds (\`--surrogate\`):

- a method whose estimates are a distribution, as in the paper: \`norm_sub\` or \`power_ns\`. One population, on which
  every small frequency has been cut off or shrunk already; a method that does alike is favoured;
- \`posterior\`, the default: the law of the small frequencies is estimated from the collection, and every trial draws
  each of them from its posterior under that law ([bench/surrogate.c](../bench/surrogate.c)).

## How well it chooses

Made by \`sh scripts/recommend-study.sh > docs/recommending.md\`: $repetitions collections for each case (dataset, epsilon
0.2, 0.5, 1, 2, 4, query, point), by \`olh\`; for each of them $trials simulated collections, and the choice among eleven
methods of the paper. A choice is good where the chosen method's true error, its mean over the $repetitions collections, is
within 10 % of the smallest. In each cell: the share of good choices, and in how many cases it is at least 9 of 10.

EOF
shares "$work/main.csv"
cat <<EOF

In all: \`posterior\` $(count "$work/main.csv" posterior), \`norm_sub\` $(count "$work/main.csv" norm_sub), \`power_ns\`
$(count "$work/main.csv" power_ns) cases.

## Where it fails

Cases where \`posterior\` makes a good choice in fewer than 9 of 10 collections.

EOF
failures "$work/main.csv"
sed 's/^    //' <<'EOF'
    @EXPLAIN@
EOF
shares "$work/limits.csv"
echo
failures "$work/limits.csv"
