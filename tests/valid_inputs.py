#!/usr/bin/env python3
"""Valid inputs at the edges of every range: configs made from configs/schema.json, through run, plot, report and check.

usage: tests/valid_inputs.py [COUNT [SEED [FIRST]]]     COUNT configs (default 200) from number FIRST on (default 0)

Config number I of a seed is the same whatever COUNT and FIRST are. Each goes through run --dry-run; where that says that a
run is short, through run, plot, report and check too, and every third with a second seed, which check compares. What the
schema cannot say, the program does: a refusal must be one line with status 2, and the config is mended as it asks (MENDS)
and tried again; a config that takes long is made smaller, step by step. A status 3 (but for want of memory), a signal, a
sanitizer's finding, more than SECONDS_EACH (default 60) seconds of processor time, and a result that plot, report or check
refuses are faults, as is an end at which fewer than 80 % have run. Programs of one's own are left to bad_inputs*.py.
"""
import json
import math
import os
import random
import re
import resource
import shutil
import string
import subprocess
import sys
import tempfile

import bad_inputs_tasks as tasks

PROGRAM = os.path.abspath(os.environ.get("LDPBENCH", "build/release/ldpbench"))
SECONDS = int(os.environ.get("SECONDS_EACH", "60"))
SHORT = 2.0  # what --dry-run estimates for a run that is made
SMALL = 300.0  # MB that it estimates for one
LARGEST = 1.7976931348623157e308
FILES = {"a.counts": "".join(f"v{i}\t{i * i % 7 * 10}\n" for i in range(12)), "one.counts": "v\t1\nw\t0\n",
         "a.dat": "1 2 3\n2 3\n1\n7 7 1\n", "a.sets": "v0\ta\nv1\ta\nv2\tb\n",
         "a.numbers": "".join(f"{x % 7}\n" for x in range(40)),
         "a.strings": "".join(f"{a}{b}{c}\t{3 + ord(a) % 5}\n" for a in "abc" for b in "abcd" for c in "ab"),
         "a.csv": "age,sex,income\n" + "".join(f"{i % 3},{i % 2},{int(i % 5 > 0)}\n" for i in range(60)),
         "odd.csv": "\"a, b\",c\n" + "".join(f"\"{i % 2},x\",{'' if i % 3 else 'y'}\n" for i in range(20))}
NAMES = {"counts": ["a.counts", "a.counts", "one.counts"], "fimi": ["a.dat"], "strings": ["a.strings"],
         "records": ["a.csv", "a.csv", "odd.csv"], "fixed_sets": ["a.sets"], "fixed_set_intervals": ["a.sets"], "fixed_set_metrics": ["a.sets"],
         "answers": ["a.csv", "odd.csv"], "numbers": ["a.numbers"]}
# What a run can afford, and what has a meaning, in addition to the edges that the schema names.
USUAL = {"d": [2, 3, 4, 5, 7, 8, 16, 33, 64, 100, 1024], "n": [1, 2, 3, 10, 100, 1000, 10000, 10**6, 10**9, 2**53 - 1],
         "epsilon": [1e-9, 1e-3, 0.1, 0.5, 1, 1, 2, 4, 8, 20, 40, 100], "repetitions": [1, 2, 3, 5], "k": [1, 1, 2, 3, 4, 8],
         "rank": [1, 2], "s": [0.1, 0.5, 1, 1.5, 3, 50], "seed": [0, 1, 7, 2**53], "rows": [1, 2, 4, 16],
         "columns": [2, 4, 16, 128], "length": [1, 2, 3, 4], "bits": [1, 2, 8, 16], "top": [1, 2, 4], "keep": [1, 2, 8, 64],
         "percent": [0.001, 10, 50, 99.9], "sets": [1, 2, 10], "cohorts": [1, 2, 8], "hashes": [1, 2, 4], "B": [1, 2, 4],
         "q": [2, 3, 4, 5, 7, 8], "t": [1, 2, 3], "g": [2, 3, 8], "h": [1, 2, 8], "step": [1, 2, 3], "trials": [1, 2, 3],
         "start": [0, 1, 2], "first": [1, 2, 4], "return": [0, 1, 8], "hash": [0, 1, 8, 20], "m": [1, 2, 3], "l": [1, 2, 3],
         "count": [1, 2, 5], "attributes": [1, 2, 3], "cardinality": [2, 3, 4], "iterations": [1, 2, 50], "rounds": [1, 2, 50],
         "threshold": [1e-12, 0.01, 0.05, 0.5], "mean_size": [1, 2.5], "to": [2, 3, 40], "growth": [0.01, 0.5, 1, 100], "marginals": [0, 1]}
