#!/usr/bin/env python3
"""How well `ldpbench advise` chooses from the supports of one collection: writes FOLDER/choices.tsv, a line for each collection
and query (studies/advising.md).

usage: advise.py [--program FILE] [--populations N] [--collections C] [--repetitions R] FOLDER

Collections of populations by oue at several epsilon; the true error of every method from R other collections.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys

import numpy

QUERIES = {"full_domain": "full_domain", "set_value": "set_value=10", "top_k": "top_k=16"}
POPULATIONS = [  # name, users, the weights of the values
    ("zipf(s=1.2) d=300", 50_000, lambda v: (v + 1) ** -1.2),
    ("uniform d=64", 20_000, lambda v: 0 * v + 1.0),
    ("geometric(ratio=.97) d=200", 100_000, lambda v: 0.97 ** v),
    ("two levels d=300", 60_000, lambda v: numpy.where(v < 15, 20.0, 1.0)),
    ("log-normal d=120", 30_000, lambda v: numpy.exp(1.5 * numpy.sin(12.9898 * (v + 1) * (v + 2)))),
    ("line d=100", 40_000, lambda v: 100.0 - v),
    ("ten values and a tail d=400", 200_000, lambda v: numpy.where(v < 10, 30.0, 3.0 * 0.99 ** v)),
    ("zipf(s=2) d=1000", 100_000, lambda v: (v + 1) ** -2.0),
    ("halving d=40", 10_000, lambda v: 2.0 ** -(v // 4)),
]
SIZES = [300, 64, 200, 300, 120, 100, 400, 1000, 40]
EPSILONS = [1.0, 0.5, 2.0]


def counts_of(weights, n):
    """Largest remainders."""
    share = weights / weights.sum() * n
    counts = numpy.floor(share).astype(int)
    for v in numpy.argsort(counts - share, kind="stable")[: n - counts.sum()]:
        counts[v] += 1
    return counts


def supports_of(counts, epsilon, rng):
    """One collection by oue: the bits of the values are independent."""
    n, q = counts.sum(), 1 / (math.exp(epsilon) + 1)
    return rng.binomial(counts, 0.5) + rng.binomial(n - counts, q)


def call(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def truths(program, folder, counts, epsilon, repetitions):
    """The error of every method on the population itself, by query."""
    path = os.path.join(folder, "truth.counts")
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"v{v}\t{count}\n" for v, count in enumerate(counts))
    error = {query: {} for query in QUERIES}
    for methods in ("all", ["mix", {"name": "mix_top", "k": 16}]):
        config = {"name": "truth", "seed": 7, "repetitions": repetitions, "datasets": [{"type": "counts", "file": path}],
                  "oracles": ["oue"], "epsilon": epsilon, "methods": methods,
                  "queries": [{"type": "full_domain"}, {"type": "set_value", "percent": 10}, {"type": "top_k", "k": 16}]}
        with open(os.path.join(folder, "truth.json"), "w", encoding="ascii") as file:
            json.dump(config, file)
        call(program, "run", os.path.join(folder, "truth.json"), "-o", os.path.join(folder, "truth"), "--quiet", "--fresh")
        with open(os.path.join(folder, "truth", "mse.csv"), encoding="ascii") as file:
            for row in csv.DictReader(file):
                error[row["query"]][row["method"]] = float(row["mse"])
    return error


def advised(program, path, n, epsilon):
    """What advise says, by query, with squared errors: the choice, its range, its bound, which are worse."""
    given = [word for query in QUERIES.values() for word in ("--query", query)]
    said = json.loads(call(program, "advise", path, "--supports", "oue", "--n", str(n), "--epsilon", str(epsilon),
                           "--format", "json", "-j1", *given))
    answers = {}
    for row in (point for decision in said["decisions"] for point in decision["points"]):
        taken = next(x for x in row["candidates"] if x["candidate"] == row["take"])
        answers[row["query"]] = {"take": row["take"], "low": (row["low"] / 100) ** 2, "high": (row["high"] / 100) ** 2,
                                 "bound": taken["at_most"] ** 2,
                                 "worse": [x["method"] for x in row["candidates"] if not x["may_be_best"]]}
    return answers


def study(options, ask=advised):
    """A row for each collection and query."""
    names = ["population", "epsilon", "query", "take", "regret", "error", "low", "high", "bound", "worse", "wrong"]
    with open(os.path.join(options.folder, "choices.tsv"), "w", encoding="ascii") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow(names)
        for index in range(options.populations):
            name, n, weight = POPULATIONS[index]
            counts = counts_of(weight(numpy.arange(SIZES[index], dtype=float)), n)
            epsilon = EPSILONS[index % len(EPSILONS)]
            truth = truths(options.program, options.folder, counts, epsilon, options.repetitions)
            for collection in range(options.collections):
                rng = numpy.random.default_rng([20261129, index, collection])
                path = os.path.join(options.folder, "supports.tsv")
                with open(path, "w", encoding="ascii") as supports:
                    supports.writelines(f"v{v}\t{x}\n" for v, x in enumerate(supports_of(counts, epsilon, rng)))
                for query, answer in ask(options.program, path, n, epsilon).items():
                    error, least = truth[query][answer["take"]], min(truth[query].values())
                    wrong = sum(truth[query][method] < error for method in answer["worse"])
                    out.writerow([name, epsilon, query, answer["take"], error / least, error, answer["low"],
                                  answer["high"], answer["bound"], len(answer["worse"]), wrong])
                    file.flush()


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("folder")
    reader.add_argument("--program", default=os.environ.get("LDPBENCH", "build/release/ldpbench"))
    reader.add_argument("--populations", type=int, default=len(POPULATIONS))
    reader.add_argument("--collections", type=int, default=6)
    reader.add_argument("--repetitions", type=int, default=800)
    options = reader.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    study(options)


if __name__ == "__main__":
    main()
