#!/bin/sh
# Compares tables of configs/calibrate2019-*.json with what the paper states: a Markdown page to standard output.
# usage: reproduction-calibrate.sh RESULTS_FOLDER...
#
# A second folder may hold the same figures from other data (the counts of Kosarak and Retail beside the models); of
# figures that both have on the same data the first counts.
set -eu
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
. "$here/agreement.sh"
. "$here/operands.sh"
take_operands 1 "any number of" "$@"

find_runs calibrate2019 figures-calibrate.sh "$@"

tables() { # the tables as awk's arguments
    for results; do
        for figure in 4 5 6 7 8 9; do
            for table in noise mse heavy_hitters; do
                file=$results/calibrate2019-fig$figure/$table.csv
                [ ! -f "$file" ] || printf '%s\n' figure=$figure table=$table "$file"
            done
        done
    done
}

cat <<'END'
# Agreement with Calibrate

How far the figures of Jia and Gong, *Calibrate: Frequency Estimation and Heavy Hitter Identification with Local
Differential Privacy via Incorporating Prior Knowledge* (INFOCOM 2019), come out as printed. This page is made by
`scripts/reproduction-calibrate.sh` from result tables: every measured number and every verdict. Only the paper's
statements and the reasons at the end are written by hand.

## What was run

- **kosarak**, **retail**: the published counts, as in the paper: clicks on pages of a news portal and sales of a
  supermarket, one user a click or sale. They are not part of the repository; `scripts/fetch-datasets.sh` gets them.
- **kosarak-model**, **retail-model**: laws fitted to them, used where they are not found
  ([datasets/README.md](../datasets/README.md)).
- **OUE-Zero** is `base_cut` with `alpha` = 0.05, **OUE-Calibrate** the posterior mean under a power law on 1 to n whose
  exponent is fitted by the mean; see [methods.md](methods.md). The paper does not print its grid of thresholds nor its number
  of repetitions ("dozens").

    make figures-all       # runs configs/calibrate2019-*.json too, draws, compares: results/reproduction-calibrate.md
END
[ $# -eq 1 ] || cat <<'END'
    LDPBENCH_DATA=FOLDER sh scripts/figures-calibrate.sh results/data    # kosarak.counts and retail.counts in FOLDER
    sh scripts/reproduction-calibrate.sh results results/data > docs/reproduction-calibrate.md    # this page
END
echo
# shellcheck disable=SC2046,SC2086
list_runs $runs
# shellcheck disable=SC2046
compare reproduction-calibrate.awk table=reasons "$here/reproduction-calibrate-reasons.tsv" $(tables "$@")
