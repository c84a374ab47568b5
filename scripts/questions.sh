#!/bin/sh
# Prints Markdown: five questions, the command that answers each, and the first lines that it prints (README.md).
# usage: questions.sh
#
# LDPBENCH names the program (default build/release/ldpbench). Exit status 3 where no python3 has NumPy, which the method
# from outside needs (PYTHON names others).
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 0 "$@"
root=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${LDPBENCH:-$root/build/release/ldpbench}")
find_numpy || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE

awk 'BEGIN { for (i = 1; i <= 256; i++) printf "v%d\t%d\n", i, 40000 / i ^ 1.2 }' >mine.counts
cat >mine.py <<'EOF'
import numpy
import ldpbench

ldpbench.serve(lambda est, question: numpy.maximum(est - question.sigma, 0))
EOF
cat >mine.json <<EOF
{"name": "mine", "repetitions": 60, "epsilon": 1, "oracles": ["olh"],
 "datasets": [{"type": "counts", "file": "mine.counts"}],
 "methods": ["norm_sub", "base_cut", {"name": "external", "label": "mine", "command": ["$python", "mine.py"]}],
 "queries": ["full_domain", {"type": "set_value", "percent": [10, 50]}]}
EOF
cat >intervals.json <<'EOF'
{"name": "intervals", "repetitions": 200, "epsilon": 1, "oracles": ["oue"], "methods": ["base", "norm_sub"],
 "datasets": [{"type": "counts", "file": "mine.counts"}],
 "queries": [{"type": "selected_intervals", "k": 10, "interval": "score"},
             {"type": "selected_intervals", "k": 10, "interval": "selected"}]}
EOF

run() { # CONFIG FOLDER
    "$program" run "$1" -o "$2" --allow-external --quiet
}

ask() { # QUESTION COMMAND: what it prints is on standard input
    printf '\n**%s**\n\n    ldpbench %s\n\n' "$1" "$2"
    sed 's/^\(.\)/    \1/'
}

"$program" recommend --counts --oracle olh --epsilon 1 --query set_value=10 mine.counts >said
sed '1d; /^$/,$d; s/^ *//' said |
    ask 'Which method for sets of 10 %?' 'recommend --counts --oracle olh --epsilon 1 --query set_value=10 mine.counts'
run mine.json before
"$program" report before --format text | ask 'Is mine better?' 'run mine.json --allow-external'
"$program" oracles --epsilon 1 --error 0.001 --bits 100 >said
sed '/^d = /,$d; s/^ *//' said |
    ask 'How many users do I need?' 'oracles --epsilon 1 --error 0.001 --bits 100'
sed -i 's/question.sigma/0.9 * question.sigma/' mine.py
run mine.json after
"$program" check before after >said || true
sed -n '1p; /^Better/,/^$/ { /^$/!p; }' said | ask 'Did my change matter?' 'check before after'
run intervals.json intervals
"$program" report intervals --format text | head -n 1 | ask 'Can I trust this interval?' 'run intervals.json'
