#!/bin/sh
# Makes the generated pages of studies/ and the pictures of docs/, all of them (an hour of a processor) or those that are named,
# and records in studies/pages.tsv what each was made from. With --check nothing is written: pages of seconds are made again and compared
# byte for byte, of the others the record is compared with today's scripts and configs and with LDP_ALGORITHM_VERSION, unless
# the page names none of the algorithms that were changed since (docs/versions.tsv), and all with the files, which may have
# been edited. Exit status 1 where something differs.
# usage: pages.sh [--check | --older] [PAGE...]
#
# --older makes nothing: the pages get a line under their title that says that they are older than the program, which
# --check accepts.
# A page without its markers (`<!-- NAME -->`, scripts/fill.awk) is made as a whole; otherwise only the parts between them
# count. LDPBENCH names the program (default build/release/ldpbench), LDPBENCH_DATA the folders of data, without which the
# pages of real data are not made. RESULTS (default results/pages) gets the runs; what it has already is not run again.
# Tables of measured times are made elsewhere: studies/performance.md (make bench, scripts/ranks.sh).
set -eu
. "$(dirname "$0")/operands.sh"
check='' older=''
case ${1:-} in
--check) check=yes ;;
--older) older=yes ;;
esac
[ -z "$check$older" ] || shift
take_operands 0 "any number of" "$@"
enter_sources
all='oracles figure4 survey choose sketches mix ordinal poisoning longitudinal marginals intervals strings sweeps shuffle audit
    checking statements advising leaderboard plans '$(cd papers && echo */ | sed 's|\([a-z0-9]*\)/|papers/\1|g')
