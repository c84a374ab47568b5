#!/bin/sh
# From a fresh Debian to figures or tests: installs what is missing, then runs make.
#
# usage: bootstrap.sh [build | test | verify | figures | packages]
#
# build is the default; packages installs everything that any target uses (clang tools, MPI) and builds nothing.
# Where everything is there nothing is installed and no network is needed. Where there is no apt-get, what is
# missing is reported and make is tried anyway. BOOTSTRAP_DRY_RUN=1 shows the commands without running them.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
cd "$(dirname "$0")/.."

target=${1:-build}
case $target in
build | test | verify | figures | packages) ;;
*) refuse "expected build, test, verify, figures or packages, got \"$target\"" ;;
esac

missing=
need() { # PACKAGE COMMAND...: the package is needed unless the command succeeds
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
tool() { command -v "$1"; }
library() { pkg-config --exists "$1"; }
# The compiler may be there without the headers of the C library or OpenMP.
compiles() { cc -fopenmp -fsyntax-only -include stdlib.h -include omp.h -x c /dev/null && tool make; }

clang_openmp() { clang -fopenmp -fsyntax-only -include omp.h -x c /dev/null; }
cross_compiles() { aarch64-linux-gnu-gcc -fsyntax-only -include stdlib.h -x c /dev/null; }
mpi_compiles() { mpicc -fsyntax-only -include mpi.h -x c /dev/null; }

# Debian's own interpreter: its packages are not another's.
module() { /usr/bin/python3 -c "import $1"; }
python() {
    need python3 tool /usr/bin/python3
    need python3-numpy module numpy
    need python3-cvxopt module cvxopt
    need python3-pandas module pandas
    need python3-pytest module pytest
    need python3-jsonschema module jsonschema
    need python3-pip module pip
    need python3-venv module ensurepip
    need python3-setuptools module setuptools
    need python3-wheel module wheel
    need python3-matplotlib module matplotlib
    need python3-nbconvert module nbconvert
    need python3-ipykernel module ipykernel
    need mypy module mypy
}

# The tests of the completions run in the shells that they are for.
shells() {
    need zsh tool zsh
    need fish tool fish
}

# The tests of report's page run in a real browser.
browser() {
    need chromium tool chromium
    need chromium-driver tool chromedriver
    need python3-selenium module selenium
}

look() {
    missing=
    need build-essential compiles
    need pkg-config tool pkg-config
    need libcjson-dev library libcjson
    need libgsl-dev library gsl
    need libmd-dev library libmd
    need libsqlite3-dev library sqlite3
    need zlib1g-dev library zlib
    need libjs-chart.js test -r /usr/share/javascript/chart.js/chart.min.js
    case $target in
    test | verify | packages)
        need libcriterion-dev library criterion
        need libopenmpi-dev mpi_compiles
        need openmpi-bin tool mpirun
        need libxml2-utils tool xmllint
        need poppler-utils tool pdffonts
        need gcc-aarch64-linux-gnu tool aarch64-linux-gnu-gcc
        need libc6-dev-arm64-cross cross_compiles
        need cmake tool cmake
        need man-db tool man
        need abigail-tools tool abidiff
        python
        browser
        shells
        ;;
    esac
    case $target in
    test | verify | figures | packages) need gnuplot-nox tool gnuplot ;;
    esac
    if [ "$target" = packages ]; then
        need clang tool clang
        need clang-tidy tool clang-tidy
        need clang-format tool clang-format
        need libomp-dev clang_openmp
        need git tool git
        need debhelper tool dh
        need dh-python tool dh_python3
        need lintian tool lintian
        need pybuild-plugin-pyproject test -e /usr/share/doc/pybuild-plugin-pyproject
    fi
}

run() {
    echo "+ $*"
    [ -n "${BOOTSTRAP_DRY_RUN:-}" ] || "$@"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        run env DEBIAN_FRONTEND=noninteractive "$@"
    elif command -v sudo >/dev/null 2>&1; then
        run sudo env DEBIAN_FRONTEND=noninteractive "$@"
    else
        echo "bootstrap: installing needs root or sudo; missing:$missing" >&2
        exit 3
    fi
}

look
if [ -n "$missing" ] && command -v apt-get >/dev/null 2>&1; then
    echo "bootstrap: installing$missing"
    # shellcheck disable=SC2086 # a list of names
    set -- apt-get install -y -q --no-install-recommends $missing
    # Package lists may be missing (a fresh container) or older than what the archive still serves.
    if ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1; then
        as_root "$@" || { as_root apt-get update -q && as_root "$@"; }
    else
        as_root apt-get update -q
        as_root "$@"
    fi
    look
    if [ -n "$missing" ] && [ -z "${BOOTSTRAP_DRY_RUN:-}" ]; then
        echo "bootstrap: still missing:$missing" >&2
        exit 3
    fi
elif [ -n "$missing" ]; then
    # Other systems have these under other names; make fails if one of them is missing.
    echo "bootstrap: no apt-get here, and not found (Debian's names):$missing" >&2
fi

[ "$target" = packages ] && exit 0
[ "$target" = build ] && target=all
jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
run make -j"$jobs" "$target"
