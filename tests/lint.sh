#!/bin/sh
# lint.sh - functions of more than 70 lines, files of more than 500 whose head does not give the reason ("over 500
# lines"), outside tests, includes from a room that its own may not use (docs/developing.md), rooms above their lines, what nothing
# uses, simulations beside run/, and failures without a beginning (support/failure.h). Prints them and fails if there are any; run in the root of the sources.
set -eu
long=$(
    find bench core datasets perf -name '*.[ch]' 2>/dev/null | sort | xargs -r awk '
        function end_of_file() {
            gsub(/[ *]+/, " ", head)
            if (lines > 500 && head !~ /over 500 lines/)
                print file ": " lines " lines, expected at most 500, or the reason in its head"
        }
        FNR == 1 { if (file != "") end_of_file(); file = FILENAME; head = ""; opened = start = 0 }
        { lines = FNR }
        !opened && index($0, "*/") { opened = 1; head = head " " $0 }
        !opened { head = head " " $0 }
        /^[A-Za-z_].*[(,)]/ { name = $0 }
        /^[{]/ { start = FNR }
        /^[}]/ {
            if (start && FNR - start - 1 > 70)
                print file ":" start ": a function of " FNR - start - 1 " lines, expected at most 70: " name
            start = 0
        }
        END { if (file != "") end_of_file() }'
)
# Each room of bench/ includes only rooms before it, those between commas neither before nor behind each other; core/
# includes none of them, datasets/ only support/. Each room of core/ includes only rooms of core/ before it, and the
# public headers, and has a README.
order="support stats config tasks run results figures,agreement,audit commands"
rooms=$(
    grep -rsnE --include='*.[ch]' "^#include \"($(echo "$order" | tr ' ,' '||'))/" core datasets bench/*/ |
        awk -F : -v order="$order" '
        BEGIN {
            rank["datasets"] = 1.5
            for (i = split(order, level, " "); i > 0; i--)
                for (j = split(level[i], names, ","); j > 0; j--)
                    rank[names[j]] = i
        }
        {
            split($1, folder, "/")
            room = folder[1] == "bench" ? folder[2] : folder[1]
            split($3, included, /["\/]/)
            if (included[2] != room && rank[included[2]] >= rank[room] + 0)
                print
        }
    ' || true
)
rooms=$rooms$(
    grep -rsnE --include='*.[ch]' '^#include "[a-z]+/' core/*/ | awk -v order="simd numerics random sampling hashing \
            geometry protocol laws oracles priors sketches ordinal intervals methods queries evaluation attacks privacy \
            marginals synopses searches api" '
        BEGIN {
            for (i = split(order, names, " "); i > 0; i--)
                rank[names[i]] = i
        }
        {
            split($0, folder, "/")
            split($0, quoted, "\"")
            split(quoted[2], of, "/")
            if (of[1] != folder[2] && (!(of[1] in rank) || rank[of[1]] >= rank[folder[2]]))
                print
        }
    ' || true
    for room in core/*/; do
        [ ! -d "$room" ] || [ -f "$room/README.md" ] || echo "$room: expected a README.md"
    done
)
# In bench/ a tag of a struct is defined once, no two files have one name, and a header is included by two files or more.
long=$long$(
    grep -rhoE --include='*.[ch]' '^(static )?struct [a-z_]+ \{' bench | sed 's/^static //' | sort | uniq -d |
        sed 's/ {$/: expected one definition in bench\//'
    find bench -name '*.[ch]' | sed 's|.*/||' | sort | uniq -d | sed 's/$/: expected one file of this name in bench\//'
    { grep -rhoE --include='*.[ch]' '^#include "[a-z_]+/[a-z_0-9]+\.h"' bench datasets tests 2>/dev/null | cut -d '"' -f 2
        find bench -name '*.h' | sed 's|^bench/||'; } | sort | uniq -c |
        awk '$1 < 3 && system("test -f bench/" $2) == 0 { print "bench/" $2 ": expected two files or more that include it" }'
)
long=$long$(
    for file in bench/results/*.js scripts/* plots/*.gp python/ldpbench/*.py perf/*.py; do
        [ -f "$file" ] || continue
        lines=$(wc -l <"$file")
        [ "$lines" -le 500 ] || echo "$file: $lines lines, expected at most 500"
    done
)
# Lines of each room of bench/, of all, of core/, scripts/, perf/, python/: lower the number where one shrinks; nothing moves in beyond it.
long=$long$(
    total=0
    for budget in commands=7986 figures=4000 agreement=2199 audit=1596 results=5197 stats=3260 support=3800 config=6199 tasks=7896 run=5698; do
        [ -d "bench/${budget%=*}" ] || continue
        lines=$(find "bench/${budget%=*}" '(' -name '*.[ch]' -o -name '*.def' ')' -exec cat {} + | wc -l)
        total=$((total + lines))
        [ "$lines" -le "${budget#*=}" ] || echo "bench/${budget%=*}: $lines lines, expected at most ${budget#*=}"
    done
    for budget in scripts=2210 perf=2000; do
        [ -d "${budget%=*}" ] || continue
        lines=$(find "${budget%=*}" -maxdepth 1 -type f -exec cat {} + | wc -l)
        [ "$lines" -le "${budget#*=}" ] || echo "${budget%=*}: $lines lines, expected at most ${budget#*=}"
    done
    lines=$(find python -type f ! -path '*/native/*' ! -path '*/__pycache__/*' ! -path '*.egg-info/*' ! -name setup.cfg -exec cat {} + 2>/dev/null | wc -l)
    [ "$lines" -le 3898 ] || echo "python: $lines lines, expected at most 3898"
    lines=$(find core '(' -name '*.[ch]' -o -name '*.def' ')' -exec cat {} + | wc -l)
    [ "$lines" -le 54852 ] || echo "core: $lines lines, expected at most 54852"
    [ "$total" -le 47832 ] || echo "bench: $total lines in its rooms, expected at most 47832"
)
# A key of a config, a reducer of claims, a script (or kind of picture) is used by a config, claim, page, story or script; an
# option by one of these or a test.
used() {
    grep -rqsE --exclude='*.sqlite' --exclude=run.json --exclude=schema.json --exclude=reference.md -e "$@" README.md Makefile .ci \
        docs configs suites papers studies scripts perf python/ldpbench bench/figures tests/stories.py tests/pages.py
}
long=$long$(
    for key in $(sed -n '/^## Config keys/,/^## Results/s/^| \([^|`]*| \)\{0,1\}`\([A-Za-z_]*\)` |.*/\2/p' docs/reference.md 2>/dev/null | sort -u); do
        used "[\"\`]$key[\"\`:\\]|[(, ]$key=" || echo "the key $key: expected a config or page that has it"
    done
    for option in $(grep -oE '(\\-){2}[a-z]+(\\-[a-z]+)*' man/ldpbench.1 2>/dev/null | tr -d '\\' | sort -u); do
        used "$option\b" tests || echo "the option $option: expected a page or test that has it"
    done
    sed -n '/^static int read_kind/,/^}/p' bench/agreement/statements.c 2>/dev/null | grep -oE '\] = \{?"[a-z_ ]+"' | cut -d '"' -f 2 |
        while read -r word; do
            grep -qE "\"(reduce|relation)\": *\"$word\"" papers/*/statements.json || echo "$word: expected a claim that has it"
        done
    for file in scripts/* perf/*.py plots/*.gp; do
        [ -f "$file" ] || continue
        name=${file##*/}
        used "$name\b|\"${name%.gp}\"|(import|from) ${name%.py}\b" --exclude="$name" tests || echo "$file: expected what uses it"
    done
)
# Tasks simulate, by stats/collection.c, and run/ alone lets them; the other rooms run an experiment.
long=$long$(
    grep -rnE --include='*.c' '\bldp_(simulate|simulation_init|rounds_collect)[a-z_]*\(|worker_(new|run)\(' bench |
        grep -vE '^bench/(tasks|run|audit)/|^bench/stats/collection.c:' | sed 's/$/: expected of run\/ alone/' || true
)
# A function that fails and forgets to say why must not pass for one that succeeds.
long=$long$(grep -snE --include='*.c' -r '^ +struct failure [a-z_]+;' bench datasets | sed 's/$/ expected = NO_REASON/' || true)
sh scripts/words.sh >/dev/null || pages=1
[ -z "$long$rooms${pages:-}" ] && exit 0
[ -z "$long" ] || printf '%s\n' "$long" >&2
[ -z "$rooms" ] || printf 'an include from a layer above (docs/developing.md, "Layers"): %s\n' "$rooms" >&2
exit 1
