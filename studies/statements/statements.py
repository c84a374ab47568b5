#!/usr/bin/env python3
"""Writes studies/statements.md to standard output: every sentence that the program says about results, its level, how often
it is wrong, and the command that measures it.

usage: studies/statements/statements.py [--runs N] [--judge FILE] > studies/statements.md

--judge FILE    the table of contests through the judge, which
                STATEMENTS=FILE LDPBENCH_VERIFY=1 build/release/run-tests --filter 'judge/*'
                writes (default: the script runs that; minutes)
--runs N        whole runs through each command (default 1000; minutes), on all processors; Ctrl-C ends earlier, with
                those that are done

LDPBENCH names the program (default build/release/ldpbench).
"""
import argparse
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
    corners = [line.split("\t")[3:] for line in lines if "\tundecided\t" in line]
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
    for row in json.loads(call(folder, "check", "statements.json", ".", "--format", "json").stdout)["claims"]:
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
    found = re.match(r"(\d+|None) of (\d+) kinds of intervals", line)
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
    for row in said["decisions"]:
        true = truth[row["query"].split(",")[0], sum(PILOT), 1]
        of = [other for other in said["candidates"] if other["query"] == row["query"]]
        error = true[NAMES[row["take"]]]
        worse = [true[NAMES[other["method"]]] for other in of if other["worse"]]
        add("advise: worse", bool(worse), any(x <= error for x in worse))
        add("advise: at most above", True, error > row["at_most"] ** 2 * min(true[NAMES[other["method"]]] for other in of) * (1 + 1e-9))
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


def judge_counts(path):
    """Counts by statement, looks and the worst of laws and truths."""
    found = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for line in file:
            statement, looks, kind, truth, contests, made, wrong = line.rstrip("\n").split("\t")
            found[statement, looks].append((kind, truth, Count(int(contests), int(made), float(wrong))))
    return found


def percent(part, whole):
    return f"{100 * part / whole:.2f} %" if whole else ""


HEAD = """# How often the program's sentences are wrong

Can I believe what `run`, `report`, `advise` and `score` say about results?

**Yes**: where the truth is known, sentences were wrong no more often than their level says, by more than what the number of trials
leaves open, under every law and truth that was tried.

`ldpbench` judges in one place (`bench/stats/contest.c`, whose head gives the rule, the correction and the
sources), and every comparison of results comes from there. The tables give, for every kind of sentence, its level and
how often it was wrong. This page is made by
`studies/statements/statements.py > studies/statements.md`.

## Through the judge

Contests of known truth: 2, 5 and 40 methods, 2 to 1000 repetitions; normal and chi-square-like errors, shares that take nine
values, scores up to 1 that are 1 in most repetitions; two methods equally good and the others worse, all equally good, or each 10 %
or just more than 1 % worse than the one before. One look is at all repetitions, many looks are at 2, 3, 4, 6, .. until it is decided,
1000 at most. "Said" is the share of contests in which the sentence is said where methods are 10 % apart; a sentence that is always
said has none. Wrong is the share of contests in which it is said and wrong; of a map of 60 points, the share of those where it is
said, none where it is nowhere said. The worst is that of the laws and truths. Methods that are left out of those "not distinguished"
are called worse than A: one of the best that is missing is a wrong sentence. `run`, `report` and Python's `results.answer` begin with
decisions (`bench/stats/decision.c`): all that one of them states at one epsilon has the level together. They are played on the same
contests, and on those where all others are just more than 5 % worse in the number that people read.

"Equal" is played by two methods whose means differ by just more than x, or not at all, 30 to 1000 repetitions of them: with noise
of their own, the same in nine of ten repetitions, or the same in so many that those that differ do so by as much as the error is
large. Said is its share where they do not differ. It takes 299 repetitions to say that methods that are the same in all of them are
equal within 1 %, and 438 with many looks. That the values of two methods are the same in nine of ten repetitions is said sooner,
after 29 of two methods and 67 of eleven; it is played by methods that differ in just more than one of ten, or never, where said is
its share. It ends a contest, and says nothing of means: "the best or at most 1 % above it" does not count those. What is not seen cannot be judged: where a repetition in ten or fewer has a difference, the
other sentences are not held to their level, nor where one repetition has most of an error (bench/stats/contest.c).

| sentence | looks | level | contests | wrong | worst | said |
|---|---|---:|---:|---:|---|---:|
"""

