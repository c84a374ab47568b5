#!/bin/sh
# Installs what was built into an empty folder, builds docs/example.c and the same in C++ against that through pkg-config
# and through CMake, runs them, compares versions, shown functions and manual pages with the header, and removes it all
# again. LDPBENCH names the program under test; nothing is built again.
set -eu
build=$(dirname "$LDPBENCH")
build=${build#"$PWD/"} # make's targets have no blanks in their names
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/to be packed"
umask 077 # what is installed is for all to read
unset MAKEFLAGS MFLAGS MAKELEVEL

soname=$(readlink "$build/libldpbench.so")
# -o: these are taken as they are, even where another compiler or other flags would now be used.
install() {
    make --no-print-directory BUILD="$build" PREFIX=/opt/ldp DESTDIR="$root" \
        -o "$build/ldpbench" -o "$build/libldpbench.a" -o "$build/$soname" "$1"
}
install install >/dev/null

for file in bin/ldpbench lib/libldpbench.a lib/libldpbench.so "lib/$soname" include/ldpbench.h lib/pkgconfig/ldpbench.pc \
    lib/cmake/ldpbench/ldpbench-config.cmake share/man/man3/ldpbench.3 share/man/man1/ldpbench.1 share/man/man5/ldpbench-config.5 \
    share/bash-completion/completions/ldpbench share/zsh/site-functions/_ldpbench share/fish/vendor_completions.d/ldpbench.fish share/doc/ldpbench/README.md \
    share/ldpbench/configs/smoke.json share/ldpbench/plots/style.gp; do
    [ -e "$root/opt/ldp/$file" ] || { echo "install: $file is not there" >&2; exit 1; }
done

closed=$(find "$root/opt" ! -type l ! -perm -444)
[ -z "$closed" ] || { echo "install: not for all to read: $closed" >&2; exit 1; }

# The pages find each other there, too.
for page in "$root"/opt/ldp/share/doc/ldpbench/*.md "$root"/opt/ldp/share/doc/ldpbench/*/*.md; do
    for link in $(sed 's/\[[^]]*\](\([^)#]*\)[^)]*)/\n@\1\n/g' "$page" | sed -n 's/^@//p' | grep -v '^http'); do
        [ -e "${page%/*}/$link" ] || { echo "install: $page has a link to $link, which is not there" >&2; exit 1; }
    done
done

# An instrumented library wants an instrumented program.
case $build in
*/san) extra='-fsanitize=address,undefined' ;;
*/coverage) extra='--coverage' ;;
*) extra= ;;
esac
ln -s "$root" "$work/plain" # pkg-config leaves blanks of its own folders as they are
flags=$(PKG_CONFIG_PATH="$root/opt/ldp/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$work/plain" \
    pkg-config --cflags --libs ldpbench)
strict='-Wall -Wextra -Wpedantic -Werror'
cp docs/example.c tests/programs/example.cpp "$root"
cd "$root" # where nothing but what is installed is found
# shellcheck disable=SC2086
{
    "${CC:-cc}" -std=c99 $strict example.c $extra $flags -o example
    "${CXX:-c++}" -std=c++17 $strict example.cpp $extra $flags -o example++
    for compiler in gcc clang; do
        for standard in c99 c11 c17; do
            ! command -v $compiler >/dev/null || $compiler -std=$standard $strict -fsyntax-only -x c opt/ldp/include/ldpbench.h
        done
        ! command -v $compiler >/dev/null || $compiler -std=c++17 $strict -fsyntax-only -x c++ opt/ldp/include/ldpbench.h
    done
}
export LD_LIBRARY_PATH="$root/opt/ldp/lib"
./example count first &
./example++ count second
wait $!
./example answer first second >output
./example++ answer second first | cmp - output
awk -F '\t' '
    NR == 1 { if ($0 != "value\ttrue\testimate\tlow\thigh\tnorm_sub") exit 1; next }
    { rows++; sum += $6; if ($3 < $4 || $3 > $5 || $5 - $4 > 0.02 || $3 - $2 > 0.02 || $2 - $3 > 0.02) exit 1 }
    END { if (rows != 5 || sum < 0.9995 || sum > 1.0005) exit 1 }' output || {
    cat output >&2
    exit 1
}
./example answer output 2>said && exit 1
grep -q '^example: expected an aggregate, got ' said || { cat said >&2; exit 1; }

