#!/usr/bin/env python3
"""How many bytes of a store a number takes: grids of 500 cells by numbers of a cell and repetitions, as a table in Markdown.

usage: stores.py [PROGRAM]

A number is one measure of one repetition. "numbers": in blocks; "rows": in the rows of tables, where SQL finds them; "cells": the
rest. "names once": the rows if their names were in a table of their own, and a row had the number of its names. PROGRAM
is build/release/ldpbench by default.
"""
import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

CELLS = 500
METHODS = ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx", "norm_sub_once"]
SETS = [{"type": "set_value", "percent": list(range(10, 100, 10))}]
GRIDS = {"1": (METHODS[:1], []), "10": (METHODS, []), "100": (METHODS, SETS)}


def run(program, folder, methods, queries, repetitions):
    path = os.path.join(folder, "grid.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"name": "grid", "seed": 1, "simulation": "counts", "repetitions": repetitions, "oracles": ["olh"],
                   "datasets": [{"type": "zipf", "s": 1.5, "d": 16, "n": 1000}], "methods": methods,
                   "epsilon": [(i + 1) / 100 for i in range(CELLS)], "queries": [{"type": "full_domain"}, *queries]}, file)
    subprocess.run([program, "run", path, "-o", folder, "--fresh", "--quiet"], check=True)
    return sqlite3.connect(os.path.join(folder, "store.sqlite"))


def pages(store, names):
    return store.execute(f"SELECT sum(pgsize) FROM dbstat WHERE name {names}").fetchone()[0] or 0


def names_once(store):
    """Bytes of the rows with one more table for each of them, of all columns but the row, its cell and its measures."""
    tried = sqlite3.connect(":memory:")
    for (table,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE '%!_rows' ESCAPE '!'").fetchall():
        cursor = store.execute(f'SELECT * FROM "{table}"')
        columns = [column[0] for column in cursor.description]
        own = [i for i, c in enumerate(columns) if c in ("row", "cell") or f"{c}_series" in columns or c in ("sd", "stderr")]
        tried.execute(f'CREATE TABLE "{table}"(row INTEGER PRIMARY KEY, names, {", ".join(f"c{i}" for i in own[1:])})')
        seen = {}
        for row in cursor.fetchall():
            names = seen.setdefault(tuple(x for i, x in enumerate(row) if i not in own), len(seen))
            tried.execute(f'INSERT INTO "{table}" VALUES({", ".join("?" * (len(own) + 1))})',
                          (row[0], names, *(row[i] for i in own[1:])))
    return pages(tried, "LIKE '%!_rows' ESCAPE '!'")


def main():
    parser = argparse.ArgumentParser(description="bytes of a store for each number")
    parser.add_argument("program", nargs="?", default="build/release/ldpbench")
    asked = parser.parse_args()
    print("| numbers of a cell | repetitions | bytes a number | numbers | rows | cells | rows, names once |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    for name, (methods, queries) in GRIDS.items():
        for repetitions in (1, 20, 64):
            with tempfile.TemporaryDirectory() as folder:
                store = run(asked.program, folder, methods, queries, repetitions)
                count = store.execute("SELECT sum(length(numbers)) / 8 FROM block").fetchone()[0]
                whole = os.path.getsize(os.path.join(folder, "store.sqlite")) / count
                rows = pages(store, "LIKE '%!_rows' ESCAPE '!'") / count
                print(f"| {name} | {repetitions} | {whole:.3g} | 8 | {rows:.3g} | {whole - 8 - rows:.3g} | "
                      f"{names_once(store) / count:.3g} |", flush=True)
                store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
