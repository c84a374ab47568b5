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

A client that is epsilon-private makes no event of its report more than e^epsilon times as likely for one input as for another.
`ldpbench audit` looks at reports of two inputs for the event with the largest ratio, and says which epsilon is certainly
spent. It proves a loss; it never proves that there is none: what it misses may be in an event that it does not look at, in
another pair of inputs, or too rare for the number of reports.

## A client of anybody's

Let the client report its own way, anew each time, many times for one input and as often for another, a report a line:

    ./client --value 0 > first
    ./client --value 1 > second
    ldpbench audit --epsilon 1 first second

Words are between blanks, TABs or commas; they may be numbers (`0 1 1 0`, `-0.3 1.7`), symbols (`blue`), or a list in any order
(`3 17 4`). `--bits` takes `0110` as four words. One file, or `-` for standard input, has the two inputs' reports in lines that
begin with the name of the input:

    ./client --both | ldpbench audit --epsilon 1 -

Where a report only means something with a hash function (local hashing), let the client print what the report says of the two
inputs: whether it supports the first, whether it supports the second. Whatever is computed from a report alone is a fair thing to
look at: the bound holds for it too.

    epsilon >= 1.4925 with confidence 0.999: ABOVE the stated 1
    event: word 2 is not 0 and word 1 = 0

Exit status: 0 not above the stated epsilon, 1 above, 2 bad input. `--format json` has every number. In Python:
`ldpbench.audit(first, second, epsilon=1)` with arrays of reports.

## How it is found

Of every four reports of an input, the first teaches, the second chooses, and two are held out. Teaching gives each word, word
anywhere in the report, and whole report the logarithm of the ratio of its shares, and adds these up to scores, as if words were
independent. Events are: a word is a value; a number is at least a threshold; a report holds a word; a report is one of those
seen; a score is at least a threshold; any of these not; and two of the words' events together, the 64 that distinguish best with
each other. The event with the largest bound on the choosing part is kept. On the held-out half its probability under the
likelier input is bounded from below and under the other from above (Clopper and Pearson, 1934), each at (1 - confidence) / 2:
the logarithm of their ratio is the bound. Nothing was chosen by the held-out half, so the confidence is what it says, however
many events were looked at, as long as reports are independent. The default is 0.999: a client that keeps its epsilon is accused
once in a thousand audits at most.

N reports of each input cannot show more than about ln(N / 15), which the last line of the output says.

## The program's own oracles

    ldpbench audit --oracle olh --epsilon 1 --d 64

runs the client of an oracle, a million reports of each of the values 0 and 1 (`--values`, `--reports`), and looks at what a report supports
and at the ratio of its probabilities. With files, `--oracle` takes them as reports of that oracle, as `Protocol.client` makes
them in Python, whoever made them. Bounds with d = 64 and 300,000 reports, by stated epsilon:

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

None is above. `the` is far below by what it is: its threshold turns noise of epsilon into bits that spend less. `exact`, which is
not private, is above any epsilon that the number of reports can show.

## Mistakes of published clients

`scripts/client.py` has clients as published code has them, right and with their mistakes ([mistakes.md](mistakes.md), 24, 3
and 4), and Laplace noise at its scale and at half of it; d = 16, epsilon = 1, 100,000 reports of each input:

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

What the mistaken clients spend by their formulas: `oue-uncleared` 1.551, `sue-uncleared` 1.68, `subset-redraw` 1.55,
`subset-first` has no bound that reports could reach, `laplace-half` 2.
END
