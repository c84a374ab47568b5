"""docs/deployment.md: its code, its test vectors and the library agree on what a report supports and on symbols of values."""

import json
import re
from pathlib import Path

import numpy
import pytest

import ldpbench

PAGE = (Path(__file__).resolve().parents[2] / "docs/deployment.md").read_text(encoding="utf-8")
VECTORS = [json.loads(line) for line in re.search(r"```json\n(.*?)```", PAGE, re.S).group(1).splitlines()]
CODE: dict = {}
for block in re.findall(r"```python\n(.*?)```", PAGE, re.S):
    exec(compile(block, "docs/deployment.md", "exec"), CODE)
OF_CODE = ["grr", "sue", "oue", "the", "ss", "blh", "olh", "flh", "hr", "hm", "rhr"]
OF_BITS = ["sue", "oue", "the", "ss"]


def words_of(oracle, report):
    """A report of the page in the words of the library."""
    if oracle not in OF_BITS:
        return report if isinstance(report, list) else [report]
    return [sum(bit << i for i, bit in enumerate(report[at:at + 64])) for at in range(0, len(report), 64)]


def served(protocol, words):
    support = numpy.asarray(protocol.server(numpy.array([words], numpy.uint64)))[:protocol.d]
    return [v for v in range(protocol.d) if support[v] == 1]


def coded(protocol, report):
    g = 4 if protocol.oracle == "flh" else int(protocol.parameters.get("g", 0))
    return CODE["supports"](protocol.oracle, protocol.d, report, g=g, public_seed=protocol.public_seed)


@pytest.mark.parametrize("vector", [vector for vector in VECTORS if "report" in vector],
                         ids=lambda vector: f"{vector['oracle']}-{vector['d']}-{vector['report']}"[:30])
def test_vectors(vector):
    protocol = ldpbench.Protocol(vector["oracle"], d=vector["d"], epsilon=1, public_seed=vector.get("public_seed", 0))
    assert served(protocol, words_of(vector["oracle"], vector["report"])) == vector["supports"]
    if vector["oracle"] in OF_CODE:
        assert coded(protocol, vector["report"]) == vector["supports"]


def test_every_oracle_has_vectors():
    assert {vector["oracle"] for vector in VECTORS if "report" in vector} == {*OF_CODE, "pgr", "pi_rappor"}
    assert {vector["g"] for vector in VECTORS if "symbols" in vector} >= {2, 4, 128, 129}  # both widths of table entries


def test_symbols():
    """A report (seed, H(v)) supports v: the page's symbols, by the server of olh."""
    for vector in VECTORS:
        for v, symbol in zip(vector.get("values", []), vector.get("symbols", [])):
            assert CODE["hashed"](vector["seed"], v, vector["g"]) == symbol
            protocol = ldpbench.Protocol("olh", d=v + 2, epsilon=1, g=vector["g"])
            report = numpy.array([[vector["seed"], symbol]], numpy.uint64)
            assert numpy.asarray(protocol.server(report))[v] == 1


@pytest.mark.parametrize("oracle", OF_CODE)
@pytest.mark.parametrize("d", [8, 300])
def test_code_of_page(oracle, d):
    """Reports of the library's clients."""
    protocol = ldpbench.Protocol(oracle, d=d, epsilon=1, public_seed=9)
    for words in protocol.client(numpy.arange(30) * 7 % d, seed=1):
        words = [int(word) for word in words]
        report = words if len(words) > 1 else words[0]
        if oracle in OF_BITS:
            report = [words[v // 64] >> v % 64 & 1 for v in range(d)]
        assert coded(protocol, report) == served(protocol, words)


@pytest.mark.parametrize("oracle, epsilon", [("pgr", 1), ("pi_rappor", 1), ("hr", 3), ("rhr", 3), ("flh", 1), ("hm", 1)])
def test_rule_of_a_single_number(oracle, epsilon):
    """Every report that supports the value is e^epsilon times as probable as every other: shares of 200,000 reports."""
    n = 200_000
    parameters = {"k": 20, "decode": "published"} if oracle == "flh" else {}
    protocol = ldpbench.Protocol(oracle, d=8, epsilon=epsilon, public_seed=3, **parameters)
    reports = protocol.client(numpy.full(n, 5), seed=1)[:, 0]
    supported = numpy.array(CODE["table"](oracle, 8, epsilon, 3, int(reports.max()) + 1))[:, 5] if oracle != "flh" else numpy.array(
        [5 in served(protocol, [u]) for u in range(int(reports.max()) + 1)])
    weight = numpy.where(supported, numpy.exp(epsilon), 1)
    if oracle == "pi_rappor":
        q = int(protocol.parameters["q"])
        weight[-q:] /= q - 1
    expected = n * weight / weight.sum()
    z = (numpy.bincount(reports.astype(int)) - expected) / numpy.sqrt(expected * (1 - expected / n))
    assert numpy.abs(z).max() < 5
