#!/usr/bin/python3
"""Published Python code and careful NumPy compared with ldpbench's Python module: a table in Markdown (`make peers`).

usage: published.py [--rounds N] [--row TEXT]

Needs NumPy. pure-LDP and multi-freq-ldpy take part where they can be imported (`pip install pure-ldp multi-freq-ldpy`, or
their sources in PYTHONPATH); where not, a line says so. Before a row is timed both sides must compute the same: methods
the same numbers, oracles estimates whose squared error is the one in theory. Then both run in turn, on one thread, and the
ratio is the median over the rounds of the peer's processor time over ldpbench's. Published code is timed with the
users and values that it can do in a second; its time and ldpbench's are of the same users.
"""
import argparse
import importlib
import math
import os
import statistics
import sys
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import ldpbench  # noqa: E402  the module of this tree

EPSILON = 1.0
RNG = numpy.random.default_rng(20260223)


def zipf(d, n):
    """Users of d values, in random order."""
    share = numpy.arange(1, d + 1) ** -1.1
    return RNG.choice(d, n, p=share / share.sum())


def thread_time(run):
    """Of one call, from as many as take a millisecond."""
    calls, spent = 1, 0.0
    while True:
        start = time.thread_time()
        for _ in range(calls):
            run()
        spent = time.thread_time() - start
        if spent > 1e-3:
            return spent / calls
        calls *= 4


def compare(rounds, peer, own):
    pairs = [(thread_time(peer), thread_time(own)) for _ in range(rounds)]
    return (statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs),
            statistics.median(a / b for a, b in pairs))


# ---- What is computed ----

def same(name, peer, own):
    if not numpy.allclose(peer, own, rtol=1e-9, atol=1e-12):
        sys.exit(f"published.py: {name}: the two sides differ by up to {numpy.abs(peer - own).max():.3g}")


def as_in_theory(name, est, values, protocol):
    """The mean squared error over d values, whose relative standard deviation is about sqrt(2 / d)."""
    n, d = len(values), protocol.d
    f = numpy.bincount(values, minlength=d) / n
    ratio = ((est - f) ** 2).mean() / protocol.variance(numpy.bincount(values, minlength=d)).mean()
    if abs(ratio - 1) > 6 * math.sqrt(2 / d):
        sys.exit(f"published.py: {name}: expected the squared error of theory, got {ratio:.3g} times it")


# ---- NumPy ----

def norm_sub(est):
    order = numpy.sort(est)[::-1]
    shift = (1 - numpy.cumsum(order)) / numpy.arange(1, len(est) + 1)
    return numpy.maximum(est + shift[numpy.nonzero(order + shift > 0)[0][-1]], 0)


def published_ibu(est, protocol, rounds):
    """Its matrix has p and q alone, so a product with it is a sum and a difference."""
    p, q = protocol.p, protocol.q
    seen = numpy.clip(est * (p - q) + q, 0, 1)
    seen /= seen.sum()
    f = numpy.full(len(est), 1 / len(est))
    for _ in range(rounds):
        part = seen / (q * f.sum() + (p - q) * f)
        f = f * (q * part.sum() + (p - q) * part)
    return f


def numpy_methods(d, n):
    protocol = ldpbench.Protocol("olh", d, EPSILON)
    est = numpy.asarray(protocol.simulate(numpy.bincount(zipf(d, n), minlength=d), 1, 1))
    est = numpy.asarray(protocol.estimate(est.reshape(-1, est.shape[-1])[0], n)).copy()
    sigma = float(protocol.sigma(n))
    cut = statistics.NormalDist().inv_cdf(1 - 2 / d) * sigma
    peers = {
        "base_pos": lambda: numpy.maximum(est, 0),
        "base_cut": lambda: numpy.where(est >= cut, est, 0),
        "norm": lambda: est + (1 - est.sum()) / d,
        "norm_mul": lambda: numpy.maximum(est, 0) / numpy.maximum(est, 0).sum(),
        "norm_sub": lambda: norm_sub(est),
        "ibu": lambda: published_ibu(est, protocol, 100),
    }
    for name, peer in peers.items():
        more = {"rounds": 100, "accelerate": False, "tolerance": 1e-12} if name == "ibu" else {}
        yield f"NumPy: {name}, d = {d:,}", peer, lambda name=name, more=more: ldpbench.postprocess(
            est, name, protocol, n, threads=1, **more), same


