#!/bin/sh
# Bounds of epsilon of our oracles, and of clients as published code has them: writes the tables and the numbers of
# studies/audit.md. A sentence that does not hold is an error.
# usage: audit.sh
#
# LDPBENCH names the program (default build/release/ldpbench). SEEDS (default 20) audits of each hidden leak, ALARMS (default
# 100) of each client that keeps its epsilon.
set -eu
. scripts/operands.sh
take_operands 0 0 "$@"
program=${LDPBENCH:-build/release/ldpbench} pages=${PAGES_FOLDER:-studies}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
seeds=${SEEDS:-20} alarms=${ALARMS:-100}

# One number or text of an audit's JSON.
member() { sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\(.*\)/\1/p" "$folder/answer" | sed 's/,$//; s/^"\(.*\)"$/\1/'; }

audit() {
    status=0
    "$program" audit --format json "$@" >"$folder/answer" || status=$?
    [ "$status" -le 1 ] || [ "$status" = 4 ] || exit "$status"
}

oracles=$("$program" list oracles --format names | grep -v '^exact$')

{
    echo '| oracle | 0.5 | 1 | 2 | 4 |'
    echo '|---|---:|---:|---:|---:|'
    for oracle in $oracles; do
        printf '| `%s` |' "$oracle"
        for epsilon in 0.5 1 2 4; do
            audit --oracle "$oracle" --epsilon "$epsilon" --d 64 --reports 300000
            printf ' %.3f |' "$(member epsilon)"
        done
        echo
    done
} >"$folder/bounds"

{
    echo '| client | stated | bound | above | event |'
    echo '|---|---:|---:|---|---|'
    for client in oue oue-uncleared sue sue-uncleared subset subset-redraw subset-first laplace laplace-half; do
        for value in 0 1; do
            python3 studies/audit/client.py $client $value --reports 100000 >"$folder/$value"
        done
        audit --epsilon 1 "$folder/0" "$folder/1"
        printf '| `%s` | 1 | %.3f | %s | %s |\n' "$client" "$(member epsilon)" \
            "$([ "$status" = 1 ] && echo yes || echo no)" "$(member event)"
    done
} >"$folder/mistakes"

# The reports of a seed are drawn once; fewer of them are the first.
hidden() { # CLIENT, of which $folder/bounds-N gets a line of each seed: status and bound
    for seed in $(seq "$seeds"); do
        python3 studies/audit/client.py "$1" 0 1 --reports 10000 --seed "$seed" >"$folder/reports"
        for reports in 200 1000 10000; do
            head -n $((2 * reports)) "$folder/reports" >"$folder/first"
            audit --epsilon 1 "$folder/first"
            echo "$status $(member epsilon)" >>"$folder/bounds-$reports"
        done
    done
}

above() { grep -c '^1 ' "$folder/bounds-$1" || :; }
middle() { cut -d ' ' -f 2 "$folder/bounds-$1" | sort -g | awk '{ bound[NR] = $1 } END { printf "%.3f", bound[int((NR + 1) / 2)] }'; }
{
    echo '| client | report | above, of 200 reports | above, of 1000 | median bound, of 1000 | above, of 10,000 | median bound, of 10,000 |'
    echo '|---|---|---:|---:|---:|---:|---:|'
    while read -r client report; do
        rm -f "$folder"/bounds-*
        hidden "$client"
        echo "| \`$client\` | $report | $(above 200) | $(above 1000) | $(middle 1000) | $(above 10000) | $(middle 10000) |"
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
} >"$folder/hidden"

{
    echo '| client | stated epsilon | audits | above |'
    echo '|---|---:|---:|---:|'
    for oracle in $oracles; do
        above=0
        for seed in $(seq "$alarms"); do
            audit --oracle "$oracle" --epsilon 1 --values 0,1,2 --reports 2000 --seed "$seed" --confidence .9
            [ "$status" != 1 ] || above=$((above + 1))
        done
        echo "| \`$oracle\` | 1 | $alarms | $above |"
    done
    while read -r client title; do
        above=0
        python3 studies/audit/client.py "$client" 0 1 --reports $((400 * alarms)) >"$folder/reports"
        for seed in $(seq "$alarms"); do
            sed -n "$((800 * seed - 799)),$((800 * seed))p" "$folder/reports" >"$folder/first"
            audit --epsilon 1e-9 --confidence .9 "$folder/first"
            [ "$status" != 1 ] || above=$((above + 1))
        done
        echo "| $title | 0 | $alarms | $above |"
    done <<'END'
bits8 eight bits
numbers3 three numbers of 64 bits
doubles2 two doubles
symbols one to four of 20 symbols
hexadecimal16 16 bits in hexadecimal
END
} >"$folder/alarms"

# The numbers of sentences, and what they say of all rows.
awk -F ' *[|] *' -v OFS='\t' -v seeds="$seeds" '
function hold(true, sentence) { if (!true) { print "audit.md does not hold: " sentence >"/dev/stderr"; failed = 1 } }
function spent(p1, q) { return log(p1 / q * (1 - q) / (1 - p1)) } # by a bit that is set and another that is not
FNR == 1 { table++ }
FNR <= 2 { next }
table == 1 {
    split("0.5 1 2 4", epsilon, " ")
    for (i = 1; i <= 4; i++) {
        share = $(i + 2) / epsilon[i]
        hold(share <= 1, "no bound is above the stated epsilon")
        kind = $2 ~ /^`(the|sw)`$/ ? $2 : "others"
        if ($2 != "`bins`" && (!(kind in least) || share < least[kind]))
            least[kind] = share
    }
}
table == 2 {
    faulty = $2 ~ /uncleared|redraw|first|half/
    hold(($5 == "yes") == faulty, "every faulty client is above, and no correct one: " $2)
    bound[$2] = $4
}
table == 3 && $2 == "`again`" { next }
table == 3 {
    if (found == "" || $5 < found) found = $5
    hold($7 == seeds, "with 10,000 reports every leak is found in all audits")
    if (!low || $8 < low) low = $8
    if ($8 > high) high = $8
}
table == 4 { hold($5 * 10 < $4, "fewer than one in ten"); most = $5 > most ? $5 : most; all += $5; audits += $4; each = $4 }
END {
    e = exp(1); d = 16; k = 4 # of d / (e + 1)
    oue = spent(.5 + .5 / (e + 1), 1 / (e + 1)); q = 1 / (exp(.5) + 1); sue = spent(1 - q + q * q, q)
    p = k * e / (k * e + d - k); redraw = log(1 + p / (1 - p) * d / k)
    hold(bound["`oue-uncleared`"] <= oue && bound["`sue-uncleared`"] <= sue && bound["`subset-redraw`"] <= redraw && \
        bound["`laplace-half`"] <= 2, "no bound is above what a faulty client spends")
    hold(high <= 2, "no bound is above what a hidden leak spends")
    printf "least_share\t%.0f %%\nsw_share\t%.0f %%\nthe_share\t%.0f %%\n", 100 * least["others"], 100 * least["`sw`"], 100 * least["`the`"]
    printf "spends_oue\t%.3f\nspends_sue\t%.3f\nspends_redraw\t%.3f\n", oue, sue, redraw
    print "seeds", seeds; print "least_found", found
    printf "over_two\tthe medians of their bounds are then %.3f to %.3f of the 2 that they spend.\n", low, high
    print "most_alarms", most; print "audits", each; print "all_alarms", all; print "all_audits", audits
    exit failed
}' "$folder/bounds" "$folder/mistakes" "$folder/hidden" "$folder/alarms" >"$folder/values"
fill_page audit "$folder"
