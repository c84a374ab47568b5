#!/usr/bin/env python3
"""Makes docs/leaderboard.md: the table of every track of suite 1, and how well scores with other seeds agree.

usage: leaderboard.py [SEEDS]

SEEDS (default 10): runs of each track with seeds 1, 2, .. whose intervals are held against each other; 0: none. LDPBENCH names the
program (default build/release/ldpbench).
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")

# Track, title, and what is scored beside the references of the suite.
TRACKS = [
    ("methods", "Methods", ["calibrate", "shift", "ldp_recover", "uniform"]),
    ("oracles", "Oracles", []),
    ("sketches", "Sketches with decoders, beside reports of the whole domain", []),
    ("searches", "Searches", []),
    ("synopses", "Synopses", ["uniform"]),
]


def score(folder: str, track: str, subjects: list, *options: str) -> str:
    """What ldpbench score prints."""
    done = subprocess.run([PROGRAM, "score", "--track", track, "-o", os.path.join(folder, track + "".join(options)), *options, "--",
                           *subjects], stdout=subprocess.PIPE, check=True, text=True)
    return done.stdout


def overlaps(folder: str, track: str, seeds: int) -> tuple:
    """Pairs of runs with other seeds whose intervals overlap, of all subjects, and all pairs."""
    intervals: dict = {}
    for seed in range(1, seeds + 1):
        for one in json.loads(score(folder, track, [], "--seed", str(seed), "--format", "json"))["subjects"]:
            intervals.setdefault(one["name"], []).append((one["low"], one["high"]))
    pairs = [a[0] <= b[1] and b[0] <= a[1] for of in intervals.values() for a, b in itertools.combinations(of, 2)]
    return sum(pairs), len(pairs)


def table(text: str) -> str:
    """The part from "All of the track" on, without its heading; and the line of the suite before it."""
    lines = text.splitlines()
    suite = next(line for line in lines if line.startswith("Suite 1"))
    return suite + "\n\n" + "\n".join(line.replace(" (yours)", "") for line in lines[lines.index(next(x for x in lines if x.endswith("All of the track"))) + 1:]).strip()


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with tempfile.TemporaryDirectory() as folder:
        print("# Leaderboard\n\nWhich method, oracle, sketch, search and synopsis is best over many populations? "
              "The tables of suite 1, best first; ranks are bounded by those that are surely better and surely worse, so that "
              "overlapping bounds are ties. [benchmark.md](benchmark.md) says what a score is and is not.\n")
        print("Made by `make leaderboard`. Times: [performance.md](performance.md). The methods of NDSS 2020 name it as their source.")
        for track, title, beside in TRACKS:
            print(f"\n## {title}\n\n{table(score(folder, track, beside, '--format', 'md'))}")
        if seeds > 1:
            print(f"\n## Other seeds\n\nDo scores depend on the seed? Runs with seeds 1 to {seeds} (collections and drawn populations "
                  "differ), pairs of runs whose intervals overlap, over all references:\n\n| track | pairs | overlap |\n|---|---:|---:|")
            for track, _, _ in TRACKS[-2:]:
                found, pairs = overlaps(folder, track, seeds)
                print(f"| {track} | {pairs} | {100 * found / pairs:.1f} % |")


main()
