#!/bin/sh
# What the error of pure-LDP's published unary client does to the mean squared error of SUE and OUE, and to the epsilon that
# they keep: its true bit is 1 with probability p + (1 - p) q instead of p. Exact, of unbiased estimates that presume p; of
# Zipf data (Figure 1a). A table in Markdown on standard output.
# usage: unary-error.sh [D N S]      (default 1024 100000 1.1)
set -eu
. "$(dirname "$0")/operands.sh"
take_operands 0 3 "$@"
awk -v d="${1:-1024}" -v n="${2:-100000}" -v s="${3:-1.1}" '
# The mean squared error where a held bit is 1 with probability held, and the server presumes p.
function mse(p, q, held,    v, f, bias, sum) {
    for (v = 1; v <= d; v++) {
        f = v ^ -s / total
        bias = f * (held - p) / (p - q)
        sum += bias * bias + (f * held * (1 - held) + (1 - f) * q * (1 - q)) / (n * (p - q) ^ 2)
    }
    return sum / d
}
function row(oracle, epsilon, p, q,    held, right, wrong) {
    held = p + (1 - p) * q
    right = mse(p, q, p)
    wrong = mse(p, q, held)
    printf "| %s | %g | %.3g | %.3g | %.2f | %.3f | %.2f |\n", oracle, epsilon, right, wrong, wrong / right,
        1 + (held - p) / (p - q), log(held * (1 - q) / (q * (1 - held)))
}
BEGIN {
    for (v = 1; v <= d; v++)
        total += v ^ -s
    print "| oracle | ε | MSE | MSE with the error | ratio | held values times | ε that is kept |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= 10; i++) {
        e = exp(i / 2)
        row("SUE", i / 2, sqrt(e) / (sqrt(e) + 1), 1 / (sqrt(e) + 1))
    }
    for (i = 1; i <= 10; i++)
        row("OUE", i / 2, 0.5, 1 / (exp(i / 2) + 1))
}'
