#!/usr/bin/env python3
"""From how many reports on `score` holds within its level, and which kinds are refused: two sections of studies/intervals.md.

usage: PYTHONPATH=python python3 studies/intervals/score.py
"""

import math
import re
import sys

import numpy

import ldpbench

LEVELS = (0.9, 0.95, 0.99)
MEANS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
NEAR = 15  # numbers of users within 10 %: counts are whole numbers, so coverage goes up and down with n
SETTINGS = [("grr", 1024, 4, {}), ("grr", 16, 1, {}), ("oue", 1024, 4, {}), ("oue", 1024, 1, {}), ("olh", 1024, 2, {}),
            ("hr", 1024, 1, {"B": 1})]
HELD = (("nobody", lambda n, mean: 0), ("2 sqrt(n q) + 1 users", lambda n, mean: min(n, round(2 * math.sqrt(mean) + 1))),
        ("half of the users", lambda n, mean: n // 2))
BLOCKS = [(3, 16), (4, 32)]
COLLECTIONS = 400

HEAD = """
## Few reports and `score`

Made by `PYTHONPATH=python python3 studies/intervals/score.py`. How often the `score` interval holds one value, in percent, by the number of
reports that support it by chance, n q. By enumeration of all counts, nothing is simulated: grr (d = 1024 at epsilon = 4, d = 16 at
1), oue (epsilon = 4 and 1), olh (2) and hr with one block (1), {near} numbers of users within 10 % of each n q; the table has the
least of all of them. Counts are whole numbers, so that coverage goes up and down with n. {words}

| level | held by |{means}
|---|---|{rule}"""

COUNT_HEAD = """
The same of `mid_p` and `exact` at 95 %, 5 numbers of users within 10 % of each n q:

| kind | held by |{means}
|---|---|{rule}"""

BLOCK_HEAD = """
The same for hr with B blocks by the number of reports in a value's block, n / B, where q = 1/2 refers to the block's reports: by
{collections} simulated collections, d = 1024. Half of the users hold value 0, the others hold 511 values equally often, and 512 are held
by nobody; {error}.

| level | oracle | held by |{means}
|---|---|---|{rule}"""

KINDS = ("score", "exact", "mid_p", "power_split", "npmle_split", "bonferroni", "selected", "conditional", "power_credible",
         "npmle_credible")

REFUSED_HEAD = """
## What is refused

By the library, for the oracles' default parameters at d = 1024, epsilon = 3, n = 1,024,000 (`studies/intervals/score.py`), from a collection whose
supports the library knows.

| oracle | kinds | reason |
|---|---|---|"""


def binomial(n, p):
    """Its probabilities at low .. low + len - 1; those beyond are below 1e-12 together."""
    mean, sd = n * p, math.sqrt(n * p * (1 - p))
    low, high = max(0, math.floor(mean - 9 * sd - 30)), min(n, math.ceil(mean + 9 * sd + 30))
    k = numpy.arange(low, high + 1)
    lgamma = numpy.vectorize(math.lgamma)
    return low, numpy.exp(math.lgamma(n + 1) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * math.log(p) + (n - k) * math.log1p(-p))


def coverage(protocol, n, held, kind="score", levels=LEVELS):
    """For each level, the probability that the interval of a value that `held` of n users hold contains it."""
    at_own, own = binomial(held, protocol.p) if held else (0, numpy.ones(1))
    at_other, other = binomial(n - held, protocol.q)
    law = numpy.convolve(own, other)
    counts = at_own + at_other + numpy.arange(len(law))
    est = numpy.zeros(-(-len(counts) // protocol.d) * protocol.d)  # an interval depends on its own estimate alone
    est[:len(counts)] = (counts / n - protocol.q) / (protocol.p - protocol.q)
    found = []
    for level in levels:
        low, high = (end.ravel()[:len(counts)] for end in ldpbench.intervals(est.reshape(-1, protocol.d), protocol, n, level, kind))
        found.append(float(law[(low <= held / n + 1e-12) & (held / n - 1e-12 <= high)].sum()))
    return found


def enumerated():
    least = numpy.ones((len(LEVELS), len(HELD), len(MEANS)))
    for name, d, epsilon, parameters in SETTINGS:
        protocol = ldpbench.Protocol(name, d, epsilon, **parameters)
        for m, mean in enumerate(MEANS):
            for n in {max(2, round(mean / protocol.q * (0.9 + 0.2 * i / (NEAR - 1)))) for i in range(NEAR)}:
                for h, (_, held_of) in enumerate(HELD):
                    least[:, h, m] = numpy.minimum(least[:, h, m], coverage(protocol, n, held_of(n, n * protocol.q)))
    return least


def print_by_the_count():
    """The same of the kinds that go by the law of the count, at 95 %, where it matters."""
    means = [mean for mean in MEANS if mean <= 100]
    print(COUNT_HEAD.format(means="".join(f" {mean:g} |" for mean in means), rule="---:|" * len(means)))
    for kind in ("mid_p", "exact"):
        for words, held_of in HELD:
            least = []
            for mean in means:
                found = []
                for name, d, epsilon, parameters in SETTINGS:
                    protocol = ldpbench.Protocol(name, d, epsilon, **parameters)
                    for n in {max(2, round(mean / protocol.q * (0.9 + 0.05 * i))) for i in range(5)}:
                        found += coverage(protocol, n, held_of(n, n * protocol.q), kind, (0.95,))
                least.append(min(found))
            print(f"| `{kind}` | {words} |" + cells(least))


def statement(least):
    """From which n q on no cell is more than one point, or two, below its level."""
    parts = []
    for level, of_level in zip(LEVELS, least):
        enough = [(of_level >= level - margin).all(axis=0) for margin in (0.01, 0.02)]
        first = [next((MEANS[i] for i in range(len(MEANS)) if good[i:].all()), None) for good in enough]
        parts.append(f"at {100 * level:g} % from n q = {first[0]:g} on (two points: {first[1]:g})")
    return "It is at most\none point below the level " + parts[0] + ",\n" + ", ".join(parts[1:]) + "."


def simulated(epsilon, blocks, in_block):
    """For each level: of values that nobody holds, that few hold, of the value of half of the users."""
    n = in_block * blocks
    protocol = ldpbench.Protocol("hr", 1024, epsilon, B=blocks)
    counts = numpy.zeros(1024, numpy.uint64)
    counts[0] = n // 2
    counts[1:512] = (n - n // 2) // 511
    counts[1:1 + (n - n // 2) % 511] += numpy.uint64(1)
    est = protocol.estimate(protocol.simulate(counts, COLLECTIONS, seed=20261123))
    found = numpy.empty((len(LEVELS), 3, 2))
    for l, level in enumerate(LEVELS):
        low, high = ldpbench.intervals(est, protocol, n, level)
        hit = (low <= counts / n + 1e-12) & (counts / n - 1e-12 <= high)
        for h, values in enumerate((slice(512, None), slice(1, 512), slice(0, 1))):
            each = hit[:, values].mean(axis=1)
            found[l, h] = each.mean(), each.std(ddof=1) / math.sqrt(COLLECTIONS)
    return found


def refused():
    """What the library refuses, and why, in its own words."""
    said = {}
    for oracle in ldpbench.oracles().index:
        protocol = ldpbench.Protocol(oracle, 1024, 3)
        est = protocol.estimate(protocol.simulate([1000] * 1024, 1, seed=1)[0])
        for kind in KINDS:
            try:
                ldpbench.intervals(est, protocol, 1024 * 1000, kind=kind)
            except ldpbench.BadInput as reason:
                why = re.sub(f"^{kind} intervals do not suit {oracle}: ", "", str(reason)).replace(f" of {oracle}", "")
                said.setdefault(why, {}).setdefault(oracle, []).append(kind)
    for why, of_oracle in said.items():
        kinds = {}
        for oracle, names in of_oracle.items():
            kinds.setdefault(tuple(names), []).append(oracle)
        for names, oracles in kinds.items():
            yield ", ".join(f"`{oracle}`" for oracle in oracles), \
                "all" if len(names) == len(KINDS) else ", ".join(f"`{name}`" for name in names), why


def cells(shares):
    return "".join(f" {100 * share:.1f} |" for share in shares)


def main():
    means = "".join(f" {mean:g} |" for mean in MEANS)
    least = enumerated()
    print(HEAD.format(near=NEAR, words=statement(least), means=means, rule="---:|" * len(MEANS)))
    for level, of_level in zip(LEVELS, least):
        for (words, _), shares in zip(HELD, of_level):
            print(f"| {100 * level:g} | {words} |" + cells(shares))
    print_by_the_count()
    sizes = [mean for mean in MEANS if mean >= 2]
    tables = {setting: numpy.array([simulated(*setting, size) for size in sizes]) for setting in BLOCKS}
    error = [100 * max(table[:, :, h, 1].max() for table in tables.values()) for h in range(3)]
    print(BLOCK_HEAD.format(collections=COLLECTIONS, means="".join(f" {size} |" for size in sizes), rule="---:|" * len(sizes),
                            error="standard errors at most " + ", ".join(f"{one:.1f}" for one in error)))
    for l, level in enumerate(LEVELS):
        for epsilon, blocks in BLOCKS:
            for h, words in enumerate(("nobody", "few users", "half of the users")):
                print(f"| {100 * level:g} | B = {blocks}, epsilon = {epsilon} | {words} |" +
                      cells(tables[epsilon, blocks][:, l, h, 0]))
    print(REFUSED_HEAD)
    for row in refused():
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    main()
