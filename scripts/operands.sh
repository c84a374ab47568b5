# How scripts take their arguments and find the program; sourced by them. The comment at a script's head is its usage.

# cd would look elsewhere, and print where.
unset CDPATH

show_usage() {
    sed -n '2,/^[^#]/s/^#[[:space:]]\{0,1\}//p' "$0"
    exit 0
}

refuse() { # WHAT-IS-WRONG
    echo "$(basename -- "$0"): $1; --help shows the usage" >&2
    exit 2
}

# For scripts without options of their own: take_operands LEAST MOST ARGUMENT..., where MOST may be "any number of"
take_operands() {
    least=$1 most=$2
    shift 2
    for argument; do
        case $argument in
        -h | --help) show_usage ;;
        -*) refuse "unknown option \"$argument\"" ;;
        '') refuse 'an empty argument' ;;
        esac
    done
    if [ $# -lt "$least" ] || { [ "$most" != "any number of" ] && [ $# -gt "$most" ]; }; then
        refuse "expected $least to $most arguments, got $#"
    fi
}

# For scripts that run the program: the folder of the sources, a locale that is the same everywhere, and $program.
enter_sources() {
    cd "$(dirname -- "$0")/.." || exit 3
    LC_ALL=C
    export LC_ALL
    program=${LDPBENCH:-build/release/ldpbench}
    pages=${PAGES_FOLDER:-studies} # where pages and pictures are written
}

# A python3 that has NumPy, in $python; fails if there is none (PYTHON names others).
find_numpy() {
    for python in ${PYTHON:-python3 /usr/bin/python3}; do
        "$python" -c 'import numpy' 2>/dev/null && return
    done
    return 1
}

# The page studies/NAME.md with its parts of a folder (scripts/fill.awk).
fill_page() { # NAME FOLDER
    awk -v parts="$2" -f scripts/fill.awk "studies/$1.md" >"$2/filled.md"
    cp "$2/filled.md" "$pages/$1.md"
}

# For scripts of figures: draws a folder's tables in all $formats.
formats=${FORMATS:-svg pdf png}
draw() { # FOLDER
    # shellcheck disable=SC2046,SC2086 # a list of formats
    "$program" plot "$1" $(printf -- ' --format %s' $formats) >/dev/null
}
