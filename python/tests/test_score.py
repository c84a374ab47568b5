"""docs/compare.md's method answers, and a function that fails ends ldpbench.score with one line."""

import io
import re
from pathlib import Path

import numpy
import pytest

import ldpbench

PAGE = Path(__file__).resolve().parents[2] / "docs" / "compare.md"


def test_the_method_of_the_page_answers(monkeypatch):
    source = next(block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S) if "serve(mine)" in block)
    assert len(source.splitlines()) <= 10
    served = []
    monkeypatch.setattr(ldpbench, "serve", served.append)
    exec(compile(source, str(PAGE), "exec"), {})
    est, asked, sink = numpy.array([0.5, -0.1, 0.25, 0.2]), io.BytesIO(), io.BytesIO()
    asked.write(b"ldpbench 2\nestimate d=4 n=100 seed=5 oracle=olh epsilon=1 p=0.5 q=0.25 s1=1 tf=0 sigma=0.08 question=1\n")
    asked.write(est.astype("<f8").tobytes())
    asked.seek(0)
    monkeypatch.undo()
    ldpbench.serve(served[0], source=asked, sink=sink)
    assert numpy.allclose(numpy.frombuffer(sink.getvalue()[-32:], "<f8"), [2 / 3, 0, 1 / 3, 0])


def test_a_function_that_fails_is_one_line(tmp_path):
    with pytest.raises(ldpbench.BadInput, match="expected [0-9]+ numbers, got") as caught:
        ldpbench.score(lambda est: est[1:], output=tmp_path, threads=1)
    assert "\n" not in str(caught.value)
