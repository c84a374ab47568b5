#!/bin/sh
# What the searches for frequent strings find: runs configs/strings*.json and configs/vldb2021-table2.json (minutes), writes
# the tables, the numbers and the pictures of studies/strings.md. A sentence that does not hold is an error.
# usage: [REPETITIONS=10] strings.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets a folder for each config; what a folder already has is not run again, so a long run
# can be stopped and continued. REPETITIONS: of the rows of Table 2 (default 10; 5 in the paper). LDPBENCH names the program
# (default build/release/ldpbench), LDPBENCH_DATA a folder that has the files of strings.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}
repetitions=${REPETITIONS:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for config in strings strings-aol strings-findings strings-findings-letters strings-oracles strings-epsilon strings-n; do
    "$program" run configs/$config.json -o "$results/$config" --quiet
done
for config in vldb2021-table2 strings-table2; do
    "$program" run configs/$config.json -o "$results/$config" --repetitions "$repetitions" --quiet
done
for config in strings-epsilon strings-n; do
    "$program" plot "$results/$config" --format svg >/dev/null
    cp "$results/$config/search.svg" "$pages/$config.svg"
done

table=$(cat scripts/matrix.awk)

# Plain F1 by dataset and epsilon, the protocols side by side; the largest of a line is bold. The file is read twice: first
# for the largest numbers.
show_variants() { # CSV
    awk -F, -v head="strings | ε" "$table"'
    { cell = $column["dataset"] " | " $column["epsilon"]; f1 = $column["f1"] + 0 }
    NR == FNR { if (f1 > best[cell]) best[cell] = f1; next }
    {
        bold = f1 == best[cell] ? "**" : ""
        put(cell, "`" $column["protocol"] "`", sprintf("%s%.3f%s ± %.3f", bold, f1, bold, $column["f1_stderr"]))
    }' "$1" "$1"
}

show_variants "$results/strings/search.csv" >"$folder/variants"
show_variants "$results/strings-aol/search.csv" >"$folder/queries"
awk -F, -v head="protocol" "$table"'
    function cell(name) { return sprintf("%.3f ± %.3f", $column[name], $column[name "_stderr"]) }
    FNR > 1 {
        put($column["protocol"], "F1 (PVLDB)", cell("f1_vldb"))
        put($column["protocol"], "F1 (plain)", cell("f1"))
        put($column["protocol"], "recall", cell("recall"))
        put($column["protocol"], "strings returned", sprintf("%.1f", $column["found"]))
    }' "$results/strings-findings-letters/search.csv" "$results/strings-findings/search.csv" >"$folder/returned"
awk -F, -v head="ε | oracle" "$table"'{
    put($column["epsilon"] " | `" $column["oracle"] "`", "`" $column["protocol"] "`",
        sprintf("%.3f ± %.3f", $column["f1"], $column["f1_stderr"]))
}' "$results/strings-oracles/search.csv" >"$folder/oracles"
awk -F, -v head="sketch | protocol | T" "$table"'{
    protocol = $column["protocol"]; sub(/\(.*/, "", protocol)
    put($column["oracle"] " | `" protocol "` | " ($column["protocol"] ~ /keep=10/ ? 10 : 20), $column["dataset"],
        sprintf("%.3f ± %.3f", $column["f1_vldb"], $column["f1_vldb_stderr"]))
}' "$results/vldb2021-table2/search.csv" "$results/strings-table2/search.csv" >"$folder/rows"

# The numbers of sentences, and what they say of all numbers. A number is known by its config (its pictures' and Table 2's:
# by what they have in common), dataset, oracle, epsilon or users, protocol, and measure.
sentences=$(cat scripts/strings.awk)
# shellcheck disable=SC2086 # a list of files
awk -F, -v OFS='\t' "$sentences" $(for config in strings strings-aol strings-findings strings-findings-letters strings-oracles \
    strings-epsilon strings-n vldb2021-table2 strings-table2; do echo "$results/$config/search.csv"; done) >"$folder/values"
fill_page strings "$folder"
