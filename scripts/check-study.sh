#!/bin/sh
# check-study.sh - what `ldpbench check` finds and what it raises false alarm about; writes docs/checking.md to standard
# output. usage: scripts/check-study.sh > docs/checking.md   (some minutes)
#
# False alarms: pairs of honest runs that differ in nothing but their seed. Their config has measures that vary little
# or jump (thresholds, few sets, few values), which are the hard ones for a t test.
# Regressions: norm_sub's estimates are scaled by 1 - c in a copy of the source, c such that its full-domain error rises
# by 5 %; runs with the same seeds before and after.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
pairs=${PAIRS:-1000} plants=${PLANTS:-50} repetitions=30
program=${LDPBENCH:-$PWD/build/release/ldpbench}
[ -n "${LDPBENCH:-}" ] || make -s all >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

honest=$work/honest.json
cat >"$honest" <<'END'
{"name": "honest", "seed": 1, "repetitions": 30,
 "datasets": [{"type": "zipf", "d": 32, "n": 20000, "s": 1.5}, {"type": "geometric", "d": 16, "n": 5000, "ratio": 0.7}],
 "oracles": ["grr", "olh", "she"], "epsilon": [1, 3],
 "methods": ["base", "base_pos", "base_cut", "norm_sub", "norm_cut", "power_ns", "uniform"],
 "queries": [{"type": "full_domain"}, {"type": "set_value", "percent": [10, 50], "sets": 10},
             {"type": "top_k", "k": [1, 8]}, {"type": "heavy_hitters", "threshold": [200, 1000]}]}
END
config=$work/planted.json
cat >"$config" <<'END'
{"name": "planted", "seed": 1, "repetitions": 30,
 "datasets": [{"type": "zipf", "d": 1024, "n": 1000000, "s": 1.5}],
 "oracles": ["olh"], "epsilon": [0.5, 1, 2],
 "methods": ["base", "base_cut", "norm", "norm_sub", "power_ns"],
 "queries": [{"type": "full_domain"}, {"type": "set_value", "percent": [10, 50]}, {"type": "top_k", "k": [8, 32]}]}
END

flags=$(sed 's/ -l[^ ]*//g; s/ -Werror / /' build/release/flags)
core=$PWD/core
cp build/release/libldpbench.a "$work/"

# plant C: links the program with norm_sub's estimates scaled by 1 - C.
plant()
{
    awk -v c="$1" '
        /^const struct ldp_method / {
            print "static void planted(const double *param, const struct ldp_protocol *protocol, uint64_t n, const double *est,"
            print "                    void *scratch, double *out)\n{"
            print "    ldp_simplex_apply(param, protocol, n, est, scratch, out);"
            print "    for (size_t v = 0; v < protocol->d; v++)\n        out[v] *= 1 - " c ";\n}\n"
        }
        { sub(/\.apply = ldp_simplex_apply/, ".apply = planted"); print }' core/methods/norm_sub.c >"$work/norm_sub.c"
    if [ "$(grep -c planted "$work/norm_sub.c")" != 2 ]; then
        echo "check-study: the mistake could not be planted" >&2
        exit 3
    fi
    # shellcheck disable=SC2086,SC2046
    (cd "$work" && $flags -I"$core" -c norm_sub.c -o norm_sub.o && ar r libldpbench.a norm_sub.o)
    # shellcheck disable=SC2086,SC2046
    $flags $(ls bench/*.c bench/*/*.c datasets/*.c datasets/*/*.c | sed 's|^|build/release/|; s|c$|o|') "$work/libldpbench.a" \
        -o "$work/planted" $(pkg-config --libs libcjson gsl sqlite3 zlib md4c) -lm
}

# error FOLDER: norm_sub's full-domain error at epsilon = 1.
error()
{
    awk -F, '$6 == 1 && $7 == "norm_sub" && $8 == "full_domain" { print $11 }' "$1/mse.csv"
}

# alarms REPETITIONS: a line of the table: false alarms of folders, and of their tables alone.
alarms()
{
    folders=0 tables=0 rows=0 tested=0 i=0
    while [ "$i" -lt "$pairs" ]; do
        i=$((i + 1))
        "$program" run "$honest" -o "$work/b" --fresh --quiet --repetitions "$1" --seed "$(($1 * 100000 + 2 * i))"
        "$program" run "$honest" -o "$work/a" --fresh --quiet --repetitions "$1" --seed "$(($1 * 100000 + 2 * i + 1))"
        "$program" check "$work/a" "$work/b" --format json >"$work/out" || folders=$((folders + 1))
        rows=$(sed -n 's/^\t"rows":\t\([0-9]*\),$/\1/p' "$work/out")
        tested=$((rows - $(sed -n 's/^\t"untested_rows":\t\([0-9]*\),$/\1/p' "$work/out")))
        "$program" check "$work/a/mse.csv" "$work/b/mse.csv" >"$work/out" || tables=$((tables + 1))
    done
    echo "| $1 | $tested of $rows | $folders of $pairs | $tables of $pairs |"
}

# worse FILE PATTERN: whether a row that matches is in the list of worse rows.
worse()
{
    awk '/"worse"/ { on = 1 } /"better"/ { on = 0 } on && /"row"/' "$1" | grep -q "$2"
}

for few in 5 30 100; do
    alarms "$few"
done >"$work/alarms"

