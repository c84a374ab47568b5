#!/bin/sh
# How good a method do predictions on synthetic populations choose? Writes the tables and the numbers of
# studies/recommending.md (ten minutes of a processor). A sentence that does not hold is an error.
# usage: [REPETITIONS=40] [TRIALS=100] [JUDGED=2000] recommend-study.sh
#
# The task `selection` does what `ldpbench recommend` does, once for each of REPETITIONS collections, and with each
# surrogate; its selection.csv counts which method was chosen. How good that is, is judged by the errors of the
# task `frequency` over many more collections.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
enter_sources
repetitions=${REPETITIONS:-40} trials=${TRIALS:-100} judged=${JUDGED:-2000}
[ -x "$program" ] || make -s all >&2
case $program in /*) ;; *) program=$PWD/$program ;; esac
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
study beyond none.categories '{"type": "geometric", "d": 1024, "n": 1000000, "ratio": 0.99},
    {"type": "uniform", "d": 256, "n": 1000000}'
judge emoji laws >"$work/main.csv"
judge beyond >"$work/beyond.csv"

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

# measured KIND... <LINES: each kind has a line; a test that was skipped or ended by its limit has none.
measured()
{
    cat >"$work/lines"
    for kind; do
        grep -q "^$kind " "$work/lines" || { echo "recommend-study: no $kind measured" >&2; exit 1; }
    done
}

# What recommend says beside its choice: "methods|oracles kind|epsilon NAME | query | rankings | shares ... |", and of
# emoji's sets "emoji | epsilon | collections | wrong | names a good one | tied |".
make -s build/release/run-tests >&2
for filter in 'advice/study*' recommend/statements_of_the_study; do
    LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter "$filter" 2>&1 || : # 1 after any warning, too
done | sed -n 's/^\[WARN\] \(methods\|oracles\|emoji\) /\1 /p' >"$work/statements.txt"
measured methods oracles emoji <"$work/statements.txt"

# "range | kind | point | collections | trials alone | chosen | all |" and "choice | point | collections | shares |"
LDPBENCH=$program LDPBENCH_VERIFY=1 build/release/run-tests --filter 'ranges/study*' 2>&1 |
    sed -n 's/^\[WARN\] \(range\|choice\|truth\|model\|reach\) |/\1 |/p' >"$work/ranges.txt"
measured range choice truth model reach <"$work/ranges.txt"

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

shares "$work/main.csv" >"$work/shares"
failures "$work/main.csv" >"$work/failures"
reasons "$work/main.csv" >"$work/reasons"
shares "$work/beyond.csv" >"$work/sharesofothers"
failures "$work/beyond.csv" >"$work/failuresofothers"
statements >"$work/statements"
of_sets >"$work/sets"
held_out >"$work/both"
sed '/^$/,$d' "$work/both" >"$work/ranges"
sed '1,/^$/d' "$work/both" >"$work/choices"
limits >"$work/limits"
reach >"$work/reach"

# Users of the subgroups of emoji and of single values, beside the noise of olh at epsilon = 0.2, where a report has two
# values and a user's variance is 4 e^epsilon / (e^epsilon - 1)^2.
emoji()
{
    for beside in $(echo "$LDPBENCH_DATA" | tr : ' '); do
        [ ! -e "$beside/emoji.counts" ] || break
    done
    awk -F '\t' -v OFS='\t' '
        /^#/ { next }
        FNR == NR { set[$1] = $2; next }
        { n += $2; d++; users[$1] = $2 }
        END {
            noise = sqrt(n * 4 * exp(.2)) / (exp(.2) - 1)
            for (v in users) {
                rare += users[v] < noise
                values[set[v]]++; all[set[v]] += users[v]
            }
            print "flags", values["country-flag"]; printf "flag_users\t%.0f\n", all["country-flag"] / values["country-flag"]
            print "smiling", values["face-smiling"]; printf "smiling_users\t%.0f %%\n", 100 * all["face-smiling"] / n
            printf "noise\t%.0f\n", noise
            print "rare", rare; print "values", d
        }' "$beside/emoji.categories" "$beside/emoji.counts"
    awk -v OFS='\t' 'BEGIN {
        noise = 1000 * sqrt(4 * exp(.2)) / (exp(.2) - 1) # of a million users
        for (v = 1; v <= 1024; v++) sum += v ^ -1.5
        for (v = 1; v <= 32; v++) heavy += 1e6 * v ^ -1.5 / sum > 2 * noise
        print "heavy", heavy
        printf "geometric\t%.2f\n", 1e6 * .01 / (1 - .99 ^ 1024) / noise
    }'
}

# The shares of good choices: dataset, query, surrogate.
first_table()
{
    awk -F, -v OFS='\t' '
        function hold(true, sentence) { if (!true) { print "recommending.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
        { key = $1 SUBSEP $4; if (!(key in at)) at[key] = $1; query[key] = $4; n[key, $3]++; sum[key, $3] += $8 }
        function share(key, surrogate) { return sum[key, surrogate] / n[key, surrogate] }
        FILENAME ~ /main/ && $3 == "posterior" && $8 < 0.9 - 1e-9 && $4 == "top_k" { wrong++; low += $14 < 1 }
        END {
            least = 1
            for (key in at) {
                if (at[key] == "uniform" && query[key] == "top_k") printf "uniform_top\t%.1f %%\n", 100 * share(key, "posterior")
                if (at[key] == "uniform" || at[key] ~ /geometric/) continue
                if (share(key, "truth") < least) least = share(key, "truth")
                if (query[key] == "fixed_sets" && at[key] ~ /emoji/)
                    hold(share(key, "norm_sub") < share(key, "posterior") && share(key, "power_ns") < share(key, "posterior"),
                         "the surrogates of the paper do worse on the sets of emoji")
                if (query[key] != "top_k" && at[key] ~ /zipf\(/)
                    hold(share(key, "power_ns") >= share(key, "posterior") - 1e-9, "for sets on Zipf power_ns is as good: " at[key] " " query[key])
                if (query[key] == "top_k")
                    hold(share(key, "norm_sub") > share(key, "posterior"), "for top_k norm_sub has more good choices: " at[key])
            }
            hold(least >= 0.95, "the number of trials is not the cause")
            printf "least_truth\t%.1f %%\n", 100 * least
            print "rivals", wrong == 0 ? "" : " in " low " of " wrong " of these cases"
            exit failed
        }' "$work/main.csv" "$work/beyond.csv"
}

# The last tables.
others()
{
    awk -F ' *\\| *' -v OFS='\t' '
        function hold(true, sentence) { if (!true) { print "recommending.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
        function list(a, b) { return a (a == "" ? "" : " and ") b }
        function range(low, high) { return sprintf(low == high ? "%.0f %%" : "%.0f to %.0f %%", 100 * low, 100 * high) }
        $1 ~ /^methods epsilon/ && $2 != "all" { rankings += $3; wrong += $3 * $4 }
        $1 ~ /^oracles epsilon/ && $2 != "all" { rankings_oracles += $3; wrong_oracles += $3 * $4 }
        $1 == "range" {
            n[$3]++; within[$3] += $6; if (least == "" || $6 < least) least = $6
        }
        $1 == "choice" {
            good[$2] = $4; met = ($4 >= .97 - .005) + ($6 < 1.03) + ($7 < 1.5)
            if (met == 3) reached = list(reached, "`" $2 "`")
            if (met < 3) missed = list(missed, "`" $2 "`")
        }
        $1 == "model" { model[$2] = $4; of[$2] = $3 }
        $1 == "reach" && $2 ~ /top_k/ { if (known == "" || $4 < known) known = $4; if ($5 > unknown) unknown = $5 }
        END {
            for (q in n) { share = within[q] / n[q]; if (low == "" || share < low) low = share; if (share > high) high = share }
            for (q in model) {
                if (q !~ /top_k/) continue
                if (m_low == "" || model[q] < m_low) m_low = model[q]
                if (model[q] > m_high) m_high = model[q]
                if (g_low == "" || good[q] < g_low) g_low = good[q]
                if (good[q] > g_high) g_high = good[q]
                hold(model[q] < good[q] + 2 * sqrt(good[q] * (1 - good[q]) * 1.5 / of[q]), "choices of the exact model are not better: " q)
            }
            for (q in good)
                for (other in good)
                    hold(q !~ /top_k/ || other ~ /top_k/ || good[q] < good[other], "the most frequent values are the weakest part")
            hold(known > unknown, "a known kind of population gives more good choices")
            print "rankings", rankings; printf "wrong\t%.0f\n", wrong
            print "rankings_oracles", rankings_oracles; printf "wrong_oracles\t%.0f\n", wrong_oracles
            print "reached", reached == "" ? "no query" : reached; print "missed", missed == "" ? "no query" : missed
            print "model_good", range(m_low, m_high); print "kinds_good", range(g_low, g_high)
            printf "known_kind\t%.1f %%\nunknown_kind\t%.1f %%\n", 100 * known, 100 * unknown
            print "range_holds", range(low, high); printf "range_least\t%.0f %%\n", 100 * least
            exit failed
        }' "$work/statements.txt" "$work/ranges.txt"
}

{
    printf 'collections\t%s\ntrials\t%s\njudged\t%s\n' "$repetitions" "$trials" "$judged"
    for surrogate in posterior norm_sub power_ns; do
        printf 'good_%s\t%s\n' $surrogate "$(count "$work/main.csv" $surrogate)"
    done
    printf 'low_bounds\t%s\n' "$(low_bounds)"
    emoji
    first_table
    others
} >"$work/values"
fill_page recommending "$work"
