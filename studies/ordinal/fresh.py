"""Ten populations that no estimator was chosen on: writes their counts and a config into a folder, runs it, and leaves the errors
as FOLDER/fresh.csv. The last two are of real data (LDPBENCH_DATA). usage: fresh.py FOLDER"""
import json
import math
import os
import shutil
import subprocess
import sys

FOLDER = sys.argv[1]


def normal(x, mean, deviation):
    return math.exp(-((x - mean) / deviation) ** 2 / 2) / deviation


DENSITIES = {  # values, and the density of value v at x, the middle of its part of [0, 1]
    "lognormal": (200, lambda x, v: math.exp(-(math.log(x) + 1.5) ** 2 / 0.5) / x),
    "triangle": (128, lambda x, v: x / 0.3 if x < 0.3 else (1 - x) / 0.7),
    "comb": (256, lambda x, v: normal(x, 0.5, 0.2) * (1 + 0.9 * math.cos(24 * math.pi * x))),
    "three-normals": (300, lambda x, v: normal(x, 0.15, 0.03) + 2 * normal(x, 0.5, 0.12) + 0.5 * normal(x, 0.85, 0.02)),
    "ends": (150, lambda x, v: 1 / math.sqrt(x * (1 - x))),
    "many-zeros": (100, lambda x, v: 40 if v == 0 else math.exp(-5 * x)),
    "round-hundreds": (500, lambda x, v: (8 if v % 100 == 0 else 3 if v % 50 == 0 else 1) * x * math.exp(-4 * x)),
    "plateaus": (240, lambda x, v: 1 + 2 * (v // 40 % 3)),
}
BINS = {"late": ("flights_delay.counts", 1, 300, 2), "departures": ("flights_time.counts", 300, 1439, 12)}


def binned(file, first, last, width):
    path = next(filter(os.path.exists, (os.path.join(folder, file) for folder in
                                        [*os.environ.get("LDPBENCH_DATA", "").split(":"), "data", "datasets/data"])))
    counts = [0] * ((last - first) // width + 1)
    with open(path, encoding="utf-8") as lines:
        for number, count in (line.split("\t") for line in lines if line[0] != "#"):
            if first <= int(number) <= last:
                counts[(int(number) - first) // width] += int(count)
    return counts


populations = {name: binned(*of) for name, of in BINS.items()}
for name, (d, density) in DENSITIES.items():
    weights = [density((v + 0.5) / d, v) for v in range(d)]
    populations[name] = [int(weight / sum(weights) * 1e6 + 0.5) for weight in weights]
for name, counts in populations.items():
    with open(f"{FOLDER}/{name}.counts", "w", encoding="ascii") as out:
        out.writelines(f"{v}\t{count}\n" for v, count in enumerate(counts))
with open(f"{FOLDER}/fresh.json", "w", encoding="ascii") as out:
    json.dump({"name": "fresh", "seed": 11, "repetitions": 20, "ordered": True, "oracles": ["sw"], "epsilon": [0.5, 1, 2],
               "methods": ["em", "ems", "ems_cv", "pen", "pooled"], "queries": ["distribution"],
               "datasets": [{"type": "counts", "file": f"{name}.counts", "n": 100000} for name in sorted(populations)]}, out)
subprocess.run([os.environ["LDPBENCH"], "run", f"{FOLDER}/fresh.json", "-o", f"{FOLDER}/results", "--quiet"], check=True)
shutil.copy(f"{FOLDER}/results/distribution.csv", f"{FOLDER}/fresh.csv")
