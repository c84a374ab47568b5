#!/bin/sh
# A table of the lines and branches that an instrumented run reached, file by file, with the lines never reached.
# usage: coverage.sh BUILD_FOLDER SOURCE_FOLDER
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 2 2 "$@"
build=$1 sources=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

find "$sources" -name '*.c' | LC_ALL=C sort | while read -r source; do
    data=$build/${source%.c}.gcda
    [ -e "$data" ] || continue
    gcov -b -t -o "$data" "$source" 2>/dev/null >"$scratch/lines"
    awk -v source="$source" '
        # execution count : line number : text; the preamble has line 0
        /^ *[-#=0-9*]+: *[0-9]+:/ {
            split($0, part, ":")
            count = part[1]; gsub(/ /, "", count); line = part[2] + 0
            if (line == 0) {
                inside = index($0, ":Source:" source) ? 1 : index($0, ":Source:") ? 0 : inside
                next
            }
            if (!inside || count == "-")
                next
            lines++
            # A line may come once for each function that a macro makes.
            if (count !~ /^[#=]/)
                reached++
            else if (!(line in reported)) {
                reported[line]
                missed = missed (missed == "" ? "" : " ") line
            }
        }
        inside && /^branch/ { branches++; if ($0 !~ /never executed/ && $0 !~ /taken 0%/) taken++ }
        END {
            if (lines)
                printf "%s\t%d\t%d\t%d\t%d\t%s\n", source, lines, reached, branches, taken, missed
        }' "$scratch/lines"
done | awk -F '\t' '
    function row(name, lines, reached, branches, taken, missed) {
        if (length(missed) > 40)
            missed = substr(missed, 1, 40) " ..."
        printf "%-34s %6d %7.1f%% %9d %7.1f%%  %s\n", name, lines, 100 * reached / lines, branches,
            branches ? 100 * taken / branches : 100, missed
    }
    BEGIN { printf "%-34s %6s %8s %9s %8s  %s\n", "file", "lines", "reached", "branches", "taken", "lines not reached" }
    { row($1, $2, $3, $4, $5, $6); l += $2; r += $3; b += $4; t += $5 }
    END {
        if (!l) {
            print "coverage: no data; did the instrumented tests run?" > "/dev/stderr"
            exit 1
        }
        row("all", l, r, b, t, "")
    }'
