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


def test_notebook_of_figure_4(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    space = run_cells(EXAMPLES / "figure4.ipynb", {"REPETITIONS = 30": "REPETITIONS = 5"})
    assert space["figure"].shape == (20, 22) and space["table"].shape == (20, 11)
    assert "keep" in space["with_mine"].columns


def question(est, **more):
    fields = {"d": len(est), "n": 100, "seed": 5, "oracle": "olh", "epsilon": 1, "p": 0.5, "q": 0.25, "s1": 3, "tf": 1,
              "sigma": 0.1, "oracle.g": 4, **more}
    return ("estimate " + " ".join(f"{key}={value}" for key, value in fields.items()) + "\n").encode() + \
        numpy.asarray(est, "<f8").tobytes()


def test_serve_answers_questions():
    est = numpy.array([0.5, -0.25, 0.75])
    sink, seen = io.BytesIO(), []

    def method(given, asked):
        seen.append(asked)
        return given * 2

    ldpbench.serve(method, source=io.BytesIO(b"ldpbench 1\n" + question(est) * 2), sink=sink)
    answer = b"3\n" + (est * 2).tobytes()
    assert sink.getvalue() == b"ldpbench 1\n" + answer * 2
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


def test_a_method_in_python_is_paired_with_the_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(EXAMPLES.parent))
    Path("mine.py").write_text("import numpy, ldpbench\nldpbench.serve(lambda est: numpy.maximum(est, 0))\n")
    table = ldpbench.run({
        "seed": 1, "repetitions": 4, "datasets": [{"type": "zipf", "s": 1, "d": 16, "n": 1000}], "epsilon": [1, 2],
        "oracles": ["grr"], "queries": ["full_domain"], "methods": [
            "base_pos", {"name": "external", "label": "mine", "command": [sys.executable, "mine.py"]}]},
        allow_external=True)["mse"].pivot(index="epsilon", columns="method", values="mse")
    assert (table["mine"] == table["base_pos"]).all()
