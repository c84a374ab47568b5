#!/usr/bin/env python3
"""Which intervals can be believed: their coverage over simulated collections, by rank of the truth.

usage: PYTHONPATH=python python3 studies/intervals/intervals.py > studies/intervals.md
"""

import sys

import numpy

import ldpbench
import levels
import score

COLLECTIONS, SUMS, D, N, LEVEL, K, Z = 400, 400, 1024, 1000000, 0.95, 10, 1.959963984540054
covered = {}  # mean coverage, by what a row is of
BANDS = [(0, 10), (10, 100), (100, D)]

HEAD = """# Intervals

How sure is an estimate? Print it with its `score` interval, or with `power_split`, which is shorter for rare values; for the largest
estimates take `selected`, and where few reports support a value `exact`.

`ldpbench estimate` prints the columns `low` and `high`; `--level` sets the level, `--interval` what it applies to. In
Python: `ldpbench.intervals(est, protocol, n, level, kind)`.

| `--interval` | the level applies to | columns |
|---|---|---|
| `score` (default) | each value by itself: {f : (x - f)^2 <= z^2 (s1 + tf f) / n} | all values |
| `exact` | each value by itself, by the law of its count: at least the level, however few reports support a value | all values |
| `mid_p` | each value by itself, by the law of its count with half of the observed count in each tail: about the level, shorter than `exact` | all values |
| `power_split`, `npmle_split` | each value by itself, at the level whatever the frequencies are (Pratt 1963; Yu and Hoff 2018); rare values get shorter intervals by a fitted prior, values of 2 to 7 standard deviations longer ones. `power_split` suits any d, `npmle_split` d from 1000 on | all values |
| `bonferroni` | all values at once: no interval misses | all values |
| `permutation` | each value by itself, after a sketch decoded by the mean, by the law of its cells, far tails too; needs the supports (`ldpbench estimate`, experiments) | all values |
| `selected=K` | the K largest estimates: at most 1 - level of these intervals are wrong, on average (Benjamini, Yekutieli 2005) | K values |
| `conditional=K` | the K largest estimates, given that they were selected (truncated normal law) | K values |
| `power_credible`, `npmle_credible` | a mean over values that are drawn from the fitted prior: **not** each value; see below what they cover | all values |

With `--sets FILE` (lines value TAB category) the output is one line for each category, its total frequency, and score
intervals of the total; in Python `ldpbench.set_intervals(est, sets, protocol, n)`. They account for the covariances of the
estimates, for every oracle but the sketches, which are refused. For `pgr`, `pi_rappor` and `hr` with blocks these are means over
placements of the values; for `hr` with one block they are estimated from the same collection. The sets must be fixed before
looking at the data.

x is the unprocessed estimate; its exact variance is (s1 + tf f) / n. If values share hash functions (`flh`, `count_min` with
`decode` mean, `count_sketch`), the variance also has terms in f^2 and in the sum of all f^2, which is estimated from the same
collection. The frequencies are those among the users who reported: for
the population from which the users were drawn, add f (1 - f) / n to the variance. All intervals are cut to [0, 1]. Frequencies
are in that range, so no interval loses coverage; an interval that is completely outside becomes {0} or {1}. Choose the kind before
looking at the data.

Biased estimates (the other decoders of sketches) and oracles with another variance are refused. Sketches have no `bonferroni`,
`selected` and `conditional`, and other kinds than `permutation` only up to 95 %%: few values collide with a frequent one, but their
errors are large, so far tails are not normal. `permutation` compares a value's cells with uniform ones of the same collection.
For `hr`, `rhr` and `pgr` with blocks the variance of a value is that given the reports of its block. A sketch decoded by `amp` has the
law of an oracle over the whole domain, with a variance that the collection shows (studies/sketches.md). Where it has few cells for the
data, frequent values err more than that, and all kinds are refused; `bonferroni` always is, as several values then err far at once.
If fewer than 1000 reports support a value by chance (n q), the tails of counts are longer than
normal ones: `bonferroni`, `selected`, `conditional` and the split kinds then use the law of the count, as `exact` and `mid_p` always
do. `score` keeps its normal law: see [few reports](#few-reports-and-score). Supports of `flh` have no such law: with 24 reports by
chance its `power_split` held 88.8 %% at 90.

Wider than needed by more than a tenth, and why: `exact` where counts are few, as counts are whole numbers and the level is a
bound; `selected`, as errors of selected values are all on one side and half of its share is unused (`conditional` is a third
shorter); `bonferroni` of four values or fewer, which depend on each other; the split kinds at 2 to 7 standard deviations, for
shorter ones elsewhere.

## In an experiment

    "queries": [{"type": "intervals", "rank": [10, 100, 1024]}]

measures, for every method, oracle and epsilon, how often 95 %% intervals around its estimates hold the truth (`coverage`), how wide
they are (`width`, in units of 2 z sqrt(s1 / n)), and how often all intervals of a band hold the truth (`all`), over bands of the
true rank: 1 to 10, 11 to 100, 101 to 1024. `"interval"` is one of the kinds above except `selected` and `conditional`.

    {"type": "selected_intervals", "interval": "conditional", "k": [10, 100]}
    {"type": "set_intervals", "percent": [1, 10, 50]}
    {"type": "fixed_set_intervals", "file": "my.categories"}

measure the same of the k largest estimates (`conditional`, `selected`, or `score`, which ignores the selection), and of sums
over random sets and over given ones.
`configs/intervals.json` is an example; `ldpbench run configs/intervals.json` computes it.

## Measured

Made by `PYTHONPATH=python python3 studies/intervals/intervals.py > studies/intervals.md`: %d collections, d = %d, n = 10^6, epsilon = 1;
share of values that are in their interval, in percent, by rank of the truth, and the mean width in units of the width
2 z sqrt(s1 / n) of an uncut interval.
"""


