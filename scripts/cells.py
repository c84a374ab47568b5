#!/usr/bin/env python3
"""How many cells a sketch decoded by amp needs: the predicted variance of its estimates over that of the same oracle over the
whole domain, by the size of the sketch, as a table in Markdown; no collection is simulated.

usage: PYTHONPATH=python python3 scripts/cells.py NAME=COUNTS...   (a file of value TAB count, or zipf:S,D,N)
"""

import sys

import numpy

import ldpbench

SIZES = [(8, 256), (8, 1024), (32, 1024), (64, 1024), (64, 2048)]
EPSILONS = [0.5, 1, 2, 4]


def loss(counts, epsilon, rows, columns):
    """The variance of the estimate of a value that nobody holds over that of oue; it is the last of counts."""
    sketch = ldpbench.Protocol("count_min", d=len(counts), epsilon=epsilon, rows=rows, columns=columns, decode="amp")
    whole = ldpbench.Protocol("oue", d=len(counts), epsilon=epsilon)
    return sketch.variance(counts)[-1] / whole.variance(counts)[-1]


def enough(counts, epsilon, most=1.1):
    """The least power of two of cells, in 32 rows, with a loss of at most `most`."""
    columns = 16
    while loss(counts, epsilon, 32, columns) > most and columns < 1 << 20:
        columns *= 2
    return 32 * columns


def read(file):
    """The counts of a file, or of a law."""
    if file.startswith("zipf:"):
        s, d, n = (float(number) for number in file[5:].split(","))
        weight = numpy.arange(1, int(d) + 1) ** -s
        return numpy.floor(n * weight / weight.sum()).astype(numpy.uint64)
    with open(file, encoding="utf-8") as lines:
        return numpy.array([int(line.split("\t")[1]) for line in lines if line.strip() and not line.startswith("#")], dtype=numpy.uint64)


def main():
    print("| data | epsilon | " + " | ".join(f"{r} x {c}" for r, c in SIZES) + " | cells for 10 % |")
    print("|---|---:|" + "---:|" * (len(SIZES) + 1))
    for given in sys.argv[1:]:
        name, file = given.rsplit("=", 1)
        counts = numpy.append(read(file), numpy.uint64(0))
        for epsilon in EPSILONS:
            cells = [f"{loss(counts, epsilon, r, c):.2f}" for r, c in SIZES]
            print(f"| {name} | {epsilon} | {' | '.join(cells)} | {enough(counts, epsilon):,} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
