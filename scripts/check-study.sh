#!/bin/sh
# check-study.sh - what `ldpbench check` finds and what it raises false alarm about; writes docs/checking.md's table to
# standard output. usage: scripts/check-study.sh > docs/checking.md   (some minutes)
#
# False alarms: pairs of honest runs of configs/baselines/all.json that differ in nothing but their seed.
# Regressions: norm_sub's estimates are scaled by 1 - c in a copy of the source, c such that its full-domain error rises
# by 5 %; runs with the same seeds before and after.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
pairs=${PAIRS:-200} plants=${PLANTS:-50} repetitions=30
make -s all >&2
program=$PWD/build/release/ldpbench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

config=$work/planted.json
cat >"$config" <<'END'
{"name": "planted", "seed": 1, "repetitions": 30,
 "datasets": [{"type": "zipf", "d": 1024, "n": 1000000, "s": 1.5}],
 "oracles": ["olh"], "epsilon": [0.5, 1, 2],
 "methods": ["base", "base_cut", "norm", "norm_sub", "power_ns"],
 "queries": [{"type": "full_domain"}, {"type": "set_value", "percent": [10, 50]}, {"type": "top_k", "k": [8, 32]}]}
END

flags=$(sed 's/ -l[^ ]*//g' build/release/flags)
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
    $flags build/release/bench/*.o build/release/bench/*/*.o build/release/datasets/*.o build/release/datasets/*/*.o "$work/libldpbench.a" -o "$work/planted" \
        $(pkg-config --libs libcjson gsl sqlite3 zlib md4c) -lm
}

# error FOLDER: norm_sub's full-domain error at epsilon = 1.
error()
{
    awk -F, '$6 == 1 && $7 == "norm_sub" && $8 == "full_domain" { print $11 }' "$1/mse.csv"
}

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

alarms=0 rows=0 i=0
while [ "$i" -lt "$pairs" ]; do
    i=$((i + 1))
    "$program" run configs/baselines/all.json -o "$work/a" --fresh --quiet --repetitions $repetitions --seed $((2 * i))
    "$program" run configs/baselines/all.json -o "$work/b" --fresh --quiet --repetitions $repetitions --seed $((2 * i + 1))
    "$program" check "$work/a" "$work/b" >"$work/out" || alarms=$((alarms + 1))
    rows=$(awk '/rows compared/ { print $1 }' "$work/out")
done

# worse FILE PATTERN: whether a row that matches is in the list of worse rows.
worse()
{
    awk '/"worse"/ { on = 1 } /"better"/ { on = 0 } on && /"row"/' "$1" | grep -q "$2"
}

found=0 unpaired=0 others=0 i=0
while [ "$i" -lt "$plants" ]; do
    i=$((i + 1))
    "$program" run "$config" -o "$work/a" --fresh --quiet --seed $((7000 + i))
    "$work/planted" run "$config" -o "$work/b" --fresh --quiet --seed $((7000 + i))
    "$program" check "$work/a" "$work/b" --format json >"$work/out" || true
    if worse "$work/out" 'epsilon=1|counts norm_sub|full_domain'; then found=$((found + 1)); fi
    if grep '"row"' "$work/out" | grep -qv norm_sub; then others=$((others + 1)); fi
    "$program" check "$work/a/mse.csv" "$work/b/mse.csv" --format json >"$work/out" || true
    if worse "$work/out" 'olh,1,norm_sub,full_domain'; then unpaired=$((unpaired + 1)); fi
done
spread=$(awk -F, '$6 == 1 && $7 == "norm_sub" && $8 == "full_domain" { printf "%.0f", 100 * $12 / $11 }' "$work/scale/mse.csv")

cat <<END
# Checking accuracy

\`ldpbench check BASELINE RESULT\` tells whether accuracy changed between two runs. It takes tables (mse.csv), result
folders or stores, matches rows by their keys, and exits with status 1 on a regression.

1. Where seed, algorithm version and config agree and the tables are the same, byte for byte, there is nothing to test.
2. Otherwise every row is tested: where the seeds agree and both sides have a store, by a t test on paired differences, since
   repetition i of both runs saw the same randomness; else by Welch's t test. The differences are of the errors themselves: their
   mean is what tables show, and the difference of two equally skewed samples is symmetric.
3. Holm's correction over all rows keeps the chance of any false alarm below \`--level\` (default 0.01); a relative change up
   to \`--floor\` (default 0.01) never fails, however certain it is.
4. A row that only one side has, and configs that differ in more than name, description, seed, repetitions and outputs, are failures
   unless \`--allow-missing\`, \`--allow-new\`, \`--allow-config\` say otherwise.

It also says the smallest change that these repetitions would have found with probability 0.8.

configs/baselines/ holds the project's own baseline with all its repetitions (`make baseline`); tests hold a run of its config against it.

## How well it does

Made by \`sh scripts/check-study.sh > docs/checking.md\`.

| what | measured |
|---|---|
| false alarms over $pairs pairs of honest runs with different seeds ($rows rows each, $repetitions repetitions) | $alarms |
| a planted regression of $rise % in norm_sub's full-domain error (epsilon = 1, $repetitions repetitions, same seeds): found in | $found of $plants |
| the same from the tables alone, unpaired: found in | $unpaired of $plants |
| rows of other methods called changed in these pairs | $others |

The planted mistake scales norm_sub's estimates by 1 - $c in a copy of its source; $rise % is what that does to the error
over 600 repetitions. Paired seeds matter: the error varies from repetition to repetition by $spread % (standard deviation), but
before and after vary together.
END
