#!/usr/bin/python3
"""What a variance of each value costs methods: processor time of a method given the law of its collection, over that given one variance.

usage: PYTHONPATH=python perf/uneven.py [D [N [COLLECTIONS]]]

A table in Markdown: microseconds of a collection with one variance and with each value's own, in turn; the least of seven rounds.
"""
import sys
import time

import numpy

import ldpbench

ORACLES = [("hr", 4, {}), ("hr", 3, {}), ("rhr", 4, {}), ("pgr", 4, {"q": 4, "t": 6, "h": 8})]
METHODS = [("base_cut", {}), ("base_cut", {"tails": "exact"}), ("mle_apx", {}), ("power", {}), ("npmle", {}), ("mix", {})] + [
    ("calibrate", {"prior": prior}) for prior in ("gaussian", "laplace", "exponential", "poisson", "log_normal")]


def seconds(method, parameters, est, protocol, n):
    start = time.process_time()
    ldpbench.postprocess(est, method, protocol, n, threads=1, **parameters)
    return time.process_time() - start


def main():
    d, n, times = [int(word) for word in sys.argv[1:]] + [1024, 1000000, 20][len(sys.argv) - 1:]
    weight = numpy.arange(1, d + 1) ** -1.5
    counts = numpy.floor(n * weight / weight.sum()).astype(numpy.uint64)
    counts[0] += numpy.uint64(n - int(counts.sum()))
    print("| method | " + " | ".join(f"{oracle}, epsilon {epsilon}" for oracle, epsilon, _ in ORACLES) + " |\n|---|" + "---:|" * len(ORACLES))
    for method, parameters in METHODS:
        cells = []
        for oracle, epsilon, own in ORACLES:
            protocol = ldpbench.Protocol(oracle, d, epsilon, **own)
            est = protocol.estimate(protocol.simulate(counts, times, seed=1, key=oracle))
            rounds = [[seconds(method, parameters, given, protocol, n) for given in (numpy.array(est), est)] for _ in range(7)]
            one, each = (1e6 * min(pair[i] for pair in rounds) / times for i in range(2))
            cells.append(f"{one:.0f} to {each:.0f}, {each / one:.2f}")
        name = ", ".join([method] + [str(value) for value in parameters.values()])
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
