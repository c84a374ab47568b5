#!/bin/sh
# Bounds of epsilon of our oracles, and of clients as published code has them: prints docs/audit.md.
# usage: audit.sh      docs/audit.md is made by: sh scripts/audit.sh > docs/audit.md
#
# LDPBENCH names the program (default build/release/ldpbench). SEEDS (default 20) audits of each hidden leak, ALARMS (default
# 100) of each client that keeps its epsilon.
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
    [ "$status" -le 1 ] || [ "$status" = 4 ] || exit "$status"
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

There are three answers, each with an exit status:

| answer | status | meaning |
|---|---:|---|
| above | 1 | the bound is above the stated epsilon: the client does not keep it |
| not above | 0 | no event was found that shows more, although so many reports could; the output says how much they could show |
| undecided | 4 | so few reports cannot show more than the stated epsilon, whatever the client does; the output says how many can |

`--format json` has every number. In Python: `ldpbench.audit(first, second, epsilon=1)` with arrays of reports.

More inputs are compared two by two in one call, as more files or as more names in a single file:

    ldpbench audit --epsilon 1 reports-of-*

## How it is found

Of every eight reports of an input, the first two are used for learning, the next two for choosing, and four are held out. The
learning part gives each word, each word at any position and each whole report a score, the logarithm of the ratio of its shares
under the two inputs; scores are added as if words were independent. The examined events are:

- a word equals a value; a number is at least a threshold; a report contains a word; a report is one of those seen; a score is at
  least a threshold;
- a bit of a word, or its residue modulo 3 to 16. Decimal fractions are counted in units of their last place, other real numbers
  are taken as the bits of a double, texts of hexadecimal digits as numbers, other texts by their last eight bytes;
- bits of the exclusive-or of words, for all pairs and all ranges of up to 32 words; the exclusive-or of any bits, if it is the
  same in all reports of one input (found by elimination); sums and differences of words, their bits and residues;
- the number of words, the length in bytes, the number of different words, which of two words is larger, whether they are equal,
  how many words are above the one before, where the largest and the smallest are;
- of two reports, the second repeats the first. It may be e^(2 epsilon) times as likely, so its bound is divided by 2.

Computed events are examined if they distinguish the inputs better than the words that they are made of. To these come the
complement of each, and the conjunctions of two events of words among the 96 that distinguish the inputs best. The event and the
pair of inputs with the largest bound on the choosing part are kept. On the held-out half the event's probability is bounded from
below under the likelier input and from above under the other one (Clopper and Pearson, 1934), each at (1 - confidence) / 2: the
logarithm of their ratio is the bound. The held-out half is not used to choose the event or the pair, so one event is tested, and
the confidence is valid for any number of examined events and pairs, as long as reports are independent. The default is 0.999: a
client that keeps its epsilon is accused at most once in a thousand audits.

N reports of each input cannot show more than about ln(N / 15), which the last line of the output says.

## The program's own oracles

    ldpbench audit --oracle olh --epsilon 1 --d 64

runs the client of an oracle, with a million reports of each of the values 0 and 1 (`--values` takes more, `--reports`), and examines which
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

## Hidden leaks

These clients of `scripts/client.py` state epsilon = 1 and send their value by randomised response of epsilon = 2, hidden in numbers
none of which says anything in its ordinary events. `again` sends noise, but repeats its last report with a probability that depends
on the value; its reports are not independent, so its bound is no epsilon. Of 20 audits with fresh seeds, how many said "above", and
the median of their bounds:

END
echo '| client | report | above, of 200 reports | above, of 1000 | median bound, of 1000 | above, of 10,000 | median bound, of 10,000 |'
echo '|---|---|---:|---:|---:|---:|---:|'
seeds=${SEEDS:-20}
middle() { sort -g | awk '{ bound[NR] = $1 } END { printf "%.3f", bound[int((NR + 1) / 2)] }'; }
while read -r client report; do
    printf '| `%s` | %s |' "$client" "$report"
    for reports in 200 1000 10000; do
        above=0
        : >"$temporary/bounds"
        for seed in $(seq "$seeds"); do
            for value in 0 1; do
                python3 scripts/client.py "$client" $value --reports $reports --seed "$seed" >"$temporary/$value"
            done
            audit --epsilon 1 "$temporary/0" "$temporary/1"
            [ "$status" != 1 ] || above=$((above + 1))
            member epsilon >>"$temporary/bounds"
        done
        if [ $reports = 200 ]; then
            printf ' %d |' $above
        else
            printf ' %d | %s |' $above "$(middle <"$temporary/bounds")"
        fi
    done
    echo
done <<'END'
parity a random number whose lowest bit is the value
residue a random multiple of 7, or 3 more
exclusive-or 16 random numbers of 64 bits whose exclusive-or ends in the value
shares two random numbers that add up to the value modulo 101
length three or four random numbers
order six random numbers, sorted or not
repeat three random numbers, the last equal to the first or not
digit a fraction whose sixth decimal is odd or even
mantissa a random double, the lowest bit of its mantissa
hexadecimal a random number in hexadecimal digits, odd or even
again a random number, or the report before
END
cat <<'END'

## False alarms

The level is a promise about every client that keeps its epsilon. Audits at confidence 0.9 (a false alarm in ten at most), each
with fresh seeds: the program's oracles at d = 16 with 2000 reports of each of three values, and clients that send the same
noise for both inputs, so that every bound above 0 is false, with 400 reports of each:

END
echo '| client | stated epsilon | audits | above |'
echo '|---|---:|---:|---:|'
alarms=${ALARMS:-100}
for oracle in $("$program" list oracles --format names); do
    [ "$oracle" != exact ] || continue
    for epsilon in 1; do
        above=0
        for seed in $(seq "$alarms"); do
            audit --oracle "$oracle" --epsilon $epsilon --values 0,1,2 --reports 2000 --seed "$seed" --confidence .9
            [ "$status" != 1 ] || above=$((above + 1))
        done
        echo "| \`$oracle\` | $epsilon | $alarms | $above |"
    done
done
noise='import random, sys
coins = random.Random(sys.argv[1] + " " + sys.argv[2])
make = {"eight bits": lambda: [coins.getrandbits(1) for _ in range(8)],
        "three numbers of 64 bits": lambda: [coins.getrandbits(64) for _ in range(3)],
        "two doubles": lambda: [coins.random() for _ in range(2)],
        "one to four of 20 symbols": lambda: ["s%d" % k for k in coins.sample(range(20), coins.randrange(1, 5))],
        "16 bits in hexadecimal": lambda: ["%04x" % coins.getrandbits(16)]}[sys.argv[1]]
for _ in range(400):
    print(*make())'
while read -r client; do
    above=0
    for seed in $(seq "$alarms"); do
        for value in 0 1; do
            python3 -c "$noise" "$client" "$seed.$value" >"$temporary/$value"
        done
        audit --epsilon 1e-9 --confidence .9 "$temporary/0" "$temporary/1"
        [ "$status" != 1 ] || above=$((above + 1))
    done
    echo "| $client | 0 | $alarms | $above |"
done <<'END'
eight bits
three numbers of 64 bits
two doubles
one to four of 20 symbols
16 bits in hexadecimal
END
cat <<'END'

There are fewer than one in ten because both ends of Clopper and Pearson's interval are conservative, each at half of the level.
END
