#!/usr/bin/env python3
"""Holds configs/schema.json against the program: what one refuses the other refuses.

usage: tests/schema.py [COUNT]     COUNT configs out of all that are generated (default: all), and those with rare texts

Configs are good ones of every kind with one place changed: a value of another kind or at the edge of a range, a key left
out or added, an element given twice. Relations between two places (k against d, labels that are equal) are beyond a
schema; BEYOND lists the program's words for them, with the reason. Status 0 where there is no disagreement, 77 without
python3-jsonschema.
"""
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

import bad_inputs_tasks as tasks

try:
    import jsonschema
except ImportError:
    print("schema.py: python3-jsonschema is not installed")
    sys.exit(77)

BEYOND = {  # why a schema cannot say it: the program's words
    "it compares two places of the config": (
        "expected labels that differ", "expected different values", "at least \"from\"", "more than \"from\"",
        "\"from\" not above \"to\"", "on a logarithmic scale", "expected at most 1000000",
        "expected at most d =", "expected oracles that suit", "expected methods that suit", "expected datasets that differ",
        "whose labels differ", "that at least one cell of the grid meets",
        "which is nowhere", "none of that name", "expected k up to the", "values of all users",
        "candidates of the first level", "candidates of a position", "as levels after that of first", "than the length of the strings", "the length of the strings, ",
        "expected at least as many users as groups", "expected at least as many users as levels", "half as many strings as there are", "expected at most 2^128 strings"),
    "it depends on a file": (
        "not found", "No such file", "is a folder", "Is a directory", "no such file", "some.counts:1: expected",
        "some.counts: expected", " does not suit dataset ", "expected strings of the alphabet"),
    "it is about numbers or ranges of characters within a text": (
        "cardinalities: expected whole numbers", "expected ranges that ascend", "expected each symbol once"),
}
WITHIN = ("power of two",)  # whatever stands next to it
POOL = [None, True, False, -1, 0, 0.5, 1, 1.0, 1.5, 2, 3, 4, 100, 1e4, 2**32, 2**33, 2**53, 2**53 + 2, 1e300, "", "x",
        "all", [], {}, [1, 1], [1, 2], ["x", "x"], {"from": 1, "to": 4, "step": 1}, {"from": 1, "to": 4},
        {"from": 1, "to": 4, "points": 1}, {"from": 1, "to": 4, "step": 0}]
TEXTS = {"alphabet": ["a-c", "a-a", "-", "a-", "--", "aba", "a-cb", "z-a", " a", "\u00e4", "\n", "a-c-"]}  # in addition to the pool


def ask(program, folder, text):
    """The outcome of a config; again where the machine failed (threads, memory)."""
    with open(folder + "/c.json", "w", encoding="utf-8") as file:
        file.write(text)
    for _ in range(5):
        run = subprocess.run([program, "run", folder + "/c.json", "--dry-run"], capture_output=True, text=True, check=False)
        if run.returncode != 3:
            break
    return run


def takes(program, folder, config):
    return ask(program, folder, json.dumps(config)).returncode == 0


SMALL = {"name": "small", "seed": 1, "repetitions": 2,
         "datasets": [{"type": "zipf", "s": 1.5, "d": 16, "n": 1000}], "oracles": ["olh", "grr"], "epsilon": [1, 2],
         "methods": ["base", "norm_sub"], "queries": [{"type": "full_domain"}, {"type": "top_k", "k": [2, 4]}],
         "outputs": ["mse"], "ordered": True}


def variants(schema, program, folder, base, sections):
    """Variants of a config that have every algorithm, with every parameter that suits it."""
    for section, kind, key in sections:
        for way in schema["definitions"][kind]["anyOf"]:
            properties = way.get("properties")
            if properties is None or key not in properties:
                continue
            config = copy.deepcopy(base)
            element = {key: properties[key].get("const")}
            config[section] = [element]
            if section == "oracles":
                config["methods"] = ["base"]  # suits every oracle
            if section == "methods":
                for oracle in ("grr", "sw", "hh", "sw_hh"):  # one of them suits the method
                    config["oracles"] = [oracle]
                    if takes(program, folder, config):
                        break
            required = way.get("required", [])
            for name in required + [name for name in properties if name not in required]:
                if name in (key, "row_oracle", "otherwise", "method", "sets"):
                    continue
                element[name] = example(name, properties[name])
                if name not in required and not takes(program, folder, config):
                    del element[name]
            if takes(program, folder, config):
                yield config
            elif not {"file", "command"} & element.keys() and section not in ("datasets", "protocols"):
                sys.exit(f"schema.py: no good config has {element}: {ask(program, folder, json.dumps(config)).stderr}")


