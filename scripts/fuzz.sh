#!/bin/sh
# Runs libFuzzer programs one after another, FUZZ_SECONDS each. Starts from tests/fuzz/NAME.seeds/ where there is
# such a folder; what it finds on the way stays under build/fuzz/corpus/ for the next run.
# Inputs go through files: in memory where there is /dev/shm, since a disk makes a few hundred of them a second.
# A config of two-digit numbers may ask for a table of four million cells, which takes many seconds under sanitizers.
# usage: fuzz.sh PROGRAM...
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 1 "any number of" "$@"
seconds=${FUZZ_SECONDS:-60}
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
    TMPDIR=/dev/shm
fi
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/fuzz-XXXXXX")
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
for program; do
    name=$(basename "$program")
    corpus=build/fuzz/corpus/$name
    findings=build/fuzz/findings/$name
    mkdir -p "$corpus" "$findings"
    set --
    [ ! -d "tests/fuzz/$name.seeds" ] || set -- "tests/fuzz/$name.seeds"
    echo "fuzz: $name for $seconds s"
    "$program" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$findings/" "$corpus" "$@" >"build/fuzz/$name.log" 2>&1 || {
        tail -n 60 "build/fuzz/$name.log" >&2
        echo "fuzz: $name FOUND something; the input is in $findings" >&2
        exit 1
    }
    grep -E 'number_of_executed_units|new_units_added|peak_rss_mb' "build/fuzz/$name.log"
done
