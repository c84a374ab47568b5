#!/usr/bin/env python3
"""From how many reports on `score` holds within its level, and which kinds are refused, for studies/intervals.md: tables that
intervals.py writes.
"""

import math
import re

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

KINDS = ("score", "exact", "mid_p", "power_split", "npmle_split", "bonferroni", "selected", "conditional", "power_credible",
         "npmle_credible")

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


def by_the_count():
    """The same of the kinds that go by the law of the count, at 95 %, where it matters."""
    for kind in ("mid_p", "exact"):
        for words, held_of in HELD:
            for mean in (mean for mean in MEANS if mean <= 100):
                found = []
                for name, d, epsilon, parameters in SETTINGS:
                    protocol = ldpbench.Protocol(name, d, epsilon, **parameters)
                    for n in {max(2, round(mean / protocol.q * (0.9 + 0.05 * i))) for i in range(5)}:
                        found += coverage(protocol, n, held_of(n, n * protocol.q), kind, (0.95,))
                yield kind, words, mean, 100 * min(found)


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


def write(folder):
    def table(name, head, rows):
        with open(f"{folder}/{name}.tsv", "w", encoding="ascii") as out:
            for row in (head, *rows):
                print(*row, sep="\t", file=out)
    least = enumerated()
    table("few", ("level", "held_by", "mean", "share"), ((100 * level, words, mean, 100 * least[l, h, m]) for l, level in enumerate(LEVELS)
                                                         for h, (words, _) in enumerate(HELD) for m, mean in enumerate(MEANS)))
    table("counted", ("kind", "held_by", "mean", "share"), by_the_count())
    found = {(setting, size): simulated(*setting, size) for setting in BLOCKS for size in MEANS if size >= 2}
    table("blocks", ("level", "oracle", "held_by", "mean", "share", "error"),
          ((100 * level, f"B = {blocks}, epsilon = {epsilon}", words, size, *(100 * found[(epsilon, blocks), size][l, h]))
           for l, level in enumerate(LEVELS) for epsilon, blocks in BLOCKS for h, words in enumerate(("nobody", "few users", "half of the users"))
           for size in MEANS if size >= 2))
    table("refused", ("oracle", "kinds", "reason"), refused())
