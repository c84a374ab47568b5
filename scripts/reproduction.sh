#!/bin/sh
# Compares tables of configs/ndss2020-*.json with what the paper states: a Markdown page to standard output.
# usage: reproduction.sh RESULTS_FOLDER...
#
# A second folder may hold the same figures from other data (emoji counts beside the model); of figures that both
# have on the same data the first counts.
set -eu
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
. "$here/agreement.sh"
. "$here/operands.sh"
take_operands 1 "any number of" "$@"

find_runs ndss2020 figures.sh "$@"

tables() { # the tables as awk's arguments
    for results; do
        for figure in 1 4 5 6 7 8 9 10; do
            folder=$results/ndss2020-fig$figure
            [ $figure = 1 ] && folder=$results/ndss2020-fig1-3
            for table in bias_sums mse n_equivalent values selection regret; do
                [ ! -f "$folder/$table.csv" ] || printf '%s\n' figure=$figure table=$table "$folder/$table.csv"
            done
        done
    done
}

cat <<'END'
# Agreement with NDSS 2020

How far the figures of Wang, Lopuhaä-Zwakenberg, Li, Skoric and Li, *Locally Differentially Private Frequency Estimation
with Consistency* (NDSS 2020), come out as printed. This page is made by `scripts/reproduction.sh` from result tables:
every measured number and every verdict. Only the paper's statements and the reasons at the end are written by hand.

## What was run

END
# shellcheck disable=SC2046
awk -F, -v OFS= 'FNR > 1 && $2 ~ /^emoji/ { seen[$2] = $3 " values, " $4 " users" }
    END {
        if ("emoji-model" in seen)
            print "- **emoji-model**: the built-in model of the emoji counts, used where no `emoji.counts` is found, ",
                seen["emoji-model"], ".\n  Categories on it are 68 disjoint random sets of 10.4 values on average. ",
                "The paper'\''s own counts are not public."
        if ("emoji" in seen)
            print "- **emoji**: counts of the same site as the paper'\''s, of another day: ", seen["emoji"],
                ".\n  The paper has 1573 values and 884427 users. Categories are Unicode'\''s, not the paper'\''s 68."
        for (name in seen)
            if (name != "emoji" && name != "emoji-model")
                print "- **", name, "**: ", seen[name], "."
    }' /dev/null $(for run in $runs; do ls "${run%run.json}"mse.csv 2>/dev/null || :; done)
cat <<'END'
- **Zipf**: expected counts, not one multinomial draw as in the paper.
- **Norm-Cut** is the rescaled variant of the authors' code, to which Figure 2 belongs (the text's own sums to less
  than 1). All else is as the text says, corrected where it errs; see [methods.md](methods.md).

END
echo "    make figures            # runs configs/ndss2020-*.json, draws, compares: results/reproduction.md"
[ $# -eq 1 ] || cat <<'END'
    LDPBENCH_DATA=FOLDER sh scripts/figures.sh results/emoji    # with emoji.counts and emoji.categories in FOLDER
    sh scripts/reproduction.sh results results/emoji > docs/reproduction.md    # this page
END
echo
# shellcheck disable=SC2046,SC2086
list_runs $runs
# shellcheck disable=SC2046
compare reproduction.awk table=reasons "$here/reproduction-reasons.tsv" table=anchors \
    "$here/reproduction-anchors.tsv" $(tables "$@")
