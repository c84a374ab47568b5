#!/bin/sh
# Installs the packages of `make deb` into a Debian that holds nothing else (debootstrap, in a temporary folder; as root,
# with a mirror of Debian at hand), and runs there the three commands of README.md, a C program and Python.
# usage: tests/deb.sh [MIRROR]
set -eu
cd "$(dirname "$0")/.."
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d)
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf "$root"' EXIT
debootstrap --variant=minbase "$suite" "$root" "${1:-http://deb.debian.org/debian}" >"$root.log" || { tail "$root.log" >&2; exit 1; }
rm "$root.log"
cp build/deb/*.deb docs/survey.csv docs/example.c "$root/root/"
cp -R /etc/apt/apt.conf.d "$root/etc/apt/" # how this machine reaches the mirror
cp /etc/resolv.conf "$root/etc/"
mount -t proc proc "$root/proc"
chroot "$root" sh -euc '
    cd /root
    export DEBIAN_FRONTEND=noninteractive
    apt-get install -y -q --no-install-recommends ./*.deb gnuplot-nox gcc libc6-dev pkg-config >log 2>&1 || { tail log; exit 1; }
    ldpbench init survey.csv --epsilon 0.5,1,2
    ldpbench run survey.json --quiet
    ldpbench report results/survey -o survey.html
    test -s survey.html
    cc example.c $(pkg-config --cflags --libs ldpbench) -o example
    ./example count first && ./example count second && ./example answer first second
    python3 -c "
import ldpbench
print(ldpbench.__version__, ldpbench.program(), ldpbench.configs()[\"smoke\"], ldpbench.include())
print(ldpbench.compare(\"norm_sub\", [\"a\", \"b\", \"b\"] * 50, 1).best())"
    apt-get remove -y -q ldpbench libldpbench1 >log
    test ! -e /usr/share/ldpbench'
