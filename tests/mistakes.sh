#!/bin/sh
# mistakes.sh - plants each mistake of tests/mistakes/mistakes.txt in a copy of our source and runs the test that must
# fail, as `make quick` does, and the gate (tests/gate.sh). What is not changed is taken from the build of the program
# LDPBENCH.
# usage: tests/mistakes.sh [-j JOBS] [NUMBER...]       in the root of the sources; exit status 1 if one is not caught
#        tests/mistakes.sh --table                     the list as a table of Markdown
set -eu
list=tests/mistakes/mistakes.txt
build=$(dirname "${LDPBENCH:-build/release/ldpbench}")

table() {
    awk '
        function flush() {
            if (words != "")
                print "| " number " | " words " | " (why ? "not injected: " why : "`" file "`") " | " (test ? "`" test "`" : "") " | " (why ? "" : gate ? "yes" : "no") " |"
            words = file = test = why = gate = ""
        }
        BEGIN { print "| | mistake | injected in | caught by | gate |"; print "|---|---|---|---|---|" }
        /^= / { flush(); number = $2; words = substr($0, length($2) + 4) }
        /^@ / { file = $2 }
        /^! / { test = $2 }
        /^% gate/ { gate = 1 }
        /^~ / { why = substr($0, 3) }
        END { flush() }
    ' $list
}

# One mistake, the one that starts in line $1 of the list: files in $2.
plant() {
    awk -v start="$1" -v out="$2" '
        function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
        function apply(    i, j, found, at) {
            if (!old)
                return
            while ((getline line < source) > 0)
                text[++n] = line
            close(source)
            for (i = 1; i + old - 1 <= n; i++) {
                for (j = 1; j <= old && trim(text[i + j - 1]) == before[j]; j++)
                    ;
                if (j > old) {
                    found++
                    at = i
                }
            }
            if (found != 1) {
                print "mistakes: line " start ": " source ": expected the lines once, found them " found + 0 " times" > "/dev/stderr"
                failed = 1
                exit 1
            }
            target = out "/" file
            system("mkdir -p $(dirname " target ")")
            printf "" > target
            for (i = 1; i <= n; i++) {
                if (i == at)
                    for (j = 1; j <= new; j++)
                        print after[j] >> target
                if (i < at || i >= at + old)
                    print text[i] >> target
            }
            close(target)
            old = new = n = 0
        }
        NR < start { next }
        NR > start && /^= / { exit }
        /^@ / { apply(); file = $2; source = file == last ? out "/" file : file; last = file }
        /^- / { before[++old] = trim(substr($0, 3)) }
        /^\+/ { after[++new] = substr($0, 3) }
        END { if (!failed) apply(); exit failed }
    ' $list
}

# The planted program, and what tests see of it, from the build's other objects.
build_planted() {
    file=$(cd "$folder" && find . -name '*.c' | sed 's|^\./||')
    # A file of its own folder is found before one of the same name elsewhere, as next to the file itself.
    flags=$(sed "s/ -l[^ ]*//g; s/ -Werror / /; s| -iquote | -iquote $(dirname "$file") -iquote |" "$build/flags")
    libraries=$(grep -o ' -l[^ ]*' "$build/flags" | tr '\n' ' ')
    $flags -w -c "$folder/$file" -o "$folder/planted.o"
    objects=
    for source in bench/*/*.c datasets/*.c datasets/*/*.c; do
        [ "$source" = "$file" ] || objects="$objects $build/${source%.c}.o"
    done
    tests=
    for source in tests/*.c; do
        tests="$tests $build/${source%.c}.o"
    done
    $flags "$folder/planted.o" $objects $tests "$build/libldpbench.a" -o "$folder/run-tests" $libraries -lcriterion
    $flags "$folder/planted.o" $objects "$build/bench/main.o" "$build/libldpbench.a" -o "$folder/ldpbench" $libraries
}

# Of the mistake in line $1 the lines that begin with $2.
noted() {
    awk -v start="$1" -v sign="$2" 'NR > start && /^= / { exit } NR > start && $1 == sign { print $2 }' $list
}

# Builds and runs one: prints a line, fails if the test passes or the gate finds what the list says it does not.
try() {
    line=$1
    words=$(sed -n "${line}s/^= //p" $list)
    test=$(noted "$line" ! | head -n 1)
    # Only a mistake that is said not to end may be stopped: any other test has time enough on a busy machine.
    endless=$(noted "$line" '*')
    seconds=$([ "$endless" ] && echo 60 || echo 600)
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    plant "$line" "$folder"
    build_planted
    export LDPBENCH="$folder/ldpbench"
    status=0
    # BXFI_MAP: what Criterion hands to a test, and this may be run by one.
    LDPBENCH_QUICK=1 timeout "$seconds" env -u BXFI_MAP "$folder/run-tests" -j1 --filter "$test" >"$folder/said" 2>&1 || status=$?
    if [ "$endless" ]; then
        [ $status = 124 ] && caught=1 || caught=
    else
        [ $status != 0 ] && grep -q 'Tested: 1 ' "$folder/said" && caught=1 || caught=
    fi
    if [ -z "$caught" ]; then
        echo "mistake $words: NOT CAUGHT by $test"
        tail -3 "$folder/said"
        return 1
    fi
    timeout "$seconds" sh tests/gate.sh >"$folder/said" 2>&1 && gate= || gate=gate
    echo "mistake $words: caught by $test$([ -z "$endless" ] || echo ', which does not end')$([ -z "$gate" ] || echo ' and by the gate')"
    if [ "$gate" != "$(noted "$line" %)" ]; then
        echo "mistake $words: $([ "$gate" ] && echo 'found by the gate' || echo 'NOT FOUND by the gate'), which its \"% gate\" does not say"
        return 1
    fi
}

jobs=2
case ${1:-} in
--table) table; exit ;;
--try) try "$2"; exit ;;
--plant) plant "$2" "$3"; exit ;;
-j) jobs=$2; shift 2 ;;
esac
lines=$(awk -v wanted=" $* " '
    /^= / { start = NR; number = $2 }
    /^@ / && start && (wanted == "  " || index(wanted, " " number " ")) { print start; start = 0 }
' $list)
printf '%s\n' $lines | xargs -P "$jobs" -n 1 sh "$0" --try
