#!/usr/bin/env python3
"""Whether intervals hold at 95 %: 40 settings, 1,000 simulated collections each, and 40 that a seed draws; and every oracle with every
kind at three levels. intervals.py writes their tables; alone it tries the settings, or with SEED those drawn by it, prints them, and ends
with status 1 if one is more than four standard errors from what its law makes it.

usage: PYTHONPATH=python nice python3 studies/intervals/levels.py [COLLECTIONS [SEED]]
"""

import itertools
import math
import random
import sys

import numpy

import ldpbench
import score

LEVEL = 0.95
D = 100


def counts(law, n, d=D):
    """n users: one value with nine tenths of them, Zipf with s = 1.5 or 0.8 (slow), or flat; half: flat, of every second value."""
    weight = {"heavy": [0.9] + [0.1 / (d - 1)] * (d - 1), "zipf": [(v + 1) ** -1.5 for v in range(d)], "flat": [1] * d,
              "half": [1 - v % 2 for v in range(d)], "slow": [(v + 1) ** -0.8 for v in range(d)]}[law]
    held = numpy.floor(n * numpy.array(weight) / sum(weight)).astype(numpy.uint64)
    held[0] += numpy.uint64(n - int(held.sum()))
    return held


# Oracle, epsilon, parameters, d, law, n, kind.
UNEVEN = [("hr", 4, {}), ("hr", 3, {"B": 4}), ("rhr", 4, {"B": 16}), ("pgr", 2, {"q": 4, "t": 3, "h": 8}), ("flh", 3, {"k": 200})]
EVEN = [("grr", 4, {}), ("oue", 1, {}), ("olh", 2, {}), ("ss", 2, {}), ("hm", 2, {}), ("pi_rappor", 2, {}), ("pgr", 1, {}), ("hr", 1, {"B": 1})]
SETTINGS = [(*oracle, D, law, n, kind) for oracle in UNEVEN for law, n in (("heavy", 100000), ("half", 30000))
            for kind in ("score", "bonferroni")]
SETTINGS += [(*oracle, d, law, 20000, kind) for oracle in EVEN for d, law, kind in ((D, "zipf", "bonferroni"), (1000, "zipf", "score"))]
SETTINGS += [("oue", 4, {}, D, "flat", 500, "exact"), ("pgr", 2, {}, D, "half", 500, "exact"), ("grr", 4, {}, D, "flat", 500, "mid_p"),
             ("flh", 4, {"k": 1000}, D, "flat", 100000, "bonferroni")]
SEED = 13



def one_of(draw, rows, columns, decode):
    return {"rows": draw.choice(rows), "columns": draw.choice(columns), "decode": decode}