# The scale c that raises the error by 5 %, by regula falsi on 600 repetitions.
"$program" run "$config" -o "$work/scale" --repetitions 600 --quiet
before=$(error "$work/scale") c=0.005
for step in 1 2 3 4 5 6; do
    plant "$c"
    "$work/planted" run "$config" -o "$work/scaled" --repetitions 600 --quiet --fresh
    rise=$(awk -v before="$before" -v after="$(error "$work/scaled")" 'BEGIN { print after / before - 1 }')
    next=$(awk -v c="$c" -v rise="$rise" 'BEGIN { printf "%.6g", c * 0.05 / rise }')
    [ "$step" = 6 ] || c=$next
done
rise=$(awk -v rise="$rise" 'BEGIN { printf "%.2f", 100 * rise }')

found=0 unpaired=0 others=0 i=0
while [ "$i" -lt "$plants" ]; do
    i=$((i + 1))
    "$program" run "$config" -o "$work/a" --fresh --quiet --seed $((7000 + i))
    "$work/planted" run "$config" -o "$work/b" --fresh --quiet --seed $((7000 + i))
    "$program" check "$work/a" "$work/b" --format json >"$work/out" || true
    if worse "$work/out" 'mse.csv: .*,olh,1,norm_sub,full_domain'; then found=$((found + 1)); fi
    if grep '"row"' "$work/out" | grep -qv norm_sub; then others=$((others + 1)); fi
    "$program" check "$work/a/mse.csv" "$work/b/mse.csv" --format json >"$work/out" || true
    if worse "$work/out" 'olh,1,norm_sub,full_domain'; then unpaired=$((unpaired + 1)); fi
done
spread=$(awk -F, '$6 == 1 && $7 == "norm_sub" && $8 == "full_domain" { printf "%.0f", 100 * $12 / $11 }' "$work/scale/mse.csv")

cat <<END
# Checking accuracy

\`ldpbench check BASELINE RESULT\` tests whether numbers changed between two runs. It takes tables, result folders or
stores. All tables of both are compared, measure by measure; rows are matched by their keys. Exit status 1 means that something
changed, or that nothing could be tested. The first line is a summary: \`359 of 720 rows differ, all of oracle olh\`.

1. **Tables against their store.** Every mean in a table that has a store is computed again from its repetitions.
2. **The same numbers.** With the same seed and algorithm version all numbers are the same, up to the last bit. Those that
   are not are listed. \`--exact\` makes this the only test. Measured times are not compared.
3. **Tests of every row**, for other seeds or versions: a t test on paired differences where the seeds agree and both sides
   have a store, since repetition i of both used the same random numbers; otherwise Welch's t test. The tests use differences of
   the numbers themselves: tables show the means of these numbers, and the difference of two equally
   skewed samples is symmetric. Holm's correction over the rows of all tables keeps the probability of any false alarm below
   \`--level\` (default 0.01). It is applied at half the level, because skewed numbers deviate further than the t distribution
   predicts. A relative change up to \`--floor\` (default 0.01) never fails, however certain it is.
   Numbers that are not a mean of one number per repetition (\`values.csv\`, \`bias_sums.csv\`, \`noise.csv\`, \`n_equivalent.csv\`) have no
   values for each repetition in the store: they are tested unpaired, from the deviations in their tables. \`values.csv\` does not
   contain its number of repetitions: compare its folder, whose \`run.json\` does.
4. **Either direction fails**: noise that is too small breaks privacy and makes every error smaller. \`--allow-better\` lets
   improvements pass, and also changed numbers from the same seed. A measure with a target is better the closer it is to the
   target, on either side.
5. A row that only one side has, and configs that differ in more than name, description, seed, repetitions, outputs, pictures
   and compress, are failures unless \`--allow-missing\`, \`--allow-new\`, \`--allow-config\` say otherwise.

The output names the builds of the program that computed the numbers, and the smallest change that these repetitions would have
found with probability 0.8. configs/baselines/ holds the project's own baseline with all its repetitions (\`make baseline\`); tests
compare a run of its config with it, and verify that an increase of errors by 2 % is found.

## Few repetitions

A distribution with two clusters is the hard case: if five repetitions all fall into one cluster and five into the other, neither
sample varies, and the difference looks like a certain change. Therefore:

- Fewer than five repetitions are not tested.
- From five to seven repetitions, a change must be found by Welch's test and by the exact permutation test (Westfall and
  Young's maximum over the rows): of the 252 ways to label five of ten repetitions as the baseline, fewer than 1 % may separate
  any row as clearly. This test assumes no distribution. From tables alone, without the repetitions, Welch's test uses the degrees
  of freedom of the smaller sample instead, and rows that do not vary are not tested.
- Paired tests are used from eight repetitions on. If the values do not vary, the p-value of a change is that of the exact rank
  test.

## How well it does

Made by \`PAIRS=$pairs sh scripts/check-study.sh > docs/checking.md\`. In this study, pairs of unchanged runs differ only in their seed; the config is in
that script.

| repetitions | rows tested | false alarms, folders | false alarms, mse.csv alone |
|---:|---:|---:|---:|
$(cat "$work/alarms")

| what | measured |
|---|---|
| a planted regression of $rise % in norm_sub's full-domain error (epsilon = 1, $repetitions repetitions, same seeds): found in | $found of $plants |
| the same from the tables alone, unpaired: found in | $unpaired of $plants |
| rows of other methods called changed in these pairs | $others |

The planted mistake scales norm_sub's estimates by 1 - $c in a copy of its source; $rise % is what that does to the error
over 600 repetitions. Paired seeds matter: the error varies from repetition to repetition by $spread % (standard deviation), but
before and after vary together.
END
