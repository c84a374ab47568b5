#!/bin/sh
# extending.sh - builds the program with an example of docs/extending.md in it: the code blocks of one section, each in
# the file that its fence names; those of a .def are lines that are added. Everything else is taken from the build of
# the program LDPBENCH.
# usage: tests/extending.sh SECTION FOLDER        leaves FOLDER/ldpbench; run in the root of the sources
set -eu
section=$1
out=$2
build=$(dirname "${LDPBENCH:-build/release/ldpbench}")
mkdir -p "$out/core/oracles" "$out/core/methods" "$out/core/queries" "$out/bench/tasks"
cp core/registry.def core/registry.c "$out/core/"
cp bench/tasks/tasks.def "$out/bench/tasks/"
awk -v section="## $section" -v out="$out" '
    /^## / { found = index($0, section) == 1 }
    /^```/ && file != "" { close(file); file = ""; next }
    found && /^```c [a-z]/ { file = out "/" $2; next }
    file != "" { print >> file }
' docs/extending.md
sources=$(cd "$out" && find core/oracles core/methods core/queries bench/tasks -name '*.c')
added=$({ diff core/registry.def "$out/core/registry.def" || true; diff bench/tasks/tasks.def "$out/bench/tasks/tasks.def" || true; } |
    grep -c '^>')
[ "$(echo "$sources" | wc -w)" = 1 ] && [ "$added" = 1 ] || {
    echo "extending: $section: expected one file and one line, got $sources and $added lines" >&2
    exit 1
}
flags=$(sed 's/ -l[^ ]*//g' "$build/flags")
libraries=$(grep -o ' -l[^ ]*' "$build/flags" | tr '\n' ' ')
new=
compile() { # FILE OBJECT
    $flags -iquote "$out/bench" -c "$1" -o "$out/$2"
    new="$new $out/$2"
}
compile "$out/$sources" example.o
case $sources in
core/*)
    compile "$out/core/registry.c" registry.o
    replaced=
    ;;
*)
    replaced=$(grep -l 'tasks/tasks.def"' bench/*/*.c)
    for file in $replaced; do
        compile "$file" "$(basename "$file" .c).o"
    done
    ;;
esac
objects=
for file in bench/*.c bench/*/*.c datasets/*.c datasets/*/*.c; do
    case " $(echo $replaced) " in
    *" $file "*) ;;
    *) objects="$objects $build/${file%.c}.o" ;;
    esac
done
$flags $new $objects "$build/libldpbench.a" -o "$out/ldpbench" $libraries
