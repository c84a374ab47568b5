#!/usr/bin/env python3
"""Processor time of one repetition by counts as the number of users grows, for every task: a table in Markdown.

usage: growth.py [--rounds N] [--row TEXT] [PROGRAM]

Each number is the difference between a run of many repetitions and a run of a few, on one thread, over the difference
of their repetitions: the median over the rounds. PROGRAM is build/release/ldpbench by default. A dash: the data cannot
have so few or so many users.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

from levels import TEN, processor_time

USERS = [10 ** k for k in range(3, 13)]
FEW = 2
RECORDS = os.path.abspath("../shared/datasets/nltcs.csv.gz")  # scripts/fetch-datasets.sh; else a chain, n users long
RECORDS_MOST = 1e12 if os.path.exists(RECORDS) else 1e6


def frequency(n, **keys):
    return {"datasets": [{"type": "zipf", "s": 1.5, "d": 1024, "n": n}], "oracles": ["olh"], "methods": ["base"],
            "queries": [{"type": "full_domain"}], **keys}


def search(n, oracle, protocol="pem", **keys):
    return {"task": "search", "oracles": [oracle], "protocols": [protocol], "targets": {"top": 10},
            "datasets": [{"type": "zipf_strings", "d": 20000, "s": 1.0, "n": n, "length": 6}], **keys}


def marginals(n, synopsis="calm", **keys):
    data = {"type": "records", "file": RECORDS, "n": n} if os.path.exists(RECORDS) else {
        "type": "chain", "d": 16, "n": n, "strength": 0.6, "cardinality": 2}
    return {"task": "marginals", "oracles": ["adaptive"], "synopses": [synopsis], "marginals": {"k": 3, "count": 30},
            "datasets": [data], **keys}


def sketch(name, n, **keys):
    return frequency(n, oracles=[{"name": name, **keys}], datasets=[{"type": "zipf", "s": 1.1, "d": 10000, "n": n}])


ESTIMATORS = ["base", "em", "ems", "ems_cv", "pen", "pooled"]  # all that suit the square wave


def ordered(n, *methods):
    return frequency(n, ordered=True, datasets=[{"type": "beta", "a": 5, "b": 2, "d": 256, "n": n}], oracles=["sw"],
                     methods=list(methods), queries=["distribution"])


def rounds(n, chain):
    """Where values change, the set-up draws every user's value in every round, and takes all of the time."""
    return {"task": "longitudinal", "datasets": [{"type": "zipf", "s": 1.1, "d": 100, "n": n}], "rounds": 10,
            "evolution": ["static"], "chains": [chain], "first": 0.5, "methods": ["base"], "queries": [{"type": "full_domain"}]}


def chosen(n):
    return frequency(n, task="selection", surrogates=["norm_sub"], trials=4, methods=["base", "norm_sub", "power"])


ATTACK = [{"type": "mga", "fraction": 0.01, "targets": {"spread": 10}}]

# Repetitions, the largest number of users, and the config of a number of users.
ROWS = {
    "frequencies: olh, ten methods": (200, 1e12, lambda n: frequency(n, methods=TEN)),
    "frequencies: olh, npmle": (100, 1e12, lambda n: frequency(n, methods=["npmle"])),
    "frequencies: grr, ibu": (20, 1e12, lambda n: frequency(n, oracles=["grr"], methods=["ibu"])),
    "frequencies: grr": (400, 1e12, lambda n: frequency(n, oracles=["grr"])),
    "frequencies: flh": (40, 1e9, lambda n: frequency(n, oracles=["flh"])),
    "frequencies: ss": (40, 1e12, lambda n: frequency(n, oracles=["ss"])),
    "frequencies: pgr": (40, 1e12, lambda n: frequency(n, oracles=["pgr"])),
    "frequencies: hm": (100, 1e12, lambda n: frequency(n, oracles=["hm"])),
    "sets of values": (40, 1e12, lambda n: frequency(n, queries=[{"type": "set_value", "percent": [10, 50]}])),
    "selection": (20, 1e12, chosen),
    "ordered: sw, em": (10, 1e12, lambda n: ordered(n, "em")),
    "ordered: sw, ems": (10, 1e12, lambda n: ordered(n, "ems")),
    "ordered: sw, all estimators": (10, 1e6, lambda n: ordered(n, *ESTIMATORS)),
    "attacks: olh, norm_sub": (40, 1e12, lambda n: frequency(n, methods=["norm_sub"], attacks=ATTACK)),
    "rounds: loloha, values stay": (20, 1e12, lambda n: rounds(n, "loloha")),
    "sketch: count_min": (20, 1e12, lambda n: sketch("count_min", n, row_oracle="oue")),
    "sketch: cms": (4, 1e8, lambda n: sketch("cms", n)),
    "sketch: hcms": (4, 1e8, lambda n: sketch("hcms", n)),
    "search: pem, olh": (40, 1e12, lambda n: search(n, "olh")),
    "search: pem, count_min": (20, 1e12, lambda n: search(n, "count_min")),
    "search: treehist": (20, 1e12, lambda n: search(n, "olh", "treehist")),
    "search: sfp": (20, 1e12, lambda n: search(n, "olh", "sfp")),
    "marginals: calm": (10, RECORDS_MOST, marginals),
    "marginals: plan": (10, RECORDS_MOST, lambda n: marginals(n, "plan")),
    "marginals: product": (40, RECORDS_MOST, lambda n: marginals(n, "product")),
}


def main():
    parser = argparse.ArgumentParser(description="processor time of a repetition as the number of users grows")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--row", default="", help="only rows whose names hold this")
    parser.add_argument("program", nargs="?", default="build/release/ldpbench")
    asked = parser.parse_args()
    print("| ms a repetition, n = | " + " | ".join(f"10^{len(str(n)) - 1}" for n in USERS) + " |")
    print("|---|" + "---:|" * len(USERS))
    with tempfile.TemporaryDirectory() as folder:
        for name, (repetitions, most, make) in ROWS.items():
            if asked.row not in name:
                continue
            print(f"| {name} |", end="", flush=True)
            for n in USERS:
                print(f" {cell(asked, folder, repetitions, make(n)) if n <= most else '–'} |", end="", flush=True)
            print()
    return 0


def repetition_time(program, folder, repetitions, keys):
    """In milliseconds."""
    pair = []
    for count in (FEW, FEW + repetitions):
        path = os.path.join(folder, "c.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"name": "growth", "seed": 1, "epsilon": 1, "simulation": "counts", "repetitions": count, **keys}, file)
        pair.append(processor_time([program, "run", path, "-o", os.path.join(folder, "out"), "-j", "1", "--fresh",
                                    "--quiet"], os.environ.get("LDPBENCH_SIMD", "")))
    return 1000 * (pair[1] - pair[0]) / repetitions


def cell(asked, folder, repetitions, keys):
    times = [repetition_time(asked.program, folder, repetitions, keys) for _ in range(asked.rounds)]
    return f"{max(statistics.median(times), 0):.3g}"


if __name__ == "__main__":
    sys.exit(main())
