#!/usr/bin/env python3
"""Fills a page of studies/ from what it says itself that it is made of; readers of the rendered page see none of it:

    <!-- run ITEM...                            configs/NAME.json: it is run, its store becomes the schema NAME (- is _);
    SQL -->                                     a program: it is run with a folder, whose *.tsv and *.csv become tables;
                                                SQL: views and tables for what follows
    <!-- table QUERY -->  ...  <!-- end -->     a table; columns named "x:" are aligned right
    <!-- matrix QUERY -->  ...  <!-- end -->    a table whose rows are the first columns of the answer, whose columns are the last but
                                                one, and whose cells the last; more queries after ";;" join the first as more columns
    <!--= QUERY -->text<!--/-->                 a value in a sentence ("select" is left out)
    <!-- holds QUERY -->                        an error if it is not true ("select" is left out)
    <!-- picture NAME.svg CONFIG/NAME.svg -->   a picture that plot draws of a config's results

usage: page.py [--from | --made | --data] PAGE.md

--from prints what the page is made from: queries, configs, programs; --made what was made; --data the files that its configs need.
LDPBENCH names the program, RESULTS the folder that keeps results (results/pages), PAGES_FOLDER where the page and its pictures are
written. A claim that does not hold ends it with status 1.
"""
import csv
import glob
import json
import math
import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

PROGRAM, RESULTS = os.environ.get("LDPBENCH", "build/release/ldpbench"), os.environ.get("RESULTS", "results/pages")
MADE = re.compile(r"(<!-- (table|matrix) (.*?) -->\n).*?\n?(<!-- end -->)|(<!--= (.*?) -->).*?(<!--/-->)", re.S)
CLAIM = re.compile(r"<!-- (holds|picture) (.*?) -->", re.S)


def digits(x, least=3):
    """Three digits, integers as they are: 1272, 64.9, 3.7, 2."""
    return None if x is None else f"{x:.0f}" if x >= 10 ** (least - 1) or x == int(x) else f"{x:.{least}g}"


def fixed(x, scale=1.0, most=2):
    """Three digits, `most` decimals below 1: 400, 34.7, 3.70, 0.07."""
    x = None if x is None else 0 if abs(x * scale) < 1e-8 else x * scale
    return None if x is None else f"{x:.{0 if x >= 100 else 1 if x >= 10 else 2 if x >= 1 else most}f}"


def significant(x, count=3):
    """So many significant digits, without exponents: 648, 1.000, 0.0293."""
    return None if x is None else f"{x:.{max(0, count - 1 - math.floor(math.log10(abs(x))))}f}" if x else "0"


def apart(x, error_x, y, error_y):
    """Standard errors by which x is above y; 999 where neither has any."""
    error = math.hypot(error_x, error_y)
    return (x - y) / error if error > 0 else math.copysign(999, x - y) if x != y else 0


class Of:
    """An aggregate of SQL: a function of all values that are not null."""
    function = None

    def __init__(self):
        self.values = []

    def step(self, x):
        if x is not None:
            self.values.append(x)

    def finalize(self):
        return type(self).function(self.values) if self.values else None


def connect():
    db = sqlite3.connect(":memory:", uri=True)
    for function in (digits, fixed, significant, apart):
        db.create_function(function.__name__, -1, function)
    db.create_function("printf", -1, lambda form, *x: None if None in x else form % x)
    for name, function in (("geomean", lambda x: math.exp(math.fsum(map(math.log, x)) / len(x))), ("median", statistics.median)):
        db.create_aggregate(name, 1, type(name, (Of,), {"function": staticmethod(function)}))
    return db


def load(db, path):
    """A table of a program's file; what looks like a number is one."""
    def value(text):
        try:
            return None if text == "" else float(text) if re.search("[.en]", text) else int(text)
        except ValueError:
            return text
    with open(path, encoding="utf-8") as file:
        rows = csv.reader(file, delimiter="\t" if path.endswith("tsv") else ",")
        names = next(rows)
        table = os.path.splitext(os.path.basename(path))[0].replace("-", "_")
        db.execute(f"create table {table} ({', '.join(map(repr, names))})")
        db.executemany(f"insert into {table} values ({', '.join('?' * len(names))})", (list(map(value, row)) for row in rows))


