#!/usr/bin/env python3
"""Whether intervals hold at 95 %: 40 settings, 1,000 simulated collections each, as a table in Markdown. Its exit status is 1 if
one is more than four standard errors below its level (`exact`, and `bonferroni` where counts are few, may be above it).

usage: PYTHONPATH=python nice python3 scripts/levels.py [COLLECTIONS]

print_matrix() is a section of docs/intervals.md: every oracle with every kind, at three levels.
"""

import itertools
import math
import sys

import numpy

import ldpbench

LEVEL = 0.95
D = 100


def counts(law, n):
    """n users: one value with nine tenths of them, Zipf, or flat."""
    weight = {"heavy": [0.9] + [0.1 / (D - 1)] * (D - 1), "zipf": [(v + 1) ** -1.5 for v in range(D)], "flat": [1] * D}[law]
    held = numpy.floor(n * numpy.array(weight) / sum(weight)).astype(numpy.uint64)
    held[0] += numpy.uint64(n - int(held.sum()))
    return held


UNEVEN = [("hr", 4, {}), ("hr", 3, {"B": 4}), ("rhr", 4, {"B": 16}), ("pgr", 2, {"q": 4, "t": 3, "h": 8}), ("flh", 3, {"k": 200})]
EVEN = [("grr", 4, {}), ("oue", 1, {}), ("olh", 2, {}), ("ss", 2, {}), ("hm", 2, {}), ("pi_rappor", 2, {}), ("pgr", 1, {}), ("hr", 1, {"B": 1})]
SETTINGS = [(*oracle, law, n, kind) for oracle in UNEVEN for law, n in (("heavy", 100000), ("zipf", 30000))
            for kind in ("score", "bonferroni")]
SETTINGS += [(*oracle, law, 20000, kind) for oracle in EVEN for law, kind in (("zipf", "bonferroni"), ("heavy", "score"))]
SETTINGS += [("hr", 4, {}, "flat", 500, "exact"), ("rhr", 4, {"B": 16}, "flat", 500, "exact"), ("grr", 4, {}, "flat", 500, "exact"),
             ("flh", 4, {"k": 1000}, "flat", 100000, "bonferroni")]


def share(oracle, epsilon, parameters, law, n, kind, collections):
    """The share of held values, or of collections where all hold, and its standard error."""
    protocol, true = ldpbench.Protocol(oracle, D, epsilon, **parameters), counts(law, n)
    est = protocol.estimate(protocol.simulate(true, collections, seed=32, key=f"{oracle} {epsilon} {law} {kind}"))
    low, high = ldpbench.intervals(est, protocol, n, LEVEL, kind)
    hit = (low <= true / n + 1e-12) & (true / n - 1e-12 <= high)
    each = hit.all(axis=1) if kind == "bonferroni" else hit.mean(axis=1)
    return each.mean(), max(each.std(ddof=1), math.sqrt(LEVEL * (1 - LEVEL)) if kind == "bonferroni" else 0) / math.sqrt(collections)


MATRIX = ("score", "mid_p", "exact", "power_split", "bonferroni", "selected", "conditional")
LEVELS = (0.9, 0.95, 0.99)
SKETCH = {"rows": 8, "columns": 256}
ORACLES = [(oracle, 2, {}) for oracle in ("grr", "sue", "oue", "blh", "olh", "ss", "hm", "the", "she", "pi_rappor")] + [
    ("pgr", 2, {}), ("pgr", 2, {"q": 4, "t": 3, "h": 8}), ("hr", 1, {"B": 1}), ("hr", 4, {}), ("rhr", 1, {"B": 1}),
    ("rhr", 4, {"B": 16}), ("rhr", 4, {"B": 1, "decode": "residual"}), ("flh", 3, {"k": 200}),
    ("flh", 1, {"decode": "published"}), ("count_min", 2, {**SKETCH, "decode": "amp"}), ("count_min", 2, SKETCH), ("count_sketch", 2, SKETCH)]
DATA = [("heavy", 20000), ("zipf", 20000), ("flat", 20000), ("zipf", 500)]
MATRIX_HEAD = """
## Every oracle with every kind

By `scripts/levels.py`: the least coverage, in percent, at levels of 90, 95 and 99, over four populations of 100 values ({collections}
collections each): one value with nine tenths of the users, Zipf with s = 1.5, and a flat one, of 20,000 users each, and Zipf with 500
users. `score`, `mid_p`, `exact` and `power_split` have two numbers each population, for the ten most frequent values and the others;
`bonferroni` is the share of collections where all values hold; `selected` and `conditional` are of the 10 largest. Standard errors at
95: of one value at most {single:.1f}, all at once and of the largest at most {joint:.1f}. The least of eight numbers is below its level by
chance alone: one or two standard errors say nothing. `-`: refused.

| oracle | epsilon | {kinds} |
|---|---:|{rule}"""


