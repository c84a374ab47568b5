#!/bin/sh
# What the searches for frequent strings find: runs configs/strings*.json and configs/vldb2021-table2.json (minutes), writes
# docs/strings.md's text to standard output and its pictures beside it.
# usage: [REPETITIONS=100] strings.sh [RESULTS_FOLDER] > docs/strings.md
#
# RESULTS_FOLDER (default results) gets a folder for each config; what a folder already has is not run again, so a long run
# can be stopped and continued. REPETITIONS: of the rows of Table 2 (default 5, as in the paper). LDPBENCH names the program
# (default build/release/ldpbench), LDPBENCH_DATA a folder that has the files of strings.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}

repetitions=${REPETITIONS:-5}

for config in strings strings-aol strings-findings strings-findings-letters strings-oracles strings-epsilon strings-n; do
    "$program" run configs/$config.json -o "$results/$config" --quiet
done
for config in vldb2021-table2 strings-table2; do
    "$program" run configs/$config.json -o "$results/$config" --repetitions "$repetitions" --quiet
done
for config in strings-epsilon strings-n; do
    "$program" plot "$results/$config" --format svg >/dev/null
    cp "$results/$config/search.svg" "$pages/$config.svg"
done

table=$(cat scripts/matrix.awk)

# Plain F1 by dataset and epsilon, the protocols side by side; the largest of a line is bold. The file is read twice: first
# for the largest numbers.
show_variants() { # CSV
    awk -F, -v head="strings | ε" "$table"'
    { cell = $column["dataset"] " | " $column["epsilon"]; f1 = $column["f1"] + 0 }
    NR == FNR { if (f1 > best[cell]) best[cell] = f1; next }
    {
        bold = f1 == best[cell] ? "**" : ""
        put(cell, "`" $column["protocol"] "`", sprintf("%s%.3f%s ± %.3f", bold, f1, bold, $column["f1_stderr"]))
    }' "$1" "$1"
}

cat <<'END'
# Searching for frequent strings

<!-- made by: sh scripts/strings.sh -->

Which strings do most users hold, when there are too many strings to ask about each? The task `search` simulates protocols
that ask about prefixes or fragments first (`ldpbench list searches`; each protocol is defined at the head of its file in
`core/searches/`). Strings come from a file or from the law `zipf_strings`, as symbols of an alphabet or as bits; any oracle can be
used.

- Users with strings outside the alphabet are not dropped: no protocol finds their strings, but the true top k contains them.
- A round asks one group of users about its candidates, by counts in one collection; there is never a list of all strings.
  With oracles whose reports depend on the size of the domain (grr, ss, hr and similar ones) the users of a round know its
  candidates and one more value, "none of them". A sketch hashes the user's own prefix, even if it is not a candidate.
- `precision_vldb` is the precision of PVLDB: found strings that are held, but not in the target, are not counted. `precision`
  counts them as wrong. A 0/0 in a repetition is taken as 0.

## pem and its variants

F1 (plain) for the ten most frequent of 50,000 strings of six letters, n = 500,000, olh; `bits` are the same strings as 48
bits. The answer consists of the ten strings with the largest estimates. Mean and standard error over 20 repetitions (`sh
scripts/strings.sh`); the largest of each line is bold. `pem` has its published levels; the variants have fewer, of up to 2^20
candidates, and the second column is pem with those levels.

END
show_variants "$results/strings/search.csv"
cat <<'END'

- On bits, fewer and larger levels give the largest gain: a group of users answers more candidates at no loss of privacy, and
  with fewer groups each level has less noise. The price is server time.
- Keeping only candidates above the noise (`pem_adaptive`) gains where few strings can be found, at small ε: it returns few wrong
  strings, so precision rises. At large ε it makes no difference.
- Groups of different sizes, and the use of estimates of earlier levels, differ from equal groups by no more than a few standard
  errors on these strings; `pem_joint` combines all three and is not better than the threshold alone.

The same for the ten most frequent of the first six characters of search queries (657,427 users of the file `aol6`, 20 repetitions;
`ldpbench run configs/strings-aol.json`). The first two columns are pem with one bit or eight bits a level, keeping 20 prefixes of each:

END
show_variants "$results/strings-aol/search.csv"
cat <<'END'

- The levels that pem's variants share (first 20 bits, then few equal steps) find more than steps of eight bits, and those far more
  than steps of one bit. At ε = 4 `pem_sized`, with groups that grow from level to level, has an F1 of 0.965, pem with steps of eight
  bits 0.860 and with single bits 0.610.
- On these strings groups of different sizes are worth having: with the same levels `pem_sized` is better than equal groups by about
  three standard errors of the difference at ε = 2 and at ε = 4. At ε = 1 and 2 the threshold of the noise gains most, alone or with
  the rest (`pem_adaptive`, `pem_joint`), by fewer wrong strings and not by more right ones.

## Which strings are returned, and how they are counted

Two numbers of pem on `aol6` at ε = 4 depend on more than the levels: PVLDB's F1, which does not count found strings that are
held but not in the target, and the plain one, which counts them as wrong. Here `pem` keeps 20 prefixes of each level and returns all
of the last, or the ten largest; its variants have their defaults. `configs/strings-findings.json` and
`configs/strings-findings-letters.json`, 100 repetitions:

