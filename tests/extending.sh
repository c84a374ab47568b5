#!/bin/sh
# extending.sh - builds the program with an example of docs/developing.md or docs/templates in it: the code blocks of one section, each in
# the file that its fence names; those of a .def are lines that are added. Everything else is taken from the build of
# the program LDPBENCH.
# usage: tests/extending.sh SECTION FOLDER        leaves FOLDER/ldpbench; run in the root of the sources
set -eu
section=$1
out=$2
build=$(dirname "${LDPBENCH:-build/release/ldpbench}")
tables="core/api/registry.def core/attacks/attacks.def core/privacy/chains.def core/searches/searches.def core/synopses/synopses.def datasets/registry.def bench/tasks/tasks.def"
for folder in core/api core/attacks core/privacy core/oracles core/methods core/queries core/searches core/synopses datasets/laws datasets/readers bench/tasks; do
    mkdir -p "$out/$folder"
done
for table in $tables; do
    cp "$table" "$out/$table"
done
cp core/ldpbench.h "$out/core"
awk -v section="## $section" -v out="$out" '
    /^## / { found = index($0, section) == 1 }
    /^```/ && file != "" { close(file); file = ""; next }
    found && /^```c [a-z]/ { file = out "/" $2; next }
    file != "" { print >> file }
' docs/developing.md docs/templates/README.md
sources=$(cd "$out" && find core/*/ datasets/*/ bench/tasks -name '*.c')
added=$(for table in $tables; do diff "$table" "$out/$table" || true; done | grep -c '^>')
[ "$(echo "$sources" | wc -w)" = 1 ] && [ "$added" = 1 ] || {
    echo "extending: $section: expected one file and one line, got $sources and $added lines" >&2
    exit 1
}
# clang says so where an option is the linker's. The folder with the new table is searched first.
flags="$(sed "s/ -l[^ ]*//g; s| -| -iquote $out/bench -|" "$build/flags") -Wno-unused-command-line-argument"
libraries=$(grep -o ' -l[^ ]*' "$build/flags" | tr '\n' ' ')
new=
compile() { # FILE OBJECT
    $flags -c "$1" -o "$out/$2"
    new="$new $out/$2"
}
compile "$out/$sources" example.o
# The sources that include the table with the new line: a quoted include is looked up in the folder of its file first, so
# those next to their table are copied.
replaced=
for table in $tables; do
    ! cmp -s "$table" "$out/$table" || continue
    for file in $(grep -lE "\"(tasks/)?${table##*/}\"" $(dirname "$table")/*.c bench/*/*.c); do
        case $table in
        bench/*) source=$file ;;
        *) [ "$(dirname "$file")" = "$(dirname "$table")" ] || continue
           cp "$file" "$out/$file"
           source=$out/$file ;;
        esac
        case " $replaced " in
        *" $file "*) continue ;;
        esac
        replaced="$replaced $file"
        compile "$source" "$(echo "${file%.c}" | tr / _).o"
    done
done
objects=
for file in bench/*.c bench/*/*.c datasets/*.c datasets/*/*.c; do
    case " $(echo $replaced) " in
    *" $file "*) ;;
    *) objects="$objects $build/${file%.c}.o" ;;
    esac
done
$flags $new $objects "$build/libldpbench.a" -o "$out/ldpbench" $libraries
