#!/bin/sh
# Gets the real data sets that configs ask for by name, and checks them.
# usage: fetch-datasets.sh [--from DIR] [--to DIR] [--url URL] [NAME...]
#
# NAME is kosarak, retail or emoji (all three if none is given).
#
#   --from DIR  take the files from a folder: NAME.counts, NAME.dat.gz or NAME.dat, and for emoji
#               emoji.counts and emoji.categories
#   --to DIR    where to put them (data/ in the repository)
#   --url URL   where kosarak.dat.gz and retail.dat.gz are (http://fimi.uantwerpen.be/data)
#
# Leaves NAME.counts (lines value TAB count), made from the transactions where need be. What is there already
# and is right is kept. Exit status: 0 everything is there, 2 usage, 3 something could not be had.
set -eu
. "$(dirname "$0")/operands.sh"
LC_ALL=C
export LC_ALL
say() { printf '%s\n' "$*"; }
complain() { printf 'fetch-datasets: %s\n' "$*" >&2; }

from=
to=$(dirname -- "$0")/../data
url=http://fimi.uantwerpen.be/data
names=
while [ $# -gt 0 ]; do
    case $1 in
    --from | --to | --url)
        [ $# -ge 2 ] && [ -n "$2" ] || refuse "$1 expects an argument"
        case $1 in
        --from) from=$2 ;;
        --to) to=$2 ;;
        --url) url=${2%/} ;;
        esac
        shift
        ;;
    -h | --help) show_usage ;;
    kosarak | retail | emoji) names="$names $1" ;;
    -*) refuse "unknown option \"$1\"" ;;
    *) refuse "expected kosarak, retail or emoji, got \"$1\"" ;;
    esac
    shift
done
[ -n "$names" ] || names='kosarak retail emoji'
[ -z "$from" ] || [ -d "$from" ] || refuse "--from: $from is not a folder"

mkdir -p -- "$to" || exit 3
to=$(cd -- "$to" && pwd)
# Inside the target, so that mv is a rename.
work=$(mktemp -d "$to/.fetch.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT
trap 'exit 3' HUP INT TERM

# The published n and d, and the largest counts.
expected() {
    case $1 in
    kosarak) echo 'n=8019015 d=41270 largest=601374,450031,364065,197522,88598' ;;
    retail) echo 'n=908576 d=16470 largest=50675,42135,15596,15167,14945' ;;
    esac
}

# SHA-256 of the transactions as published, where known.
sha256_known() {
    case $1 in
    retail) echo d967431ba522e32f0fbb243f2ee113ecd4cb374cb0234c1b0858dae1d499a055 ;;
    esac
}

sha256_of() {
    if command -v sha256sum >/dev/null; then
        sha256sum | cut -d' ' -f1
    elif command -v shasum >/dev/null; then
        shasum -a 256 | cut -d' ' -f1
    fi
}

# value TAB count lines to "n=... d=... largest=..."; fails on anything else.
summary() {
    awk -F '\t' '
        /^#/ || /^[ \t\r]*$/ { next }
        { sub(/\r$/, "") }
        NF != 2 || $1 == "" || $2 !~ /^[0-9]+$/ || ($1 in seen) { bad = 1; exit 1 }
        {
            seen[$1] = 1
            n += $2
            d++
            at = 6
            while (at > 1 && $2 + 0 > top[at - 1] + 0) { top[at] = top[at - 1]; at-- }
            top[at] = $2
        }
        END {
            if (bad || d == 0) exit 1
            printf "n=%.0f d=%.0f largest=%s", n, d, top[1]
            for (i = 2; i <= 5; i++) printf ",%s", top[i]
            print ""
        }' "$1"
}

# Transactions on standard input to value TAB count lines.
histogram() {
    awk '{ for (i = 1; i <= NF; i++) count[$i]++ } END { for (v in count) printf "%s\t%.0f\n", v, count[v] }' |
        tr -d '\r' | sort -n
}

unpack() {
    case $1 in
    *.gz) gzip -dc -- "$1" ;;
    *) cat -- "$1" ;;
    esac
}