MIDDLE = """
## Through whole runs

{runs} runs, each of {cells} points of GRR on a Zipf law (d = 8, n = 500), six methods, two queries; the truth is the mean over {truth}
repetitions. A map has 5 x 5 points of n and epsilon, 30 repetitions, and counts by its share of wrong points. Other runs have 10 repetitions,
or up to 100 at epsilon = 2 with `run --until-decided` (`run, report`). Intervals are those of three methods at epsilon = 0.5, of
which Base's hold the truth in 95 %, the others' more often. `advise` sees one collection of {users} users at epsilon = 1, 50 trials;
what it says "in about nine of ten cases" has a level of 10 %.

| command | sentence | level | said | of | wrong | share | share of those said |
|---|---|---:|---:|---:|---:|---:|---:|
"""

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

TAIL = """
## Sentences without the judge

Sentences of commands that do not ask the judge. A proven sentence has no level: it is compared with the enumeration of all reports, or
with closed forms. `run-tests` is `build/release/run-tests` (`make quick` builds it), and prints the numbers.

| command | sentence | level | wrong | of | measured by |
|---|---|---:|---:|---|---|
| `score`, `report` | the regret is from x to y | 5 % | 5.0 % | 40,000 subjects on 24 populations | LDPBENCH_VERIFY=1 `run-tests --filter 'regret/intervals*'` |
| `oracles --delta` | the central delta is from x to y | proven | 0 | 42 collections of 2 to 5 users by 10 oracles, enumerated | `run-tests --filter 'shuffle/no_collection*'` |
| `list chains`, `run --dry-run` | the reports of all rounds protect epsilon, or from x to y | proven | 0 | every chain, 2 to 5 values, 1 to 6 rounds, enumerated | `run-tests --filter 'chains/privacy*'` |
| `run` | the sum of the estimates is beyond 1.96 standard deviations (`z_sum`) | 5 % | 4.86 % | 20,000 collections without malicious users by 10 oracles | `run-tests --filter 'defences/sum*'` |
| `run` | a detector finds malicious reports (`alarm`) | 5 % | 0.0 % | samples without malicious users ([poisoning.md](poisoning.md)) | `make pages PAGES=poisoning` |
| `run`, `oracles --fraction` | malicious users add so much to a value (`gain_exact`) | exact | 0 | 8,926 comparisons, every attack on every oracle that it suits, 200 collections each: at most 3.74 standard errors off, 20 beyond 3 | LDPBENCH_VERIFY=1 `run-tests --filter 'attacks/gains*'` |
| `oracles --range` | the error of a range is x | exact | 0 | 400 repetitions of hh, haar and olh, within 10 % of their squared errors | `run-tests --filter 'oracle_table/ranges*'` |

False alarms of `check` on every task are in [checking.md](checking.md) (`make pages PAGES=checking`), those of `audit` for every oracle in
[audit.md](audit.md) (`make pages PAGES=audit`), what `advise` says in [advising.md](advising.md) (`make pages PAGES=advising`).
"""


def write(judge, runs):
    print(HEAD, end="")
    for (statement, looks), rows in judge.items():
        total = Count(*(sum(row[2][i] for row in rows) for i in range(3)))
        rate = lambda c: c.wrong / max(c.cases, 1)
        worst = max(rows, key=lambda row: rate(row[2]))
        apart = [row[2] for row in rows if row[1] in ("apart", "equal")] or [row[2] for row in rows]
        said = percent(sum(c.made for c in apart), sum(c.cases for c in apart))
        print(f"| {statement} | {looks} | 5 % | {total.cases} | {100 * rate(total):.2f} % | "
              f"{100 * rate(worst[2]):.2f} % ({worst[0]}, {worst[1]}) | {said if said != '100.00 %' else ''} |")
    above = [f"{statement} ({looks}, {kind}, {truth}): {percent(c.wrong, c.cases)} of {c.cases}"
             for (statement, looks), rows in judge.items() for kind, truth, c in rows if c.wrong > 0.05 * c.cases]
    print("\nLaws and truths above the level: " + ("; ".join(above) or "none") + ".")
    print(MIDDLE.format(runs=runs, cells=6, users=sum(PILOT), truth=f"{TRUTH:,}"), end="")
    for key, (command, sentence, level) in SENTENCES.items():
        cases, made, wrong = counts[key]
        if made == 0 and cases == 0:
            continue
        of_said = "" if re.search("changed|exceeds|none does", sentence) else percent(wrong, made)
        print(f"| `{command}` | {sentence} | {level} | {made} | {cases} | {wrong:.4g} | {percent(wrong, cases)} | {of_said} |")
    print(TAIL, end="")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--judge")
    given = parser.parse_args()
    with tempfile.NamedTemporaryFile() as file:
        if not given.judge:
            subprocess.run([str(ROOT / "build/release/run-tests"), "--filter", "judge/*"], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "LDPBENCH_VERIFY": "1", "STATEMENTS": file.name})
        judge = judge_counts(given.judge or file.name)
        write(judge, whole_runs(given.runs))


if __name__ == "__main__":
    main()
