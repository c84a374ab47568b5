"""The notebook runs, with fewer repetitions; serve answers as the protocol says.

Jupyter is not needed: a notebook of plain Python is its code cells one after the other, and the value of a cell's last
expression, for which a representation is made."""

import ast
import io
import json
import re
from pathlib import Path

import numpy
import pytest

import ldpbench

DOCS = Path(__file__).resolve().parents[2] / "docs"


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


def test_an_oracle_that_serves_a_method_is_told():
    sink, said = io.BytesIO(), 'expected a request "estimate", got "collect"'
    with pytest.raises(ValueError, match=said):
        ldpbench.serve(lambda est: est, source=io.BytesIO(b"ldpbench 2\n" + collection([4, 6])), sink=sink)
    assert f"\nerror ValueError: {said}".encode() in sink.getvalue()


def test_the_method_of_the_page_answers(monkeypatch):
    blocks, served = re.findall(r"```python\n(.*?)```", (DOCS / "compare.md").read_text(encoding="utf-8"), re.S), []
    source = next(block for block in blocks if "serve(mine)" in block)
    with monkeypatch.context() as patch:
        patch.setattr(ldpbench, "serve", served.append)
        exec(compile(source, "docs/compare.md", "exec"), {})
    sink = io.BytesIO()
    ldpbench.serve(served[0], source=io.BytesIO(b"ldpbench 2\n" + question([0.5, -0.1, 0.25, 0.2], sigma=0.08)), sink=sink)
    assert numpy.allclose(numpy.frombuffer(sink.getvalue()[-32:], "<f8"), [2 / 3, 0, 1 / 3, 0])


def test_a_function_that_fails_a_score_is_one_line(tmp_path):
    with pytest.raises(ldpbench.BadInput, match="expected [0-9]+ numbers, got") as caught:
        ldpbench.score(lambda est: est[1:], output=tmp_path, threads=1)
    assert "\n" not in str(caught.value)
