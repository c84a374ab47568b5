#!/bin/sh
# Bounds of epsilon of our oracles, and of clients as published code has them: prints docs/audit.md.
# usage: audit.sh      docs/audit.md is made by: sh scripts/audit.sh > docs/audit.md
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# One number or text of an audit's JSON.
member() { sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*\)/\1/p" "$temporary/answer" | sed 's/,$//; s/^"\(.*\)"$/\1/'; }

audit() {
    status=0
    "$program" audit --format json "$@" >"$temporary/answer" || status=$?
    [ "$status" -le 1 ] || exit "$status"
}

cat <<'END'
# Audit

If a client is epsilon-private, no event of its report is more than e^epsilon times as likely for one input as for another.
`ldpbench audit` searches the reports of two inputs for the event with the largest ratio, and computes a lower bound of the
epsilon that is spent. It can prove a privacy loss; it never proves that there is none: the loss may be in an event that it does
not examine, in another pair of inputs, or too rare for the number of reports.

## Any client

Let the client make many independent reports of one input, and equally many of another, one report per line:

    ./client --value 0 > first
    ./client --value 1 > second
    ldpbench audit --epsilon 1 first second

Words are separated by blanks, TABs or commas; they may be numbers (`0 1 1 0`, `-0.3 1.7`), symbols (`blue`), or a list in any
order (`3 17 4`). `--bits` reads `0110` as four words. A single file, or `-` for standard input, has the reports of both inputs in
lines that begin with the name of the input:

    ./client --both | ldpbench audit --epsilon 1 -

If a report has a meaning only together with a hash function (local hashing), let the client print what the report says about the
two inputs: whether it supports the first, whether it supports the second. The bound also holds for anything that is computed from
a report alone.

    epsilon >= 1.4925 with confidence 0.999: ABOVE the stated 1
    event: word 2 is not 0 and word 1 = 0

Exit status: 0 not above the stated epsilon, 1 above, 2 bad input. `--format json` has every number. In Python:
`ldpbench.audit(first, second, epsilon=1)` with arrays of reports.

## How it is found

Of every four reports of an input, the first is used for learning, the second for choosing, and two are held out. The learning
part gives each word, each word at any position and each whole report a score, the logarithm of the ratio of its shares under the
two inputs; scores are added as if words were independent. The examined events are: a word equals a value; a number is at least a
threshold; a report contains a word; a report is one of those seen; a score is at least a threshold; the complement of each of
these; and the conjunctions of two events of words, among the 64 that distinguish the inputs best. The event with the largest
bound on the choosing part is kept. On the held-out half its probability is bounded from below under the likelier input and from
above under the other one (Clopper and Pearson, 1934), each at (1 - confidence) / 2: the logarithm of their ratio is the bound.
The held-out half is not used to choose the event, so the confidence is valid for any number of examined events, as long as
reports are independent. The default is 0.999: a client that keeps its epsilon is accused at most once in a thousand audits.

N reports of each input cannot show more than about ln(N / 15), which the last line of the output says.

## The program's own oracles

    ldpbench audit --oracle olh --epsilon 1 --d 64

runs the client of an oracle, with a million reports of each of the values 0 and 1 (`--values`, `--reports`), and examines which
of the two values a report supports and the ratio of its probabilities. If files are given, `--oracle` reads them as reports of
that oracle, in the format of `Protocol.client` in Python.

Bounds with d = 64 and 300,000 reports, by stated epsilon (`sh scripts/audit.sh > docs/audit.md` makes this page):

END
echo '| oracle | 0.5 | 1 | 2 | 4 |'
echo '|---|---:|---:|---:|---:|'
for oracle in $("$program" list oracles --format names); do
    [ "$oracle" != exact ] || continue
    printf '| `%s` |' "$oracle"
    for epsilon in 0.5 1 2 4; do
        audit --oracle "$oracle" --epsilon "$epsilon" --d 64 --reports 300000
        printf ' %.3f |' "$(member epsilon)"
    done
    echo
done
cat <<'END'

No bound is above the stated epsilon. `the` is far below by definition: its threshold turns noise of epsilon into bits that spend
less. `exact`, which is not private, is above any epsilon that the number of reports can show.

## Mistakes of published clients

`scripts/client.py` has clients as in published code, both correct and with the published mistakes ([mistakes.md](mistakes.md),
24, 3 and 4), and clients that add Laplace noise of the correct scale and of half that scale; d = 16, epsilon = 1, 100,000 reports
of each input:

END
echo '| client | stated | bound | above | event |'
echo '|---|---:|---:|---|---|'
for client in oue oue-uncleared sue sue-uncleared subset subset-redraw subset-first laplace laplace-half; do
    for value in 0 1; do
        python3 scripts/client.py $client $value --reports 100000 >"$temporary/$value"
    done
    audit --epsilon 1 "$temporary/0" "$temporary/1"
    printf '| `%s` | 1 | %.3f | %s | %s |\n' "$client" "$(member epsilon)" \
        "$([ "$status" = 1 ] && echo yes || echo no)" "$(member event)"
done
cat <<'END'

The epsilon that the faulty clients spend according to their formulas: `oue-uncleared` 1.551, `sue-uncleared` 1.68, `subset-redraw` 1.55,
`subset-first` has no bound that reports could reach, `laplace-half` 2.
END