def populations():
    ranks = numpy.arange(1, D + 1)
    for name, weight in (("Zipf, s = 1.5", ranks**-1.5), ("uniform", numpy.ones(D)),
                         ("half of the values empty", ranks <= D // 2), ("two values", ranks <= 2)):
        counts = numpy.floor(N * weight / weight.sum()).astype(numpy.uint64)
        counts[0] += N - int(counts.sum())
        yield name, counts


def shares(hit, said):
    """Mean over collections of the share of intervals that hold, in percent; its standard error."""
    with numpy.errstate(invalid="ignore"):  # of a collection without such intervals
        each = 100 * (hit & said).sum(axis=1) / said.sum(axis=1)
    each = each[~numpy.isnan(each)]
    if len(each) < 2:
        return "none"
    return f"{each.mean():.1f} ({each.std(ddof=1) / len(each)**0.5:.1f})"


def row(name, low, high, truth, unit):
    """Prints a line; returns the mean coverage in percent."""
    said = ~numpy.isnan(low)
    hit = (low <= truth) & (truth <= high)
    cells = [shares(hit[:, a:b], said[:, a:b]) for a, b in BANDS]
    width = numpy.nanmean(high - low) / unit
    every = 100 * (hit | ~said).all(axis=1).mean()
    print(f"| {name} | {' | '.join(cells)} | {shares(hit, said)} | {every:.1f} | {width:.2f} |")
    return 100 * hit[said].mean()


def study(name, counts, oracle="olh", **parameters):
    protocol = ldpbench.Protocol(oracle, d=D, epsilon=1, **parameters)
    est = protocol.estimate(protocol.simulate(counts, COLLECTIONS, seed=20260101))
    truth, unit = counts / N, 2 * Z * numpy.mean(protocol.sigma(N, est))  # of a sketch each collection has its own
    print(f"\n{name}, {oracle}:\n\n| interval | ranks 1-10 | 11-100 | 101-{D} | all | all at once | width |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for kind in ("score", "power_split", "npmle_split", "bonferroni", "selected", "conditional", "power_credible",
                 "npmle_credible"):
        try:
            low, high = ldpbench.intervals(est, protocol, N, LEVEL, kind, k=K)
        except ldpbench.BadInput:
            continue  # refused
        covered[name, oracle, kind] = row(f"`{kind}`" + (f", K = {K}" if kind in ("selected", "conditional") else ""), low,
                                          high, truth, unit)
    if oracle != "olh":
        return
    largest = numpy.sort(est, axis=1)[:, -K - 1, None]
    low, high = ldpbench.intervals(est, protocol, N, LEVEL)
    row(f"score of the {K} largest, selection ignored", numpy.where(est > largest, low, numpy.nan),
        numpy.where(est > largest, high, numpy.nan), truth, unit)
    for method in ("norm_sub", "base_cut", "power", "npmle"):
        answer = ldpbench.postprocess(est, method, protocol, N)
        half = Z * protocol.sigma(N)
        row(f"`{method}` +- z sqrt(s1 / n)", numpy.clip(answer - half, 0, 1), numpy.clip(answer + half, 0, 1), truth, unit)


def study_sums(name, counts):
    """Sums of fixed sets, for oracles with and without covariances."""
    sets = [numpy.arange(10), numpy.arange(100), numpy.arange(D // 2), numpy.random.default_rng(1).permutation(D)[:D // 10]]
    truth = numpy.array([counts[one].sum() / N for one in sets])
    for oracle, epsilon in (("olh", 1), ("grr", 1), ("ss", 1), ("flh", 1), ("hm", 1), ("pgr", 1), ("pi_rappor", 1),
                            ("hr", 1), ("hr", 3)):
        protocol = ldpbench.Protocol(oracle, d=D, epsilon=epsilon)
        est = protocol.estimate(protocol.simulate(counts, SUMS, seed=20260102))
        low, high = ldpbench.set_intervals(est, sets, protocol, N, LEVEL)
        hit = 100 * ((low <= truth) & (truth <= high)).mean(axis=0)
        blocks = f", B = {protocol.parameters['B']}, epsilon = {epsilon}" if oracle == "hr" else ""
        print(f"| {name}, {oracle}{blocks} | " + " | ".join(f"{share:.1f}" for share in hit) + " |")


def study_few():
    """Where few reports support a value by chance: kinds with far tails, or with a prior, use the law of the count."""
    users, epsilon = 10000, 4
    protocol = ldpbench.Protocol("grr", d=D, epsilon=epsilon)
    weight = numpy.arange(1, D + 1)**-1.5
    counts = numpy.floor(users * weight / weight.sum()).astype(numpy.uint64)
    counts[0] += users - int(counts.sum())
    est = protocol.estimate(protocol.simulate(counts, COLLECTIONS, seed=20260103))
    truth, unit = counts / users, 2 * Z * protocol.sigma(users)
    print(f"""
Few counts: Zipf, s = 1.5, grr, n = {users}, epsilon = {epsilon}, so that n q = {users * protocol.q:.1f} reports support a value by
chance:

| interval | ranks 1-10 | 11-100 | 101-{D} | all | all at once | width |
|---|---:|---:|---:|---:|---:|---:|""")
    for kind in ("score", "mid_p", "exact", "power_split", "npmle_split", "bonferroni", "selected", "conditional"):
        low, high = ldpbench.intervals(est, protocol, users, LEVEL, kind, k=K)
        row(f"`{kind}`" + (f", K = {K}" if kind in ("selected", "conditional") else ""), low, high, truth, unit)
    low, high = ldpbench.intervals(est, protocol, users, 1 - (1 - LEVEL) / D)
    row("normal tails at the level of `bonferroni`", low, high, truth, unit)


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    print(HEAD % (COLLECTIONS, D), end="")
    for name, counts in populations():
        study(name, counts)
        study(name, counts, "flh")
        study(name, counts, "count_min", decode="mean")
    study_few()
    print(f"""
Total frequencies of sets by `--sets`, {SUMS} collections, share of intervals that hold, in percent (standard error 1.1):

| data, oracle | ranks 1-10 | ranks 1-100 | ranks 1-{D // 2} | {D // 10} random values |
|---|---:|---:|---:|---:|""")
    for name, counts in populations():
        study_sums(name, counts)
    levels.print_settings()
    levels.print_drawn()
    levels.print_matrix()
    score.main()
    print(f"""
## What to believe

Believe `score`, `power_split`, `npmle_split`, `mid_p`, `exact` and `bonferroni` of any value, `selected` and `conditional` of the K
largest, where the table of every oracle with every kind has no number far below its level; after sketches decoded by the mean
none: decode by `amp`. Where fewer than ten reports support a value by chance, take `exact`. Do not report `power_credible` and `npmle_credible` as intervals of single values: their mean over all values hides that
they miss many values of medium rank, and on uniform data (olh) `npmle_credible` covers {covered['uniform', 'olh', 'npmle_credible']:.0f} % and
`power_credible` {covered['uniform', 'olh', 'power_credible']:.0f} %.

A kind of interval keeps its level if every band has it; the mean over all values is dominated by the many rare values. A margin
of z sqrt(s1 / n) around a processed estimate covers too little at the head or in the middle of skewed data, and more than its level in the
tail: post-processing improves the point estimate but does not shorten the interval. Print a processed estimate with the interval
of the unprocessed one. For the largest estimates, intervals that ignore the selection are wrong as often as a value was selected
by chance.""")


main()
