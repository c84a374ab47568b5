#!/usr/bin/env python3
"""How many cells a sketch decoded by amp needs: the predicted variance of its estimates over that of the same oracle over the
whole domain, by the size of the sketch; no collection is simulated. Writes FOLDER/cells.tsv.

usage: PYTHONPATH=python python3 studies/sketches/cells.py FOLDER [NAME=COUNTS...]
   COUNTS: a file of value TAB count, or zipf:S,D,N (default: a Zipf law, and Kosarak of LDPBENCH_DATA)
"""

import os
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
    folder, *given = sys.argv[1:]
    places = [os.path.join(place, "kosarak.counts") for place in [*os.environ.get("LDPBENCH_DATA", "").split(":"), "data", "datasets/data"]]
    given = given or ["zipf(s=1.1)=zipf:1.1,20000,1000000", *(f"kosarak={path}" for path in places if os.path.exists(path))][:2]
    with open(os.path.join(folder, "cells.tsv"), "w", encoding="utf-8") as out:
        print("data", "epsilon", *(f"{r} x {c}" for r, c in SIZES), "cells", sep="\t", file=out)
        for name, file in (one.rsplit("=", 1) for one in given):
            counts = numpy.append(read(file), numpy.uint64(0))
            for epsilon in EPSILONS:
                losses = [f"{loss(counts, epsilon, *size):.2f}" for size in SIZES]
                print(name, epsilon, *losses, enough(counts, epsilon), sep="\t", file=out)


if __name__ == "__main__":
    main()