[ $# -gt 0 ] || set -- $all # words
records=studies/pages.tsv results=${RESULTS:-results/pages}
version=$(sed -n 's/^#define LDP_ALGORITHM_VERSION \([0-9]*\)$/\1/p' core/ldp.h)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

is_filled() { grep -q '^<!-- run ' "studies/$1.md" 2>/dev/null; } # PAGE that says itself what it is made of (scripts/page.py)

# Sets what a page consists of ($files), is made from ($from), whether that takes seconds ($quick), and the $data that it needs.
describe() { # PAGE
    files=studies/$1.md from="scripts/$1.sh" quick='' data=''
    case $1 in oracles | longitudinal | choose | shuffle) quick=yes ;; esac
    if is_filled "$1"; then
        from="$work/from" data=$(python3 scripts/page.py --data "$files" | tr '\n' ' ')
        python3 scripts/page.py --from "$files" >"$from"
        files="$files $(sed -n 's|^<!-- picture \([^ ]*\) .*|studies/\1|p' "$files" | tr '\n' ' ')"
        return
    fi
    case $1 in
    figure4) files=docs/figure4.svg from=configs/ndss2020-fig4.json quick=yes ;;
    survey) files=docs/survey.svg from=docs/survey.csv quick=yes ;;
    plans) from="studies/plans/plans.py configs/plans-1.json configs/plans-2.json configs/plans-3.json configs/plans-6.json configs/plans-intervals.json configs/plans-parities.json configs/plans-strings.json" data="nltcs.csv acs.csv br2000.csv adult.csv aol6.strings words_en.strings" ;;
    leaderboard) from="studies/leaderboard/leaderboard.py $(echo suites/1/*.json)" ;;
    audit) from="studies/audit/audit.sh studies/audit/client.py" ;;
    papers/*)
        data='kosarak.counts emoji.counts retail.counts nltcs.csv aol6.strings urls6.strings'
        from="scripts/agreement.sh $(ls "$1"/*.json) $(grep -o '"run": "[^"]*"' "$1/statements.json" |
            cut -d '"' -f 4 | sort -u | sed 's|.*|configs/&.json|')"
        ;;
    *) refuse "no page \"$1\": expected some of $(echo $all)" ;;
    esac
}

has_data() { # FILE... of some LDPBENCH_DATA
    for file; do
        found=
        for folder in $(echo "${LDPBENCH_DATA:-}" | tr : ' ') data datasets/data; do
            [ ! -e "$folder/$file" ] && [ ! -e "$folder/$file.gz" ] || found=yes
        done
        [ -n "$found" ] || return 1
    done
}

# Writes a page and its pictures into the folder $pages, which the scripts know as PAGES_FOLDER.
make_page() { # PAGE RESULTS
    made=$work/made
    if is_filled "$1"; then
        find_numpy || python=python3
        RESULTS=$results LDPBENCH=$program "$python" scripts/page.py "studies/$1.md"
        return
    fi
    case $1 in
    figure4)
        LDPBENCH_DATA='' "$program" run configs/ndss2020-fig4.json -o "$2" --quiet
        "$program" plot "$2" >/dev/null
        cp "$2/full_domain.svg" "${PAGES_FOLDER:-docs}/figure4.svg"
        ;;
    survey)
        mkdir -p "$2"
        "$program" init docs/survey.csv --epsilon 0.5,1,2 -o "$2/survey.json" --force >/dev/null
        "$program" run "$2/survey.json" -o "$2/results" --quiet --fresh
        "$program" plot "$2/results" >/dev/null
        cp "$2/results/full_domain.svg" "${PAGES_FOLDER:-docs}/survey.svg"
        ;;
    audit) sh studies/audit/audit.sh ;;
    plans) python3 studies/plans/plans.py "$2" >"$made" ;;
    leaderboard) python3 studies/leaderboard/leaderboard.py >"$made" ;;
    papers/*)
        sh scripts/agreement.sh "$results/agreement" "${1#papers/}"
        cp "$results/agreement/${1#papers/}.md" "$made"
        ;;
    esac
    [ ! -e "$made" ] || mv "$made" "$pages/$1.md"
}

# The made parts of files: all of a file that has no markers.
parts() { # FILE...
    for file; do
        if grep -q '^<!-- run ' "$file"; then
            python3 scripts/page.py --made "$file"
        elif grep -q '^<!-- /[a-z]* -->$' "$file"; then
            sed -n '/^<!-- [a-z]* -->$/,/^<!-- \/[a-z]* -->$/p' "$file"
            grep -o '<!--=[a-z0-9_]*-->[^<]*' "$file" || :
        else
            cat "$file"
        fi
    done
}

print_of() { sha256sum | cut -d ' ' -f 1; }
# shellcheck disable=SC2086 # lists of files
record() { printf '%s\t%s\t%s\t%s\n' "$1" "$version" "$(cat $from | print_of)" "$(parts $files | print_of)"; }

put_record() { # PAGE
    { grep -v "^$1	" $records 2>/dev/null || :; record "$1"; } | sort >"$work/records"
    cp "$work/records" $records
}

# What a picture was drawn from; other files as they are.
compared() { # FILE
    case $1 in
    *.svg) grep -o 'Drawn by ldpbench [^<]*' "$1" ;;
    *) cat "$1" ;;
    esac
}

wrong=0
said_older='This page is older than the program'
complain() { # PAGE WHAT
    echo "pages: $1: $2; sh scripts/pages.sh $1 makes it again" >&2
    wrong=1
}

# Whether the page says, as its record does, that it is older than the program.
is_older() {
    [ "$(echo "$stated" | cut -f 2)" = older ] && grep -q "^[*]$said_older" "${files%% *}"
}

# Whether algorithms that the page or what it is made from names have given the same numbers since a version.
# shellcheck disable=SC2086 # lists of files
same_since() { # VERSION
    case $1 in *[!0-9]*) return 1 ;; esac
    since=$1
    [ "$since" -le "$version" ] || return 1
    { cat $from && parts $files; } >"$work/named"
    while [ "$since" -lt "$version" ]; do
        since=$((since + 1))
        changed=$(grep "^$since	" docs/versions.tsv 2>/dev/null | cut -f 2-) || :
        [ -n "$changed" ] && [ "$changed" != all ] || return 1
        for name in $changed; do
            ! grep -qwF "$name" "$work/named" || return 1
        done
    done
}

check_page() { # PAGE
    stated=$(grep "^$1	" $records) || {
        complain "$1" "$records does not have it"
        return
    }
    today=$(record "$1")
    [ "${stated##*	}" = "${today##*	}" ] || complain "$1" "${files% }: what is made was edited"
    if [ -z "$quick" ]; then
        { [ "$(echo "$stated" | cut -f 3)" = "$(echo "$today" | cut -f 3)" ] && same_since "$(echo "$stated" | cut -f 2)"; } ||
            is_older ||
            complain "$1" "made by another algorithm version than $version, or from other scripts or configs"
        return
    fi
    # shellcheck disable=SC2086 # a list of files
    has_data $data || {
        echo "pages: $1 is not made again without $data" >&2
        return
    }
    (pages=$work results=$work PAGES_FOLDER=$work && export PAGES_FOLDER && make_page "$1" "$work/$1") >/dev/null
    for file in $files; do
        compared "$file" >"$work/stated"
        compared "$work/${file#*/}" >"$work/today"
        cmp -s "$work/stated" "$work/today" || {
            diff "$work/stated" "$work/today" | head -n 20 >&2
            complain "$1" "$file is not what this build makes"
        }
    done
}

for page; do
    describe "$page"
    if [ -n "$check" ]; then
        check_page "$page"
        continue
    fi
    if [ -n "$older" ]; then
        version=older
        grep -q "^[*]$said_older" "studies/$page.md" || sed -i "1a\\
\\
*$said_older: \`make pages PAGES=$page\` makes it again.*" "studies/$page.md"
        put_record "$page"
        continue
    fi
    # shellcheck disable=SC2086 # a list of files
    has_data $data || refuse "$page: expected $data in the folders of LDPBENCH_DATA"
    mkdir -p "$results"
    make_page "$page" "$results/$page"
    [ ! -e "studies/$page.md" ] || sed -i "/^\$/{N;/\n[*]$said_older/d}" "studies/$page.md"
    put_record "$page"
done
exit $wrong
