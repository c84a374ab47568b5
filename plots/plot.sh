#!/bin/sh
# Draws every table of a result folder, beside the tables. Needs gnuplot and awk.
# usage: plot.sh FOLDER [svg|pdf|png]...          exit status: 2 bad input, 3 no gnuplot or no room
set -eu
LC_ALL=C.UTF-8
export LC_ALL
here=$(dirname "$0")

usage() {
    echo "usage: plot.sh FOLDER [svg|pdf|png]..." >&2
    exit 2
}
[ $# -ge 1 ] || usage
folder=$1
shift
[ $# -gt 0 ] || set -- svg
for format; do
    case $format in
    svg | pdf | png) ;;
    *) usage ;;
    esac
done
[ -d "$folder" ] || {
    echo "plot: $folder: expected a result folder" >&2
    exit 2
}
command -v gnuplot >/dev/null 2>&1 || {
    echo "plot: gnuplot is not installed (Debian: gnuplot-nox)" >&2
    exit 3
}
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# Not "name=value/mse.csv", which awk would take for an assignment, and not "-name".
case $folder in
/*) from=$folder ;;
*) from=./$folder ;;
esac
lay_out() { # PROGRAM ARGUMENT...
    program=$1
    shift
    awk -f "$here/text.awk" -f "$here/$program.awk" -v out="$scratch" "$@" || exit 2
}
tables=0
for table in mse n_equivalent heavy_hitters selection regret times; do
    [ -f "$folder/$table.csv" ] || continue
    lay_out curves table=$table "$here/methods.tsv" "$from/$table.csv"
    tables=$((tables + 1))
done
if [ -f "$folder/values.csv" ] && [ -f "$folder/bias_sums.csv" ]; then
    lay_out values "$here/methods.tsv" "$from/bias_sums.csv" "$from/values.csv"
    lay_out distribution "$from/values.csv"
    tables=$((tables + 1))
fi
if [ -f "$folder/noise.csv" ]; then
    lay_out noise "$from/noise.csv"
    tables=$((tables + 1))
fi
[ "$tables" -gt 0 ] || {
    echo "plot: $folder: expected tables (mse.csv, values.csv, ...), found none" >&2
    exit 2
}

quote() { # as a string of gnuplot
    printf "'"
    printf %s "$1" | sed "s/'/''/g"
    printf "'"
}
for layout in "$scratch"/*.gp; do
    [ -e "$layout" ] || continue
    kind=${layout%.gp}
    kind=${kind##*.}
    name=$(basename "$layout" ".$kind.gp")
    for format; do
        gnuplot -e "here = $(quote "$here"); layout = $(quote "$layout"); format = '$format'" \
            -e "output = $(quote "$scratch/picture")" "$here/$kind.gp" || exit 3
        mv "$scratch/picture" "$from/$name.$format" || exit 3
        echo "$folder/$name.$format"
    done
done
