#!/bin/sh
# Compares tables of configs/vldb2021-*.json with what the paper states: a Markdown page to standard output.
# usage: reproduction-vldb.sh RESULTS_FOLDER
set -eu
LC_ALL=C
export LC_ALL
here=$(dirname "$0")
. "$here/agreement.sh"
. "$here/operands.sh"
take_operands 1 1 "$@"
results=$1
figures=$(printf '%s\n' 1a 1b 2 3a 3b 3c 4a 4b 4c 4d 5a 5b 5c 11)
for figure in $figures; do
    [ -f "$results/vldb2021-fig$figure/run.json" ] || {
        echo "reproduction: $results/vldb2021-fig$figure: no results; scripts/figures-vldb.sh makes them" >&2
        exit 2
    }
done

cat <<'END'
# Agreement with PVLDB 2021

How far Figures 1 to 5 and 11 of Cormode, Maddock and Maple, *Frequency Estimation under Local Differential Privacy* (PVLDB
14, 2021), come out as told. This page is made by `scripts/reproduction-vldb.sh` from result tables: every measured
number and every verdict. Only the paper's statements and the reasons at the end are written by hand.

## What was run

- **Zipf** with exponent 1.1, as their code has it, in expected counts.
- **Base** is the unbiased estimate. **Base-Pos** sets negative estimates to 0, as their driver does for all figures but a curve
  of Figure 11; it rounds to whole users, too, which is left out here.
- Oracles have the paper's parameters and the corrected formulas of [methods.md](methods.md). `hm` in Figure 5 (a) has the
  best t at each epsilon; theirs is the same but at 1.5, where they take 1.
- Errors are of frequencies, the paper's of counts: n^2 times as large.
- Figures 6 to 10 and Table 2 need sketches and heavy hitters over strings.

    make figures-vldb    # runs configs/vldb2021-*.json, draws, compares: results/reproduction-vldb.md

END
# shellcheck disable=SC2046
list_runs $(for figure in $figures; do echo "$results/vldb2021-fig$figure/run.json"; done)
tables() { # the tables as awk's arguments
    for figure in $figures; do
        for table in mse times; do
            file=$results/vldb2021-fig$figure/$table.csv
            [ ! -f "$file" ] || printf '%s\n' figure=$figure table=$table "$file"
        done
    done
}
# shellcheck disable=SC2046
compare reproduction-vldb.awk table=reasons "$here/reproduction-vldb-reasons.tsv" $(tables)
