#!/bin/sh
# Holds every oracle against the best possible: writes studies/oracles.svg, and the table and the numbers of studies/oracles.md,
# from configs/oracles.json. Nothing is simulated; it takes a second.
# usage: oracles.sh
#
# LDPBENCH names the program (default build/release/ldpbench).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
enter_sources
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$program" run configs/oracles.json -o "$folder/oracles" --quiet
"$program" plot "$folder/oracles" >/dev/null
cp "$folder/oracles/oracles-tradeoff.svg" "$pages/oracles.svg"

# pgr in one block and in eight of the same field, and in a small domain.
cat >"$folder/pgr.json" <<'END'
{"name": "pgr", "repetitions": 1, "datasets": [{"type": "zipf", "s": 1.5, "d": [64, 1024], "n": 1000000}],
 "oracles": ["pgr", {"name": "pgr", "q": 11, "t": 4, "label": "one"},
             {"name": "pgr", "q": 11, "t": 3, "h": 8, "label": "eight"}],
 "epsilon": [2, 3, 4], "methods": ["base"], "queries": ["full_domain"], "outputs": ["oracles"]}
END
"$program" run "$folder/pgr.json" -o "$folder/pgr" --quiet

awk -F, 'NR > 1 { printf "%s\t%s\t%s\t%s\t%.17g\n", $6, $5, $8, $9, $10 / $4 }' "$folder/oracles/oracles.csv" \
    >"$folder/points.tsv"
awk -F'\t' '
    !($2 in seen) { seen[$2] = 1; name[++names] = $2 }
    { over[$2, $1] = $3; bits[$2, $1] = $4; work[$2, $1] = $5 }
    END {
        print "| oracle | error over the optimum | | | | bits of a report | | | | operations of the server for a user | | | |"
        print "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
        split("0.5 1 2 4", epsilon, " ")
        printf "| epsilon"
        for (part = 1; part <= 3; part++)
            for (i = 1; i <= 4; i++)
                printf " | %s", epsilon[i]
        print " |"
        for (o = 1; o <= names; o++) {
            printf "| %s", name[o]
            for (i = 1; i <= 4; i++)
                printf " | %.3f", over[name[o], epsilon[i]]
            for (i = 1; i <= 4; i++)
                printf " | %d", bits[name[o], epsilon[i]]
            for (i = 1; i <= 4; i++)
                printf " | %.4g", work[name[o], epsilon[i]]
            print " |"
        }
    }' "$folder/points.tsv" >"$folder/oracles.md"


# The numbers of sentences: NAME TAB TEXT. A range is over the table's epsilons.
over() { # RUN D ORACLE EPSILON
    awk -F, -v d="$2" -v oracle="$3" -v epsilon="$4" '
        NR > 1 && $3 == d && $5 == oracle && $6 == epsilon { printf "%.3f", $8; found = 1 } END { exit !found }' \
        "$folder/$1/oracles.csv"
}
{
    awk -F, -v OFS='\t' '
        NR == 1 { next }
        { error = sprintf("%.3f", $8); if (!($5 in least) || error < least[$5]) least[$5] = error }
        !($5 in most) || error > most[$5] { most[$5] = error }
        !($5 in fewest) || $9 + 0 < fewest[$5] { fewest[$5] = $9 + 0 }
        { bits[$5, $6] = $9 }
        $9 + 0 > largest[$5] { largest[$5] = $9 + 0 }
        $6 == 1 { one[$5] = error }
        $6 == 2 { two[$5] = error }
        END {
            print "unary", (least["oue"] < least["olh"] ? least["oue"] : least["olh"]) " to " \
                (most["oue"] > most["olh"] ? most["oue"] : most["olh"])
            print "pgr", least["pgr"] " to " most["pgr"]
            print "pgr_bits", fewest["pgr"] " to " largest["pgr"]
            print "hadamard_one", one["hr"] == one["rhr"] ? one["hr"] : one["hr"] " and " one["rhr"]
            print "hadamard_two", two["hr"] < two["rhr"] ? two["hr"] : two["rhr"]
            print "joint", least["hm joint"] " to " most["hm joint"]
            for (key in bits) {
                split(key, part, SUBSEP)
                if (part[1] == "hm joint" && bits[key] / bits["pgr", part[2]] > times)
                    times = bits[key] / bits["pgr", part[2]]
                if (part[1] == "pi_rappor" && bits[key] - bits["pgr", part[2]] > more)
                    more = bits[key] - bits["pgr", part[2]]
                if (part[1] == "pi_rappor" && bits[key] < bits["pgr", part[2]])
                    exit 1
            }
            print "joint_bits", sprintf("%.2g", times)
            print "linear_bits", more
        }' "$folder/oracles/oracles.csv"
    printf 'small\t%s\n' "$(over pgr 64 pgr 3)"
    for blocks in one eight; do
        for epsilon in 2 4; do
            printf '%s_%s\t%s\n' $blocks $epsilon "$(over pgr 1024 $blocks $epsilon)"
        done
    done
} >"$folder/values"
mv "$folder/oracles.md" "$folder/table"
rm -r "$folder/oracles"
mv "$folder/table" "$folder/oracles"
fill_page oracles "$folder"