def good(schema, program, folder):
    """Small configs of each task, each with variants."""
    yield [SMALL, *variants(schema, program, folder, SMALL,
                            (("oracles", "oracle", "name"), ("methods", "method", "name"), ("queries", "query", "type"),
                             ("datasets", "dataset", "type")))]
    yield [tasks.SEARCH, *variants(schema, program, folder, tasks.SEARCH,
                                   (("protocols", "protocol", "name"), ("datasets", "dataset", "type")))]
    yield [tasks.MARGINALS, *variants(schema, program, folder, tasks.MARGINALS,
                                      (("synopses", "synopsis", "name"), ("datasets", "dataset", "type")))]
    yield [tasks.SELECTION]
    yield [tasks.SWEEP]


def example(name, rule):
    if name == "label":
        return "mine"
    if "default" in rule:
        return rule["default"]
    if "enum" in rule:
        return rule["enum"][0]
    if name == "file":
        return "some.counts"
    rules = rule.get("anyOf", [rule])
    low = rules[0].get("minimum", rules[0].get("exclusiveMinimum"))
    return {"d": 16, "n": 1000, "s": 1.5}.get(name, 2 if low is None else max(low + (low == 0), 2)
                                              if rules[0].get("maximum", rules[0].get("exclusiveMaximum", 3)) >= 2
                                              else 0.5)


def places(node, path=()):
    yield path
    if isinstance(node, dict):
        for key, value in node.items():
            yield from places(value, path + (key,))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from places(value, path + (i,))


def at(config, path):
    for step in path:
        config = config[step]
    return config


def changed(config):
    """All configs with one place changed."""
    for path in places(config):
        here = at(config, path)
        if path:
            for value in POOL + TEXTS.get(path[-1], []):
                other = copy.deepcopy(config)
                at(other, path[:-1])[path[-1]] = value
                yield other
            if isinstance(path[-1], str):
                other = copy.deepcopy(config)
                del at(other, path[:-1])[path[-1]]
                yield other
        if isinstance(here, dict):
            other = copy.deepcopy(config)
            at(other, path)["unknown"] = 1
            yield other
        if isinstance(here, list):
            other = copy.deepcopy(config)
            at(other, path).append(copy.deepcopy(here[0]))
            yield other


def generate(bases):
    """Texts of the good configs and of all that are changed; what variants have in common is changed in the first alone."""
    texts = {}
    for base in bases:
        texts[json.dumps(base)] = None
        for other in changed(base):
            if base is bases[0] or any(other.get(key) != base[key] for key in base if base[key] != bases[0][key]):
                texts[json.dumps(other)] = None
    return list(texts)


def main():
    program = os.environ.get("LDPBENCH", "build/release/ldpbench")
    with open("configs/schema.json", encoding="utf-8") as file:
        validator = jsonschema.Draft7Validator(json.load(file))
    schema = tasks.read_schema()
    wrong = refused = 0
    beyond = {why: 0 for why in BEYOND}
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/some.counts", "w", encoding="utf-8") as file:
            file.write("".join(f"v{i}\t{i + 1}\n" for i in range(16)))
        for name, content in tasks.FILES.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        texts = [text for bases in good(schema, program, folder) for text in generate(bases)]
        if len(sys.argv) > 1 and int(sys.argv[1]) < len(texts):
            rare = [text for text in texts if any(f'"{key}": {json.dumps(value)}' in text for key in TEXTS for value in TEXTS[key])]
            texts = rare + random.Random(1).sample(texts, int(sys.argv[1]))
        for text in texts:
            run = ask(program, folder, text)
            valid = validator.is_valid(json.loads(text))
            refused += run.returncode != 0
            if run.returncode not in (0, 2):
                print(f"status {run.returncode}: {text}\n  {run.stderr.strip()}")
                wrong += 1
            elif run.returncode == 0 and not valid:
                print(f"the schema refuses what the program takes: {text}")
                wrong += 1
            elif run.returncode == 2 and valid:
                reasons = [why for why in BEYOND if any(words in run.stderr for words in BEYOND[why])]
                if reasons and not any(words in run.stderr for words in WITHIN):
                    beyond[reasons[0]] += 1
                else:
                    print(f"the schema takes what the program refuses: {text}\n  {run.stderr.strip()}")
                    wrong += 1
    for why, count in beyond.items():
        print(f"schema.py: {count} that only the program refuses: {why}")
    print(f"schema.py: {len(texts)} configs, {refused} refused, {wrong} disagreements")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