def held_by(protocol, true, n, est, kind, level):
    """Coverage of each collection, a row for each band of values."""
    low, high = ldpbench.intervals(est, protocol, n, level, kind, k=10)
    said, hit = ~numpy.isnan(low), (low <= true / n + 1e-12) & (true / n - 1e-12 <= high)
    if kind == "bonferroni":
        return [hit.all(axis=1)]
    if kind in ("selected", "conditional"):
        return [(hit & said).sum(axis=1) / numpy.maximum(said.sum(axis=1), 1)]
    return [hit[:, :10].mean(axis=1), hit[:, 10:].mean(axis=1)]


def matrix_row(oracle, epsilon, parameters, collections):
    """For each kind the least coverage at each level, NaN where it is refused; its standard error at 95 %; in words, what is more
    than four standard errors below its level."""
    protocol = ldpbench.Protocol(oracle, D, epsilon, **parameters)
    least, error, wrong = {kind: [1.0] * len(LEVELS) for kind in MATRIX}, dict.fromkeys(MATRIX, 0.0), []
    for law, n in DATA:
        true = counts(law, n)
        est = protocol.estimate(protocol.simulate(true, collections, seed=33, key=f"{oracle} {epsilon} {law} {n}"))
        for kind, (l, level) in itertools.product(MATRIX, enumerate(LEVELS)):
            try:
                held = held_by(protocol, true, n, est, kind, level)
            except ldpbench.BadInput:
                least[kind][l] = math.nan
                continue
            for each in held:
                own = float(each.std(ddof=1)) / math.sqrt(collections)
                least[kind][l] = min(least[kind][l], float(each.mean()))
                error[kind] = max(error[kind], own) if level == LEVEL else error[kind]
                if each.mean() < level - 4 * own:
                    wrong.append(f"`{kind}` of {oracle} on {law}, n = {n:,}, at {100 * level:g}: {100 * each.mean():.1f}")
    return least, error, wrong


def print_matrix(collections=100):
    rows = []
    for oracle, epsilon, parameters in ORACLES:
        least, error, wrong = matrix_row(oracle, epsilon, parameters, collections)
        words = ", ".join(f"{name} = {value}" for name, value in parameters.items())
        shares = {kind: ["-" if math.isnan(share) else f"{100 * share:.1f}" for share in least[kind]] for kind in MATRIX}
        cells = ["-" if set(shares[kind]) == {"-"} else " ".join(shares[kind]) for kind in MATRIX]
        rows.append((f"| {oracle}{' (' + words + ')' if words else ''} | {epsilon} | " + " | ".join(cells) + " |", error, wrong))
    error = [100 * max(row[1][kind] for row in rows for kind in kinds) for kinds in (MATRIX[:4], MATRIX[4:])]
    print(MATRIX_HEAD.format(collections=collections, single=error[0], joint=error[1], kinds=" | ".join(f"`{kind}`" for kind in MATRIX),
                             rule="---|" * len(MATRIX)))
    for row, _, _ in rows:
        print(row)
    wrong = [words for row in rows for words in row[2]]
    print("\nMore than four standard errors below their level: " + ("; ".join(wrong) if wrong else "none") + ".")


def main():
    collections, wrong = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, 0
    print("| oracle | epsilon | data | n | kind | held | standard error | z |\n|---|---:|---|---:|---|---:|---:|---:|")
    for oracle, epsilon, parameters, law, n, kind in SETTINGS:
        held, error = share(oracle, epsilon, parameters, law, n, kind, collections)
        z = (held - LEVEL) / error
        wrong += z < -4 or (z > 4 and kind == "score")
        words = ", ".join(f"{name} = {value}" for name, value in parameters.items())
        print(f"| {oracle}{' (' + words + ')' if words else ''} | {epsilon} | {law} | {n} | {kind} | {held:.4f} | {error:.4f} | {z:+.1f} |",
              flush=True)
    print(f"\n{len(SETTINGS)} settings, {collections} collections each, {wrong} further than four standard errors from the level.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
