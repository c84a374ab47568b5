#!/usr/bin/env python3
"""Which oracle to use if reports are shuffled: writes studies/shuffle.md to standard output. Seconds; nothing is simulated.

usage: shuffle.py > studies/shuffle.md

LDPBENCH names the program (default build/release/ldpbench)."""

import json
import math
import os
import subprocess
import sys

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")
N, D, DELTA = 1000000, 1024, 1e-9
ORACLES = ["grr", "pgr", "ss", "olh", "oue", "flh", "hr", "rhr", "sue", "hm", "blh", "she"]


def asked(*words, n=N, delta=DELTA, d=D):
    names = [word for name in ORACLES for word in ("--oracle", name)] if "--oracle" not in words else []
    out = subprocess.run([PROGRAM, "oracles", "--n", str(n), "--d", str(d), "--delta", repr(delta), "--format", "json",
                          *names, *words], check=True, capture_output=True, text=True).stdout
    answer = json.loads(out)
    return {row["oracle"]: row for row in answer["oracles"]}, answer["gaussian_deviation"]


def digits(x, count=3):
    """Three digits, as %g without exponents."""
    return f"{x:.{max(0, count - 1 - math.floor(math.log10(abs(x))))}f}" if x else "0"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def exact_delta(P, x0, x1, others, n, x):
    """delta of n reports, one of x0 or of x1, all others of one value: over all counts of the reports."""
    reports, total, law = len(P[0]), 0.0, P[others]

    def counts(left, kinds):
        if kinds == 1:
            yield (left,)
            return
        for first in range(left + 1):
            for rest in counts(left - first, kinds - 1):
                yield (first, *rest)

    def probability(count):
        result = math.factorial(sum(count))
        for k, p in zip(count, law):
            result *= p ** k / math.factorial(k)
        return result

    for count in counts(n, reports):
        gap = 0.0
        for y in range(reports):
            if count[y] > 0:
                fewer = tuple(c - (i == y) for i, c in enumerate(count))
                gap += (P[x0][y] - x * P[x1][y]) * probability(fewer)
        total += max(0.0, gap)
    return total


def variation_ratio(alpha, e, n, x):
    """The published reduction: the target's uninformative report tells nothing, and is not seen."""
    total, rest = 0.0, 1 - 2 * alpha

    def law(a, b):
        m = n - 1
        if a < 0 or b < 0 or a + b > m:
            return 0.0
        return math.comb(m, a) * math.comb(m - a, b) * alpha ** (a + b) * rest ** (m - a - b)

    for a in range(n + 1):
        for b in range(n + 1 - a):
            own, other, none = e * alpha * law(a - 1, b), alpha * law(a, b - 1), (1 - alpha - e * alpha) * law(a, b)
            mirrored = alpha * law(a - 1, b) + e * alpha * law(a, b - 1) + none
            total += max(0.0, own + other + none - x * mirrored)
    return total


def closed(n, epsilon, delta):
    """The closed bounds of FOCS 2021 and SODA 2023."""
    e = math.exp(epsilon)
    clone = math.log(1 + (e - 1) / (e + 1) * (8 * math.sqrt(e * math.log(4 / delta) / n) + 8 * e / n))
    strong = math.log(1 + (e - 1) * (4 * math.sqrt(2 * math.log(4 / delta) / ((e + 1) * n)) + 4 / n))
    return clone, strong


