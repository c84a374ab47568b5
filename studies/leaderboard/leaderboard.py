#!/usr/bin/env python3
"""Makes studies/leaderboard.md: the table of every track of suite 1, and how well scores with other seeds agree.

usage: leaderboard.py [SEEDS [TRACK... | all]]

SEEDS (default 3): runs with seeds 1, 2, .. of each track, whose intervals are held against each other; 0: none. With a TRACK: that
comparison alone, of the named tracks. LDPBENCH names the program (default build/release/ldpbench).
"""

import itertools
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")

# Track, title, and what is scored in addition to the references of the suite.
TRACKS = [
    ("methods", "Methods", ["mix", "mix_top", "calibrate", "shift", "ldp_recover", "uniform"]),
    ("ordered", "Ordered domains: an oracle with a method", []),
    ("defences", "Defences", ["base_cut", "mix"]),
    ("oracles", "Oracles", []),
    ("sketches", "Sketches with decoders, compared with reports of the whole domain", []),
    ("searches", "Searches", []),
    ("synopses", "Synopses", ["plan", "uniform"]),
]


def score(folder: str, track: str, subjects: list, *options: str) -> str:
    """What ldpbench score prints."""
    output = os.path.join(folder, track + "".join(x for x in options if x.isdigit()))  # one run, however it is printed
    done = subprocess.run([PROGRAM, "score", "--track", track, "-o", output, *options, "--", *subjects], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def standings(said: str) -> list:
    """The rows over all queries."""
    return [one for one in json.loads(said)["ranking"] if one["query"] is None]


def overlaps(folder: str, track: str, seeds: int) -> tuple:
    """Pairs of runs with other seeds whose intervals overlap, of all subjects, and all pairs."""
    intervals: dict = {}
    for seed in range(1, seeds + 1):
        for one in standings(score(folder, track, [], "--seed", str(seed), "--format", "json")):
            kind = "rank" if one["regret"] is None else "regret"
            intervals.setdefault(one["subject"], []).append((one[kind + "_low"], one[kind + "_high"]))
    pairs = [a[0] <= b[1] and b[0] <= a[1] for of in intervals.values() for a, b in itertools.combinations(of, 2)]
    return sum(pairs), len(pairs)


def cells(name: str) -> list:
    """The cells of a row of a table of studies/performance.md, without its name."""
    for line in pathlib.Path("studies/performance.md").read_text(encoding="utf-8").splitlines():
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if row[0] == name and len(row) > 5:
            return row[1:]
    return []


def seconds(folder: str, methods: list) -> float:
    """Processor time of five repetitions of d = 10^6, the least of three."""
    config, times = os.path.join(folder, "time.json"), []
    pathlib.Path(config).write_text(json.dumps({
        "name": "time", "seed": 1, "repetitions": 5, "datasets": [{"type": "zipf", "d": 1000000, "n": 10000000, "s": 1.5}],
        "oracles": ["oue"], "epsilon": 1, "methods": methods, "queries": [{"type": "full_domain"}]}), encoding="utf-8")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([PROGRAM, "run", config, "-o", os.path.join(folder, "time"), "--fresh", "-j1", "--quiet"],
                       stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def time_a_value(folder: str, name: str) -> str:
    """Of studies/performance.md, or by runs with and without the method."""
    row = cells(name)
    return row[-1] if row else f"{(seconds(folder, ['base', name]) - seconds(folder, ['base'])) / 5e6 * 1e9:.3g} ns"


def more(folder: str, track: str, name: str) -> list:
    """What the track shows next to the score: of methods the time a value, of oracles the cost of a report at epsilon = 1."""
    if track == "methods":
        return [time_a_value(folder, name)]
    said = subprocess.run([PROGRAM, "oracles", "--d", "1024", "--epsilon", "1", "--n", "1e6", "--oracle", name, "--format", "json"],
                          stdout=subprocess.PIPE, check=True, text=True).stdout
    cost = json.loads(said)["oracles"][0]
    return [f"{cost['report_bits']:.0f}", f"{cost['server_operations'] / cost['users']:.4g}"]


HEADS = {"methods": ["time a value"], "oracles": ["bits of a report", "server's operations a user"]}


def table(folder: str, track: str, subjects: list) -> str:
    """The line of the suite, and the table of all subjects over all queries, with columns of other pages."""
    lines = score(folder, track, subjects, "--format", "md").splitlines()
    rows = standings(score(folder, track, subjects, "--format", "json"))
    head = next(i for i, line in enumerate(lines) if line.startswith("| "))
    added = [HEADS.get(track, []), ["---:"] * len(HEADS.get(track, []))]
    added += [more(folder, track, one["subject"]) if track in HEADS else [] for one in rows]
    suite = next(line for line in lines if line.startswith("Suite 1"))
    return suite + "\n\n" + "\n".join(" ".join([line, *(one + " |" for one in cell)])
                                     for line, cell in zip(lines[head:], added))


def compare_seeds(folder: str, tracks: list, seeds: int) -> None:
    print("| track | pairs | overlap |\n|---|---:|---:|")
    total = [0, 0]
    for track in tracks:
        found, pairs = overlaps(folder, track, seeds)
        total = [total[0] + found, total[1] + pairs]
        print(f"| {track} | {pairs} | {100 * found / pairs:.1f} % |", flush=True)
    print(f"| all | {total[1]} | {100 * total[0] / total[1]:.1f} % |")


def opening(tables: dict) -> str:
    """The question, and the first row of each table."""
    first = {title: text.splitlines()[4].split("|")[1].strip() for title, text in tables.items()}
    leaders = ", ".join(f"{name} ({title.split(':')[0].split(' with')[0].lower()})" for title, name in first.items())
    return f"""# Leaderboard

Which method, oracle, sketch, search and synopsis is best over many populations? The first of suite 1 are
{leaders}.
Regrets have intervals for other populations of the same kind: where they overlap there may be a tie. Wins and losses are significant
differences, of which five or ten repetitions a setting can show none.
[compare.md](../docs/compare.md) says what a score is and is not.

Made by `make leaderboard`. Times a value are of [performance.md](performance.md) at
d = 10^6, or of runs of that size by oue; bits and the server's operations are of `ldpbench oracles --d 1024 --epsilon 1`."""


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            compare_seeds(folder, [track for track, _, _ in TRACKS] if sys.argv[2:] == ["all"] else sys.argv[2:], seeds)
            return
        tables = {title: table(folder, track, subjects) for track, title, subjects in TRACKS}
        print(opening(tables))
        for title, text in tables.items():
            print(f"\n## {title}\n\n{text}")
        if seeds > 1:
            print(f"\n## Other seeds\n\nDo scores depend on the seed? Runs with seeds 1 to {seeds} (collections and drawn populations "
                  "differ), pairs of runs whose intervals overlap, over all references:\n")
            compare_seeds(folder, [track for track, _, _ in TRACKS], seeds)


main()
