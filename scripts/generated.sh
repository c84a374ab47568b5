#!/bin/sh
# Rewrites what the program makes: the answers of README.md and docs/guide.md, the tables of docs/reference.md, the options in
# man/ldpbench.1, each between its markers; man/ldpbench-config.5 and configs/schema.json as a whole.
# usage: generated.sh [--check]
#
# With --check nothing is written: exit status 1 where a file is not what the program says.
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
check=
[ "${1:-}" != --check ] || {
    check=yes
    shift
}
take_operands 0 0 "$@"
cd "$(dirname "$0")/.."
program=${LDPBENCH:-build/release/ldpbench}
fresh=$(mktemp)
made=$(mktemp)
folder=$(mktemp -d)
trap 'rm -rf "$fresh" "$made" "$folder"' EXIT
wrong=0

# Puts $fresh in the place of a file, or compares the two.
put() {
    if [ -z "$check" ]; then
        cmp -s "$1" "$fresh" || cat "$fresh" >"$1"
    elif ! diff -u "$1" "$fresh"; then
        echo "generated: $1 is out of date; run sh scripts/generated.sh" >&2
        wrong=1
    fi
}

# Replaces the text between two lines of a file by $made.
between() {
    made=$made first=$2 last=$3 blank=$4 awk '
        BEGIN { made = ENVIRON["made"]; first = ENVIRON["first"]; last = ENVIRON["last"]; blank = ENVIRON["blank"] }
        $0 == first {
            print
            if (blank)
                print ""
            while ((getline line < made) > 0)
                print line
            if (blank)
                print ""
            inside = 1; next
        }
        $0 == last { inside = 0; pairs++ }
        !inside
        END { exit pairs == 1 && !inside ? 0 : 1 }' "$1" >"$fresh" || {
        echo "generated: $1 needs one pair of lines \"$2\" and \"$3\"" >&2
        exit 1
    }
    put "$1"
}

awk '/^```json$/ { inside = 1; next } /^```$/ && inside { exit } inside' docs/guide.md >"$folder/first.json"
"$program" run "$folder/first.json" -o "$folder/first" --quiet
"$program" report "$folder/first" --format text | sed 's/^\(.\)/    \1/' >"$made"
between docs/guide.md '<!-- answer -->' '<!-- /answer -->' 1
"$program" init docs/survey.csv --epsilon 0.5,1,2 -o "$folder/survey.json" >/dev/null
"$program" run "$folder/survey.json" -o "$folder/survey" --quiet
"$program" report "$folder/survey" --format text | sed '/^$/q' | sed '$d; s/^/    /' >"$made"
between README.md '<!-- survey -->' '<!-- /survey -->' 1
"$program" list --format md >"$made"
between docs/reference.md '<!-- list -->' '<!-- /list -->' 1
{
    printf '| command | what it does |\n|---|---|\n'
    "$program" list commands --format md | sed 's/ |  |  |$/ |/'
} >"$made"
between docs/reference.md '<!-- commands -->' '<!-- /commands -->' 1
"$program" list config --format md | awk -f scripts/keys.awk >"$made"
between docs/reference.md '<!-- keys -->' '<!-- /keys -->' 1
for command in $("$program" list commands --format names); do
    "$program" help "$command"
done | awk -f man/pages.awk >"$made"
between man/ldpbench.1 '.\" commands' '.\" /commands' ''
"$program" list config --format md | awk -v config=1 -f man/pages.awk >"$fresh"
put man/ldpbench-config.5
"$program" list --format schema >"$fresh"
put configs/schema.json
exit $wrong