def main():
    if len(sys.argv) > 1:
        print(__doc__)
        sys.exit(0 if sys.argv[1] in ("-h", "--help") else 2)
    targets = (0.01, 0.1, 1)
    equal = {target: asked("--central", str(target)) for target in targets}
    variance = {(o, t): (equal[t][0][o]["deviation"] / equal[t][1]) ** 2 for o in ORACLES for t in targets}
    low, high = ("0.01", "0.1", "0.5", "1", "1.5"), ("2", "3", "4")
    noise = {target: {o: row["deviation"] for o, row in asked("--central", target)[0].items()} for target in low + high}
    over = {target: (noise[target]["grr"] / asked("--central", target)[1]) ** 2 for target in low}
    if not all(noise[t]["grr"] <= 1.01 * min(noise[t].values()) for t in low) or max(over.values()) > 1.5:
        sys.exit("shuffle.py: grr is not the best of small central epsilons")
    if not all(min(noise[t]["oue"], noise[t]["olh"]) <= 1.01 * min(noise[t].values()) < noise[t]["grr"] for t in high):
        sys.exit("shuffle.py: oue or olh is not the best of large central epsilons")
    if not all(variance[o, t] < 2.05 for o in ("olh", "oue") for t in targets):
        sys.exit("shuffle.py: olh or oue has more than twice its variance")
    print("# Shuffled reports\n")
    print("Which oracle has the least noise if a shuffler mixes the reports of all users, so that nobody sees who sent which?")
    print(f"**`grr` from a central epsilon of {low[0]} to {low[-1]}**, here with {D} values: at equal central privacy its counts have nearly the noise")
    print(f"of the Gaussian mechanism, which sees all values ({digits(min(over.values()))} to {digits(max(over.values()))} times its variance). "
          f"**`oue` and `olh` from {high[0]} to {high[-1]}**,")
    print(f"where the variance of `grr` is {digits((noise[high[0]]['grr'] / noise[high[0]]['oue']) ** 2)} to "
          f"{digits((noise[high[-1]]['grr'] / noise[high[-1]]['oue']) ** 2)} times theirs. Up to 1 `olh` and `oue` have up to twice that of the mechanism "
          f"({digits(min(variance[o, t] for o in ('olh', 'oue') for t in targets))} to "
          f"{digits(max(variance[o, t] for o in ('olh', 'oue') for t in targets))} times);")
    print(f"`sue` ({digits(variance['sue', 0.01])} to {digits(variance['sue', 1])}), and oracles whose reports support half of "
          "the values (`blh`, `hm`), far more.")
    print("The bound for any client, which papers compare oracles by, hides this: it is the same for all oracles.\n")
    print("Made by `python3 scripts/shuffle.py > studies/shuffle.md`; `ldpbench oracles` answers for other numbers.\n")
    print("## At equal central privacy\n")
    print(f"n = 10^6, d = {D}, delta = 10^-9. For each central epsilon: the largest epsilon of clients that keeps it, the standard "
          "deviation of a")
    print("count, and its variance over that of the Gaussian mechanism of the same epsilon and delta.\n")
    head = ["oracle"] + [text for t in targets for text in (f"central {t}: epsilon", "sd", "variance")]
    rows = []
    for oracle in sorted(ORACLES, key=lambda o: variance[o, 0.1]):
        row = [f"`{oracle}`"]
        for t in targets:
            found = equal[t][0][oracle]
            row += [digits(found["epsilon"], 4), digits(found["deviation"]), digits(variance[oracle, t])]
        rows.append(row)
    rows.append(["Gaussian mechanism"] + [text for t in targets for text in ("", digits(equal[t][1]), "1")])
    table(head, rows)
    print("Epsilons of clients as large as these protect little against a shuffler that does not shuffle: `\"local_max\"` caps them.")
    print("`she` has the bound for any client, as its law of reports is not of the kind below. At central epsilon 1 parameters")
    print("change: there `ss` is `grr` (sets of one value).\n")
    print("## Central epsilon of a client's epsilon\n")
    print("The same n, d and delta: upper value, and lower value over it.\n")
    locals_ = ("0.5", "1", "2", "4")
    found = {e: asked("--epsilon", e)[0] for e in locals_}
    rows = [["any client"] + [digits(found[e]["grr"]["central_generic"], 4) for e in locals_]]
    for oracle in ORACLES:
        if oracle != "she":
            rows.append([f"`{oracle}`"] + [
                digits(found[e][oracle]["central"], 4) +
                (f" ({found[e][oracle]['central_lower'] / found[e][oracle]['central']:.3f})"
                 if found[e][oracle].get("central_lower") else "") for e in locals_])
    table(["epsilon of clients", *locals_], rows)
    print("Upper values are those of the privacy blanket (Balle, Bell, Gascon, Nissim, CRYPTO 2019) with the exact law of each")
    print("oracle's reports: a report is e times as likely where it supports the user's value, so that two numbers, how much of all")
    print("reports supports one value and both of two, decide everything (`core/shuffle.c`; the entry `overlap` of an oracle). Lower")
    print("values are exact delta of two collections: all other users hold a third value, or the same one. Where both agree, as for")
    print("`grr`, `hr` and `pgr`, nothing is left to gain. The sum behind delta is enclosed by a contour integral and three inequalities")
    print("(`core/overshoot.c`); the upper value of epsilon is about 5 10^-5 of it above the bound, and takes below 2 ms for any n up to")
    print("10^9 (`tests/test_shuffle.c`).\n")
    print("## Published statements\n")
    e = math.e
    worst = [[e / (2 * (e + 1)) if bin(x & y).count("1") % 2 == 0 else 1 / (2 * (e + 1)) for y in range(4)] for x in range(4)]
    truth, published = exact_delta(worst, 1, 2, 3, 10, math.exp(0.6)), variation_ratio(1 / (2 * (e + 1)), e, 10, math.exp(0.6))
    clone, strong = closed(100000, 4, 1e-6)
    numeric = asked("--oracle", "grr", "--epsilon", "4", n=100000, delta=1e-6)[0]["grr"]["central_generic"]
    tight = found["1"]["grr"]["central_lower"] / found["1"]["grr"]["central"]
    if not (numeric < strong < clone and published < truth and tight > 0.9995):
        sys.exit("shuffle.py: a statement does not hold")
    table(["statement", "verdict", "numbers"], [
        ["The bound of Feldman, McMillan, Talwar, SODA 2023, is below that of FOCS 2021", "holds",
         f"n = 10^5, epsilon 4, delta 10^-6: {digits(strong, 4)} and {digits(clone, 4)} (closed forms); {digits(numeric, 4)} by numbers"],
        ["Variation-ratio reduction (Wang et al., PVLDB 2024) is exactly tight for extremal mechanisms", "holds as a value",
         f"`grr`, epsilon 1: lower over upper value {tight:.4f}"],
        ["It is an upper bound for every mechanism of its class", "false",
         f"`hr`, K = 4, epsilon 1, n = 10, central 0.6: delta {published:.2e} by its formula, {truth:.2e} of a collection"],
        ["Oracles can be compared at equal epsilon of clients if they are shuffled", "holds nominally only",
         f"epsilon 1: {digits(found['1']['olh']['central'] / found['1']['grr']['central'])} times the central epsilon for `olh` as for `grr`"],
    ])
    print("## In experiments\n")
    print("`\"epsilon_central\": [0.1, 1]` in place of `\"epsilon\"`, with `\"shuffle\": {\"delta\": \"n^-1.5\"}`, gives each oracle's clients the")
    print("largest epsilon that keeps the central one: tables, pictures and maps then compare at equal central privacy.")
    print("`\"equal\": \"central\"` beside `\"epsilon\"` is the same. `\"shuffle\"` beside `\"epsilon\"` alone adds `central.csv`. In Python")
    print("`Protocol.central(n, delta)` and `ldpbench.local_epsilon(oracle, d, n, central, delta)`.\n")
    print("Seeds, groups and rows of sketches are parts of a shuffled report, and are counted as such. n counts the user who is")
    print("protected. Reports that can be linked over rounds, as those with a kept seed (`loloha`), gain nothing from a shuffler. For")
    print("`flh` and sketches the upper value is that of two values which no hash function puts together. The bounds hold for any n of 2")
    print("or more; with few users, or a tiny delta, they are the clients' own epsilon, and `ldpbench oracles` says so.\n")
    print("The tasks `marginals`, `search` and `longitudinal` refuse `\"epsilon_central\"` and `\"equal\": \"central\"`: their users do not all")
    print("send one report of one oracle, which the bounds are of.")


main()
