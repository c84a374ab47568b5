#!/bin/sh
# Installs what was built into an empty folder, builds docs/example.c against that through pkg-config, runs it, and
# removes it all again. LDPBENCH names the program under test; nothing is built again.
set -eu
build=$(dirname "$LDPBENCH")
build=${build#"$PWD/"} # make's targets have no blanks in their names
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root="$work/to be packed"
umask 077 # what is installed is for all to read
unset MAKEFLAGS MFLAGS MAKELEVEL

# -o: these are taken as they are, even where another compiler or other flags would now be used.
install() {
    make --no-print-directory BUILD="$build" PREFIX=/opt/ldp DESTDIR="$root" \
        -o "$build/ldpbench" -o "$build/libldpbench.a" -o "$build/libldpbench.so.0" "$1"
}
install install >/dev/null

for file in bin/ldpbench lib/libldpbench.a lib/libldpbench.so lib/libldpbench.so.0 include/ldpbench.h include/ldpbench_binding.h lib/pkgconfig/ldpbench.pc share/man/man1/ldpbench.1 share/man/man5/ldpbench-config.5 \
    share/bash-completion/completions/ldpbench share/zsh/site-functions/_ldpbench share/fish/vendor_completions.d/ldpbench.fish share/doc/ldpbench/README.md \
    share/ldpbench/configs/smoke.json share/ldpbench/plots/style.gp; do
    [ -e "$root/opt/ldp/$file" ] || { echo "install: $file is not there" >&2; exit 1; }
done

closed=$(find "$root/opt" ! -type l ! -perm -444)
[ -z "$closed" ] || { echo "install: not for all to read: $closed" >&2; exit 1; }

# The pages find each other there, too.
for page in "$root"/opt/ldp/share/doc/ldpbench/*.md "$root"/opt/ldp/share/doc/ldpbench/*/*.md; do
    for link in $(sed 's/\[[^]]*\](\([^)#]*\)[^)]*)/\n@\1\n/g' "$page" | sed -n 's/^@//p' | grep -v '^http'); do
        [ -e "$(dirname "$page")/$link" ] || { echo "install: $page has a link to $link, which is not there" >&2; exit 1; }
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
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 -Wall -Wextra -Werror docs/example.c $extra $flags -o "$root/example"
LD_LIBRARY_PATH="$root/opt/ldp/lib" "$root/example" >"$root/output"
awk -F '\t' '
    NR == 1 { if ($0 != "value\ttrue\testimate\tnorm_sub") exit 1; next }
    /^#/ { next }
    { rows++; sum += $4; if ($4 < 0 || $3 - $2 > 0.5 || $2 - $3 > 0.5) exit 1 }
    END { if (rows != 5 || sum < 0.997 || sum > 1.003) exit 1 }' "$root/output" || {
    cat "$root/output" >&2
    exit 1
}

# The static library gives the same; the shared one shows nothing but the library's own names.
mv "$root/opt/ldp/lib/libldpbench.so" "$root/aside"
# shellcheck disable=SC2086
"${CC:-cc}" -std=c11 docs/example.c $extra $flags -o "$root/static"
mv "$root/aside" "$root/opt/ldp/lib/libldpbench.so"
"$root/static" | cmp - "$root/output"
shared=$root/opt/ldp/lib/libldpbench.so.0
readelf -d "$shared" | grep -q 'SONAME.*\[libldpbench.so.0\]' || { echo "install: no soname" >&2; exit 1; }
foreign=$(nm -D --defined-only "$shared" | awk '$3 !~ /^ldp_/ && $2 != "A" { print $3 }')
case $build in
*/san | */coverage) ;; # instrumentation adds names of its own
*) [ -z "$foreign" ] || { echo "install: the shared library shows $foreign" >&2; exit 1; } ;;
esac

"$root/opt/ldp/bin/ldpbench" list >/dev/null

install uninstall >/dev/null
left=$(find "$root/opt" ! -type d)
[ -z "$left" ] || { echo "uninstall left: $left" >&2; exit 1; }
