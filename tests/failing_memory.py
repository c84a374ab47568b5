#!/usr/bin/env python3
"""Runs commands in which one allocation fails: what they write is the same, or the status is 3 with one line.

    failing_memory.py LIBRARY [COUNT]

LIBRARY is tests/programs/failing_malloc.c, compiled, in a folder of its own; LDPBENCH the program. COUNT calls of each
command fail, one at a time, spread over all of them and different in each command; all of them without it. Twice as many
are of those for LARGE bytes or more, which are few: texts and tables that grow. What is wrong goes to standard output, and
the status is 1.
"""

import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ["LDPBENCH"]
CONFIG = """{"name": "c", "seed": 5, "repetitions": 6, "epsilon": [1, 2], %s
 "datasets": [{"type": "counts", "file": "s.counts"}, {"type": "zipf", "d": 32, "n": 4000, "s": 1}],
 "oracles": ["olh", "count_min"], "methods": ["base_pos", "norm_sub", "power"],
 "queries": ["full_domain", {"type": "top_k", "k": [1, 2]}], "outputs": ["mse", "values", "expected"]}
"""
SEARCH = """{"name": "s", "task": "search", "repetitions": 2, "oracles": ["olh"], "epsilon": 2,
 "datasets": [{"type": "strings", "file": "w.strings"}], "targets": {"top": 2},
 "protocols": [{"name": "pem", "start": 1, "step": 1, "keep": 2}]}
"""
MARGINALS = """{"name": "m", "task": "marginals", "repetitions": 2, "oracles": ["olh"], "epsilon": [1, 2],
 "datasets": [{"type": "records", "file": "r.csv", "n": 500}], "synopses": ["uniform", "calm"], "marginals": {"k": 2}}
"""
SUITE = """{"suite": 1, "track": "methods", "subject": "method", "list": "methods", "table": "mse.csv", "measure": "mse",
 "regimes": [1000, 3000], "populations": [{"group": "skewed", "dataset": {"type": "zipf", "s": 1, "d": 8, "n": 2000}}],
 "drawn": [{"group": "skewed", "dataset": {"type": "zipf", "s": [1, 2], "d": [8, 16], "n": [500, 5000]}}],
 "config": {"repetitions": 4, "oracles": ["olh"], "epsilon": 1, "methods": ["base", "norm_sub"],
  "queries": ["full_domain"]}}
"""
ORACLES = """{"name": "o", "repetitions": 2, "datasets": [{"type": "zipf", "d": 12, "n": 400, "s": 1}], "epsilon": 1,
 "oracles": ["hr", {"name": "rhr", "decode": "likelihood"}, "mss", {"name": "count_min", "rows": 2, "columns": 4}], "methods": ["base"], "queries": ["full_domain"],
 "outputs": ["mse", "expected", "oracles"]}
"""
FILES = {
    "c.json": CONFIG % "", "more.json": CONFIG.replace("6,", "9,") % "",
    "search.json": SEARCH, "oracles.json": ORACLES, "marginals.json": MARGINALS,
    "s.counts": "a\t60\nb\t40\nc\t10\n=d\t5\n", "d.csv": "name,age\nann,3\nbob,4\ncid,5\nann,3\n",
    "w.strings": "abc\t40\nabd\t50\nbcd\t60\ncba\t90\ndab\t20\n", "r.csv": "a,b,c\n0,1,2\n1,0,1\n0,0,0\n1,1,1\n0,1,0\n",
}

# Words of a command; in a copy of a folder that has FILES, and in r the results of c.json.
COMMANDS = [
    "run c.json -o new -j1 --quiet",
    "run more.json -o r -j1 --quiet",
    "run search.json -o new -j1 --quiet",
    "run oracles.json -o new -j1 --quiet",
    "run marginals.json -o new -j1 --quiet",
    "report r -o page.html --no-plots",
    "report r -o page.md --no-plots",
    "report r --format json",
    "plot r --format tsv",
    "check r r",
    "run c.json --from r -o both --quiet",
    "score norm -o new --seed 3 -j1",
    "init d.csv(columns=name) -o n.json",
    "oracles --epsilon 1 --d 8",
    "list config",
    "list d.csv(columns=name)",
    "estimate --oracle grr --epsilon 1 --n 115 --method norm_sub s.counts",
]
LARGE = 16000
IGNORED = ("run.json", "store.sqlite", "store.sqlite-journal")  # with times; what the store holds is in the tables


def contents(folder: str) -> dict:
    """The bytes of the files of a folder."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            if name not in IGNORED and not name.endswith(".tmp"):
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), folder)] = file.read()
    return found


def attempt(words: str, library: str, before: str, at: int, least: int) -> tuple:
    """Status, standard output and error, files and calls of a command."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "in")
        shutil.copytree(before, place)
        environment = {**os.environ, "LD_PRELOAD": library, "OMP_NUM_THREADS": "1", "FAIL_AT": str(at),
                       "LEAST": str(least), "CALLS": os.path.join(folder, "calls")}
        if words.startswith("score"):
            environment["LDPBENCH_SHARE"] = os.path.dirname(library)
        done = subprocess.run([PROGRAM, *words.split()], cwd=place, env=environment, capture_output=True, timeout=60)
        calls = 0
        if at == 0:
            with open(environment["CALLS"]) as file:
                calls = int(file.read())
        return done.returncode, done.stdout, done.stderr, contents(place), calls


def sample(calls: int, count: int, salt: int) -> list:
    """Numbers of calls, spread over all of them."""
    if count <= 0 or count >= calls:
        return list(range(1, calls + 1))
    return [1 + (i * calls + (37 * salt + 11 * i) % calls) // count for i in range(count)]


def wrong(result: tuple, good: tuple) -> str:
    """What is wrong with a result; empty where nothing is."""
    status, out, error, files, _ = result
    lines = [line for line in error.decode(errors="replace").splitlines() if line]
    if status == 3:
        return "" if len(lines) == 1 else f"status 3 with {len(lines)} lines: {lines}"
    if status != good[0]:
        return f"status {status}: {lines[:2]}"
    if out != good[1]:
        return "another standard output"
    if files != good[3]:
        return f"other files: {[name for name in sorted(set(files) | set(good[3])) if files.get(name) != good[3].get(name)]}"
    return ""


def make_suite(share: str) -> None:
    """A small suite, in addition to the pictures' files."""
    os.makedirs(os.path.join(share, "suites", "1"), exist_ok=True)
    with open(os.path.join(share, "suites", "1", "methods.json"), "w") as file:
        file.write(SUITE)
    if not os.path.exists(os.path.join(share, "plots")):
        os.symlink(os.path.abspath("plots"), os.path.join(share, "plots"))


def main() -> int:
    library, count = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    chosen = sys.argv[3] if len(sys.argv) > 3 else ""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        make_suite(os.path.dirname(library))
        subprocess.run([PROGRAM, *"run c.json -o r -j1 --quiet".split()], cwd=folder, check=True)
        for i, words in enumerate(COMMANDS):
            for least in (0, LARGE) if chosen in words else ():
                good = attempt(words, library, folder, 0, least)
                if good[0] != 0:
                    print(f"{words}: status {good[0]}: {good[2].decode()}")
                    return 1
                for at in sample(good[4], 2 * count if least else count, i):
                    said = wrong(attempt(words, library, folder, at, least), good)
                    failed += said != ""
                    if said:
                        print(f"{words}: call {at} of {good[4]} for {least} bytes: {said}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
