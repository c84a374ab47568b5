#!/usr/bin/env python3
"""Errors of mix, mix_top and others on populations whose parameters are drawn, and their processor time, for studies/mix.md.

usage: [SEED=303] [POPULATIONS=24] [REPETITIONS=50] [PARTS=10] mix.py FOLDER

FOLDER gets the runs, errors.tsv (a line for each cell, query and method; part: mix without one family, in fewer repetitions) and
times.tsv (milliseconds of a repetition beyond those of base).
"""
import csv
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ.get("LDPBENCH", "build/release/ldpbench"))
SEED = int(os.environ.get("SEED", "303"))
POPULATIONS = int(os.environ.get("POPULATIONS", "24"))
REPETITIONS = int(os.environ.get("REPETITIONS", "50"))
PARTS = int(os.environ.get("PARTS", "10"))  # repetitions without one family
LARGEST = 41270
REAL = ["adult_age", "adult_fnlwgt", "adult_hours", "emojitracker", "flights_delay", "flights_time", "nyc_taxi_halfhour",
        "nyc_taxi_week", "retail", "uc_pay", "kosarak", "emoji"]
KINDS = ["zipf", "zipf", "zipf", "plateau", "mixture", "two", "sparse", "uniform", "real", "real", "real", "log-normal"]
OTHERS = ["base", "norm_sub", "norm_cut", "power_ns", "npmle_ns"]
FAMILIES = ["shapes", "spikes", "points", "free"]


def counts_of(name):
    for folder in os.environ.get("LDPBENCH_DATA", "").split(":"):
        path = os.path.join(folder, name + ".counts")
        if os.path.exists(path):
            with open(path) as file:
                return [int(line.split("\t")[1]) for line in file
                        if "\t" in line and not line.startswith("#") and line.split("\t")[1].strip().isdigit()]
    sys.exit(f"mix.py: expected {name}.counts in a folder of LDPBENCH_DATA")


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def weights_of(kind, rng):
    """The name and the relative frequencies of a population."""
    d = round(log_uniform(rng, 64, LARGEST))
    if kind == "real":
        name = rng.choice(REAL)
        return name, counts_of(name)
    if kind == "zipf":
        s = round(rng.uniform(0.8, 3), 2)
        return f"zipf {s}", [r ** -s for r in range(1, d + 1)]
    if kind == "plateau":
        levels = [log_uniform(rng, 1, 300) for _ in range(rng.randint(2, 5))]
        cuts = sorted(rng.randrange(1, d) for _ in levels[1:])
        return f"plateau {len(levels)}", [levels[sum(cut <= r for cut in cuts)] for r in range(d)]
    if kind == "mixture":
        s, share = rng.uniform(1, 2), rng.uniform(0.2, 0.8)
        total = sum(r ** -s for r in range(1, d + 1))
        return "zipf and uniform", [share * r ** -s / total + (1 - share) / d for r in range(1, d + 1)]
    if kind == "two":
        k, level = max(1, int(d * rng.uniform(0.01, 0.5))), log_uniform(rng, 3, 100)
        return "two values", [level if r < k else 1 for r in range(d)]
    if kind == "sparse":
        k, s = max(2, round(log_uniform(rng, 3, d / 8))), rng.uniform(0, 1.5)
        return f"sparse {k}", [(r + 1) ** -s if r < k else 0 for r in range(d)]
    if kind == "uniform":
        return kind, [1] * d
    s = rng.uniform(0.5, 2.5)
    return kind, [math.exp(rng.gauss(0, s)) for _ in range(d)]


def poisson(rng, mean):
    if mean > 30:
        return max(0, round(rng.gauss(mean, mean ** 0.5)))
    k, p, u = 0, math.exp(-mean), rng.random()
    while u > p and k < 200:
        u -= p
        k += 1
        p *= mean / k
    return k