END
awk -F, -v head="protocol" "$table"'
    function cell(name) { return sprintf("%.3f ± %.3f", $column[name], $column[name "_stderr"]) }
    FNR > 1 {
        put($column["protocol"], "F1 (PVLDB)", cell("f1_vldb"))
        put($column["protocol"], "F1 (plain)", cell("f1"))
        put($column["protocol"], "recall", cell("recall"))
        put($column["protocol"], "strings returned", sprintf("%.1f", $column["found"]))
    }' "$results/strings-findings-letters/search.csv" "$results/strings-findings/search.csv"
cat <<'END'

- Over letters without the pad, as in PVLDB, pem finds seven of the ten in every repetition, which is all it can find: one is
  shorter than six letters, two have other symbols. F1 is then 1.4 / 1.7 = 0.824. With the pad it finds eight.
- Over bits with steps of eight bits, PVLDB's F1 of all 20 strings is 0.936 with equal groups and 0.946 with groups by chance, no
  significant difference. If ten are returned, PVLDB's F1 is a little smaller, but the plain one is 0.861 in place of 0.607.
- By PVLDB's F1 too, `pem_sized` (0.973) and `pem_joint` (0.971) with ten strings are better than pem with steps of eight bits,
  by several standard errors. `pem_adaptive` and `pem_joint` have all of the ten among the strings that they return.
- Levels of 8, 16, ... bits are worse than those of 5, 13, ..., 45, 48 bits, although they are fewer: a last step of eight bits asks
  about 5,120 candidates, one of three bits about 160, and of more candidates that no user holds more are among the largest.

## Protocols over epsilon and users

![Precision, recall and F1 of four protocols over epsilon](strings-epsilon.svg)

*`ldpbench run configs/strings-epsilon.json && ldpbench plot results/strings-epsilon`*

![Precision, recall and F1 of four protocols over the number of users](strings-n.svg)

*`ldpbench run configs/strings-n.json && ldpbench plot results/strings-n`*

Every protocol returns ten strings at most and uses olh: no other oracle is better for any of them by more than two standard
errors of the difference. F1 of `configs/strings-oracles.json`, mean and standard error of 20 repetitions; `count_min` has 128 x 1024
cells over oue:

END
awk -F, -v head="ε | oracle" "$table"'{
    put($column["epsilon"] " | `" $column["oracle"] "`", "`" $column["protocol"] "`",
        sprintf("%.3f ± %.3f", $column["f1"], $column["f1_stderr"]))
}' "$results/strings-oracles/search.csv"
cat <<'END'

- pem, with one report of the whole epsilon from a user, finds more than treehist and sfp, with two reports of half of it, until
  epsilon or n is so large that sfp finds everything as well. sfp has few wrong strings, but misses many: a string is combined only
  if all of its fragments are kept.
- grr is no oracle for a search: its noise grows with the number of candidates.

## The rows of Table 2 of PVLDB 2021

F1 as in the paper, on three sets of strings cut to six characters, at ε = 3. `urls6` are the first characters of clicked
addresses, as in the paper, but not its file; `aol6` are search queries, of whose true top ten two have a symbol outside the alphabet
and one is shorter, so that pem and treehist find seven at most and sfp eight; `words` are English words. T is `keep`.
`REPETITIONS=100 sh scripts/strings.sh FOLDER` makes a hundred repetitions (5 by default, as in the paper); each takes about 13
processor seconds for each set of strings, and what FOLDER has already is not repeated. Mean and standard error; repetitions of this
table:
END
awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    !seen[$column["dataset"]]++ { line = line (line ? ", " : "") $column["repetitions"] " of `" $column["dataset"] "`" }
    END { print line "." }' "$results/vldb2021-table2/search.csv" "$results/strings-table2/search.csv"
echo
awk -F, -v head="sketch | protocol | T" "$table"'{
    protocol = $column["protocol"]; sub(/\(.*/, "", protocol)
    put($column["oracle"] " | `" protocol "` | " ($column["protocol"] ~ /keep=10/ ? 10 : 20), $column["dataset"],
        sprintf("%.3f ± %.3f", $column["f1_vldb"], $column["f1_vldb_stderr"]))
}' "$results/vldb2021-table2/search.csv" "$results/strings-table2/search.csv"
cat <<'END'

- On `urls6` and `aol6` `pem` is ahead in every row, by more than five standard errors of the difference. `sfp` is ahead of
  `treehist` in every row on `aol6`; on `urls6` neither has an F1 above 0.04.
- `pem` with T = 10 is better than with T = 20 in every row on these two sets: the additional strings that it returns are
  rarely in the target, and those that no user holds count as wrong.
- The choice of the sketch comes second. For `pem` on `urls6` it is the oracle of its rows that matters (0.19 to 0.67 with T = 10), and
  hardly its size; on `aol6` CMS gains much by its size (0.468, 0.723, 0.817), FLH hardly.
- On `words` the paper's settings of pem and treehist find nothing, because the ten most frequent English words have fewer than six
  letters, and these settings search for strings of full length only. sfp has the pad in its fragments, and finds them. With
  `"pad": true`, the default, pem and treehist search for shorter strings too.
- The agreement page ([reproduction-vldb.md](reproduction-vldb.md)) judges the findings of the paper that do not depend on its file.
END
