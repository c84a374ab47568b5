#!/bin/sh
# extending.sh - the program with the examples of docs/developing.md and docs/templates in it: the code blocks of each section, each in
# the file that its fence names; those of a .def are lines that are added. Everything else is taken from the build of
# the program LDPBENCH, and it is built once, beside that.
# usage: tests/extending.sh SECTION FOLDER        leaves FOLDER/ldpbench; run in the root of the sources
set -eu
section=$1 folder=$2
build=$(dirname "${LDPBENCH:-build/release/ldpbench}")
pages="docs/developing.md docs/templates/README.md"
tables="core/api/registry.def core/attacks/attacks.def core/privacy/chains.def core/searches/searches.def core/synopses/synopses.def datasets/registry.def bench/tasks/tasks.def"

# shellcheck disable=SC2086 # words
parts=$(awk -v section="## $section" '
    /^## / { found = index($0, section) == 1 }
    /^```/ && file != "" { file = ""; next }
    found && /^```c [a-z]/ { file = $2; files += file ~ /\.c$/; next }
    file ~ /\.def$/ { lines++ }
    END { print files + 0 " file and " lines + 0 " line" }' $pages)
[ "$parts" = "1 file and 1 line" ] || { echo "extending: $section: expected one file and one line, got $parts" >&2; exit 1; }

out=$build/extended
exec 9>"$build/extended.lock"
flock 9
for page in "$build/ldpbench" $pages tests/extending.sh; do
    [ "$out/ldpbench" -nt "$page" ] || rm -rf "$out"
done
ln -s "$(realpath -m "$out/ldpbench")" "$folder/ldpbench"
[ ! -d "$out" ] || exit 0

for folder in core/api core/attacks core/privacy core/oracles core/methods core/queries core/searches core/synopses datasets/laws datasets/readers bench/tasks; do
    mkdir -p "$out/$folder"
done
for table in $tables; do
    cp "$table" "$out/$table"
done
cp core/ldp.h "$out/core"
# shellcheck disable=SC2086 # words
awk -v out="$out" '
    /^```/ && file != "" { close(file); file = ""; next }
    /^```c [a-z]/ { file = out "/" $2; next }
    file != "" { print >> file }
' $pages
sources=$(cd "$out" && find core/*/ datasets/*/ bench/tasks -name '*.c')
# clang says so where an option is the linker's. The folder with the new tables is searched first.
flags="$(sed "s/ -l[^ ]*//g; s| -| -iquote $out/bench -|" "$build/flags") -Wno-unused-command-line-argument"
libraries=$(grep -o ' -l[^ ]*' "$build/flags" | tr '\n' ' ')
new=
compile() { # FILE OBJECT
    $flags -c "$1" -o "$out/$2"
    new="$new $out/$2"
}
for source in $sources; do
    compile "$out/$source" "example_$(basename "$source" .c).o"
done
# The sources that include a table with a new line: a quoted include is looked up in the folder of its file first, so
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
