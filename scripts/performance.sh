#!/bin/sh
# Measures what studies/performance.md shows and puts the tables and the plot into it, all of them or those that are named.
# usage: performance.sh FOLDER [PART...]
#
# FOLDER gets performance.md and performance.svg; tables that are not measured stay as studies/performance.md has them. Parts:
# bench (of build/release/performance.json, which make bench writes), levels, growth, peers, starting. Half an hour on a machine that
# does nothing else. LDPBENCH names the program, PYTHON a python3 with NumPy.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 1 "any number of" "$@"
folder=$(cd "$1" && pwd) || refuse "no folder \"$1\""
shift
enter_sources
find_numpy || python=python3
[ $# -gt 0 ] || set -- bench levels growth peers starting
json=build/release/performance.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONPATH=python
# Numbers of sentences stay as they are where they are not measured.
grep -o '<!--=[a-z0-9_]*-->[^<]*' studies/performance.md | sed 's/^<!--=\([a-z0-9_]*\)-->/\1\t/' >"$work/values"

highest_level() {
    for level in avx512 avx2 generic; do
        ! LDPBENCH_SIMD=$level "$program" list --format names >/dev/null 2>&1 || break
    done
    echo "${LDPBENCH_SIMD:-$level}"
}
made_on="$("$program" --version), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | sort -u), $(nproc) processors, level $(highest_level)"

for part; do
    case $part in
    bench) ;;
    levels | growth) "$python" "perf/$part.py" "$program" >"$work/$part" ;;
    starting) "$python" perf/starting.py "$program" >"$work/$part" ;;
    peers) "$python" perf/published.py >"$work/$part" ;;
    *) refuse "no part \"$part\"" ;;
    esac
    if [ "$part" = bench ]; then
        [ -e $json ] || refuse "no $json; make bench writes it"
        "$python" scripts/performance.py $json "$work"
        printf '%s, %s.\n' "$(sed -n '1s/.*"version": "\([^"]*\)", "commit": "\([^"]*\)".*/ldpbench \1 (\2)/p' $json)" \
            "${made_on#*, }" >"$work/machine"
    else
        printf '\nMeasured with %s.\n' "$made_on" >>"$work/$part"
    fi
done

awk -v parts="$work" -f scripts/fill.awk studies/performance.md >"$work/filled.md"
cp "$work/filled.md" "$folder/performance.md"
[ ! -e "$work/kernel.dat" ] || if command -v gnuplot >/dev/null; then
    levels=$(cut -d ' ' -f 3 "$work/kernel.dat" | uniq | tr '\n' ' ')
    gnuplot -e "curves='$work'; output='$work/performance.svg'; levels='$levels'" plots/performance.gp
    cp "$work/performance.svg" "$folder/performance.svg"
else
    echo "performance.sh: no gnuplot, the plot is left as it was" >&2
fi
