#!/usr/bin/env python3
"""How long the first answers take: starting, a run of one cell, completion in bash, importing; a table in Markdown.

usage: starting.py [--rounds N] [PROGRAM]

A time is the median over the rounds of a whole process from its start to its end, after one that is not counted; next to it
is the median of its processor time, which other programs lengthen less. PROGRAM
is build/release/ldpbench by default; the Python module is that of this folder (`make python`), the interpreter the one that
runs this script.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

SOURCES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CONFIG = {"name": "one", "repetitions": 10, "datasets": [{"type": "zipf", "s": 1.5, "d": 1024, "n": 1000000}],
          "oracles": ["olh"], "epsilon": [1], "methods": ["base", "norm_sub"], "queries": ["full_domain"]}
# Completes the word after COMP_WORDS as bash does when Tab is pressed.
COMPLETE = """PATH={folder}:$PATH; . {sources}/completions/ldpbench.bash
COMP_WORDS=({words} "") COMP_CWORD={count}; _ldpbench; [ "${{#COMPREPLY[@]}}" -gt 3 ]"""


def milliseconds(command, rounds, before, environment):
    """Of the clock and of processors."""
    times = []
    for _ in range(rounds + 1):
        before()
        start, spent = time.perf_counter(), processors()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        times.append((1e3 * (time.perf_counter() - start), 1e3 * (processors() - spent)))
    return [statistics.median(column) for column in zip(*times[1:])]


def processors():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def completion(program, words):
    return ["bash", "--norc", "-c", COMPLETE.format(folder=os.path.dirname(program), sources=SOURCES, words=words,
                                                    count=len(words.split()))]


def work_of(program, folder):
    config, results = os.path.join(folder, "one.json"), os.path.join(folder, "one")
    with open(config, "w", encoding="utf-8") as file:
        json.dump(CONFIG, file)
    run = [program, "run", config, "-o", results, "--quiet"]
    return [
        ("`ldpbench --version`", None, [program, "--version"], None),
        ("`ldpbench run` of one cell, 10 repetitions, into a new folder", 30, run, results),
        ("the same when it is complete", None, run, None),
        ("completion of a command, with the start of bash", 20, completion(program, "ldpbench"), None),
        ("completion of a method, with the start of bash", 20, completion(program, "ldpbench estimate --method"), None),
        ("Python alone", None, [sys.executable, "-c", "pass"], None),
        ("`import numpy`", None, [sys.executable, "-c", "import numpy"], None),
        ("`import ldpbench`, with the start of Python and NumPy", 300, [sys.executable, "-c", "import ldpbench"], None),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("program", nargs="?", default=os.path.join(SOURCES, "build/release/ldpbench"))
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    environment = dict(os.environ, PYTHONPATH=os.path.join(SOURCES, "python"), LDPBENCH=program)
    print("| what | goal, ms | measured, ms | of processors, ms | |\n|---|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        for what, goal, command, removed in work_of(program, folder):
            clear = (lambda path=removed: shutil.rmtree(path, ignore_errors=True)) if removed else (lambda: None)
            measured, spent = milliseconds(command, given.rounds, clear, environment)
            said = "" if goal is None else "met" if measured < goal else "missed"
            print(f"| {what} | {'' if goal is None else f'< {goal}'} | {measured:.3g} | {spent:.3g} | {said} |", flush=True)


if __name__ == "__main__":
    main()