download() {
    if command -v curl >/dev/null; then
        curl -fsSL --connect-timeout 20 --speed-limit 100 --speed-time 20 --retry 2 -o "$2" "$1"
    elif command -v wget >/dev/null; then
        wget -q -T 20 -t 3 -O "$2" "$1"
    else
        complain 'needs curl or wget'
        return 1
    fi
}

# Puts the transactions of a data set into $work/NAME.counts, and says how they were checked.
from_transactions() {
    name=$1 file=$2
    unpack "$file" >"$work/$name.dat" || return 1
    sha=$(sha256_of <"$work/$name.dat")
    how=
    if [ -n "$sha" ] && [ "$sha" = "$(sha256_known "$name")" ]; then
        how='SHA-256 and '
    fi
    {
        say "# dataset: $name, transactions of fimi.uantwerpen.be, each occurrence of an item counted"
        expected "$name" | tr ' ' '\n' | sed -n 's/^\([nd]=\)/# \1/p'
        [ -z "$sha" ] || say "# sha256(transactions)=$sha"
        histogram <"$work/$name.dat"
    } >"$work/$name.counts"
}

put_there() { # a file of $work, for all to read
    chmod 644 "$work/$1" && mv -f -- "$work/$1" "$to/$1"
}

get_fimi() {
    name=$1
    how=
    if [ -f "$to/$name.counts" ] && [ "$(summary "$to/$name.counts")" = "$(expected "$name")" ]; then
        say "$name: already in $to"
        return 0
    fi
    if [ -z "$from" ]; then
        say "$name: fetching $url/$name.dat.gz"
        if ! download "$url/$name.dat.gz" "$work/$name.dat.gz"; then
            complain "$name: could not fetch $url/$name.dat.gz; with the file at hand: --from DIR"
            return 1
        fi
        source=$work/$name.dat.gz origin=$url/$name.dat.gz
    else
        source=
        for ending in counts dat.gz dat; do
            [ -n "$source" ] || [ ! -f "$from/$name.$ending" ] || source=$from/$name.$ending
        done
        if [ -z "$source" ]; then
            complain "$name: expected $name.counts, $name.dat.gz or $name.dat in $from, found none"
            return 1
        fi
        origin=$source
    fi
    case $source in
    *.counts) cp -- "$source" "$work/$name.counts" ;;
    *) from_transactions "$name" "$source" || {
        complain "$name: $origin cannot be unpacked"
        return 1
    } ;;
    esac
    got=$(summary "$work/$name.counts") || got='no table of counts'
    if [ "$got" != "$(expected "$name")" ]; then
        complain "$name: expected $(expected "$name"), got $got"
        return 1
    fi
    put_there "$name.counts" || return 1
    say "$name: $to/$name.counts, checked by ${how}n, d and the largest counts"
}

get_emoji() {
    if [ -z "$from" ] || [ ! -f "$from/emoji.counts" ]; then
        if [ -f "$to/emoji.counts" ]; then
            say "emoji: already in $to"
        else
            say "emoji: emojistats.org, the paper's source, is no longer served. Until you put a table of counts (lines"
            say "       value TAB count) at $to/emoji.counts, and the categories (lines value TAB"
            say "       category) next to it as emoji.categories, figures show the built-in model of the emoji counts."
            [ -z "$from" ] || return 1
        fi
        return 0
    fi
    for file in emoji.counts emoji.categories; do
        [ -f "$from/$file" ] || continue
        if [ "$file" = emoji.counts ] && ! got=$(summary "$from/$file"); then
            complain "emoji: expected lines value TAB count in $from/$file"
            return 1
        fi
        cp -- "$from/$file" "$work/$file" && put_there "$file" || return 1
        say "emoji: $to/$file"
    done
    say "emoji: $got"
}

status=0
for name in $names; do
    case $name in
    emoji) get_emoji || status=3 ;;
    *) get_fimi "$name" || status=3 ;;
    esac
    rm -rf "${work:?}"/*
done
exit "$status"
