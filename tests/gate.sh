#!/bin/sh
# gate.sh - runs the config of every baseline (configs/baselines) with the program LDPBENCH and compares all numbers with
# those that are kept: a line for each baseline that differs, and exit status 1.
# usage: tests/gate.sh            in the root of the sources
#        tests/gate.sh --write    replaces the baselines that differ
set -eu
program=${LDPBENCH:-build/release/ldpbench}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
for config in configs/baselines/*.json; do
    baseline=${config%.json}
    now=$folder/$(basename "$baseline")
    if "$program" run "$config" -o "$now" --quiet >"$folder/said" 2>&1 &&
        "$program" check --exact "$baseline" "$now" >"$folder/said" 2>&1; then
        continue
    fi
    if [ "${1:-}" = --write ] && [ -f "$now/store.sqlite" ]; then
        # The store names its config by its whole path: only the part within the repository is kept.
        python3 - "$now/store.sqlite" "$PWD/" <<'END'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
store.execute("UPDATE about SET value = replace(value, ?, '') WHERE name = 'origin'", sys.argv[2:])
store.commit()
store.execute("VACUUM")
END
        rm -rf "$baseline"
        mv "$now" "$baseline"
        echo "$baseline: written again"
    else
        echo "$baseline: $(head -n 1 "$folder/said")"
        status=1
    fi
done
[ $status = 0 ] || echo "after a change of numbers on purpose: make baseline"
exit $status
