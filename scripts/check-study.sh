#!/bin/sh
# check-study.sh - what `ldpbench check` finds and what it raises false alarm about; writes studies/checking.md to standard
# output. usage: scripts/check-study.sh > studies/checking.md   (some minutes)
# PAIRS=N is the number of pairs, PLANTS=N that of planted regressions (0: none, and no table of them)
#
# False alarms: pairs of honest runs that differ in nothing but their seed, of every task, with all tables and with
# measures that jump or are undefined now and then.
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

honest='frequency sketches selection marginals search intervals'
cat >"$work/frequency.json" <<'END'
{"name": "frequency", "repetitions": 30, "outputs": ["mse", "values", "noise"],
 "datasets": [{"type": "zipf", "d": 16, "n": 2000, "s": 1.5, "draw": "sampled"}],
 "oracles": ["grr", "olh", "she"], "epsilon": 1,
 "methods": ["base", "base_pos", "base_cut", "norm_sub", "power_ns", "uniform"],
 "queries": ["full_domain", {"type": "set_value", "percent": 50, "sets": 5}, {"type": "top_k", "k": 2},
             {"type": "heavy_hitters", "threshold": [100, 400]}]}
END
cat >"$work/sketches.json" <<'END'
{"name": "sketches", "repetitions": 30, "outputs": ["mse", "oracles", "expected"],
 "datasets": [{"type": "zipf", "d": 40, "n": 3000, "s": 1.2}],
 "oracles": [{"name": "count_min", "rows": 4, "columns": 16}, {"name": "count_sketch", "rows": 4, "columns": 16, "decode": "median"},
             {"name": "count_min", "label": "nnls", "rows": 4, "columns": 16, "decode": "nnls"}],
 "epsilon": 2, "methods": ["base", "norm_sub"], "queries": ["full_domain", {"type": "top_k", "k": [2, 8]}]}
END
cat >"$work/selection.json" <<'END'
{"name": "selection", "task": "selection", "repetitions": 30, "trials": 3, "surrogates": ["norm_sub"],
 "datasets": [{"type": "zipf", "d": 16, "n": 1000, "s": 1}], "oracles": ["olh"], "epsilon": [0.5, 2],
 "methods": ["base", "norm_sub", "base_cut"], "queries": ["full_domain", {"type": "top_k", "k": 2}]}
END
cat >"$work/marginals.json" <<'END'
{"name": "marginals", "task": "marginals", "repetitions": 30, "outputs": ["parts", "marginals"],
 "datasets": [{"type": "chain", "d": 6, "n": 2000}], "oracles": ["grr"], "epsilon": [0.5, 2],
 "synopses": ["calm", "fc", "am", "uniform"], "marginals": {"k": [2, 3], "count": 4}}
END
cat >"$work/search.json" <<'END'
{"name": "search", "task": "search", "repetitions": 30,
 "datasets": [{"type": "zipf_strings", "d": 60, "n": 3000, "s": 1.5, "length": 3}], "oracles": ["olh"], "epsilon": [1, 3],
 "protocols": ["pem"], "targets": {"top": [2, 8]}}
END
cat >"$work/intervals.json" <<'END'
{"name": "intervals", "repetitions": 30, "datasets": [{"type": "geometric", "d": 12, "n": 3000, "ratio": 0.7}],
 "oracles": ["olh", "oue"], "epsilon": [1, 3], "methods": ["base", "norm_sub"], "queries": [{"type": "intervals", "rank": [4, 12]}]}
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
        -o "$work/planted" $(pkg-config --libs libcjson gsl libmd sqlite3 zlib) -lm
}

# error FOLDER: norm_sub's full-domain error at epsilon = 1.
error()
{
    awk -F, '$6 == 1 && $7 == "norm_sub" && $8 == "full_domain" { print $11 }' "$1/mse.csv"
}

# alarms CONFIG: lines of the table: rows that could be tested, and false alarms.
alarms()
{
    a=$work/$1-a b=$work/$1-b out=$work/$1-out
    for few in 5 30 100; do
        found=0 i=0
        while [ "$i" -lt "$pairs" ]; do
            i=$((i + 1))
            "$program" run "$work/$1.json" -o "$a" --fresh --quiet -j 1 --repetitions $few --seed $((few * 100000 + 2 * i))
            "$program" run "$work/$1.json" -o "$b" --fresh --quiet -j 1 --repetitions $few --seed $((few * 100000 + 2 * i + 1))
            "$program" check "$a" "$b" --format json >"$out" || found=$((found + 1))
        done
        [ "$pairs" -gt 0 ] || continue
        rows=$(sed -n 's/^\t"rows":\t\([0-9]*\),$/\1/p' "$out")
        tested=$((rows - $(sed -n 's/^\t"untested_rows":\t\([0-9]*\),$/\1/p' "$out")))
        echo "| $1 | $few | $tested of $rows | $found of $pairs |"
    done
}

# worse FILE PATTERN: whether a row that matches is in the list of worse rows.
worse()
{
    awk '/"worse"/ { on = 1 } /"better"/ { on = 0 } on && /"row"/' "$1" | grep -q "$2"
}

for name in $honest; do
    alarms "$name" >"$work/$name-alarms" &
done
wait
for name in $honest; do
    cat "$work/$name-alarms"
