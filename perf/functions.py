"""Time of a run with a method that does nothing: as a program in C, in Python as a function of one and of three arguments.
Each round runs all three in turn; the ratios, of the clock and of processor time, are medians over the rounds. A table in Markdown.

usage: PYTHONPATH=python python3 perf/functions.py [ROUNDS]      (a minute; in the root of the sources; needs cc; ROUNDS 11 by default)

Threads are all of the machine, as compare has them, and then one: where the program and the function have a processor each
that is idle while the other works, they wake each other across processors, which takes longer than what either does.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import ldpbench

def one(est):
    return est


def three(est, protocol, n):
    return est


def processors():
    """Of this process and those that have ended, the program and its workers."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def seconds(methods, d, repetitions, threads):
    """Of the clock and of processors."""
    start, spent = time.perf_counter(), processors()
    ldpbench.run({"seed": 1, "repetitions": repetitions, "datasets": [{"type": "zipf", "s": 1.5, "d": d, "n": 1000000}],
                  "oracles": ["olh"], "epsilon": 1, "methods": ["base", *methods], "queries": ["full_domain"]},
                 allow_external=True, threads=threads)
    return time.perf_counter() - start, processors() - spent


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "nothing")
        subprocess.run(["cc", "-O2", "tests/programs/method.c", "-o", program], check=True)
        print("| threads | d | repetitions | program, s | function of est / program | of est, protocol, n / program | processors, s | of est | of est, protocol, n |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        ways = [[{"name": "external", "command": [program, "1", "all"]}], [one], [three]]
        for threads, d, repetitions in ((None, 16, 3000), (None, 16, 30000), (None, 128, 3000), (None, 1024, 3000),
                                        (None, 16384, 400), (1, 16, 3000), (1, 1024, 3000)):
            times = [[seconds(methods, d, repetitions, threads) for methods in ways] for _ in range(rounds)]
            print(f"| {threads or 'all'} | {d} | {repetitions} |", end="")
            for k in (0, 1):
                ratios = [statistics.median(own[i][k] / own[0][k] for own in times) for i in (1, 2)]
                native = statistics.median(own[0][k] for own in times)
                print(f" {native:.3f} | {ratios[0]:.2f} | {ratios[1]:.2f} |", end="")
            print(flush=True)


main()
