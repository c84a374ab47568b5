#!/usr/bin/env python3
"""Makes studies/plans.md from runs of configs/plans-1.json, plans-2.json, plans-3.json, plans-6.json, plans-intervals.json, plans-parities.json and plans-strings.json.

usage: plans.py [RESULTS_FOLDER [intervals]]     with intervals: only that part of the page

Records and strings are looked for in LDPBENCH_DATA. LDPBENCH names the program (default build/release/ldpbench). Where results
are complete, nothing runs.
"""

import csv
import json
import math
import os
import re
import subprocess
import sys

PROGRAM = os.environ.get("LDPBENCH", "build/release/ldpbench")
RESULTS = sys.argv[1] if len(sys.argv) > 1 else "results"
FIXED = ["product", "uniform", "rem", "calm l=2", "calm l=3 m=12", "calm l=3 m=30"]  # chosen beforehand; the best is known afterwards
SMALL_REGRET = "plan regret=0.02"


def rows(name: str, table: str) -> list:
    folder = os.path.join(RESULTS, name)
    subprocess.run([PROGRAM, "run", f"configs/{name}.json", "-o", folder, "--quiet"], check=True)
    with open(os.path.join(folder, table), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def points(name: str) -> list:
    """Each population, users, epsilon with its errors (mean, standard error) by synopsis."""
    found: dict = {}
    for row in rows(name, "marginals.csv"):
        key = (row["dataset"], int(row["n"]), float(row["epsilon"]))
        found.setdefault(key, {})[row["synopsis"]] = (float(row["sse"]), float(row["sse_stderr"]))
    return list(found.items())


def decidable(name: str) -> set:
    """The populations, users and epsilon where a dry run says that the first wave can tell dependence from none."""
    notes = subprocess.run([PROGRAM, "run", f"configs/{name}.json", "--dry-run"], check=True, capture_output=True, text=True).stdout
    return {(population, int(users), float(epsilon)) for population, users, epsilon in
            re.findall(r"plan, (.*), n = (\d+), \w+, epsilon ([\d.]+): .*dependence is decidable", notes)}


GRIDS = {"plans-1": "Single attributes", "plans-2": "Pairs of attributes", "plans-3": "Three attributes", "plans-6": "Six attributes"}


def laws() -> None:
    """The law of every population, in the words of its config."""
    found: dict = {}
    for name in GRIDS:
        with open(f"configs/{name}.json", encoding="utf-8") as file:
            config = json.load(file)
        for dataset in config["datasets"]:
            law = ", ".join(f"{key} {value}" for key, value in dataset.items() if key not in ("type", "label", "n", "otherwise", "file"))
            kind = f"real records of {dataset['file']}, drawn with replacement to n" if dataset["type"] == "records" else f"`{dataset['type']}`"
            found.setdefault((dataset["label"], kind, law), []).append(f"{name[6:]} (×{config['repetitions']})")
    print("\n## Populations\n\nThe law of each, with its parameters as in the config ([reference.md](../docs/reference.md) says what they are), and the numbers of attributes of "
          "wanted\nmarginals, with the repetitions of each point.\n\n| population | law | parameters | wanted |\n|---|---|---|---|")
    for (label, kind, law), wanted in found.items():
        print(f"| {label} | {kind} | {law} | {', '.join(wanted)} |")


def mean(values: list) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def fixed_of(errors: dict) -> list:
    return [name for name in FIXED if name in errors]


def ratio(errors: dict, name: str) -> float:
    """The error over the best fixed design's."""
    return errors[name][0] / min(errors[fixed][0] for fixed in fixed_of(errors))


def is_clearly_worse(errors: dict, name: str) -> bool:
    """Whether the error is above 1.05 times the best fixed design's by more than two standard errors."""
    best = min((errors[fixed] for fixed in fixed_of(errors)), key=lambda pair: pair[0])
    return errors[name][0] - 1.05 * best[0] > 2 * math.hypot(errors[name][1], 1.05 * best[1])


def summary(found: list, title: str) -> None:
    names = list(found[0][1])
    print(f"\n## {title}\n\nError over the best fixed design's at the same point ({', '.join(fixed_of(found[0][1]))}), which is known "
          f"afterwards alone: geometric mean over {len(found)} points, share of points at most 1.05, of those above 1.05 by more than two "
          "standard errors, worst.\n\n| synopsis | mean | at most 1.05 | clearly above | worst |\n|---|---:|---:|---:|---:|")
    for name in names:
        ratios = [ratio(errors, name) for _, errors in found]
        worse = sum(is_clearly_worse(errors, name) for _, errors in found)
        print(f"| {name} | {mean(ratios):.3f} | {100 * sum(x <= 1.05 for x in ratios) / len(ratios):.0f} % | "
              f"{100 * worse / len(ratios):.0f} % | {max(ratios):.2f} |")
    print("\nBy population, the mean over users and epsilon:\n\n| population | " + " | ".join(names) + " |\n|---|" + "---:|" * len(names))
    for population in dict.fromkeys(key[0] for key, _ in found):
        own = [errors for key, errors in found if key[0] == population]
        print(f"| {population} | " + " | ".join(f"{mean([ratio(errors, name) for errors in own]):.2f}" for name in names) + " |")
    print("\nSquared error of a marginal, with its standard error:\n\n| population | users | ε | plan | calm | best fixed design | plan over it |\n"
          "|---|---:|---:|---:|---:|---|---:|")
    for (population, n, epsilon), errors in found:
        best = min(fixed_of(errors), key=lambda name: errors[name][0])
        print(f"| {population} | {n:,} | {epsilon:g} | {errors['plan'][0]:.2e} ± {errors['plan'][1]:.0e} | {errors['calm'][0]:.2e} ± "
              f"{errors['calm'][1]:.0e} | {best} {errors[best][0]:.2e} | {ratio(errors, 'plan'):.2f} |")


def intervals() -> None:
    """Coverage of the intervals: the mean over all cells of an epsilon's populations and users, and the lowest of any of them."""
    by: dict = {}
    for row in rows("plans-intervals", "marginals.csv"):
        key = (row["synopsis"], int(row["k"]), float(row["epsilon"]))
        by.setdefault(key, []).append(row)
    print("\n## Intervals of cells\n\n`\"outputs\": [\"intervals\"]` measures how often an interval of 95 % around a cell's unbiased estimate holds the true frequency "
          "of all users,\nby the exact variance of the questions that were asked (`core/marginals/cell_intervals.c`): of plan, calm, calm_shrunk, product, rem and "
          "maxent, by oracles of\nindependent supports and grr. A marginal has intervals where somebody was asked about each of its interactions. Means over populations and users (independent, chains, classes, real records; "
          "[plans-intervals](../configs/plans-intervals.json)), and the lowest coverage of\na population with its standard error:\n\n"
          "| synopsis | attributes | ε | coverage | lowest | of cells | mean width |\n|---|---:|---:|---:|---|---:|---:|")
    for (synopsis, k, epsilon), found in by.items():
        known = [row for row in found if row["coverage_stderr"]]  # of two repetitions at least
        part = sum(float(row["known"]) for row in found) / len(found)
        if not known:
            print(f"| {synopsis} | {k} | {epsilon:g} | | | {100 * part:.0f} % | |")
            continue
        low = min(known, key=lambda row: float(row["coverage"]))
        coverage = sum(float(row["coverage"]) for row in known) / len(known)
        print(f"| {synopsis} | {k} | {epsilon:g} | {coverage:.3f} | {float(low['coverage']):.3f} ± {float(low['coverage_stderr']):.3f} "
              f"({low['dataset']}, {int(low['n']):,} users) | {100 * part:.0f} % | {sum(float(row['width']) for row in known) / len(known):.3f} |")
    print("\nThe second wave's questions follow from the answers to the first, which the variance leaves out: if attributes are independent, plan's "
          "intervals hold\nthe truth more often than stated.")


TABLES_ALONE = "tables alone"
# With energies known: found by another program, with the least of all mixtures of tables, parities and even tables, n = 65,536.
PREDICTED = {0.2: (0.89, 0.89), 0.5: (0.81, 0.76), 1.0: (0.75, 0.74), 2.0: (0.93, 0.99), 4.0: (1.0, 1.0)}


def parities() -> None:
    print("\n## Parities of binary attributes\n\nA table of m binary attributes has 2^m cells, and a report's noise grows with them. A question may ask "
          "for parities in place of attributes:\nfor the parity of three attributes (2 cells, one interaction), or for those of each of m - 1 attributes "
          "with the last one (2^(m-1) cells, the\ninteractions of even numbers of attributes: of four, six pairs from 8 cells, where a table of three shows "
          "three pairs). The error with such\nquestions over that with tables alone (`\"parities\": false`), triples, 65,536 users "
          "([plans-parities](../configs/plans-parities.json)): measured, with its\nstandard error; and the least that it can be if the size of every interaction is known (found by another program, "
          "for nltcs and for 8 binary\nattributes of usual interactions):\n\n| population | ε | plan | tables alone | measured | prototype, energies "
          "known |\n|---|---:|---:|---:|---:|---:|")
    for (population, _, epsilon), errors in points("plans-parities"):
        (own, own_error), (tables, tables_error) = errors["plan"], errors[TABLES_ALONE]
        spread = own / tables * math.hypot(own_error / own, tables_error / tables)
        known = PREDICTED[epsilon][0 if population == "nltcs" else 1]
        print(f"| {population} | {epsilon:g} | {own:.2e} | {tables:.2e} | {own / tables:.2f} ± {spread:.2f} | {known:.2f} |")


def strings() -> None:
    notes = subprocess.run([PROGRAM, "run", "configs/plans-strings.json", "--dry-run"], check=True, capture_output=True, text=True).stdout
    expected = {(users, epsilon, name): f1 for name, users, epsilon, f1 in
                re.findall(r"pem_planned on (.*), n = (\d+), \w+, epsilon ([\d.]+), if planned for these frequencies: expected F1 ([\d.]+)", notes)}
    found: dict = {}
    for row in rows("plans-strings", "search.csv"):
        found.setdefault((row["n"], row["epsilon"], row["dataset"]), {})[row["protocol"]] = row
    names = list(next(iter(found.values())))
    print("\n## Strings\n\n`pem_planned` plans its levels, their users, the kept prefixes and the strings returned for the largest expected F1 "
          "(`core/searches/expected.c`),\nby a posterior over laws of frequencies that its first level gives. `law known` is the same search planned for the "
          "users' own frequencies,\nwhich is not private: what a plan could reach, and expected is what a dry run says of it. F1 for the ten most frequent "
          "strings as 48 bits, olh,\nmean and standard error; the part of the strings returned that nobody holds, as found and as stated "
          "([plans-strings](../configs/plans-strings.json)):\n\n| strings | users | ε | " + " | ".join(f"`{name}`" for name in names) +
          " | expected | held by nobody | stated |\n|---|---:|---:|" + "---:|" * (len(names) + 3))
    for (users, epsilon, name), by in found.items():
        planned = by["pem_planned"]
        print(f"| {name} | {int(users):,} | {epsilon} | " +
              " | ".join(f"{float(by[p]['f1']):.3f} ± {float(by[p]['f1_stderr']):.3f}" for p in names) +
              f" | {expected[users, epsilon, name]} | {100 * float(planned['false_found']):.1f} ± {100 * float(planned['false_found_stderr']):.1f} % | "
              f"{100 * float(planned['false_stated']):.1f} % |")
    ratios, below = [], 0
    for by in found.values():
        (own, own_error), (known, known_error) = ((float(by[p]["f1"]), float(by[p]["f1_stderr"])) for p in ("pem_planned", "law known"))
        if known > 0.05:
            ratios.append(own / known)
            below += 0.97 - own / known > 2 * math.hypot(own_error, own / known * known_error) / known
    print(f"\nF1 over that of the law known, at the {len(ratios)} points where that is above 0.05: mean {sum(ratios) / len(ratios):.3f}, least "
          f"{min(ratios):.3f}; at {sum(ratio >= 0.97 for ratio in ratios)} points at least 0.97, at {below} below that by more than two standard errors.")


def main() -> None:
    all_points = [(points(name), title) for name, title in GRIDS.items()]
    every = [point for found, _ in all_points for point in found]
    ratios = {name: [ratio(errors, name) for _, errors in every] for name in ("plan", "calm")}
    apart = [mean([ratio(errors, "plan") for _, errors in found]) for found, _ in all_points]
    worst = max(every, key=lambda point: ratio(point[1], "plan"))
    clear = {(name, key) for name in list(GRIDS)[1:] for key in decidable(name)}
    sure = [ratio(errors, "plan") for name, (found, _) in zip(GRIDS, all_points)
            for key, errors in found if (name, key) in clear]
    unclear = sum(is_clearly_worse(errors, "plan") for _, errors in every)
    good = 100 * sum(x <= 1.05 for x in ratios["plan"]) / len(every)
    independent = [errors for key, errors in every if "independent" in key[0] and SMALL_REGRET in errors]
    floors = [min((errors[name] for name in ("product", "uniform")), key=lambda pair: pair[0]) for errors in independent]
    losses = {name: [errors[name][0] / floor[0] for errors, floor in zip(independent, floors)] for name in ("plan", SMALL_REGRET)}
    above = {name: sum(errors[name][0] - (1 + part) * floor[0] > 2 * math.hypot(errors[name][1], (1 + part) * floor[1])
                       for errors, floor in zip(independent, floors)) for name, part in (("plan", 0.3), (SMALL_REGRET, 0.02))}
    print(f"""# Plans: which tables to ask, of whom

Which tables of attributes should users be asked for, and how many users each? `{{"name": "plan"}}`, a synopsis, computes it: over
{len(every)} points its error is {mean(ratios['plan']):.2f} times that of the best of up to {len(FIXED)} fixed designs, which is known afterwards alone, `calm`'s {mean(ratios['calm']):.2f} times;
at {good:.0f} % of points it is at most 1.05 times that error, at {100 * unclear / len(every):.0f} % above that by more than two standard errors, at most {max(ratios['plan']):.2f} times.
At the {len(sure)} points of pairs, triples and six attributes where a dry run says that dependence is decidable, it is {mean(sure):.2f} times, and at most 1.05 times at
{100 * sum(x <= 1.05 for x in sure) / len(sure):.0f} % of them. The best of several designs that are equally good is the one whose measured error happens to be small: where all ask
about the same, as for single binary attributes, that alone makes `plan` look some per cent worse. For strings there is `pem_planned`.

Aimed at were 0.70 times the best fixed design's error, at most 1.05 times at 85 % of the points where dependence is decidable, and 1.5 times at worst.
Single attributes have {apart[0]:.2f} times, as every design asks about the same of them; pairs {apart[1]:.2f}, triples {apart[2]:.2f}
and six attributes {apart[3]:.2f}. The worst point is
{worst[0][0]}, {worst[0][1]:,} users, epsilon {worst[0][2]:g}. With few users the first wave cannot tell dependence from none, and either guess is wrong for some data. Above
1.5 are {sum(x > 1.5 for x in ratios['plan'])} points, of which {sum(x > 1.5 for x in sure)} of the {len(sure)} decidable ones (at most {max(sure):.2f}).

The error of any mixture of tables has a closed form, in which the users of each table are a convex problem (`core/marginals/shares.c`,
which states its duality gap). It needs to know how large interactions are. So a first wave of users (`"pilot": 0.3`) answers what
shows strong interactions best; a posterior over a grid of laws (`core/marginals/energies.c`: none, all of one size, or each of its own) then says how large they may be here, and the second wave is planned by that. Every user answers
once, with the whole epsilon. The answers are averaged by their precision; single attributes are shrunk to uniform, pairs to
independence (not where the values of all attributes are rare) or, if that is far more likely, to what all pairs have in common, the few strong directions of the matrix of their interactions
(`core/marginals/factors.c`), interactions of three and more attributes to maximum entropy given those of fewer
(`core/marginals/known.c`), by their expected share of noise, pairs of 100 cells and more by the risk that is estimated of their own
table; so the second wave asks for more than pairs only where pairs do not imply it. Marginals beyond the tables have maximum entropy. One convex fit
(`core/marginals/nearest.c`) then answers: of all wanted marginals that agree on what they share and have no negative cell, the nearest
ones in weighted least squares, to a duality gap of 1e-8 of the objective.

- `run --dry-run` shows the first wave, its duality gap, and the mean dependence of pairs that the first wave can tell from none: below it
  the plan for the second wave is a guess. No error is predicted: predictions were within 20 % of the measured error at 72 of 252 points
  (0.15 to 4.4 times it).
- `regret` bounds what the first wave may add to the error of single attributes if all are independent (0.3: at most 30 %). It does not
  bound a mistaken second wave. Measured on independent attributes, all of it: {mean(losses['plan']):.2f} times the better of `product` and `uniform`
  on average over {len(independent)} points, at most {max(losses['plan']):.2f}, at {above['plan']} of them above 1.30 by more than two standard errors; with `"regret": 0.02` {mean(losses[SMALL_REGRET]):.2f} times, at most
  {max(losses[SMALL_REGRET]):.2f}, at {above[SMALL_REGRET]} above 1.02 by as much. A weaker first wave is mistaken more often. A small loss on independent data and a large gain on
  dependent data exclude each other where n and epsilon cannot tell them apart.
- How large interactions of pairs are is learnt from tables that agree and have no negative cell (`core/marginals/valid.c`): noise of few
  users makes cells negative as often as not, and much of it goes; how much is left is found by trial. Pairs of 100 cells and more are not
  learnt so, and of pairs of binary attributes those alone in which both have a rare value.
- Where attributes have one frequent value each and several rare ones that occur together (`7 of one frequent value and 3` below), with few
  users plan shrinks pairs more than is good, and `calm` with `"l": 3, "m": 12` is better; `calm` that chooses for itself is not.
- The plan is for all wanted marginals together: if single attributes and triples are both wanted, `plan` makes the sum of their errors
  small, and may ask for less of the single attributes than `product` would.
- Users may be asked for parities of binary attributes (see below). Tables of more than 65,536 cells are not asked about.
- The noise of single attributes of many values mostly goes as they are made non-negative, so they count as fewer numbers (FITTED in
  `core/marginals/shares.c`); so does that of cells of rare values, about which larger tables are asked.
  A pair counts all cells that hold users if attributes are independent: where two attributes of hundreds of values depend on each
  other in many small cells, which the first wave cannot see, plan takes them to be independent and `calm` with `"l": 2` is better.

Made by `LDPBENCH_DATA=FOLDER python3 studies/plans/plans.py`, from [plans-1](../configs/plans-1.json), [plans-2](../configs/plans-2.json),
[plans-3](../configs/plans-3.json), [plans-6](../configs/plans-6.json) and [plans-parities](../configs/plans-parities.json).""")
    laws()
    for found, title in all_points:
        summary(found, title)
    parities()
    intervals()
    strings()


if sys.argv[2:] == ["intervals"]:
    intervals()
else:
    main()
