#!/usr/bin/env python3
"""Makes docs/plans.md from runs of configs/plans-2.json and configs/plans-3.json.

usage: plans.py [RESULTS_FOLDER]

Records are looked for in LDPBENCH_DATA. LDPBENCH names the program (default build/release/ldpbench). Where results are complete,
nothing runs.
"""

import csv
import math
import os
import subprocess
import sys

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")
RESULTS = sys.argv[1] if len(sys.argv) > 1 else "results"
FIXED = ["calm l=2", "calm l=3 m=20", "product", "uniform"]  # designs that are chosen beforehand; the best is known afterwards


def points(name: str) -> list:
    """Each population, users, epsilon with its errors (mean, standard error) by synopsis."""
    folder = os.path.join(RESULTS, name)
    subprocess.run([PROGRAM, "run", f"configs/{name}.json", "-o", folder, "--quiet"], check=True)
    found: dict = {}
    with open(os.path.join(folder, "marginals.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["dataset"], int(row["n"]), float(row["epsilon"]))
            found.setdefault(key, {})[row["synopsis"]] = (float(row["sse"]), float(row["sse_stderr"]))
    return list(found.items())


def mean(logs: list) -> float:
    return math.exp(sum(logs) / len(logs))


def ratio(errors: dict, name: str) -> float:
    """The error over the best fixed design's."""
    return errors[name][0] / min(errors[fixed][0] for fixed in FIXED)


def summary(found: list, title: str) -> None:
    names = list(found[0][1])
    print(f"\n## {title}\n\nError over the best fixed design's at the same point ({', '.join(FIXED)}), which is known afterwards alone: "
          f"geometric mean over {len(found)} points, share of points at most 1.05, worst.\n\n| synopsis | mean | at most 1.05 | worst |\n|---|---:|---:|---:|")
    for name in names:
        logs = [math.log(ratio(errors, name)) for _, errors in found]
        print(f"| {name} | {mean(logs):.3f} | {100 * sum(x <= math.log(1.05) for x in logs) / len(logs):.0f} % | {math.exp(max(logs)):.2f} |")
    print("\nBy population, the mean over users and epsilon:\n\n| population | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for population in dict.fromkeys(key[0] for key, _ in found):
        own = [errors for key, errors in found if key[0] == population]
        print(f"| {population} | " + " | ".join(f"{mean([math.log(ratio(errors, name)) for errors in own]):.2f}" for name in names) + " |")
    print("\nSquared error of a marginal, with its standard error:\n\n| population | users | ε | plan | calm | best fixed design | plan over it |\n"
          "|---|---:|---:|---:|---:|---|---:|")
    for (population, n, epsilon), errors in found:
        best = min(FIXED, key=lambda name: errors[name][0])
        print(f"| {population} | {n:,} | {epsilon:g} | {errors['plan'][0]:.2e} ± {errors['plan'][1]:.0e} | {errors['calm'][0]:.2e} ± "
              f"{errors['calm'][1]:.0e} | {best} {errors[best][0]:.2e} | {ratio(errors, 'plan'):.2f} |")


def main() -> None:
    both = [(points("plans-2"), "Pairs of attributes"), (points("plans-3"), "Three attributes")]
    logs = {name: [math.log(ratio(errors, name)) for found, _ in both for _, errors in found] for name in ("plan", "calm")}
    losses = [math.log(errors["plan"][0] / min(errors["product"][0], errors["uniform"][0])) for found, _ in both for key, errors in found
              if key[0].endswith("independent")]
    print(f"""# Plans: which tables to ask, of whom

Which tables of attributes should users be asked for, and how many users each? `{{"name": "plan"}}`, a synopsis, computes it: over
{len(logs['plan'])} points its error is {mean(logs['plan']):.2f} times that of the best of {len(FIXED)} fixed designs, `calm`'s {mean(logs['calm']):.2f} times. Where all attributes
are independent, which nobody knows beforehand, it costs {100 * (mean(losses) - 1):.0f} % against the better of `product` and `uniform`.

The error of any mixture of tables has a closed form, in which the users of each table are a convex problem (`core/marginals/shares.c`,
which states its duality gap). It needs to know how large interactions are. So a first wave of users (`"pilot": 0.2`) answers what
is best if nothing is known but how large interactions of real data are; a posterior over a grid of laws
(`core/marginals/energies.c`) then says how large they may be here, and the second wave is planned by that. Every user answers
once, with the whole epsilon. The answers are averaged by their precision, interactions beyond independence are shrunk by their
expected share of noise, tables are made valid, and marginals beyond them have maximum entropy.

- The plan is for all wanted marginals together: if single attributes and triples are both wanted, `plan` makes the sum of their errors
  small, and may ask for less of the single attributes than `product` would.
- A small loss on independent data and a large gain on dependent data exclude each other where n and epsilon cannot tell them apart.
- Not planned: parities, tables of a part of the cells, strings.

Made by `LDPBENCH_DATA=FOLDER python3 scripts/plans.py`, from [plans-2](../configs/plans-2.json) and [plans-3](../configs/plans-3.json). Laws:
`chain` ([lists.md](lists.md)), each attribute following its neighbour with the strength that is named; nltcs, acs, br2000 are real
records, drawn with replacement to n.""")
    for found, title in both:
        summary(found, title)


main()
