#!/usr/bin/env python3
"""Makes docs/leaderboard.md: the table of every track of suite 1, and how well scores with other seeds agree.

usage: leaderboard.py [SEEDS [TRACK...]]

SEEDS (default 5): runs with seeds 1, 2, .. whose intervals are held against each other, of the last two tracks; 0: none. With a
TRACK: that comparison alone, of the named tracks. LDPBENCH names the program (default build/release/ldpbench).
"""

import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")
PAGES = os.environ.get("PAGES_FOLDER", "docs")

# Track, title, and what is scored beside the references of the suite.
TRACKS = [
    ("methods", "Methods", ["mix", "mix_top", "calibrate", "shift", "ldp_recover", "uniform"]),
    ("ordered", "Ordered domains: an oracle with a method", []),
    ("defences", "Defences", ["base_cut", "mix"]),
    ("oracles", "Oracles", []),
    ("sketches", "Sketches with decoders, beside reports of the whole domain", []),
    ("searches", "Searches", []),
    ("synopses", "Synopses", ["plan", "uniform"]),
]


def score(folder: str, track: str, subjects: list, *options: str) -> str:
    """What ldpbench score prints."""
    output = os.path.join(folder, track + "".join(x for x in options if x.isdigit()))  # one run, however it is printed
    done = subprocess.run([PROGRAM, "score", "--track", track, "-o", output, *options, "--", *subjects], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def overlaps(folder: str, track: str, seeds: int) -> tuple:
    """Pairs of runs with other seeds whose intervals overlap, of all subjects, and all pairs."""
    intervals: dict = {}
    for seed in range(1, seeds + 1):
        for one in json.loads(score(folder, track, [], "--seed", str(seed), "--format", "json"))["subjects"]:
            intervals.setdefault(one["name"], []).append((one["low"], one["high"]))
    pairs = [a[0] <= b[1] and b[0] <= a[1] for of in intervals.values() for a, b in itertools.combinations(of, 2)]
    return sum(pairs), len(pairs)


def cells(page: str, name: str) -> list:
    """The cells of a row of a table of another page, without its name."""
    for line in pathlib.Path("docs", page).read_text(encoding="utf-8").splitlines():
        row = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if row[0] == name and len(row) > 5:
            return row[1:]
    return []


def more(track: str, name: str) -> list:
    """What the track shows beside the score: of methods the time a value, of oracles the cost of a report at epsilon = 1."""
    if track == "methods":
        row = cells("performance.md", name)
        return [row[-1] if row else ""]
    row = cells("oracles.md", {"hm": "hm per bit"}.get(name, name))
    return [row[5], row[9]] if row else ["", ""]


HEADS = {"methods": ["time a value"], "oracles": ["bits of a report", "server's operations a user"]}


def table(folder: str, track: str, beside: list) -> str:
    """The line of the suite, and the table of all subjects."""
    lines = score(folder, track, beside, "--format", "md").splitlines()
    names = sorted(json.loads(score(folder, track, beside, "--format", "json"))["subjects"], key=lambda one: one["rank"])
    head = next(i for i, line in enumerate(lines) if line.startswith("| rank |"))
    rows = [line.replace(" (yours)", "").rstrip("| ").rstrip() for line in lines[head:] if line.startswith("|")]
    added = [HEADS.get(track, []), ["---:"] * len(HEADS.get(track, []))]
    added += [more(track, one["name"]) if track in HEADS else [] for one in names]
    suite = next(line for line in lines if line.startswith("Suite 1"))
    return suite + "\n\n" + "\n".join(" | ".join([row, *cell]) + " |" for row, cell in zip(rows, added))


def compare_seeds(folder: str, tracks: list, seeds: int) -> None:
    print("| track | pairs | overlap |\n|---|---:|---:|")
    for track in tracks:
        found, pairs = overlaps(folder, track, seeds)
        print(f"| {track} | {pairs} | {100 * found / pairs:.1f} % |")


def opening(tables: dict) -> str:
    """The question, and the first row of each table."""
    first = {title: text.splitlines()[4].split("|")[4].strip() for title, text in tables.items()}
    leaders = ", ".join(f"{name} ({title.split(':')[0].split(' with')[0].lower()})" for title, name in first.items())
    return f"""# Leaderboard

Which method, oracle, sketch, search and synopsis is best over many populations? The first of suite 1 are
{leaders}.
Ranks have bounds, by those that are surely better and surely worse: where the bounds overlap there is a tie.
[benchmark.md](benchmark.md) says what a score is and is not.

Made by `make leaderboard`. The methods of NDSS 2020 name it as their source. Times a value are of [performance.md](performance.md) at
d = 10^6, bits and operations of [oracles.md](oracles.md) at epsilon = 1."""


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 2:
            compare_seeds(folder, sys.argv[2:], seeds)
            return
        score(folder, "methods", TRACKS[0][2], "--picture", os.path.join(PAGES, "leaderboard.svg"))
        tables = {title: table(folder, track, beside) for track, title, beside in TRACKS}
        print(opening(tables))
        for title, text in tables.items():
            print(f"\n## {title}\n\n{text}")
            if title == "Methods":
                print("\n![Scores of the best methods by users and by data](leaderboard.svg)")
        if seeds > 1:
            print(f"\n## Other seeds\n\nDo scores depend on the seed? Runs with seeds 1 to {seeds} (collections and drawn populations "
                  "differ), pairs of runs whose intervals overlap, over all references:\n")
            compare_seeds(folder, [track for track, _, _ in TRACKS[-2:]], seeds)


main()