def grr_client(values, d):
    e = math.exp(EPSILON)
    other = RNG.integers(0, d - 1, len(values))
    return numpy.where(RNG.random(len(values)) < e / (e + d - 1), values, other + (other >= values))


def reports_alike(name, peer, own):
    """As often the true value, and as often each other one: reports of the same law."""
    peer, own = numpy.bincount(peer.ravel(), minlength=100), numpy.bincount(own.ravel().astype(int), minlength=100)
    if (numpy.abs(peer - own) > 6 * numpy.sqrt(peer + own)).any():
        sys.exit(f"published.py: {name}: expected reports of one law")


def hcms_server(reports, rows, columns):
    """Adds up signs, and transforms each row by butterflies: how many reports of it support each cell."""
    row, index, sign = reports[:, 0].astype(numpy.int64), (reports[:, 1] % columns).astype(numpy.int64), reports[:, 1] // columns
    table, width = numpy.bincount(row * columns + index, 1.0 - 2 * sign, rows * columns), 1
    while width < columns:
        pair = table.reshape(-1, 2, width)
        table = numpy.stack([pair[:, 0] + pair[:, 1], pair[:, 0] - pair[:, 1]], axis=1)
        width *= 2
    return (numpy.bincount(row, minlength=rows)[:, None] + table.reshape(rows, columns)).ravel() / 2


def oue_supports(values, d, p, q):
    bits = RNG.random((len(values), d)) < q
    bits[numpy.arange(len(values)), values] = RNG.random(len(values)) < p
    return bits.sum(axis=0)


def binomials(counts, p, q):
    return RNG.binomial(counts, p) + RNG.binomial(counts.sum() - counts, q)


def numpy_oracles():
    values = zipf(100, 1000000)
    grr = ldpbench.Protocol("grr", 100, EPSILON)
    yield ("NumPy: grr, clients and server, d = 100, n = 10^6",
           lambda: grr.estimate(numpy.bincount(grr_client(values, 100), minlength=100).astype(float), len(values)),
           lambda: grr.estimate(grr.server(grr.client(values, threads=1))), (values, grr))
    yield ("NumPy: grr, clients, d = 100, n = 10^6", lambda: grr_client(values, 100), lambda: grr.client(values, threads=1),
           reports_alike)
    sketch = ldpbench.Protocol("hcms", 1000, EPSILON, rows=16, columns=1024)
    reports = sketch.client(zipf(1000, 1000000), 1)
    yield ("NumPy: hcms, server, 16 x 1,024, n = 10^6", lambda: hcms_server(reports, 16, 1024),
           lambda: numpy.asarray(sketch.server(reports))[2 + 16:], same)
    few, oue = zipf(128, 20000), ldpbench.Protocol("oue", 128, EPSILON)
    yield ("NumPy: oue, clients and server, d = 128, n = 20,000",
           lambda: oue.estimate(oue_supports(few, 128, oue.p, oue.q).astype(float), len(few)),
           lambda: oue.estimate(oue.server(oue.client(few, threads=1))), (few, oue))
    for name in ("oue", "sue", "olh"):
        many, protocol = zipf(1024, 1000000), ldpbench.Protocol(name, 1024, EPSILON)
        counts = numpy.bincount(many, minlength=1024)
        yield (f"NumPy: {name} by counts, d = 1,024, n = 10^6",
               lambda protocol=protocol, counts=counts: protocol.estimate(
                   binomials(counts, protocol.p, protocol.q).astype(float), int(counts.sum())),
               lambda protocol=protocol, counts=counts: protocol.estimate(
                   protocol.simulate(counts, 1, int(RNG.integers(1 << 53)), threads=1)[0], int(counts.sum())),
               (many, protocol))


# ---- Published code ----

def user_by_user(client, server, values, d):
    for value in values:
        server.aggregate(client.privatise(int(value) + 1))
    return numpy.asarray(server.estimate_all(range(1, d + 1), suppress_warnings=True)) / len(values)


def ours(protocol, values):
    return lambda: protocol.estimate(protocol.server(protocol.client(values, threads=1)))


