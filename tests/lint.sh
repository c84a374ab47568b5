#!/bin/sh
# lint.sh - functions of more than 70 lines, files of more than 500 whose head does not give the reason ("over 500
# lines"), outside tests, and includes from a room that its own may not use (docs/design.md). Prints them and fails if
# there are any; run in the root of the sources.
set -eu
long=$(
    for file in bench/*.c bench/*/*.[ch] core/*.[ch] core/*/*.[ch] datasets/*.[ch] datasets/*/*.[ch] perf/*.[ch]; do
        [ -f "$file" ] || continue
        awk -v file="$file" '
            !opened && index($0, "*/") { opened = 1; head = head " " $0 }
            !opened { head = head " " $0 }
            /^[A-Za-z_].*[(,)]/ { name = $0 }
            /^[{]/ { start = NR }
            /^[}]/ {
                if (start && NR - start - 1 > 70)
                    print file ":" start ": a function of " NR - start - 1 " lines, expected at most 70: " name
                start = 0
            }
            END {
                gsub(/[ *]+/, " ", head)
                if (NR > 500 && head !~ /over 500 lines/)
                    print file ": " NR " lines, expected at most 500, or the reason in its head"
            }
        ' "$file"
    done
)
rooms=$(
    # FOLDER ROOM...: the files below a folder include nothing of these rooms of bench/.
    without() {
        folder=$1
        shift
        for room in "$@"; do
            grep -rsnE --include='*.[ch]' "^#include \"$room/" "$folder" || true
        done
    }
    rest="agreement audit commands config figures results run stats tasks"
    without core $rest support
    without datasets $rest
    without bench/support $rest
    for room in agreement audit config figures results run stats tasks; do
        without "bench/$room" commands
    done
    for room in audit config figures results run stats tasks; do
        without "bench/$room" agreement
    done
    for room in config tasks run stats results; do
        without "bench/$room" figures audit
    done
    without bench/config results stats
    without bench/figures audit
    without bench/agreement audit
)
long=$long$(
    for file in bench/results/browse/*.js bench/results/*.js scripts/* plots/*.gp python/ldpbench/*.py perf/*.py; do
        [ -f "$file" ] || continue
        lines=$(wc -l <"$file")
        [ "$lines" -le 500 ] || echo "$file: $lines lines, expected at most 500"
    done
)
[ -z "$long$rooms" ] && exit 0
[ -z "$long" ] || printf '%s\n' "$long" >&2
[ -z "$rooms" ] || printf 'an include from a room above (docs/design.md, "Rooms"): %s\n' "$rooms" >&2
exit 1
