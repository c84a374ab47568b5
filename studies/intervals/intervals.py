#!/usr/bin/env python3
"""Coverage of intervals over simulated collections, by rank of the truth, and that of sums, for studies/intervals.md: writes
FOLDER/covered.tsv and sums.tsv here, the tables of levels.py and of score.py there.

usage: PYTHONPATH=python python3 studies/intervals/intervals.py FOLDER
"""

import sys

import numpy

import ldpbench
import levels
import score

COLLECTIONS, SUMS, D, N, LEVEL, K, Z = 400, 400, 1024, 1000000, 0.95, 10, 1.959963984540054
BANDS = [(0, 10), (10, 100), (100, D)]


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


def row(out, data, oracle, name, low, high, truth, unit):
    said = ~numpy.isnan(low)
    hit = (low <= truth) & (truth <= high)
    bands = [shares(hit[:, a:b], said[:, a:b]) for a, b in BANDS]
    print(data, oracle, name, *bands, shares(hit, said), f"{100 * (hit | ~said).all(axis=1).mean():.1f}", f"{numpy.nanmean(high - low) / unit:.2f}",
          100 * hit[said].mean(), sep="\t", file=out)


def kind_name(kind):
    return f"`{kind}`" + (f", K = {K}" if kind in ("selected", "conditional") else "")


def study(out, name, counts, oracle="olh", **parameters):
    protocol = ldpbench.Protocol(oracle, d=D, epsilon=1, **parameters)
    est = protocol.estimate(protocol.simulate(counts, COLLECTIONS, seed=20260101))
    truth, unit = counts / N, 2 * Z * numpy.mean(protocol.sigma(N, est))  # of a sketch each collection has its own
    for kind in ("score", "power_split", "npmle_split", "bonferroni", "selected", "conditional", "power_credible",
                 "npmle_credible"):
        try:
            low, high = ldpbench.intervals(est, protocol, N, LEVEL, kind, k=K)
        except ldpbench.BadInput:
            continue  # refused
        row(out, name, oracle, kind_name(kind), low, high, truth, unit)
    if oracle != "olh":
        return
    largest = numpy.sort(est, axis=1)[:, -K - 1, None]
    low, high = ldpbench.intervals(est, protocol, N, LEVEL)
    row(out, name, oracle, f"score of the {K} largest, selection ignored", numpy.where(est > largest, low, numpy.nan),
        numpy.where(est > largest, high, numpy.nan), truth, unit)
    for method in ("norm_sub", "base_cut", "power", "npmle"):
        answer = ldpbench.postprocess(est, method, protocol, N)
        half = Z * protocol.sigma(N)
        row(out, name, oracle, f"`{method}` +- z sqrt(s1 / n)", numpy.clip(answer - half, 0, 1), numpy.clip(answer + half, 0, 1), truth, unit)


def study_sums(out, name, counts):
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
        print(f"{name}, {oracle}{blocks}", *(f"{share:.1f}" for share in hit), sep="\t", file=out)


def study_few(out):
    """Where few reports support a value by chance: kinds with far tails, or with a prior, use the law of the count."""
    users, epsilon = 10000, 4
    protocol = ldpbench.Protocol("grr", d=D, epsilon=epsilon)
    weight = numpy.arange(1, D + 1)**-1.5
    counts = numpy.floor(users * weight / weight.sum()).astype(numpy.uint64)
    counts[0] += users - int(counts.sum())
    est = protocol.estimate(protocol.simulate(counts, COLLECTIONS, seed=20260103))
    truth, unit = counts / users, 2 * Z * protocol.sigma(users)
    for kind in ("score", "mid_p", "exact", "power_split", "npmle_split", "bonferroni", "selected", "conditional"):
        low, high = ldpbench.intervals(est, protocol, users, LEVEL, kind, k=K)
        row(out, "few counts", "grr", kind_name(kind), low, high, truth, unit)
    low, high = ldpbench.intervals(est, protocol, users, 1 - (1 - LEVEL) / D)
    row(out, "few counts", "grr", "normal tails at the level of `bonferroni`", low, high, truth, unit)


def main():
    folder = sys.argv[1]
    with open(f"{folder}/covered.tsv", "w", encoding="ascii") as out:
        print("data", "oracle", "interval", "first", "second", "third", "every", "at_once", "width", "mean", sep="\t", file=out)
        for name, counts in populations():
            study(out, name, counts)
            study(out, name, counts, "flh")
            study(out, name, counts, "count_min", decode="mean")
        study_few(out)
    with open(f"{folder}/sums.tsv", "w", encoding="ascii") as out:
        print("of", "ten", "hundred", "half", "random", sep="\t", file=out)
        for name, counts in populations():
            study_sums(out, name, counts)
    levels.write(folder)
    score.write(folder)


if __name__ == "__main__":
    main()
