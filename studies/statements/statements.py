"""How often the sentences of commands are wrong where the truth is known: writes FOLDER/judge.tsv, counts of the judge by sentence,
law and truth (the tests judge/*; FOLDER/judged if it is there), and FOLDER/said.tsv, of whole runs (studies/statements.md).

usage: [RUNS=1000] statements.py FOLDER
"""
import collections
import csv
import json
import math
import multiprocessing
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = os.environ.get("LDPBENCH", str(ROOT / "build/release/ldpbench"))
NAMES = {"base": "Base", "base_pos": "Base-Pos", "norm": "Norm", "norm_sub": "Norm-Sub", "norm_cut": "Norm-Cut",
         "uniform": "Uniform"}
CONFIG = {"name": "tiny", "repetitions": 10, "datasets": [{"type": "zipf", "d": 8, "n": 500, "s": 1.2}], "oracles": ["grr"],
          "epsilon": [0.5, 1, 2], "methods": list(NAMES), "queries": ["full_domain", {"type": "top_k", "k": 2}]}
GRID = {"datasets": [{"type": "zipf", "d": 8, "n": [250, 500, 1000, 2000, 4000], "s": 1.2}],
        "epsilon": [0.25, 0.5, 1, 2, 4], "queries": ["full_domain"], "repetitions": 30}
# Intervals that hold the truth in 95 % of all repetitions (base) or more.
WIDTHS = {"repetitions": 30, "epsilon": [0.5], "methods": ["base", "base_pos", "norm_sub"],
          "queries": [{"type": "intervals", "rank": [2, 8]}]}
PILOT = [240, 105, 64, 45, 34, 28, 23, 20]  # true counts behind the supports that advise sees
TRUTH = 50000  # repetitions from which the true means are taken

Count = collections.namedtuple("Count", "cases made wrong")
counts = collections.defaultdict(lambda: [0, 0, 0])


def call(folder, *arguments, status=(0,)):
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in status:
        sys.exit(f"ldpbench {' '.join(arguments)}: {done.stderr}")
    return done


def run(folder, name, *options, **changes):
    (folder / f"{name}.json").write_text(json.dumps({**CONFIG, "name": name, **changes}))
    call(folder, "run", f"{name}.json", "-o", name, "--quiet", "--fresh", *options, status=(0, 4))