def pure_ldp():
    fo = importlib.import_module("pure_ldp.frequency_oracles")
    d, values = 64, zipf(64, 2000)
    sides = {
        "grr": lambda: (fo.DEClient(EPSILON, d), fo.DEServer(EPSILON, d)),
        "sue": lambda: (fo.UEClient(EPSILON, d), fo.UEServer(EPSILON, d)),
        "oue": lambda: (fo.UEClient(EPSILON, d, use_oue=True), fo.UEServer(EPSILON, d, use_oue=True)),
        "blh": lambda: (fo.LHClient(EPSILON, d), fo.LHServer(EPSILON, d)),
        "olh": lambda: (fo.LHClient(EPSILON, d, use_olh=True), fo.LHServer(EPSILON, d, use_olh=True)),
        "she": lambda: (fo.HEClient(EPSILON, d), fo.HEServer(EPSILON, d)),
        "the": lambda: (fo.HEClient(EPSILON, d), fo.HEServer(EPSILON, d, use_the=True)),
        "hm": lambda: (fo.HadamardMechClient(EPSILON, d, 1), fo.HadamardMechServer(EPSILON, d, 1)),
    }
    for name, make in sides.items():
        protocol = ldpbench.Protocol(name, d, EPSILON, **({"t": 1} if name == "hm" else {}))
        yield (f"pure-LDP: {name}, clients and server, d = {d}, n = {len(values):,}",
               lambda make=make: user_by_user(*make(), values, d), ours(protocol, values), (values, protocol))


def multi_freq():
    room = "multi_freq_ldpy.pure_frequency_oracles."
    d, values = 64, zipf(64, 2000)

    def side(module, client, server, takes_d=True, **more):
        part = importlib.import_module(room + module)
        report, estimate = getattr(part, client), getattr(part, server)
        return lambda: estimate([report(int(v), d, EPSILON, **more) for v in values], *([d] if takes_d else []), EPSILON,
                                **more)

    # They clip negative estimates and divide by the sum: norm_mul of ours.
    for name, peer in (("grr", side("GRR", "GRR_Client", "GRR_Aggregator_MI")),
                       ("oue", side("UE", "UE_Client", "UE_Aggregator_MI", takes_d=False)),
                       ("sue", side("UE", "UE_Client", "UE_Aggregator_MI", takes_d=False, optimal=False)),
                       ("olh", side("LH", "LH_Client", "LH_Aggregator_MI")),
                       ("ss", side("SS", "SS_Client", "SS_Aggregator_MI"))):
        protocol = ldpbench.Protocol(name, d, EPSILON)
        own = ours(protocol, values)
        yield (f"multi-freq-ldpy: {name} and norm_mul, d = {d}, n = {len(values):,}", peer,
               lambda own=own, protocol=protocol: ldpbench.postprocess(own(), "norm_mul", protocol, len(values), threads=1),
               alike)


def alike(name, peer, own):
    """Distributions of the same noise: of random runs, so only their size is compared."""
    if abs(peer.sum() - 1) > 1e-9 or not 0.2 < numpy.square(peer).sum() / numpy.square(own).sum() < 5:
        sys.exit(f"published.py: {name}: expected alike distributions, got sums {peer.sum():.6g} and {own.sum():.6g}")


def main():
    parser = argparse.ArgumentParser(description="published code and NumPy compared with ldpbench")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--row", default="", help="only rows whose names hold this")
    asked = parser.parse_args()
    print("| what | peer, ms | ldpbench, ms | ratio |\n|---|---:|---:|---:|")
    missing = []
    for rows in (lambda: numpy_methods(1024, 10**6), lambda: numpy_methods(41270, 8 * 10**6), numpy_oracles, pure_ldp,
                 multi_freq):
        try:
            for name, peer, own, check in rows():
                if asked.row not in name:
                    continue
                if callable(check):
                    check(name, numpy.asarray(peer()), numpy.asarray(own()))
                else:
                    as_in_theory(name, numpy.asarray(peer()), *check)
                    as_in_theory(name, numpy.asarray(own()), *check)
                peer_time, own_time, ratio = compare(asked.rounds, peer, own)
                print(f"| {name} | {1e3 * peer_time:.3g} | {1e3 * own_time:.3g} | {ratio:.3g} |", flush=True)
        except ImportError as error:
            missing.append(f"{rows.__name__.replace('_', '-')} is not measured: {error}")
    print("\n".join([""] + missing) if missing else "", end="\n" if missing else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
