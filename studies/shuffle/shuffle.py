"""What the program says of shuffled reports: FOLDER/asked.tsv, a line for each oracle at each central epsilon and at each epsilon of
clients; FOLDER/stated.tsv, numbers of published statements. Seconds; nothing is simulated. usage: shuffle.py FOLDER"""
import json
import math
import os
import subprocess
import sys

N, D, DELTA = 1000000, 1024, 1e-9
ORACLES = ["grr", "pgr", "ss", "olh", "oue", "flh", "hr", "rhr", "sue", "hm", "blh", "she"]
COLUMNS = ["oracle", "epsilon", "deviation", "central", "central_lower", "central_generic"]


def asked(*words, n=N, delta=DELTA, oracles=ORACLES):
    out = subprocess.run([os.environ["LDPBENCH"], "oracles", "--n", str(n), "--d", str(D), "--delta", repr(delta), "--format", "json", *words,
                          *(word for name in oracles for word in ("--oracle", name))], check=True, capture_output=True, text=True).stdout
    answer = json.loads(out)
    return answer["oracles"], answer["gaussian_deviation"]


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
    folder = sys.argv[1]
    with open(f"{folder}/asked.tsv", "w", encoding="ascii") as out:
        print("kind", "at", "gaussian", *COLUMNS, sep="\t", file=out)
        for kind, values in (("central", (0.01, 0.1, 0.5, 1, 1.5, 2, 3, 4)), ("epsilon", (0.5, 1, 2, 4))):
            for value in values:
                rows, gaussian = asked(f"--{kind}", str(value))
                for row in sorted(rows, key=lambda row: ORACLES.index(row["oracle"])):
                    cells = [row.get(name) for name in COLUMNS]
                    print(kind, value, gaussian, *("" if cell is None else cell for cell in cells), sep="\t", file=out)
    e = math.e
    worst = [[e / (2 * (e + 1)) if bin(x & y).count("1") % 2 == 0 else 1 / (2 * (e + 1)) for y in range(4)] for x in range(4)]
    with open(f"{folder}/stated.tsv", "w", encoding="ascii") as out:
        print("clone", "strong", "numeric", "published", "truth", sep="\t", file=out)
        print(*closed(100000, 4, 1e-6), asked("--epsilon", "4", n=100000, delta=1e-6, oracles=["grr"])[0][0]["central_generic"],
              variation_ratio(1 / (2 * (e + 1)), e, 10, math.exp(0.6)), exact_delta(worst, 1, 2, 3, 10, math.exp(0.6)), sep="\t", file=out)


if __name__ == "__main__":
    main()