def drawn(seed, collections, count=40):
    """Settings as above, of kinds that suit the oracle."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        oracle, parameters = draw.choice(
            [(name, {}) for name in ("grr", "sue", "oue", "blh", "olh", "ss", "hm", "the", "she", "pi_rappor", "pgr")] +
            [("hr", {"B": draw.choice((1, 2, 4, 8))}), ("rhr", {"B": draw.choice((1, 4, 16))}), ("rhr", {"B": 1, "decode": "likelihood"}),
             ("pgr", {"q": 4, "t": 4, "h": 8}), ("flh", {"k": draw.choice((100, 300, 1000))})] +
            [(name, {**one_of(draw, (8, 16, 32), (32, 64, 128, 256), "amp"), "row_oracle": draw.choice(("oue", "grr", "hm", "olh"))})
             for name in ("count_min", "count_sketch") for _ in range(3)])
        epsilon, d, n = draw.choice((0.5, 1, 1.5, 2, 3, 4)), draw.randint(20, 250), round(10 ** draw.uniform(3, 5.5))
        law, kinds = draw.choice(("heavy", "zipf", "flat", "half", "slow")), draw.sample(("score", "mid_p", "exact", "bonferroni"), 4)
        suited = [kind for kind in kinds if suits(oracle, epsilon, parameters, counts(law, n, d), n, kind, collections)]
        if suited:
            found.append((oracle, epsilon, parameters, d, law, n, suited[0]))
    return found


def suits(oracle, epsilon, parameters, true, n, kind, collections):
    """False if it is refused in one of the collections; only of sketches it depends on them."""
    try:
        protocol = ldpbench.Protocol(oracle, len(true), epsilon, **parameters)
        est = estimates(protocol, true, n, kind, collections if "rows" in parameters else 2)
        ldpbench.intervals(est, protocol, n, LEVEL, kind)
    except ldpbench.BadInput:
        return False
    return True


def estimates(protocol, true, n, kind, collections):
    return protocol.estimate(protocol.simulate(true, collections, seed=20261126, key=f"{protocol} {n} {kind}"))


def enumerated(protocol, n):
    """Whether the supports are binomial counts of all reports."""
    try:
        ldpbench.intervals(numpy.zeros(protocol.d), protocol, n, LEVEL, "exact")
    except ldpbench.BadInput:
        return False
    return protocol.parameters.get("B", 1) == 1 and protocol.parameters.get("h", 1) == 1


def holds(protocol, true, n, kind):
    """The share of values that are held, or with bonferroni the probability that all are, by the law of the estimates."""
    users, times = numpy.unique(true, return_counts=True)
    if enumerated(protocol, n):
        each = numpy.array([score.coverage(protocol, n, int(held), kind, (LEVEL,))[0] for held in users])
    else:
        missed = (1 - LEVEL) / (protocol.d if kind == "bonferroni" else 1)
        each = numpy.where(users > 0, 1 - missed, 1 - missed / 2)
    return float((each**times).prod() if kind == "bonferroni" else (each * times).sum() / protocol.d)


def share(protocol, true, n, kind, collections):
    """The share of held values, or of collections where all hold; what it should be; its standard error."""
    est = estimates(protocol, true, n, kind, collections)
    low, high = ldpbench.intervals(est, protocol, n, LEVEL, kind)
    hit = (low <= true / n + 1e-12) & (true / n - 1e-12 <= high)
    each, should = hit.all(axis=1) if kind == "bonferroni" else hit.mean(axis=1), holds(protocol, true, n, kind)
    sd = math.sqrt(should * (1 - should)) if kind == "bonferroni" else each.std(ddof=1)
    return each.mean(), should, sd / math.sqrt(collections)


def try_settings(collections=1000, settings=SETTINGS):
    """A row for each setting; the last, z, is of what it should be, or 0 where that is a bound and more hold."""
    for oracle, epsilon, parameters, d, law, n, kind in settings:
        protocol, true = ldpbench.Protocol(oracle, d, epsilon, **parameters), counts(law, n, d)
        held, should, error = share(protocol, true, n, kind, collections)
        z = (held - should) / error
        yield (named(oracle, parameters), epsilon, d, law, n, kind, f"{100 * held:.2f}", f"{100 * should:.2f}", f"{z:+.1f}",
               min(z, 0) if kind == "exact" and not enumerated(protocol, n) else z)


def named(oracle, parameters):
    words = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f"{oracle} ({words})" if words else oracle


MATRIX = ("score", "mid_p", "exact", "power_split", "bonferroni", "selected", "conditional")
LEVELS = (0.9, 0.95, 0.99)
SKETCH = {"rows": 8, "columns": 256}
ORACLES = [(oracle, 2, {}) for oracle in ("grr", "sue", "oue", "blh", "olh", "ss", "hm", "the", "she", "pi_rappor")] + [
    ("pgr", 2, {}), ("pgr", 2, {"q": 4, "t": 3, "h": 8}), ("hr", 1, {"B": 1}), ("hr", 4, {}), ("rhr", 1, {"B": 1}),
    ("rhr", 4, {"B": 16}), ("rhr", 4, {"B": 1, "decode": "likelihood"}), ("flh", 3, {"k": 200}),
    ("flh", 1, {"decode": "published"}), ("count_min", 2, {**SKETCH, "decode": "amp"}), ("count_min", 2, SKETCH), ("count_sketch", 2, SKETCH),
    ("count_sketch", 2, {**SKETCH, "decode": "amp"}), ("bloom", 4, {"cohorts": 16, "hashes": 1, "bits": 128, "decode": "amp"})]
DATA = [("heavy", 20000), ("zipf", 20000), ("flat", 20000), ("zipf", 500)]
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


def write(folder, collections=1000, of_matrix=100):
    with open(f"{folder}/settings.tsv", "w", encoding="ascii") as out:
        print("from_", "oracle", "epsilon", "d", "law", "n", "kind", "held", "should", "shown", "z", sep="\t", file=out)
        for name, settings in (("list", SETTINGS), ("seed", drawn(SEED, collections))):
            for row in try_settings(collections, settings):
                print(name, *row, sep="\t", file=out)
    with open(f"{folder}/matrix.tsv", "w", encoding="ascii") as out, open(f"{folder}/below.tsv", "w", encoding="ascii") as below:
        print("oracle", "epsilon", "kind", "text", "error", sep="\t", file=out)
        print("what", file=below)
        for oracle, epsilon, parameters in ORACLES:
            least, error, wrong = matrix_row(oracle, epsilon, parameters, of_matrix)
            for kind in MATRIX:
                texts = ["-" if math.isnan(share) else f"{100 * share:.1f}" for share in least[kind]]
                print(named(oracle, parameters), epsilon, kind, "-" if set(texts) == {"-"} else " ".join(texts), error[kind], sep="\t", file=out)
            for words in wrong:
                print(words, file=below)


def main():
    collections = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rows = list(try_settings(collections, drawn(int(sys.argv[2]), collections) if len(sys.argv) > 2 else SETTINGS))
    for row in rows:
        print(*row[:-1], sep="\t")
    return 1 if any(abs(row[-1]) > 4 for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
