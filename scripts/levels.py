#!/usr/bin/env python3
"""Whether intervals hold at 95 %: 40 settings, 1,000 simulated collections each, as a table in Markdown. Its exit status is 1 if
one is more than four standard errors below its level (`exact`, and `bonferroni` where counts are few, may be above it).

usage: PYTHONPATH=python nice python3 scripts/levels.py [COLLECTIONS]
"""

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