# The static library gives the same; the shared one shows what the header declares, and nothing else.
mv opt/ldp/lib/libldpbench.so aside
# shellcheck disable=SC2086
"${CC:-cc}" -std=c99 example.c $extra $flags -o static
mv aside opt/ldp/lib/libldpbench.so
./static answer first second | cmp - output

# The same through CMake, and the version in all that carry one.
cd "$OLDPWD"
version=$("$LDPBENCH" --version | sed 's/ldpbench \([^ ]*\) .*/\1/')
cat >"$root/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(example C CXX)
find_package(ldpbench ${version%.*} REQUIRED)
add_executable(c example.c)
add_executable(cpp example.cpp)
set_target_properties(c cpp PROPERTIES C_STANDARD 99 CXX_STANDARD 17 LINK_OPTIONS "$extra")
target_link_libraries(c ldpbench::ldpbench)
target_link_libraries(cpp ldpbench::ldpbench)
END
if command -v cmake >/dev/null; then
    cmake -S "$root" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$root/opt/ldp" >"$work/log" && cmake --build "$work/cmake" >>"$work/log" || {
        cat "$work/log" >&2
        exit 1
    }
    for program in c cpp; do
        "$work/cmake/$program" answer "$root/first" "$root/second" | cmp - "$root/output"
    done
else
    echo "install: the CMake package is not tested: no cmake" >&2
fi
major=${version%%.*}
[ "$(PKG_CONFIG_PATH="$root/opt/ldp/lib/pkgconfig" pkg-config --modversion ldpbench)" = "$version" ] &&
    [ "$soname" = "libldpbench.so.$major" ] && grep -q "^VERSION = $major " python/ldpbench/_library.py &&
    grep -qx "version: $version" CITATION.cff && grep -qx "## $version" CHANGELOG.md &&
    head -n 1 "$root/opt/ldp/share/man/man1/ldpbench.1" | grep -qF "\"ldpbench $version\"" || {
    echo "install: expected version $version in the .pc file, the library's name, python/ldpbench/_library.py, CITATION.cff, CHANGELOG.md and the manual" >&2
    exit 1
}

# The shared library shows the functions that the header declares, as gcc reads it, and each has a page of the manual.
shared=$root/opt/ldp/lib/$soname
readelf -d "$shared" | grep -q "SONAME.*\[$soname\]" || { echo "install: no soname" >&2; exit 1; }
gcc -std=c11 -fsyntax-only -aux-info "$work/prototypes" -x c "$root/opt/ldp/include/ldpbench.h"
sed '/\/ldpbench\.h:/!d; s/ (.*//; s/.*[ *]//' "$work/prototypes" | sort -u >"$work/declared"
(cd "$root/opt/ldp/share/man/man3" && ls) | sed -n 's/\.3$//; /_/p' | sort | diff "$work/declared" - >&2 || {
    echo "install: the functions that the header declares are not those that have a page of the manual" >&2
    exit 1
}
case $build in
*/san | */coverage) ;; # instrumentation adds names of its own
*) nm -D --defined-only "$shared" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort | diff "$work/declared" - >&2 || {
    echo "install: the functions that the header declares are not those that the shared library shows" >&2
    exit 1
} ;;
esac
if command -v man >/dev/null; then
    said=$(cd "$root/opt/ldp/share/man" && LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l man[15]/ldpbench* man3/ldpbench.3 2>&1 >/dev/null
        groff -man -Tutf8 -ww -z man3/* 2>&1)
    [ -z "$said" ] || { echo "install: man: $said" >&2; exit 1; }
fi

"$root/opt/ldp/bin/ldpbench" list >/dev/null

install uninstall >/dev/null
left=$(find "$root/opt" ! -type d)
[ -z "$left" ] || { echo "uninstall left: $left" >&2; exit 1; }
