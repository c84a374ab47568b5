#!/usr/bin/python3
"""What `make bench` measures, done with NumPy: the work of ldpbench as users have it without ldpbench.

usage: peers.py BENCH.json

Adds rows of section "peer" to the file that ldpbench-bench --json wrote; scripts/performance.sh sets them beside its
rows. Written for this comparison in the way a careful user of NumPy would: arrays wherever there is one, no loop over
values in Python. Only the user-by-user rows loop over users, as published Python code does.

Both compute the same: a repetition is one collection of olh by counts, base and the ten methods of NDSS 2020, and the
mean squared error of each over the domain. Before anything is timed the error of base is held against its theory, and
what sums to 1 is held to it.
"""
import json
import math
import statistics
import sys
import time

import numpy

EPSILON = 1.0
E = math.exp(EPSILON)
G = round(E) + 1
P, Q = E / (E + G - 1), 1 / G
S1 = Q * (1 - Q) / (P - Q) ** 2  # variance of a count, for each user
TF = (1 - P - Q) / (P - Q)
WINDOW = 25000  # true counts that power looks at, as the authors' code does


def zipf(d, n):
    """Expected counts of Zipf's law with exponent 1.5, the rest given to the first value."""
    share = numpy.arange(1, d + 1) ** -1.5
    counts = numpy.floor(n * share / share.sum()).astype(numpy.int64)
    counts[0] += n - counts.sum()
    return counts


def collect(rng, counts):
    n = counts.sum()
    support = rng.binomial(counts, P) + rng.binomial(n - counts, Q)
    return (support / n - Q) / (P - Q)


def quantile(p):
    return statistics.NormalDist().inv_cdf(p)


def norm_sub(est):
    order = numpy.sort(est)[::-1]
    shift = (1 - numpy.cumsum(order)) / numpy.arange(1, len(est) + 1)
    kept = numpy.nonzero(order + shift > 0)[0][-1]
    return numpy.maximum(est + shift[kept], 0)


def norm_cut(est):
    order = numpy.sort(est)[::-1]
    fits = numpy.cumsum(numpy.maximum(order, 0)) <= 1
    least = order[fits].min() if fits.any() else numpy.inf
    return numpy.where(est >= max(least, 0), est, 0)


def mle_apx(est):
    order = numpy.sort(est)[::-1]
    m, total = numpy.arange(1, len(est) + 1), numpy.cumsum(order)
    fitted = (order * (m * S1 + TF) + S1 * (1 - total)) / (m * S1 + TF * total)
    last = numpy.nonzero(fitted > 0)[0][-1]
    m, total = m[last], total[last]
    return numpy.maximum((est * (m * S1 + TF) + S1 * (1 - total)) / (m * S1 + TF * total), 0)


def exponent_of(mean, n):
    """The power law on 1 .. n of this mean, by bisection; its sums over all n as prefixes of powers of the counts."""
    k = numpy.log(numpy.arange(1, n + 1))
    low, high = 1.0, 64.0
    for _ in range(40):
        a = (low + high) / 2
        weight = numpy.exp(-a * k)
        if (weight * numpy.exp(k)).sum() / weight.sum() > mean:
            low = a
        else:
            high = a
    return high


def power(est, n, a):
    k = numpy.arange(1.0, WINDOW + 1)
    log_prior = -a * numpy.log(k)
    out = numpy.empty_like(est)
    for v, x in enumerate(est * n):
        exponent = log_prior - (x - k) ** 2 / (2 * n * S1)
        weight = numpy.exp(exponent - exponent.max())
        out[v] = (k * weight).sum() / weight.sum() / n
    return out


def methods(est, n, with_power, a):
    d, sigma = len(est), math.sqrt(S1 / n)
    positive = numpy.maximum(est, 0)
    found = {
        "base": est,
        "base_pos": positive,
        "post_pos": est,
        "base_cut": numpy.where(est >= quantile(1 - 2 / d) * sigma, est, 0),
        "norm": est + (1 - est.sum()) / d,
        "norm_mul": positive / positive.sum(),
        "norm_cut": norm_cut(est),
        "norm_sub": norm_sub(est),
        "mle_apx": mle_apx(est),
    }
    if with_power:
        found["power"] = power(est, n, a if a else exponent_of(max(n * est.mean(), 1.0), n))
        found["power_ns"] = norm_sub(found["power"])
    return found


def repetition(rng, counts, with_power=True, a=None):
    n = int(counts.sum())
    found = methods(collect(rng, counts), n, with_power, a)
    f = counts / n
    return {name: ((est - f) ** 2).mean() for name, est in found.items()}


def user_by_user(rng, d, users):
    """olh as published Python code does it: each user hashes and perturbs, the server hashes every value again."""
    support = [0] * d
    for value in range(users):
        value, seed = value % d, int(rng.integers(1 << 32))
        report = hash((seed, value)) % G
        if rng.random() >= P - Q:
            report = int(rng.integers(G))
        for v in range(d):
            if hash((seed, v)) % G == report:
                support[v] += 1
    return support


def check(rng):
    counts = zipf(256, 100000)
    errors = [repetition(rng, counts, with_power=False)["base"] for _ in range(400)]
    mean, theory = statistics.mean(errors), (S1 + TF / 256) / 100000
    spread = statistics.stdev(errors) / math.sqrt(len(errors))
    if abs(mean - theory) > 5 * spread:
        sys.exit(f"peers.py: base: expected a mean squared error of {theory:.4g}, got {mean:.4g}")
    found = methods(collect(rng, counts), 100000, True, 1.5)
    for name in ("norm", "norm_mul", "norm_sub", "mle_apx", "power_ns"):
        if abs(found[name].sum() - 1) > 1e-9:
            sys.exit(f"peers.py: {name}: expected a sum of 1, got {found[name].sum():.12g}")


def seconds(run, times):
    samples = []
    for _ in range(times):
        start = time.thread_time()
        run()
        samples.append(time.thread_time() - start)
    return statistics.median(samples)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: peers.py BENCH.json")
    with open(sys.argv[1], encoding="utf-8") as file:
        bench = json.load(file)
    rng = numpy.random.Generator(numpy.random.PCG64DXSM(20200223))
    check(rng)
    rows = []

    def add(name, d, n, value):
        rows.append({"section": "peer", "name": name, "d": d, "n": n, "unit": "s", "value": float(f"{value:.6g}")})
        print(f"peer       {name:<40} d {d:<9} n {n:<10} {value:9.3g} s")

    for d, n, times in ((1024, 1000000, 15), (41270, 8019015, 5)):
        counts = zipf(d, n)
        add("numpy: olh counts, nine methods", d, n, seconds(lambda: repetition(rng, counts, with_power=False), times))
        if d == 1024:
            add("numpy: olh counts, ten methods", d, n, seconds(lambda: repetition(rng, counts), 3))
    add("python: olh, user by user", 1024, 100, seconds(lambda: user_by_user(rng, 1024, 100), 3))

    bench["rows"] = [row for row in bench["rows"] if row["section"] != "peer"] + rows
    lines = ",\n".join("  " + json.dumps(row) for row in bench["rows"])
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write('{"version": %s, "commit": %s, "compiler": %s,\n "cpu": %s, "cpus": %d, "simd": %s, "quick": %s,\n'
                   ' "rows": [\n%s\n ]}\n' % (*(json.dumps(bench[key]) for key in
                                                ("version", "commit", "compiler", "cpu")),
                                              bench["cpus"], json.dumps(bench["simd"]), json.dumps(bench["quick"]),
                                              lines))


main()
