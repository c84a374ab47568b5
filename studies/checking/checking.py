"""How often `ldpbench check` raises a false alarm: pairs of runs that differ in nothing but their seed, of every task, with all tables
and with measures that jump or are undefined now and then (the configs next to this file). Writes FOLDER/alarms.tsv: a line for each
config and number of repetitions. usage: [PAIRS=300] checking.py FOLDER      (an hour of a processor)"""
import json
import multiprocessing
import os
import subprocess
import sys

PROGRAM, PAIRS, FOLDER = os.environ["LDPBENCH"], int(os.environ.get("PAIRS", "300")), sys.argv[1]


def alarms(name, few):
    """Rows, those that could be tested, and false alarms."""
    found, about = 0, {}
    for pair in range(PAIRS):
        sides = [os.path.join(FOLDER, f"{name}-{few}-{side}") for side in "ab"]
        for side, to in enumerate(sides):
            subprocess.run([PROGRAM, "run", f"studies/checking/{name}.json", "-o", to, "--fresh", "--quiet", "-j", "1", "--repetitions", str(few),
                            "--seed", str(few * 100000 + 2 * pair + 2 + side)], check=True)
        done = subprocess.run([PROGRAM, "check", *sides, "--format", "json"], stdout=subprocess.PIPE, check=False)
        found, about = found + (done.returncode != 0), json.loads(done.stdout)
    return name, few, about["rows"] - about["untested_rows"], about["rows"], found, PAIRS


if __name__ == "__main__":
    with multiprocessing.Pool() as pool, open(os.path.join(FOLDER, "alarms.tsv"), "w", encoding="ascii") as out:
        print("config", "repetitions", "tested", "rows", "alarms", "pairs", sep="\t", file=out)
        for row in pool.starmap(alarms, [(name, few) for name in ("frequency", "sketches", "selection", "marginals", "search", "intervals")
                                         for few in (5, 30, 100)], 1):
            print(*row, sep="\t", file=out)