TEXTS = {"alphabet": ["a-d", "ab", "dcba", "a-z"], "cardinalities": ["2", "2 3", "3 2 4"], "columns": ["age", "age sex", "sex income age"],
         "caption": ["x", "<b>\u00e9&amp; _^{}%s\\n", "'" * 50], "picture": ["full_domain", "mse", "top_k"],
         "label": ["x" * 100, "\u00e9\u4e2d\u202e", "<b>", "'", "a_b^c{d}", " ", "%s%n", "-", "@", "\\n", "..", "NaN", "#", ";|$(x)"],
         "description": ["", "x" * 3000, "\n\t\"<\u00e9"]}


class Drawer:
    """Draws a config from the schema with one stream of random numbers."""

    def __init__(self, schema, name):
        self.schema, self.rng, self.name = schema, random.Random(name), ""
        self.edge = self.rng.choice([0, 0.02, 0.1, 0.3])  # how often a number stands at an edge of its range
        self.task, self.fixed = self.rng.choice(["frequency", "frequency", "search", "marginals", "selection"]), {}

    def number(self, schema, key):
        whole = schema["type"] == "integer"
        low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum", schema.get("exclusiveMaximum"))
        low = low if low is not None else -LARGEST
        high = high if high is not None else LARGEST
        if not whole and low == 0 and "exclusiveMinimum" in schema and key != "epsilon":
            low = 2.2250738585072014e-308  # parameters are normal numbers
        elif not whole:
            low = math.nextafter(low, math.inf) if "exclusiveMinimum" in schema else low
            high = math.nextafter(high, -math.inf) if "exclusiveMaximum" in schema else high
        edges = [low, high, schema.get("default", low)]
        edges += [low + 1, high - 1] if whole else [low * 2, high / 2, 1e-300, 1e-17, 1e-16, 1e-8, 700.0, 1e10, 1e150, 1e154, 1e300]
        usual = USUAL.get(key) or [schema.get("default", low), low, low + 1, 0.5, 1, 2]
        asked = edges if self.rng.random() < self.edge and key != "q" else usual  # a field of that size takes minutes
        found = [x for x in asked if low <= x <= high and (not whole or x == int(x))] or [low]
        value = self.rng.choice(found)
        return int(value) if whole else value

    def text(self, schema, key):
        if key == "file":
            return self.rng.choice(NAMES[self.name])
        if key == "name":
            return self.rng.choice(["x", "A.b-c_9", "x" * 100])
        texts = TEXTS.get(key, [None])
        if key == "alphabet" and self.rng.random() < 0.2:
            return "".join(c for c in string.printable if " " < c <= "~" and c != "-")
        return self.rng.choice(texts) if texts[0] is not None else self.rng.choice("abc")

    def either(self, schema, key):
        """One of several forms; a sweep seldom, no program of one's own."""
        forms = [form for form in schema["anyOf"] if form.get("properties", {}).get("name", {}).get("const")
                 != "external"]
        if key in ("marginals", "sets") and forms[-1] == {"type": "string"}:
            forms = forms[:1]  # attributes by their numbers
        if all(form.get("type") in ("number", "integer", "array", "object") for form in forms) and key != "marginals":
            forms = forms[:1] if self.rng.random() < 0.7 else forms
        if {"enum", "properties"} <= {word for form in forms for word in form} and self.rng.random() < 0.8:
            forms = [form for form in forms if "properties" in form or "$ref" in form]
        return self.draw(self.rng.choice(forms), key)

    def thing(self, schema, key):
        outer, value = self.name, {}
        properties, needed = schema["properties"], schema.get("required", [])
        kind = properties.get("type", properties.get("name", {})).get("const")
        self.name = kind or self.name
        often = 0.5 if schema.get("minProperties") or not needed else self.rng.choice([0, 0.2, 0.5])
        for word, part in properties.items():
            if word in needed or self.rng.random() < (often / 8 if word == "label" else often):
                value[word] = self.draw(part, key if word in ("from", "to") and "step" not in word else word)
        if not value:
            word = self.rng.choice(list(properties))
            value[word] = self.draw(properties[word], word)
        self.name = outer
        return self.short_sweep(value)

    def short_sweep(self, value):
        """A sweep of few points: its lower end first, at most four between its ends."""
        if {"from", "to"} <= set(value):
            value["from"], value["to"] = sorted((value["from"], value["to"]))
            value["to"] += value["from"] == value["to"]
        if {"from", "to", "step"} <= set(value):
            value["step"] = type(value["step"])(max(value["step"], (value["to"] - value["from"]) // 3, 1))
        if "points" in value:
            value["points"] = self.rng.choice([2, 3])
        return value

    def draw(self, schema, key):
        if "$ref" in schema:
            return self.draw(self.schema["definitions"][schema["$ref"].split("/")[-1]], key)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            near = [x for x in schema["enum"] if x in USUAL.get(key, [])] if self.rng.random() >= self.edge else []
            return self.rng.choice(near or schema["enum"])
        if "anyOf" in schema:
            return self.either(schema, key)
        kind = schema.get("type", "object")
        if kind == "boolean":
            return self.rng.random() < 0.5
        if kind in ("number", "integer"):
            return self.number(schema, key)
        if kind == "string":
            return self.text(schema, key)
        if kind == "array":
            size = max(schema.get("minItems", 0), self.rng.choice([1, 1, 2, 3]))
            items = [self.draw(schema["items"], key) for _ in range(size)]
            return [item for i, item in enumerate(items) if item not in items[:i]]
        return self.thing(schema, key) if "properties" in schema else {}

    def suited(self, dataset):
        kind = dataset["type"]
        wanted = {"search": ("strings", "zipf_strings"), "marginals": ("records", "chain", "network")}.get(self.task)
        return kind in wanted if wanted else kind not in ("strings", "zipf_strings", "records", "chain", "network")

    def config(self):
        keys = dict(self.schema["properties"])
        part = next(one["then"] for one in self.schema["allOf"] if one["if"]["properties"]["task"]["const"] == self.task)
        keys.update(part["properties"])
        value = {"name": "x", "task": self.task}
        for key, schema in keys.items():
            rare = {"pictures": 0.1, "measure": 0.1, "exclude": 0.03, "$schema": 0.02, "description": 0.1}.get(key, 0.5)
            if key not in value and (key in part["required"] or key == "repetitions" or self.rng.random() < rare):
                value[key] = self.draw(schema, key)
        value["datasets"] = [self.dataset(keys["datasets"]["items"]) for _ in range(self.rng.choice([1, 1, 2]))]
        self.mend(value)
        return value

    def dataset(self, schema):
        """A dataset of the task's kind, as is what it names for where its file is missing."""
        while True:
            value = self.draw(schema, "datasets")
            if self.suited(value) and self.suited(value.get("otherwise", value)):
                return value

    def mend(self, value):
        """Most of what relates two places of a config, which the schema cannot say, is made to agree."""
        for key in ("datasets", "oracles", "methods", "queries", "protocols", "synopses"):
            items = value.get(key, [])
            for i, item in enumerate(items if isinstance(items, list) else []):
                if i and isinstance(item, dict):
                    item["label"] = item.get("label", item.get("name", item.get("type")))[:98] + "-" + str(i)
        value.setdefault("epsilon", 1)
        queries = value.get("queries", [])
        if self.task == "selection":
            queries[:] = [query for query in queries if query in ("full_domain", "set_value") or
                          (isinstance(query, dict) and query["type"] in ("full_domain", "set_value", "fixed_sets"))] or ["full_domain"]
        for query in queries:
            if "file" in query and any(data.get("file") != "a.counts" for data in value["datasets"]):
                query.update(file="gone.sets", otherwise={"sets": 2, "mean_size": self.rng.choice([1, 1.5])})
            for key in {"k", "rank"} & set(query):
                query[key] = self.rng.choice([1, 2, [1, 2], query[key]])
        methods, oracles = value.get("methods", []), value["oracles"]
        names = [method if isinstance(method, str) else method["name"] for method in methods]
        for method, oracle in (("mle", "grr"), ("ibu", "grr"), ("composite_mle", "olh")):
            if method in names and isinstance(oracles, list) and oracle not in oracles:
                oracles.append(oracle)
        for synopsis in [one for one in value.get("synopses", []) if isinstance(one, dict) and "sets" in one]:
            synopsis.pop("m", None)
            synopsis.pop("l", None)


# ---- Mending ----

def at(config, path):
    """The parent of a place such as queries[0].otherwise, and its last step."""
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", path)]
    for step in steps[:-1]:
        config = config[step]
    return config, steps[-1]


def put(value):
    """A mend that puts a value at the place of the message, or takes it away."""
    def mend(config, path, _):
        parent, last = at(config, path)
        if value is None:
            del parent[last]
        else:
            parent[last] = value
    return mend


def put_key(key, value):
    return lambda config, *_: config.update({key: value})


def every(section, key, value):
    """A mend of all entries of a section that have a key."""
    def mend(config, *_):
        entries = config[section] if isinstance(config[section], list) else []
        for entry in entries:
            if isinstance(entry, dict) and key in entry:
                entry[key] = value
    return mend


def both(config, path, match):
    """Of two things of which one is expected, the second goes."""
    parent, last = at(config, path)
    for word in re.findall(r"[a-z_]+", match[1].split(" or ")[-1]):
        parent[last].pop(word, None)


def labels(config, *_):
    """Everything has a label of its own, and no axis of a dataset or of an algorithm has a value twice."""
    for section in ("datasets", "oracles", "methods", "queries", "protocols", "synopses"):
        entries = config.get(section, [])
        for i, entry in enumerate(entries if isinstance(entries, list) else []):
            if isinstance(entry, str) and entry in entries[:i]:
                entries[i] = entry = {"type" if section in ("datasets", "queries") else "name": entry}
            if isinstance(entry, dict):
                entry["label"] = f"{section}-{i}"


def once(config, path, _):
    parent, last = at(config, path)
    value = parent[last]
    if isinstance(value, list):
        parent[last] = [one for i, one in enumerate(value) if one not in value[:i]][:1]
    else:
        parent[last] = value.get("from", value.get("values", [1])[0]) if isinstance(value, dict) else value


def suited(config, _, match):
    """An oracle, a sketch or an epsilon that suits no cell: at epsilon = 1 it does, or it goes."""
    if config.get("epsilon") != 1:
        config["epsilon"] = 1
    else:
        config["oracles"] = ["olh", "grr"]


def attributes(config, *_):
    """Marginals and tables of the first attributes."""
    synopses = config["synopses"]  # which other tasks do not have
    config["marginals"] = {"k": 1}
    for entry in config["datasets"]:
        for key in ("columns", "attributes"):
            entry.pop(key, None)
            entry.get("otherwise", {}).pop(key, None)
    for entry in synopses:
        if isinstance(entry, dict):
            for key in ("sets", "l", "m"):
                entry.pop(key, None)


def synopsis(config, *_):
    config["synopses"] = [config["synopses"][0] if config["synopses"] else "uniform"]
    if config["synopses"][0] == "uniform" or config["oracles"] == ["olh"]:
        config["synopses"] = ["uniform"]
    config["oracles"] = ["olh"]


def datasets(config, *_):
    """Users and strings that every protocol has enough of."""
    for entry in config["datasets"]:
        for one in (entry, entry.get("otherwise", {})):
            if "n" in one:
                one["n"] = 1000
            if "length" in one:
                one["length"] = 3
            for key in ("bits", "alphabet"):
                one.pop(key, None)
            if one.get("type") == "strings":
                one["length"] = 3


def protocols(config, *_):
    first = config["protocols"][0]
    config["protocols"] = [first["name"] if isinstance(first, dict) and len(first) > 1 else "pem"]


def kind(config, _, match):
    """Data sets of the first kind that the task takes."""
    config["datasets"] = [{"zipf": {"type": "zipf", "d": 8, "n": 100, "s": 1},
                           "chain": {"type": "chain", "d": 2, "n": 100}}.get(match[1], {"type": "strings", "file": "a.strings"})]


def low_and_high(config, *_):
    for entry in config["datasets"]:
        for one in (entry, entry.get("otherwise", {})):
            if "low" in one or "high" in one:
                one.update(low=0, high=10)


# What a refusal says, and the mend that it asks for; the first that fits, and from the second time on the next one.
MENDS = [
    (r"of the kind that the task takes \((\w+)", kind),
    (r"^attacks", lambda config, *_: config.pop("attacks")),
    (r"expected (?:either )?(.* or .*), got both", both),
    (r"expected a column \w+, got none|expected \d+ attributes|expected each set of attributes once|expected k up to|"
     r"marginals|sets\[\d+\]", attributes),
    (r"uses the order of the values", put_key("ordered", True)),
    (r"for the output (?:expected|detection)", put_key("outputs", ["mse"])),
    (r"expected different values", once),
    (r"shuffle\.delta", lambda config, *_: config["shuffle"].update(delta=1e-6)),
    (r"expected a high above low", low_and_high),
    (r"datasets that differ in label", lambda config, *_: config.update(datasets=config["datasets"][:1])),
    (r"labels that differ|whose labels differ|that differ in label|got .* twice", labels),
    (r"as many users as levels|at most 2\^128 strings|of the alphabet|letters out of|at most the length|2\^31 values|users in each", datasets),
    (r"protocols", protocols),
    (r"that suit every dataset and epsilon|is too small|is too large", suited),
    (r"asks for no table of errors", put_key("repetitions", 2)),
    (r"^exclude", lambda config, *_: config.pop("exclude")),
    (r"expected disjoint sets", put({"sets": 1, "mean_size": 1})),
    (r"expected at most d =|\.k\b", put(1)),
    (r"threshold", put_key("targets", {"top": 1})),
    (r"percent", put(10)),
    (r"synops", synopsis),
    (r"pictures", lambda config, *_: config.pop("pictures")),
    (r"measure: expected a measure", lambda config, *_: config.pop("measure")),
    (r"methods|method ", put_key("methods", ["base", "norm_sub"])),
    (r"oracle", put_key("oracles", ["olh"])),
    (r"datasets", datasets),
    (r"columns?|attributes", lambda config, *_: config.update(datasets=[{"type": "chain", "d": 2, "n": 100}])),
]


def mend(config, message, used):
    """Changes the config as a refusal asks; False where nothing is known that was not tried."""
    said = re.sub(r"^ldpbench: (\S+: )?(c\.json:\d+: )?", "", message.strip().replace("c.json: ", ""))
    path = re.match(r"[a-z_]+(?:\[\d+\]|\.[a-z_]+)*(?=:)", re.sub(r"^ldpbench: c\.json(:\d+)?: ", "", message.strip()))
    for i, (words, change) in enumerate(MENDS):
        match = re.search(words, said)
        if match and used.count(i) < 4:
            used.append(i)
            try:
                change(config, re.sub(r"\.(from|to|step|points)$", "", path[0]) if path else "", match)
            except (KeyError, IndexError, TypeError, AttributeError):
                continue
            return True
    return False


def one_point(value):
    """A sweep's first value; d and n that a run can afford."""
    if isinstance(value, dict) and ("from" in value or "values" in value):
        return value.get("from", value.get("values", [1])[0])
    return value[0] if isinstance(value, list) and value and not isinstance(value[0], (list, dict)) else value


def smaller(config, step):
    """Makes a config cheaper: fewer repetitions and points; fewer users and values; one of each kind."""
    if step == 0:
        config["repetitions"] = 1
        config.pop("exclude", None)
        config["epsilon"] = one_point(config["epsilon"])
        config["datasets"] = [{key: one_point(value) if key != "columns" else value for key, value in entry.items()}
                              for entry in config["datasets"]]
    elif step == 1:
        for entry in config["datasets"]:
            for one in (entry, entry.get("otherwise", {})):
                for key, most in (("n", 1000), ("d", 16), ("cardinality", 4), ("length", 3)):
                    if isinstance(one.get(key), (int, float)) or key in one and isinstance(one[key], dict):
                        one[key] = min(one[key], most) if not isinstance(one[key], dict) else most
                if "cardinalities" in one:
                    one["cardinalities"] = "2 3"
    else:
        for key in ("oracles", "methods", "queries", "protocols", "synopses", "datasets"):
            if isinstance(config.get(key), list):
                config[key] = config[key][step - 2:step - 1] or config[key][:1]
            elif config.get(key) == "all":
                config[key] = {"oracles": ["olh", "hr"], "methods": ["base", "norm_sub"], "synopses": ["uniform"]}.get(key, "all")
        config.update({key: 1 for key in ("trials",) if key in config})
        config["simulation"] = "counts"
        if step > 2:
            for key, plain in (("protocols", ["pem"]), ("synopses", ["uniform"]), ("oracles", ["olh"]), ("methods", ["base"])):
                if key in config:
                    config[key] = plain
        if step > 3:
            config["epsilon"] = 1


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))


