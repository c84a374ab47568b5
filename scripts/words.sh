#!/bin/sh
# Counts the words of the help pages, README.md and docs/*.md, and how many each has in a sentence, without tables and code.
# Exit status 1 where a page is longer than its budget, or has more than 25 words a sentence, which counts for the pages of studies/ too.
# usage: words.sh
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."

budget() { # PAGE: words, those of tables and commands too, without code in fences
    case $1 in
    README) echo 800 ;;
    choose | compare | privacy | guide) echo 1600 ;;
    data) echo 2100 ;;
    python | tour) echo 1300 ;;
    developing) echo 3800 ;;
    methods) echo 13000 ;;
    reference) echo 10600 ;;
    *) echo 1100 ;;
    esac
}

sentence_of() { # FILE: words in a sentence, without tables, code and comments
    perl -0pe 's/<!--.*?-->//gs' "$1" | awk '
        /^```/ { code = !code; next }
        code || /^    / || /^\|/ || /^#/ || /^!/ { text = text ". "; next }
        /^ *- / || /^[0-9]+\. / || /^$/ { text = text ". " }
        { gsub(/\]\([^)]*\)/, ""); gsub(/`[^`]*`/, "x"); text = text " " $0 }
        END {
            n = split(text, parts, /[.?!]+( |$)|[.?!]\)( |$)/)
            for (i = 1; i <= n; i++)
                if ((k = split(parts[i], found, /[ \t]+/)) > 3) {
                    sentences++
                    words += k
                }
            printf "%.1f", sentences ? words / sentences : 0
        }'
}

wrong=0 total=0 pages=0
printf '%-12s %6s %7s %9s\n' page words budget sentence
for file in README.md docs/*.md; do
    page=$(basename "$file" .md)
    words=$(sed '/^```/,/^```/d; s/|/ /g; s/^ *-[-: ]*$//' "$file" | wc -w)
    sentence=$(sentence_of "$file")
    limit=$(budget "$page")
    printf '%-12s %6d %7d %9s\n' "$page" "$words" "$limit" "$sentence"
    [ "$words" -le "$limit" ] || { echo "words: $file: $words words, expected at most $limit" >&2; wrong=1; }
    [ "${sentence%.*}" -lt 25 ] || { echo "words: $file: $sentence words a sentence, expected at most 25" >&2; wrong=1; }
    total=$((total + words)) pages=$((pages + 1))
done
printf '%-12s %6d %7d\n' "$pages pages" "$total" 40000
for file in studies/*.md studies/papers/*.md; do
    sentence=$(sentence_of "$file")
    [ "${sentence%.*}" -lt 25 ] || { echo "words: $file: $sentence words a sentence, expected at most 25" >&2; wrong=1; }
done
[ "$total" -le 40000 ] || { echo "words: $total words in all, expected at most 40000" >&2; wrong=1; }
[ "$pages" -eq 16 ] || { echo "words: $pages pages, expected 16" >&2; wrong=1; }
exit $wrong
