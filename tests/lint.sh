#!/bin/sh
# lint.sh - functions of more than 70 lines, and files of more than 500 whose head does not give the reason ("over 500
# lines"), outside tests. Prints them and fails if there are any; run in the root of the sources.
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
[ -z "$long" ] && exit 0
printf '%s\n' "$long" >&2
exit 1