class Trial:
    """One config in a folder of its own; what went wrong with it."""

    def __init__(self, folder, config):
        self.folder, self.wrong, self.config = folder, [], config

    def ask(self, *words, may=(0,)):
        """Runs the program; notes what may not be. Returns status, standard output."""
        environment = {**os.environ, "LSAN_OPTIONS": "suppressions=" + os.path.abspath("tests/leaks.supp"),
                       "ASAN_OPTIONS": "allocator_may_return_null=1", "OMP_NUM_THREADS": "2"}
        try:
            run = subprocess.run([PROGRAM, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                 env=environment, preexec_fn=limit, timeout=SECONDS * 5)
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{' '.join(words)}: waits for something")
            return -1, ""
        error = run.stderr.decode("utf-8", "replace")
        refusal = run.returncode in (2, 3) and run.returncode in may
        if run.returncode not in may or "Sanitizer" in error or "runtime error" in error:
            self.wrong.append(f"{' '.join(words)}: status {run.returncode}: {error[:1500]}")
        elif refusal and (len([line for line in error.splitlines() if "takes a while" not in line]) != 1 or not error.startswith("ldpbench: ") or run.stdout):
            self.wrong.append(f"{' '.join(words)}: not one line: {error[:1000]}")
        return run.returncode, (error if refusal else run.stdout.decode("utf-8", "replace"))

    def is_short(self, text):
        unit = {"s": 1, "min": 60, "h": 3600, "d": 86400, "days": 86400, "years": 3e7, "MB": 1, "GB": 1e3, "kB": 1e-3, "TB": 1e6}
        time = re.search(r"^  time +(?:roughly|at most) ([0-9.e+-]+) (\w+)", text, re.M)
        memory = re.search(r"^  memory +about ([0-9.e+-]+) (\w+)", text, re.M)
        return (time and float(time[1]) * unit.get(time[2], 1e9) <= SHORT) and (
            memory and float(memory[1]) * unit.get(memory[2], 1e9) <= SMALL)

    def dry_run(self):
        """The outcome of a dry run: refused, long or short, with the message."""
        with open(os.path.join(self.folder, "c.json"), "w", encoding="utf-8") as file:
            json.dump(self.config, file)
        status, text = self.ask("run", "c.json", "--dry-run", may=(0, 2, 3))
        if status == 3 and "memory" not in text:
            self.wrong.append(f"run c.json --dry-run: status 3: {text}")
        if status == 3 or (status == 2 and "--dry-run does not make" in text):
            return "long", text
        if status != 0:
            return "refused", text
        return "short" if self.is_short(text) else "long", text

    def make_short(self):
        """Mends the config as refusals ask, and makes it smaller, until a run of it is short."""
        used, step = [], 0
        for _ in range(16):
            outcome, text = self.dry_run()
            if outcome == "short" or self.wrong:
                break
            if outcome == "long" and step < 5:
                smaller(self.config, step)
                step += 1
            elif outcome == "long" or not mend(self.config, text, used):
                break
        return outcome, text

    def take(self, pictures, second):
        """The outcome: refused, long, or ran; with a refusal its message."""
        outcome, text = self.make_short()
        if outcome != "short":
            return outcome, text
        status, text = self.ask("run", "c.json", "-o", "out", "--quiet", may=(0, 2))
        if status != 0:
            return "refused", text
        compared = (0, 1) if self.config.get("outputs") == ["times"] else (0,)  # which check does not compare
        self.ask("plot", "out", *([] if pictures else ["--format", "tsv"]))
        self.ask("report", "out", "-o", "page.html", "--no-plots")
        self.ask("check", "out", "out", may=compared)
        if second and self.ask("run", "c.json", "-o", "other", "--quiet", "--seed", "77")[0] == 0:
            self.ask("check", "out", "other", may=(0, 1))
        return "ran", ""


def main():
    count, seed, first = [int(word) for word in sys.argv[1:]] + [200, 1, 0][len(sys.argv) - 1:]
    schema = tasks.read_schema()
    outcomes, faults = {"refused": 0, "long": 0, "ran": 0}, 0
    for i in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            trial = Trial(folder, Drawer(schema, f"{seed} {i}").config())
            outcome, text = trial.take(pictures=i % 10 == 9, second=i % 3 == 0)
            outcomes[outcome] += 1
            faults += len(trial.wrong) > 0
            if os.environ.get("VERBOSE"):
                print(f"{i}: {outcome}: {text.strip()[-300:] if outcome != 'ran' else ''}", flush=True)
            for wrong in trial.wrong:
                print(f"config {i} of seed {seed}: {wrong}", flush=True)
            if trial.wrong:
                print("    " + json.dumps(trial.config), flush=True)
    print(f"valid_inputs.py: {count} configs of seed {seed}, {outcomes['ran']} ran, {outcomes['long']} too long to run, "
          f"{outcomes['refused']} refused, {faults} wrong")
    return faults > 0 or outcomes["ran"] < 0.8 * count


if __name__ == "__main__":
    sys.exit(main())
