#!/usr/bin/env python3
"""Processor time of one repetition of many rounds by counts, the rounds drawn together: a table in Markdown.

usage: rounds.py [--rounds N] [PROGRAM]

360 values, 10,000 users, 120 rounds, epsilon 2, one report 0.8; on one thread, as growth.py measures it. PROGRAM is
build/release/ldpbench by default, LDPBENCH_SIMD a vector level.
"""
import argparse
import sys
import tempfile

from growth import cell

CHAINS = ["l_grr", "l_sue", "l_oue", "l_osue", "l_soue", "loloha", "dbitflip"]
EVOLUTIONS = {"stay": "static", "change with probability 1/4": {"name": "redraw", "change": 0.25}, "dealt anew": "permuted"}


def keys(chain, evolution):
    return {"task": "longitudinal", "datasets": [{"type": "uniform", "d": 360, "n": 10000}], "evolution": [evolution],
            "rounds": 120, "chains": [chain], "epsilon": 2, "first": 0.4, "methods": ["base"],
            "queries": ["full_domain"], "outputs": ["average"]}


def main():
    parser = argparse.ArgumentParser(description="processor time of a repetition of many rounds")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("program", nargs="?", default="build/release/ldpbench")
    asked = parser.parse_args()
    print("| ms a repetition, values | " + " | ".join(EVOLUTIONS) + " |")
    print("|---|" + "---:|" * len(EVOLUTIONS))
    with tempfile.TemporaryDirectory() as folder:
        for chain in CHAINS:
            times = [cell(asked, folder, 20, keys(chain, evolution)) for evolution in EVOLUTIONS.values()]
            print(f"| `{chain}` | " + " | ".join(times) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