def draw(folder):
    """Writes the counts of all cells; yields a cell: name, population, d, oracle, epsilon, k."""
    rng = random.Random(SEED)
    for i in range(POPULATIONS):
        population, weights = weights_of(KINDS[i % len(KINDS)], rng)
        rng.shuffle(weights)
        total, d = sum(weights), len(weights)
        plan = [("olh", epsilon) for epsilon in (0.5, 1, 2, 4)]
        plan += [(oracle, rng.choice([0.5, 1, 2, 4])) for oracle in ("grr", "hr")]
        for oracle, epsilon in plan:
            n, name = log_uniform(rng, 1e4, 1e7), f"{i}-{oracle}-{epsilon}"
            with open(f"{folder}/{name}.counts", "w") as file:
                file.writelines(f"v{v}\t{poisson(rng, n * x / total)}\n" for v, x in enumerate(weights))
            yield name, population, d, oracle, epsilon, min(32, max(1, d // 8))


def errors(folder, cell, suffix, repetitions, methods):
    """Runs a cell: {(query, method): mean squared error}."""
    name, _, _, oracle, epsilon, k = cell
    config, results = f"{folder}/{name}{suffix}.json", f"{folder}/{name}{suffix}"
    with open(config, "w") as file:
        json.dump({"name": name, "seed": SEED, "repetitions": repetitions,
                   "datasets": [{"type": "counts", "file": f"{name}.counts"}], "oracles": [oracle], "epsilon": epsilon,
                   "methods": methods, "queries": [{"type": "full_domain"}, {"type": "set_value", "percent": [10, 50]},
                                                   {"type": "top_k", "k": k}]}, file)
    subprocess.run([PROGRAM, "run", config, "-o", results, "--quiet"], check=True)
    with open(f"{results}/mse.csv") as file:
        return {(row["query"] + (row["parameter"] if row["query"] == "set_value" else ""), row["method"].split("(")[0] if
                 "without" not in row["method"] else row["method"]): float(row["mse"]) for row in csv.DictReader(file)}


# What is timed: Zipf's law at d = 1024, and counts of the size of Kosarak's, by oue and olh at epsilon = 1.
TIMED = [("d = 1,024", {"type": "zipf", "d": 1024, "n": 1000000, "s": 1.5}, "oue", 200),
         ("d = 41,270", {"type": "zipf", "d": LARGEST, "n": 990002, "s": 1.5}, "olh", 20)]


def processor_seconds(folder, dataset, oracle, repetitions, methods):
    """Of a run on one thread: the least of three."""
    config, least = f"{folder}/time.json", math.inf
    with open(config, "w") as file:
        json.dump({"name": "time", "seed": 1, "repetitions": repetitions, "datasets": [dataset], "oracles": [oracle], "epsilon": 1,
                   "methods": methods, "queries": [{"type": "full_domain"}]}, file)
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PROGRAM, "run", config, "-o", f"{folder}/time", "--fresh", "-j1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def times(folder):
    """Milliseconds a repetition beyond base's: {(size, method): time}."""
    found = {}
    for size, dataset, oracle, repetitions in TIMED:
        base = processor_seconds(folder, dataset, oracle, repetitions, ["base"])
        for method in ("npmle_ns", "mix", "mix_top"):
            more = processor_seconds(folder, dataset, oracle, repetitions, ["base", method]) - base
            found[size, method] = 1000 * more / repetitions
    return found


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    without = [{"name": "mix", "without": family, "label": f"without {family}"} for family in FAMILIES]
    with open(f"{folder}/errors.tsv", "w", encoding="ascii") as out:
        print("cell", "number", "population", "d", "oracle", "epsilon", "part", "query", "method", "mse", sep="\t", file=out)
        for cell in list(draw(folder)):
            found = [("all", errors(folder, cell, "", REPETITIONS, OTHERS + ["mix", {"name": "mix_top", "k": cell[5]}]))]
            if PARTS:
                found.append(("parts", errors(folder, cell, "-parts", PARTS, ["mix"] + without)))
            for part, mse in found:
                for (query, method), error in mse.items():
                    print(cell[0], cell[0].split("-")[0], *cell[1:5], part, query, method, error, sep="\t", file=out)
    with open(f"{folder}/times.tsv", "w", encoding="ascii") as out:
        print("size", "method", "ms", sep="\t", file=out)
        for (size, method), spent in times(folder).items():
            print(size, method, spent, sep="\t", file=out)


if __name__ == "__main__":
    main()
