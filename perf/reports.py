#!/usr/bin/env python3
"""Searches over sketches by counts beside by reports: processor time of a repetition as a table in Markdown.

usage: reports.py [--rounds N] [PROGRAM]

Both are measured in turn on one thread, each as the difference of two runs (perf/growth.py); a number is the median over
the rounds, the ratio that of the pairs. PROGRAM is build/release/ldpbench by default.
"""
import argparse
import os
import statistics
import sys
import tempfile

from growth import repetition_time, search

SKETCHES = ["count_min", "cms", "hcms"]
USERS = [10 ** 5, 10 ** 6]


def main():
    parser = argparse.ArgumentParser(description="searches over sketches by counts and by reports")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("program", nargs="?", default="build/release/ldpbench")
    asked = parser.parse_args()
    print("| pem over | n | by counts, ms | by reports, ms | ratio |")
    print("|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name in SKETCHES:
            for n in USERS:
                pairs = [[repetition_time(asked.program, folder, 4, search(n, name, epsilon=3, simulation=kind))
                          for kind in ("counts", "reports")] for _ in range(asked.rounds)]
                counts, reports = (statistics.median(times) for times in zip(*pairs))
                ratio = statistics.median(b / a for a, b in pairs)
                print(f"| `{name}` | 10^{len(str(n)) - 1} | {counts:.3g} | {reports:.3g} | {ratio:.3g} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