def run(db, item):
    name = os.path.splitext(os.path.basename(item))[0]
    folder = os.path.join(RESULTS, name)
    if item.endswith(".json"):
        subprocess.run([PROGRAM, "run", item, "-o", folder, "--quiet"], check=True)
        db.execute(f"attach 'file:{folder}/store.sqlite?mode=ro' as {name.replace('-', '_')}")
        return
    os.makedirs(folder, exist_ok=True)
    subprocess.run([sys.executable if item.endswith(".py") else "sh", item, folder], check=True,
                   env={**os.environ, "LDPBENCH": PROGRAM, "PYTHONPATH": "python"})
    for path in sorted(glob.glob(f"{folder}/*.[ct]sv")):
        load(db, path)


def text_of(cell):
    return "" if cell is None else f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def lines_of(names, rows):
    names = [name.strip() for name in names]
    return ["| " + " | ".join(name.rstrip(":") for name in names) + " |",
            "|" + "|".join("---:" if name.endswith(":") else "---" for name in names) + "|",
            *("| " + " | ".join(map(text_of, row)) + " |" for row in rows)]


def table(db, kind, query):
    if kind == "table":
        answer = db.execute(query)
        return "\n".join(lines_of([column[0] for column in answer.description], answer))
    titles, rows, heads = {}, {}, []
    for part in query.split(";;"):
        answer = db.execute(part)
        heads = heads or [column[0] for column in answer.description][:-2]
        for *row, title, text in answer:
            titles[str(title)] = rows.setdefault(tuple(row), {})[str(title)] = text
    return "\n".join(lines_of([*heads, *titles], [[*row, *map(cells.get, titles)] for row, cells in rows.items()]))


def head(text):
    """The items and the SQL of a page."""
    found = re.search(r"<!-- run ([^\n]*?)(?:\n(.*?))?-->", text, re.S)
    return (found[1].split(), found[2] or "") if found else ([], "")


def fill(page):
    """Makes the page and its pictures again; says which claims do not hold."""
    with open(page, encoding="utf-8") as file:
        text = file.read()
    db, wrong, (items, script) = connect(), 0, head(text)
    to = os.environ.get("PAGES_FOLDER", os.path.dirname(page))
    for item in items:
        run(db, item)
    db.executescript(script)
    for kind, what in CLAIM.findall(text):
        if kind == "picture":
            name, source = what.split()
            subprocess.run([PROGRAM, "plot", os.path.join(RESULTS, os.path.dirname(source))], check=True, stdout=subprocess.DEVNULL)
            shutil.copyfile(os.path.join(RESULTS, source), os.path.join(to, name))
        elif db.execute("select " + what).fetchone()[0] != 1:
            print(f"{page}: does not hold: {' '.join(what.split())}", file=sys.stderr)
            wrong = 1

    def made(m):
        if m[5]:
            row = db.execute("select " + m[6]).fetchone() or sys.exit(f"{page}: no row: {m[6]}")
            return m[5] + text_of(row[0]) + m[7]
        return f"{m[1]}\n{table(db, m[2], m[3])}\n\n{m[4]}"
    try:
        text = MADE.sub(made, text)
    except sqlite3.Error as error:
        sys.exit(f"{page}: {error}")
    with open(os.path.join(to, os.path.basename(page)), "w", encoding="utf-8") as file:
        file.write(text)
    return wrong


def needed(config):
    """The files of data of a config, which the committed numbers are of, though it may have models in their place."""
    with open(config, encoding="utf-8") as file:
        return [one["file"] for one in json.load(file).get("datasets", []) if "file" in one]


def main():
    option, page = sys.argv[1] if len(sys.argv) == 3 else "", sys.argv[-1]
    if len(sys.argv) < 2 or option not in ("", "--from", "--made", "--data"):
        sys.exit(__doc__)
    if not option:
        return fill(page)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    items, script = head(text)
    if option == "--data":
        print("\n".join(sorted({name for item in items if item.endswith(".json") for name in needed(item)})))
    elif option == "--made":
        print("\n".join(m[0] for m in MADE.finditer(text)))
    else:
        print(script, *(m[3] or m[6] for m in MADE.finditer(text)), *map("".join, CLAIM.findall(text)), sep="\n")
        for item in items:
            with open(item, encoding="utf-8") as file:
                print(item, file.read())
    return 0


if __name__ == "__main__":
    sys.exit(main())