def means(folder, name):
    """Mean errors by point (query, n, epsilon) and method."""
    found = collections.defaultdict(dict)
    with open(folder / name / "mse.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            found[row["query"], int(row["n"]), float(row.get("epsilon", 2))][NAMES[row["method"]]] = float(row["mse"])
    return found


def add(statement, made, wrong):
    count = counts[statement]
    count[0] += 1
    count[1] += made
    count[2] += made and wrong


def same(x, y):
    return abs(x - y) <= 1e-9 * max(x, y)


def decisions(folder, name, truth, looks):
    """What the decisions of a folder state, in errors as people read them: roots of mean squares."""
    points = []
    for decision in json.loads(call(folder, "report", name, "--format", "json").stdout)[0]["decisions"]:
        everywhere = collections.defaultdict(float)
        for point in decision["points"]:
            true = truth[point["query"], point["n"], point["epsilon"]]
            ratio = {key: math.sqrt(x / min(true.values())) for key, x in true.items()}
            rows = [(row, ratio[NAMES[row["method"]]]) for row in point["candidates"]]
            stated = {"as good": [x > 1.0501 for row, x in rows if row["as_good"]],
                      "at most": [x > row["at_most"] * 1.0001 for row, x in rows if row["at_most"] is not None],
                      "at least": [x < row["at_least"] * 0.9999 for row, x in rows if row["at_least"] > 1],
                      "may be best": [not any(row["may_be_best"] and same(x, 1) for row, x in rows)]}
            for statement, wrong in stated.items():
                add(f"{looks}: {statement}", bool(wrong), any(wrong))
            add(f"{looks}: anything", True, any(any(wrong) for wrong in stated.values()))
            for row, x in rows:
                everywhere[row["candidate"]] = max(everywhere[row["candidate"]], x)
            points.append(true)
        one, changes = (decision["decision"] == kind for kind in ("one", "changes"))
        add(f"{looks}: one for all", one, one and everywhere[decision["take"]] > 1.0501)
        add(f"{looks}: changes", changes, min(everywhere.values()) <= 1.05)
    return points


def report(folder, name, truth, looks, points):
    shown = decisions(folder, name, truth, looks)
    if len(shown) != points:
        sys.exit(f"statements: expected decisions at {points} points, got {len(shown)}")
    call(folder, "report", name, "--no-plots", "--format", "md", "-o", "page.md")
    page = (folder / "page.md").read_text()
    ranks = re.findall(rf"^\| mean squared error \| {points} \| ([\w-]+) \|.*\| ([\d.]+) to ([\d.]+) \|$", page, re.M)
    for method, low, high in ranks:
        rank = sum(sum(0.5 if same(x, true[method]) else x < true[method] for x in true.values()) + 0.5 for true in shown)
        add(f"{looks}: interval of a rank", True, not float(low) - 0.006 <= rank / points <= float(high) + 0.006)


def picture(folder, truth):
    """The points of a map without a diagonal: a share of them is wrong."""
    call(folder, "plot", "grid", "--format", "tsv")
    at, decided = means(folder, "grid"), set(truth)
    lines = (folder / "grid" / "full_domain-map.tsv").read_text().splitlines()
    corners = [line.split("\t")[3:] for line in lines if "\tinconclusive\t" in line]
    for low, high in zip(corners[0::3], corners[1::3]):
        decided -= {point for point in truth
                    if float(low[0]) < point[2] < float(high[0]) and float(low[1]) < point[1] < float(high[1])}
    wrong = 0
    for point in decided:
        best = min(at[point], key=at[point].get)
        wrong += any(value <= truth[point][best] and name != best for name, value in truth[point].items())
    add("map: points", bool(decided), False)
    counts["map: points"][2] += wrong / max(len(decided), 1)


def agree(folder, truth):
    """Every ordered pair of methods is claimed to be ordered at one epsilon: the name of the run is that of the first."""
    claims = [{"id": f"{a}-{b}-{e}", "place": "p", "claim": "c", "run": "first", "reduce": "points", "relation": "below",
               "x": "epsilon", "from": e, "until": e, "where": {"query": "full_domain"}, "of": {"method": a}, "to": {"method": b}}
              for e in CONFIG["epsilon"] for a in NAMES for b in NAMES if a < b]
    (folder / "statements.json").write_text(json.dumps({"paper": "tiny", "citation": "none", "claims": claims}))
    for row in json.loads(call(folder, "check", "statements.json", ".", "--format", "json", status=(0, 1, 4)).stdout)["claims"]:
        verdict = row["verdict"]
        a, b, epsilon = row["claim"].split("-")
        x, y = (truth["full_domain", 500, float(epsilon)][NAMES[method]] for method in (a, b))
        add("agree: agrees or differs", verdict in ("agrees", "differs"), (verdict == "agrees") != (x < y))
        add("agree: equal", verdict == "equal", abs(x - y) > 0.011 * max(x, y))


def holds_truth(folder):
    """The true share of intervals that hold the truth, by method, epsilon, query and rank."""
    with open(folder / "intervals.csv", encoding="utf-8") as file:
        return {(row["method"], float(row["epsilon"]), row["query"], int(row["parameter"])): float(row["coverage"])
                for row in csv.DictReader(file)}


def coverage(folder, true):
    """The sentence about intervals: how many kinds hold the truth less often than stated. None does."""
    line = call(folder, "report", "widths", "--format", "text").stdout.splitlines()[0]
    found = re.match(r"(\d+|None) of (\d+) interval types? cover", line)
    if not found or int(found.group(2)) != len(true) or min(true.values()) < 0.945:
        sys.exit(f"statements: expected a sentence about {len(true)} kinds of intervals with true shares of about 95 % or more, got: {line}")
    add("coverage", found.group(1) != "None", True)


def supports(seed):
    """Supports of GRR at epsilon = 1, one collection of the pilot's users."""
    coins, d, kept = random.Random(seed), len(PILOT), math.e / (math.e + len(PILOT) - 1)
    count = [0] * d
    for value, users in enumerate(PILOT):
        for _ in range(users):
            other = coins.randrange(d - 1)
            count[value if coins.random() < kept else other + (other >= value)] += 1
    return "".join(f"{value}\t{number}\n" for value, number in enumerate(count))


def advise(folder, truth, seed):
    (folder / "support.tsv").write_text(supports(seed))
    said = json.loads(call(folder, "advise", "support.tsv", "--supports", "grr", "--epsilon", "1", "--n", str(sum(PILOT)),
                           "--query", "full_domain", "--query", "top_k=2", "--method", ",".join(NAMES), "--trials", "50",
                           "--seed", str(seed), "--format", "json").stdout)
    for row in (point for decision in said["decisions"] for point in decision["points"]):
        true, of = truth[row["query"], sum(PILOT), 1], row["candidates"]
        error, at_most = true[NAMES[row["take"]]], next(other["at_most"] for other in of if other["candidate"] == row["take"])
        worse = [true[NAMES[other["method"]]] for other in of if not other["may_be_best"]]
        add("advise: worse", bool(worse), any(x <= error for x in worse))
        add("advise: at most above", True, error > at_most ** 2 * min(true[NAMES[other["method"]]] for other in of) * (1 + 1e-9))
        add("advise: range", True, not (row["low"] / 100) ** 2 * 0.999 <= error <= (row["high"] / 100) ** 2 * 1.001)


def truths_of(folder):
    """The true means: of the points, of the grid, of the pilot; and the shares of intervals."""
    run(folder, "truth", seed=10**6, repetitions=TRUTH)
    run(folder, "truths", seed=10**6 + 1, **{**GRID, "repetitions": TRUTH // 2})
    (folder / "pilot.tsv").write_text("".join(f"{value}\t{number}\n" for value, number in enumerate(PILOT)))
    run(folder, "pilot", seed=10**6, epsilon=[1], repetitions=TRUTH, datasets=[{"type": "counts", "file": "pilot.tsv"}])
    run(folder, "intervals", seed=10**6 + 2, **{**WIDTHS, "repetitions": TRUTH})
    return *(means(folder, name) for name in ("truth", "truths", "pilot")), holds_truth(folder / "intervals")


def some_runs(seeds, truths):
    """The counts of the whole runs with these seeds."""
    os.environ["OMP_NUM_THREADS"] = "1"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    counts.clear()
    with tempfile.TemporaryDirectory() as name:
        try:
            for seed in seeds:
                whole_run(pathlib.Path(name), seed, *truths)
        except SystemExit as said:  # a pool would start another process
            raise RuntimeError(said) from said
    return dict(counts)


def whole_runs(runs):
    """Fills the counts, returns how many runs. Each process has its own seeds and folder: sums do not depend on how many."""
    with tempfile.TemporaryDirectory() as name:
        truths = truths_of(pathlib.Path(name))
    with multiprocessing.Pool() as pool:
        parts = [pool.apply_async(some_runs, (range(first, min(first + 10, runs)), truths)) for first in range(0, runs, 10)]
        for done, part in enumerate(parts):
            try:
                found = part.get()
            except KeyboardInterrupt:
                return 10 * done
            for statement, count in found.items():
                counts[statement] = [x + y for x, y in zip(counts[statement], count)]
            print(f"\r{min(10 * done + 10, runs)} of {runs}", end="", file=sys.stderr)
    return runs


def whole_run(folder, seed, truth, truths, pilot, shares):
    run(folder, "first", seed=2 * seed)
    run(folder, "second", seed=2 * seed + 1)
    report(folder, "first", truth, "one look", 6)
    run(folder, "decide", "--at-most", "100", seed=2 * seed, epsilon=[2])
    report(folder, "decide", truth, "decide", 2)
    run(folder, "grid", seed=2 * seed, **GRID)
    picture(folder, truths)
    decisions(folder, "grid", truths, "grid")
    run(folder, "widths", seed=2 * seed, **WIDTHS)
    coverage(folder, shares)
    done = call(folder, "check", "first", "second", "--allow-config", "--level", "0.05", status=(0, 1))
    add("check: changed", done.returncode == 1, True)
    agree(folder, truth)
    done = call(folder, "audit", "--oracle", "grr", "--epsilon", "1", "--d", "4", "--reports", "2000", "--confidence", "0.95",
                "--seed", str(seed), status=(0, 1, 4))
    add("audit: above", done.returncode == 1, True)
    advise(folder, pilot, seed)


SENTENCES = {
    **{f"{looks}: {key}": (command, sentence, "5 %")
       for looks, command in (("one look", "run, report"), ("grid", "run, report (grid)"), ("decide", "run, report (decide)"))
       for key, sentence in (("as good", "A, B and C are as good as the best within 5 %, all of them"),
                             ("at most", "A is at most x % from the best, of all"),
                             ("at least", "A has at least x % more error than the best, of all"),
                             ("may be best", "one of those that are not surely worse is the best"),
                             ("anything", "anything of the above at one point"),
                             ("one for all", "take A at every epsilon: as good as the best at all of them"),
                             ("changes", "none is as good as the best at every epsilon"))},
    "one look: interval of a rank": ("report", "the mean rank is from x to y", "5 %"),
    "decide: interval of a rank": ("run, report", "the mean rank is from x to y", "5 %"),
    "map: points": ("plot", "A is the best, of the points of a map without a diagonal", "5 %"),
    "coverage": ("run, report", "so many kinds of intervals hold the truth less often than in 95 % (none does)", "5 %"),
    "check: changed": ("check", "accuracy changed (nothing did; level 0.05)", "5 %"),
    "agree: agrees or differs": ("agree", "A is below B: agrees, or differs", "5 %"),
    "agree: equal": ("agree", "A and B are equal within 1 %", "5 %"),
    "advise: worse": ("advise", "A is taken, B is worse", "10 %"),
    "advise: at most above": ("advise", "A's error is at most x % from the best", "10 %"),
    "advise: range": ("advise", "the error of A is from x to y", "10 %"),
    "audit: above": ("audit", "the client exceeds its epsilon (it does not; confidence 0.95)", "5 %"),
}


def main():
    folder, runs = sys.argv[1], int(os.environ.get("RUNS", "1000"))
    judged = os.path.join(folder, "judged")
    if not os.path.exists(judged):
        subprocess.run([str(ROOT / "build/release/run-tests"), "--filter", "judge/*"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LDPBENCH_VERIFY": "1", "STATEMENTS": judged})
    pathlib.Path(folder, "judge.tsv").write_text("sentence\tlooks\tlaw\ttruth\tcontests\tmade\twrong\n" + pathlib.Path(judged).read_text("utf-8"), "utf-8")
    whole_runs(runs)
    with open(os.path.join(folder, "said.tsv"), "w", encoding="utf-8") as out:
        print("command", "sentence", "level", "cases", "made", "wrong", sep="\t", file=out)
        for key, row in SENTENCES.items():
            if any(counts[key]):
                print(*row, *counts[key], sep="\t", file=out)


if __name__ == "__main__":
    main()
