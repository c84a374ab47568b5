#!/usr/bin/python3
"""The same work done by an earlier build and by this one, in turn on the same machine: how much faster it became.

usage: before.py BENCH.json COMMIT BEFORE-PROGRAM AFTER-PROGRAM KOSARAK.counts

Adds rows of sections "before" and "after" to the file that ldpbench-bench --json wrote; scripts/performance.sh sets
them beside each other. COMMIT names the earlier build. The programs run as users run them, on one thread; a number is
the median over five pairs of runs in turn, in processor time of the whole process. Where it is the time of a
repetition, that of a run of one repetition is subtracted.
"""
import json
import math
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile

TEN = ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "power",
       "power_ns"]
EVERY = TEN + ["norm_sub_once", "composite_mle", "calibrate", "npmle", "npmle_ns", "uniform"]
SMALL = {"type": "zipf", "s": 1.5, "d": 1024, "n": 1000000}
PAIRS = 5


def seconds(command):
    """Processor time of a command."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    return end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime


def config_of(dataset, oracle, methods, repetitions, **more):
    return {"name": "before", "seed": 1, "repetitions": repetitions, "datasets": [dataset], "oracles": [oracle],
            "epsilon": [1], "methods": methods, "queries": [{"type": "full_domain"}], **more}


def written(folder, config):
    path = os.path.join(folder, "config.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(config, file)
    return path


def run_of(program, config):
    """A run from nothing into a folder that is then removed."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds([program, "run", written(folder, config), "-o", os.path.join(folder, "out"), "-j", "1",
                        "--quiet"])


def repetition(dataset, oracle, methods, repetitions, users=1, **more):
    """Seconds of a repetition, or of a user's part in it."""
    def measure(program):
        one = run_of(program, config_of(dataset, oracle, methods, 1, **more))
        many = run_of(program, config_of(dataset, oracle, methods, repetitions + 1, **more))
        return (many - one) / repetitions / users
    return measure


def kept_grid(program):
    """A second run of a grid of 112,000 rows that is already complete."""
    config = config_of({"type": "zipf", "s": 1.5, "d": 100, "n": 10000}, "olh", TEN[:10], 1)
    config["datasets"] = [{"type": "zipf", "s": 1 + 0.05 * i, "d": 100, "n": 10000} for i in range(20)]
    config["epsilon"] = [round(0.1 * (i + 1), 1) for i in range(80)]
    config["queries"] = [{"type": "top_k", "k": [1, 2, 4, 8, 16, 32, 64]}]
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", written(folder, config), "-o", os.path.join(folder, "out"), "-j", "1", "--quiet"]
        seconds(command)
        return seconds(command)


def advise_of(counts):
    """Advice from supports of olh of Kosarak's counts."""
    with open(counts, encoding="utf-8") as file:
        lines = [line.split() for line in file if not line.startswith("#")]
    users = [int(line[-1]) for line in lines if line[-1].isdigit()]
    n, draw = sum(users), random.Random(1)
    g = round(math.e) + 1
    p, q = math.e / (math.e + g - 1), 1 / g

    def support(held):  # of olh; the normal law is near enough for a time
        mean, variance = held * p + (n - held) * q, held * p * (1 - p) + (n - held) * q * (1 - q)
        return min(n, max(0, round(draw.gauss(mean, math.sqrt(variance)))))

    supports = "value\tsupport\n" + "".join(f"{v}\t{support(held)}\n" for v, held in enumerate(users))

    def measure(program):
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            file.write(supports)
            file.flush()
            given = ["--epsilon", "1", "--n", str(n), "--query", "full_domain", file.name, "-j", "1"]
            known = subprocess.run([program, "help", "advise"], capture_output=True, check=False).returncode == 0
            return seconds([program, *(["advise", "--supports"] if known else ["recommend", "--oracle"]), "olh", *given])
    return measure


def main():
    path, commit, before, after, counts = sys.argv[1:]
    kosarak = {"type": "counts", "file": os.path.abspath(counts)}
    work = [
        ("ten methods", repetition(SMALL, "olh", TEN, 3000)),
        ("every method", repetition(SMALL, "olh", EVERY, 600)),
        ("ss", repetition(SMALL, "ss", ["base"], 150)),
        ("ss, Kosarak", repetition(kosarak, "ss", ["base"], 4)),
        ("flh", repetition(SMALL, "flh", ["base"], 100)),
        ("olh by reports", repetition(SMALL, "olh", ["base"], 5, 1000000, simulation="reports")),
        ("kept grid", kept_grid),
        ("advise", advise_of(counts)),
    ]
    with open(path, encoding="utf-8") as file:
        bench = json.load(file)
    rows = [{"section": "commit", "name": commit, "d": 0, "n": 0, "unit": "", "value": 0}]
    for name, measure in work:
        times = {"before": [], "after": []}
        for _ in range(PAIRS):
            times["before"].append(measure(before))
            times["after"].append(measure(after))
        for section, found in times.items():
            rows.append({"section": section, "name": name, "d": 0, "n": 0, "unit": "s",
                         "value": float(f"{statistics.median(found):.4g}")})
        ratio = statistics.median(b / a for a, b in zip(times["before"], times["after"]))
        rows.append({"section": "ratio", "name": name, "d": 0, "n": 0, "unit": "ratio", "value": float(f"{ratio:.3g}")})
        print(name, *(row["value"] for row in rows[-3:]), flush=True)
    kept = [row for row in bench["rows"] if row["section"] not in ("commit", "before", "after", "ratio")]
    lines = ",\n".join("  " + json.dumps(row) for row in kept + rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"version": %s, "commit": %s, "compiler": %s,\n "cpu": %s, "cpus": %d, "simd": %s, "quick": %s,\n'
                   ' "rows": [\n%s\n ]}\n' % (*(json.dumps(bench[key]) for key in
                                                ("version", "commit", "compiler", "cpu")),
                                              bench["cpus"], json.dumps(bench["simd"]), json.dumps(bench["quick"]),
                                              lines))


if __name__ == "__main__":
    main()
