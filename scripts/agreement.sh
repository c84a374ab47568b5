# What the pages of agreement have in common; sourced by reproduction*.sh, which set `here`.

# Lists are of lines, as folders may have blanks in their names.
IFS='
'

# A member of a run.json, whose layout is the program's own.
member() { sed -n 's/^[[:space:]]*"'"$2"'":[[:space:]]*"\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$1" | head -n 1; }

# The run.json of a paper's figures in result folders: PAPER SCRIPT FOLDER...
find_runs() {
    paper=$1 script=$2
    shift 2
    runs=$(for results; do
        for run in "$results/$paper"-fig*/run.json; do
            [ ! -f "$run" ] || echo "$run"
        done
    done)
    [ -n "$runs" ] || {
        echo "reproduction: $*: no results of configs/$paper-*.json; scripts/$script makes them" >&2
        exit 2
    }
}

# The table of what was run, in order of figures: RUN.JSON...
list_runs() {
    echo "| config | seed | repetitions | version | commit | compiler |"
    echo "|---|---|---|---|---|---|"
    for run; do
        config=$(basename "$(dirname "$run")")
        echo "| [$config](../configs/$config.json) | $(member "$run" seed) | $(member "$run" repetitions) |" \
            "$(member "$run" version) | $(member "$run" commit) | $(member "$run" compiler) |"
    done | sort -u -t'|' -k2,2V
    echo
}

# The body of the page: SCRIPT.awk ARGUMENT...
compare() {
    page=$1
    shift
    awk -f "$here/agreement.awk" -f "$here/$page" "$@"
}
