#!/bin/sh
# The worked sweep: runs configs/sweep.json, draws its pictures, and writes studies/sweeps-map.svg and the text between the
# markers of studies/sweeps.md.
# usage: sweeps.sh [RESULTS_FOLDER]
#
# RESULTS_FOLDER (default results) gets sweep/ and sweep.html. LDPBENCH names the program (default
# build/release/ldpbench). It takes minutes; what RESULTS_FOLDER has already is not run again.
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 1 "$@"
enter_sources
results=${1:-results}
mkdir -p "$results"
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

"$program" run configs/sweep.json -o "$results/sweep"
"$program" plot "$results/sweep" >/dev/null
"$program" report "$results/sweep" -o "$results/sweep.html"
cp "$results/sweep/full_domain-map.svg" "$pages/sweeps-map.svg"

{
    echo '```json'
    cat configs/sweep.json
    echo '```'
} >"$parts/config"

# From which n on no method has an error a tenth below that of base, by dataset, oracle and epsilon.
awk -F, '
    $8 != "full_domain" { next }
    { cell = $2 SUBSEP $5 SUBSEP $6 SUBSEP $4; if (!($4 in is_n)) { is_n[$4] = 1; n[++ns] = $4 } }
    !(($2, $5) in known) { known[$2, $5] = 1; row[++rows] = $2 SUBSEP $5 }
    $7 == "base" { base[cell] = $11 }
    !(cell in least) || $11 < least[cell] { least[cell] = $11 }
    END {
        split("0.5 1 2 3 4", epsilon, " ")
        print "| dataset | oracle | ε = 0.5 | 1 | 2 | 3 | 4 |"
        print "|---|---|---:|---:|---:|---:|---:|"
        for (r = 1; r <= rows; r++) {
            split(row[r], key, SUBSEP)
            printf "| %s | %s", key[1], key[2]
            for (e = 1; e <= 5; e++) {
                from = ""
                for (i = ns; i >= 1; i--) {
                    cell = row[r] SUBSEP epsilon[e] SUBSEP n[i]
                    if (least[cell] <= 0.9 * base[cell])
                        break
                    from = n[i]
                }
                printf " | %s", from == "" ? sprintf("above %.2g", n[ns]) : sprintf("%.2g", from)
            }
            print " |"
        }
    }' "$results/sweep/mse.csv" >"$parts/gain"

# How much a choice is worth: of all cells of a query, the largest and the median of base over the best, and how often
# each method is the best.
awk -F, '
    NR == 1 { next }
    { query = $8 ($9 == "" ? "" : " " $9); cell = query SUBSEP $2 SUBSEP $5 SUBSEP $6 SUBSEP $4 }
    !(query in known) { known[query] = 1; name[++queries] = query }
    !($7 in is_method) { is_method[$7] = 1; method[++methods] = $7 }
    $7 == "base" { base[cell] = $11; of[cell] = query }
    !(cell in least) || $11 < least[cell] { least[cell] = $11; best[cell] = $7 }
    END {
        printf "| query | cells | a tenth or more below base"
        for (m = 1; m <= methods; m++)
            printf " | %s best", method[m]
        printf " |\n|---|---:|---:"
        for (m = 1; m <= methods; m++)
            printf "|---:"
        print "|"
        for (cell in of) {
            cells[of[cell]]++
            worth[of[cell]] += least[cell] <= 0.9 * base[cell]
            wins[of[cell], best[cell]]++
        }
        for (q = 1; q <= queries; q++) {
            printf "| %s | %d | %.0f %%", name[q], cells[name[q]], 100 * worth[name[q]] / cells[name[q]]
            for (m = 1; m <= methods; m++)
                printf " | %.0f %%", 100 * wins[name[q], method[m]] / cells[name[q]]
            print " |"
        }
    }' "$results/sweep/mse.csv" >"$parts/worth"

# What the text says of that table in numbers; it must hold.
awk -F ' *[|] *' '
    NR > 2 { share[$2] = $4 + 0 }
    END {
        if (share["full_domain"] < 90 || share["set_value 10"] < 90 || share["set_value 50"] < 90 ||
            share["top_k 8"] > share["top_k 32"] || share["top_k 32"] > share["top_k 128"] || share["top_k 128"] > 90) {
            print "sweeps.md: its sentences on the choice of a method do not hold" >"/dev/stderr"
            exit 1
        }
        printf "eight\t%d %%\nmost\t%d %%\n", share["top_k 8"], share["top_k 128"]
    }' "$parts/worth" >"$parts/values"

fill_page sweeps "$parts"