done >"$work/alarms"
total=$(awk -F'|' '{ split($5, part, " "); found += part[1]; all += part[3] }
    END { if (all) printf "%d of %d, %.2f %%", found, all, 100 * found / all; else print "none" }' "$work/alarms")

# Sets the numbers of the second table.
plant_mistakes()
{
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
}

[ "$plants" = 0 ] || plant_mistakes

cat <<END
# Checking accuracy

Did a change of the code change the numbers? \`ldpbench check BASELINE RESULT\` says so; runs that differ in nothing but their
seed raise a false alarm with a probability of at most 1 %, the default of \`--level\`.

\`ldpbench check BASELINE RESULT\` tests whether numbers changed between two runs. It takes tables, result folders or
stores. All tables of both are compared, measure by measure; rows are matched by their keys. Exit status 1 means that something
changed, or that nothing could be tested. The first line is a summary: \`359 of 720 rows differ, all of oracle olh\`.

1. **Tables against their store.** Every mean in a table that has a store is computed again from its repetitions.
2. **The same numbers.** With the same seed and algorithm version all numbers are the same, up to the last bit. Those that
   are not are listed. \`--exact\` makes this the only test. Measured times are not compared.
3. **Tests of every row**, for other seeds or versions. The probability of any false alarm is at most \`--level\` (default
   0.01), over all rows of all tables. A relative change up to \`--floor\` (default 0.01) never fails, however certain it is.
   - *Other seeds*: all repetitions of both runs are relabelled, at random or in all ways (up to 14 repetitions together). If
     nothing changed, the actual labels are as likely as any others, in all rows at once, whatever the laws of the numbers and
     however rows depend on each other. A row changed if few labellings part any row as clearly (Westfall and Young). Groups of
     rows are tested with them: all rows of a method, of a measure of a query, and all: they find small changes that no row shows.
   - *The same seed*, another version: repetition i of both used the same random numbers. A t test on the differences and on one
     more, half as large as the largest and of the opposite sign, with Holm's correction over the rows.
   - *Undefined values* (precision where nothing was found): the share of undefined repetitions is one more row, of 0 and 1.
     In pairs it is tested by McNemar's exact test.
   - Numbers that are not a mean of one number per repetition (\`values.csv\`, \`bias_sums.csv\`, \`noise.csv\`, \`n_equivalent.csv\`, \`regret.csv\`), and
     tables without a store: Welch's t test, with Holm's correction, at a tenth of the level. \`values.csv\` does not
     contain its number of repetitions: compare its folder, whose \`run.json\` does.
4. **Either direction fails**: noise that is too small breaks privacy and makes every error smaller. \`--allow-better\` lets
   improvements pass, and also changed numbers from the same seed. A measure with a target is better the closer it is to the
   target, on either side.
5. **The same data.** \`run.json\` lists the identity of each dataset and workload. Rows that were measured on other data, other sets
   or other marginals are not compared; check says so and fails unless \`--allow-config\`. What is drawn once for all repetitions
   has a seed of its own, \`data_seed\`, so runs that differ in \`--seed\` alone have the same data.
6. A row that only one side has, and configs that differ in more than name, description, seed, repetitions, outputs, pictures
   and compress, are failures unless \`--allow-missing\`, \`--allow-new\`, \`--allow-config\` say otherwise.

The output names the builds of the program that computed the numbers, and the smallest change that these repetitions would have
found with probability 0.8.

configs/baselines/ holds the project's own baselines with all their repetitions. \`make gate\` runs their configs and demands the same
numbers, up to the last bit; \`make baseline\` writes again those that differ after a change on purpose. The configs take three seconds
of a processor together and reach all private oracles, methods, searches and synopses; mistakes.md says what the gate finds. Tests
compare runs of another seed with some of them, and verify that an increase of errors by 2 % is found.

## A history

A folder with one folder of results for each version, or with folders of several baselines, tells which version changed which
number:

\`\`\`sh
ldpbench check --history baselines-by-version
\`\`\`

Each version is compared with the one before it. Every step has its summary; a table lists the numbers that changed, the largest
significant changes first. Exit status 1 if any number changed.

## Few repetitions

Fewer than five repetitions are not tested. Of the 252 ways to label five of ten repetitions as the baseline the actual one and
its mirror image are 0.8 %, so five repetitions on each side can just show a change. Rows without their repetitions need eight;
from five to seven, Welch's test uses the degrees of freedom of the smaller sample, and rows that do not vary are not tested.

## How well it does

Made by \`PAIRS=$pairs PLANTS=$plants sh scripts/check-study.sh > studies/checking.md\`. In this study, pairs of unchanged runs differ only in their
seed; the configs are in that script. Exact tests at a level of 1 % raise a false alarm in up to 1 % of pairs, so single lines vary
around that.

| config | repetitions | rows tested | false alarms |
|---|---:|---:|---:|
$(cat "$work/alarms")

All lines together: $total.
END
[ "$plants" -gt 0 ] || exit 0
cat <<END

| what | measured |
|---|---|
| a planted regression of $rise % in norm_sub's full-domain error (epsilon = 1, $repetitions repetitions, same seeds): found in | $found of $plants |
| the same from the tables alone, unpaired: found in | $unpaired of $plants |
| rows of other methods called changed in these pairs | $others |

The planted mistake scales norm_sub's estimates by 1 - $c in a copy of its source; $rise % is what that does to the error
over 600 repetitions. Paired seeds matter: the error varies from repetition to repetition by $spread % (standard deviation), but
before and after vary together.
END
