"""The notebook runs, with fewer repetitions; serve answers as the protocol says.

Jupyter is not needed: a notebook of plain Python is its code cells one after the other, and the value of a cell's last
expression, for which a representation is made."""

import ast
import io
import json
import sys
from pathlib import Path

import numpy
import pytest

import ldpbench

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run_cells(path, replace):
    space = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        for old, new in replace.items():
            source = source.replace(old, new)
        tree = ast.parse(source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, str(path), "exec"), space)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), str(path), "eval"), space)
            show = getattr(value, "_repr_svg_", None) or getattr(value, "_repr_html_", None)
            assert show() if show else repr(value)
    return space


DOCS = EXAMPLES.parents[1] / "docs"


def test_notebook_of_a_survey(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="without matplotlib (python3-matplotlib)").use("Agg")
    monkeypatch.chdir(tmp_path)
    space = run_cells(DOCS / "survey.ipynb", {"repetitions=1000": "repetitions=20"})
    assert space["results"].mine()["rank"].max() <= 4 and abs(space["consistent"].sum() - 1) < 1e-9


def test_notebook_of_a_survey_has_outputs_and_is_exported(tmp_path):
    cells = json.loads((DOCS / "survey.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = [output for cell in cells if cell["cell_type"] == "code" for output in cell["outputs"]]
    assert len(shown) >= 5 and any("<svg" in "".join(output.get("data", {}).get("text/html", "")) for output in shown)
    nbconvert = pytest.importorskip("nbconvert", reason="without nbconvert (python3-nbconvert)")
    page, _ = nbconvert.HTMLExporter().from_filename(str(DOCS / "survey.ipynb"))
    assert "<svg" in page and page.count("<?xml") == 0


def question(est, **more):
    fields = {"d": len(est), "n": 100, "seed": 5, "oracle": "olh", "epsilon": 1, "p": 0.5, "q": 0.25, "s1": 3, "tf": 1,
              "sigma": 0.1, "oracle.g": 4, "question": 7, "unknown": "x", **more}
    return ("estimate " + " ".join(f"{key}={value}" for key, value in fields.items()) + "\n").encode() + \
        numpy.asarray(est, "<f8").tobytes()


def test_serve_answers_questions():
    est = numpy.array([0.5, -0.25, 0.75])
    sink, seen = io.BytesIO(), []

    def method(given, asked):
        seen.append(asked)
        return given * 2

    ldpbench.serve(method, source=io.BytesIO(b"ldpbench 2\n" + question(est) * 2), sink=sink)
    answer = b"3 question=7\n" + (est * 2).tobytes()
    assert sink.getvalue() == b"ldpbench 2\n" + answer * 2
    assert (seen[0].d, seen[0].n, seen[0].seed, seen[0].sigma, seen[0].parameters) == (3, 100, 5, 0.1, {"g": 4.0})


def test_an_exception_becomes_a_message(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    Path("mine.py").write_text("import ldpbench\ndef f(est):\n    raise ValueError('no idea')\nldpbench.serve(f)\n")
    config = {"seed": 1, "repetitions": 2, "datasets": [{"type": "zipf", "s": 1, "d": 8, "n": 100}], "epsilon": 1,
              "oracles": ["grr"], "queries": ["full_domain"],
              "methods": [{"name": "external", "label": "mine", "command": [sys.executable, "mine.py"]}]}
    with pytest.raises(ldpbench.BadInput, match="--allow-external"):
        ldpbench.run(config)
    with pytest.raises(ldpbench.BadInput, match=r"repetition \d+: method mine: .*mine.py failed: ValueError: no idea"):
        ldpbench.run(config, allow_external=True)


def collection(counts, **more):
    fields = {"d": len(counts), "n": int(sum(counts)), "seed": 5, "mode": "counts", "epsilon": 1, "question": 7, **more}
    return ("collect " + " ".join(f"{key}={value}" for key, value in fields.items()) + "\n").encode() + \
        numpy.asarray(counts, "<f8").tobytes()


def served(oracle, *requests):
    sink = io.BytesIO()
    ldpbench.serve_oracle(oracle, source=io.BytesIO(b"ldpbench 2\n" + b"".join(requests)), sink=sink)
    return sink.getvalue()[len(b"ldpbench 2\n"):]


class Parity:
    """Sends each report twice; more users than a block has."""

    p, q = 1.0, 0.25

    def __init__(self, d, epsilon):
        self.d, self.sizes = d, []

    def client(self, values, rng):
        self.sizes.append(len(values))
        return values

    def support(self, reports):
        return numpy.bincount(reports, minlength=self.d)


def test_serve_oracle_collects_by_clients_in_blocks():
    made = []

    def make(d, epsilon):
        made.append(Parity(d, epsilon))
        return made[-1]

    counts = [3_000_000, 0, 1_000_001]
    answer = served(make, collection(counts), collection(counts))
    assert answer == (b"support 3 p=1.0 q=0.25 question=7\n" + numpy.asarray(counts, "<f8").tobytes()) * 2
    assert len(made) == 1 and len(made[0].sizes) > 2 and sum(made[0].sizes) == 2 * sum(counts)


def test_serve_oracle_collects_by_counts_and_estimates_itself():
    class Own:
        s1 = 3

        def __init__(self, d, epsilon):
            assert epsilon == 1

        def collect(self, counts, rng):
            return counts + rng.integers(10, size=len(counts))

        def estimate(self, support, n):
            return support / n

    expected = ([4, 6] + numpy.random.default_rng(5).integers(10, size=2)) / 10
    assert served(Own, collection([4, 6])) == b"estimate 2 s1=3.0 tf=0.0 question=7\n" + expected.tobytes()


def test_an_oracle_that_serves_a_method_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    Path("mine.py").write_text("import ldpbench\nldpbench.serve(lambda est: est)\n")
    with pytest.raises(ldpbench.BadInput, match='oracle mine: .*expected a request "estimate", got "collect"'):
        ldpbench.run({"seed": 1, "repetitions": 2, "datasets": [{"type": "zipf", "s": 1, "d": 8, "n": 100}], "epsilon": 1,
                      "oracles": [{"name": "external", "label": "mine", "command": [sys.executable, "mine.py"]}],
                      "queries": ["full_domain"], "methods": ["base"]}, allow_external=True)
