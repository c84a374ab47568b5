#!/bin/sh
# What the searches for frequent strings find: runs configs/strings.json, writes docs/strings.md's text to standard output.
# usage: strings.sh [RESULTS_FOLDER] > docs/strings.md
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
program=${LDPBENCH:-build/release/ldpbench}
results=${1:-results/strings}

"$program" run configs/strings.json -o "$results" --quiet

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
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{
    cell = $column["dataset"] " | " $column["epsilon"]; protocol = $column["protocol"]
    if (!(cell in seen)) { seen[cell] = 1; cells[++ncells] = cell }
    if (!(protocol in known)) { known[protocol] = 1; protocols[++nprotocols] = protocol }
    f1[cell, protocol] = $column["f1"]; error[cell, protocol] = $column["f1_stderr"]
    if ($column["f1"] + 0 > best[cell] + 0) best[cell] = $column["f1"]
}
END {
    printf "| strings | ε"
    for (i = 1; i <= nprotocols; i++) printf " | `%s`", protocols[i]
    printf " |\n|---|---"
    for (i = 1; i <= nprotocols; i++) printf "|---"
    print "|"
    for (c = 1; c <= ncells; c++) {
        printf "| %s", cells[c]
        for (i = 1; i <= nprotocols; i++) {
            bold = f1[cells[c], protocols[i]] == best[cells[c]] ? "**" : ""
            printf " | %s%.3f%s ± %.3f", bold, f1[cells[c], protocols[i]], bold, error[cells[c], protocols[i]]
        }
        print " |"
    }
}' "$results/search.csv"
cat <<'END'

- On bits, fewer and larger levels give the largest gain: a group of users answers more candidates at no loss of privacy, and
  with fewer groups each level has less noise. The price is server time.
- Keeping only candidates above the noise (`pem_adaptive`) gains where few strings can be found, at small ε: it returns few wrong
  strings, so precision rises. At large ε it makes no difference.
- Groups of different sizes, and the use of estimates of earlier levels, differ from equal groups by no more than a few standard
  errors here; `pem_joint` combines all three and is not better than the threshold alone.
END
