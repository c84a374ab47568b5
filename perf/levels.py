#!/usr/bin/env python3
"""Processor time of ten paths at every vector level of this processor, each level in turn: a table in Markdown.

usage: levels.py [--rounds N] [--path TEXT] [PROGRAM]

A path is one command of the program on one thread; its time is the median over the rounds of its processor time less
that of a run without work. PROGRAM is build/release/ldpbench by default. The last columns are ratios of times, a level
over the one below it: above 1.03 a level would be slower than the one below.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

LEVELS = ["generic", "avx2", "avx512"]
TEN = ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "power",
       "power_ns"]
FULL = [{"type": "full_domain"}]


def config(repetitions, **keys):
    law = {"type": "zipf", "s": 1.5, "d": 1024, "n": 1000000}
    return {"name": "level", "seed": 1, "repetitions": repetitions, "simulation": "counts", "datasets": [law],
            "oracles": ["olh"], "epsilon": 1, "methods": ["base"], "queries": FULL, **keys}


KOSARAK = [{"type": "zipf", "s": 1.0, "d": 41270, "n": 8000000}]
WORDS = [{"type": "zipf_strings", "d": 20000, "s": 1.0, "n": 500000, "length": 6}]
RECORDS = [{"type": "chain", "d": 16, "n": 65536, "strength": 0.6, "cardinality": 2}]
PATHS = {
    "ten methods, d = 1024": config(4000, methods=TEN),
    "ten methods, Kosarak's size": config(100, methods=TEN, datasets=KOSARAK),
    "npmle, d = 1024": config(2000, methods=["npmle"]),
    "set_value, ten methods": config(200, methods=TEN, queries=[{"type": "set_value", "percent": [10, 50]}]),
    "olh, reports": config(6, simulation="reports", datasets=[{"type": "zipf", "s": 1.5, "d": 1024, "n": 1000000}]),
    "flh, reports": config(6, simulation="reports", oracles=["flh"]),
    "flh, counts": config(100, oracles=["flh"]),
    "count_sketch, median": config(20, datasets=KOSARAK,
                                   oracles=[{"name": "count_sketch", "decode": "median", "row_oracle": "oue"}]),
    "search, pem": config(100, task="search", datasets=WORDS, protocols=["pem"], targets={"top": 10}),
    "marginals, calm": config(300, task="marginals", datasets=RECORDS, oracles=["adaptive"], synopses=["calm"],
                              marginals={"k": 3}),
}
for name in ("search, pem", "marginals, calm"):
    for key in ("methods", "queries"):
        del PATHS[name][key]


def processor_time(command, level):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env={**os.environ, "LDPBENCH_SIMD": level}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"levels: {' '.join(command)}: {done.stderr.decode(errors='replace')}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def available(program, level):
    done = subprocess.run([program, "list", "--format", "names"], env={**os.environ, "LDPBENCH_SIMD": level},
                          capture_output=True, check=False)
    return done.returncode == 0


def commands(program, folder):
    for name, content in PATHS.items():
        path = os.path.join(folder, name.replace(" ", "-").replace(",", "") + ".json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(content, file)
        yield name, [program, "run", path, "-o", os.path.join(folder, "out"), "-j", "1", "--fresh", "--quiet"]
    support = os.path.join(folder, "level.counts")
    with open(support, "w", encoding="utf-8") as file:
        file.writelines(f"v{v}\t{200000 // (v + 1)}\n" for v in range(1024))
    yield "advise", [program, "advise", support, "--oracle", "olh", "--epsilon", "1", "--query", "full_domain", "-j", "1"]


def main():
    parser = argparse.ArgumentParser(description="processor time of ten paths at every vector level")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--path", default="", help="only paths whose names hold this")
    parser.add_argument("program", nargs="?", default="build/release/ldpbench")
    asked = parser.parse_args()
    levels = [level for level in LEVELS if available(asked.program, level)]
    print("| path | " + " | ".join(f"{level}, ms" for level in levels) + " | " +
          " | ".join(f"{above} / {below}" for below, above in zip(levels, levels[1:])) + " |")
    print("|---|" + "---:|" * (2 * len(levels) - 1))
    with tempfile.TemporaryDirectory() as folder:
        idle_path = os.path.join(folder, "idle.json")
        with open(idle_path, "w", encoding="utf-8") as file:
            json.dump(config(1), file)
        idle_command = [asked.program, "run", idle_path, "-o", os.path.join(folder, "out"), "-j", "1", "--fresh",
                        "--quiet"]
        idle = statistics.median(processor_time(idle_command, "generic") for _ in range(asked.rounds))
        for name, command in commands(asked.program, folder):
            if asked.path not in name:
                continue
            times = {level: [] for level in levels}
            for _ in range(asked.rounds):
                for level in levels:
                    times[level].append(processor_time(command, level))
            median = [statistics.median(times[level]) - idle for level in levels]
            ratios = [above / below for below, above in zip(median, median[1:])]
            print(f"| {name} | " + " | ".join(f"{1000 * time:.0f}" for time in median) + " | " +
                  " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)


if __name__ == "__main__":
    main()
