"""The annotations, by mypy, in the package and as a user's code sees them."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "ldpbench"

USE = """
from typing import Any
import ldpbench
import numpy

def mine(est: "numpy.ndarray[Any, Any]", protocol: ldpbench.Protocol, n: int) -> "numpy.ndarray[Any, Any]":
    return est

results: ldpbench.Results = ldpbench.compare(["norm_sub", mine], ["a", "b"], 1, bins=None)
name: str = results.best()
ldpbench.compare(mine, {"a": 1, "b": 2}, [1, 2]).report("page.html").name
"""


def test_package_use_and_misuse(tmp_path, monkeypatch):
    """In one call, which reads NumPy's annotations once: the only error is the one of the misuse."""
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("without mypy (Debian: mypy)")
    monkeypatch.setenv("MYPYPATH", str(PACKAGE.parent))
    (tmp_path / "good.py").write_text(USE, encoding="utf-8")
    (tmp_path / "bad.py").write_text(USE + "number: int = results.best()\n", encoding="utf-8")
    said = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-incremental", "--cache-dir", "/dev/null",
                           "--disallow-untyped-defs", "--no-implicit-reexport", str(PACKAGE), str(tmp_path / "good.py"),
                           str(tmp_path / "bad.py")], capture_output=True, text=True, check=False).stdout
    errors = [line for line in said.splitlines() if ": error:" in line]
    assert len(errors) == 1 and "bad.py" in errors[0] and "Incompatible types in assignment" in errors[0], said
