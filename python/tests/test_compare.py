"""compare: data and methods as people have them, functions in worker processes, answers and views."""

import copy
import functools
import os
import pickle
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pandas
import pytest

import ldpbench
from ldpbench import comparing, functions
from ldpbench.functions import identity

ANSWERS = ["yes"] * 500 + ["no"] * 300 + ["perhaps"] * 150 + ["never"] * 50


def clipped(est):
    return numpy.maximum(est, 0)


def shrunk(est, protocol, n):
    return numpy.maximum(est - protocol.sigma(n), 0)


class Fitted:
    def fit(self, est, protocol, n):
        self.frequencies_ = ldpbench.postprocess(est, "norm_sub", protocol, n)
        return self


@pytest.fixture(scope="module")
def compared():
    return ldpbench.compare(["norm_sub", "base_pos", clipped, Fitted(), ("shrunk by one sigma", shrunk)], ANSWERS, [1, 2],
                            oracle=["olh", "grr"], repetitions=20, query=["full_domain", "top_k=2"])


def test_functions_are_paired_with_the_program(compared):
    table = compared["mse"].pivot_table(index=["oracle", "epsilon", "query"], columns="method", values="mse")
    assert table.shape == (8, 5)
    assert (table["clipped"] == table["base_pos"]).all()
    assert (table["Fitted"] == table["norm_sub"]).all()
    assert (table["shrunk by one sigma"] != table["base_pos"]).all()


def test_best_mine_and_points_agree_with_the_table(compared):
    table = compared["mse"]
    at = {"oracle": "olh", "epsilon": 1.0, "query": "full_domain"}
    rows = table[(table[list(at)] == pandas.Series(at)).all(axis=1)].set_index("method")["mse"]
    assert compared.best(**at) == f"{rows.idxmin()} with olh" and rows.idxmin() in ("norm_sub", "Fitted")
    mine = compared.mine("clipped", **at)
    least = table[(table["epsilon"] == 1) & (table["query"] == "full_domain")]["mse"].min()
    assert len(mine) == 1 and mine["ratio"][0] == pytest.approx((rows["clipped"] / least) ** 0.5)
    assert mine["error"][0] == pytest.approx(100 * rows["clipped"] ** 0.5) and mine["unit"][0] == "points"
    assert mine["at_least"][0] <= mine["ratio"][0] and not mine["at_most"][0] < mine["ratio"][0]
    # three of one's own with two oracles, at two epsilons, for two queries
    assert len(compared.mine()) == 24 and set(compared.mine()["rank"]) <= set(range(1, 11))
    assert len(compared.points) == 4 and set(compared.points["n"]) == {1000}
    assert set(compared.points["take"]) <= {f"{method} with {oracle}" for method in set(table["method"])
                                            for oracle in ("olh", "grr")}
    with pytest.raises(ldpbench.BadInput, match="expected a key of the points .*oracle.*'epsilom'"):
        compared.best(epsilom=1)
    with pytest.raises(ldpbench.BadInput, match="expected a method of these results, got \"base_cut\""):
        compared.mine("base_cut")


def test_the_best_is_so_where_it_is_decided(compared):
    found = ldpbench.Results(compared.folder)
    points = [{"epsilon": epsilon, "take": take, "decided": decided, "candidates": [{"candidate": "a"}, {"candidate": "b"}]}
              for epsilon, take, decided in ((1, "a", True), (2, "b", False), (2, "b", False))]
    found.verdicts = {"decisions": [{"points": points}]}
    assert found.best() == "a" and found.best(epsilon=2) == "b"


def test_numbers_are_those_of_run_and_the_same_in_threads():
    def drawn(est):
        return est + 1e-3 * numpy.random.standard_normal(len(est))

    methods, data = ["base", drawn], {"type": "zipf", "s": 1.2, "d": 32, "n": 4000}
    one, two = (ldpbench.compare(methods, data, 1, oracle="olh", repetitions=30, query="full_domain", threads=threads)["mse"]["mse"]
                for threads in (1, 2))
    run = ldpbench.run({"name": "compare", "seed": 1, "repetitions": 30, "epsilon": [1.0], "oracles": ["olh"], "queries": ["full_domain"],
                        "datasets": [data], "methods": methods})["mse"]["mse"]
    assert (one == two).all() and (one == run).all() and one[0] != one[1]


def test_a_comparison_is_resumed_while_the_code_is_the_same(tmp_path):
    def method(factor):
        def scaled(est):
            return est * factor
        return scaled

    calls = tmp_path / "calls"

    def counting(est):
        with open(calls, "a", encoding="utf-8") as file:
            file.write("x")
        return est

    given = {"data": ANSWERS, "epsilon": 1, "query": "full_domain", "output": tmp_path / "out"}
    ldpbench.compare([counting], repetitions=5, **given)
    assert calls.read_text() == "x" * 5
    ldpbench.compare([counting], repetitions=8, **given)
    assert calls.read_text() == "x" * 8
    assert identity(method(1)) == identity(method(1)) != identity(method(2))
    assert identity(functools.partial(method(1))) == identity(functools.partial(method(1)))
    array = numpy.arange(3)
    assert identity(lambda est: est + array) == identity(lambda est: est + array)
    before = identity(lambda est: est + array)
    array = numpy.arange(4)
    assert identity(lambda est: est + array) != before
    assert identity(Fitted()) == identity(Fitted())
    lines = (line for line in ())
    assert identity(lambda est: lines) != identity(lambda est: lines)  # not known: never resumed


def test_sketches_tell_functions_their_noise():
    seen = ldpbench.compare([("mine", lambda est, protocol, n: ldpbench.postprocess(est, "base_cut", protocol, n)), "base_cut"],
                            {"type": "zipf", "s": 1.5, "d": 200, "n": 20000}, 2, repetitions=6, query="full_domain",
                            oracle={"name": "count_sketch", "rows": 8, "columns": 64, "row_oracle": "olh"})["mse"]
    table = seen.set_index("method")["mse"]
    assert table["mine"] == table["base_cut"]


def lost(est):
    raise ValueError("no idea")


@pytest.mark.parametrize("given, message", [
    ({"methods": lost}, "method lost: failed: ValueError: no idea$"),
    ({"methods": ("short", lambda est: est[:2])}, 'method short: gave an invalid answer: expected 4 numbers, got "2'),
    ({"methods": ("nan", lambda est: est * numpy.nan)}, "method nan: .*expected 4 finite numbers"),
    ({"methods": lambda est, protocol, n: est * (n - int(n) + protocol.counts)}, "AttributeError.*counts"),
    ({"methods": type("Empty", (), {"fit": lambda self, est: self})()}, "fit to return frequencies, or to set frequencies_"),
    ({"methods": ("dying", lambda est: os._exit(3))}, "method dying: "),
    ({"methods": lambda a, b, c, d: a}, "expected a function of est.* of 4 arguments"),
    ({"methods": [lambda est: est, lambda est: est]}, 'different names, got "mine" twice'),
    ({"methods": ["nrom_sub"]}, '^config: methods.0.: expected a method .*, got "nrom_sub", did you mean "norm_sub"'),
    ({"methods": [Fitted]}, "a function, or an object with fit, got <class"),
    ({"methods": [clipped, {"name": "external", "label": "theirs", "command": ["true"]}]}, "runs a program; allow_external=True"),
    ({"methods": []}, "methods: expected at least one"),
    ({"query": "top_k=ten"}, "expected numbers after top_k="),
    ({"query": "full_domain=3"}, "takes points"),
    ({"repetitions": 0}, "repetitions: expected an integer from 1"),
    ({"epsilon": "1"}, "epsilon.0.: expected a number"),
    ({"data": "mine.csv"}, "pathlib.Path"),
])
def test_refusals_and_failures_of_functions(given, message):
    with pytest.raises(ldpbench.BadInput, match=message) as caught:
        ldpbench.compare(**{"methods": "norm_sub", "data": ANSWERS, "epsilon": 1, **given})
    assert "\n" not in str(caught.value)
    assert given.get("methods") is not lost or "raise ValueError" in str(caught.value.__cause__)


def test_a_function_that_hangs_is_ended(monkeypatch):
    monkeypatch.setattr(functions, "TIMEOUT", 0.2)
    start = time.time()
    with pytest.raises(ldpbench.BadInput, match="method hung: "):
        ldpbench.compare(("hung", lambda est: time.sleep(100)), ANSWERS, 1, repetitions=2)
    assert time.time() - start < 60
    time.sleep(0.2)
    children = subprocess.run(["ps", "--ppid", str(os.getpid()), "-o", "pid="], capture_output=True, text=True, check=False).stdout
    assert len(children.split()) <= 1, "a worker is left"  # ps itself


def test_the_default_queries_of_a_file_are_those_of_its_counts(tmp_path):
    counts = {f"v{i}": 50 + i for i in range(12)}
    path = tmp_path / "mine.counts"
    path.write_text("".join(f"{value}\t{users}\n" for value, users in counts.items()))
    asked = [set(ldpbench.compare("norm_sub", data, 1, repetitions=2)["mse"]["query"]) for data in (path, counts, {"type": "counts", "file": path})]
    assert asked == [{"full_domain", "top_k"}] * 3
    assert set(ldpbench.compare("norm_sub", counts, 1, repetitions=2, other=5)["mse"]["query"]) == {"full_domain"}
    assert set(ldpbench.compare("norm_sub", path, 1, repetitions=2, n=5000)["mse"]["n"]) == {5000}


def test_an_oracle_of_ones_own_and_an_external_one(tmp_path, monkeypatch):
    """Both compared with grr, of which they are: within 4.5 standard errors; a method of one's own is told its noise."""
    monkeypatch.setenv("PYTHONPATH", str(Path(ldpbench.__file__).parents[1]))
    page = (Path(__file__).resolve().parents[2] / "docs/compare.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.S) if "serve_oracle" in block)
    (tmp_path / "theirs.py").write_text(block)
    space = {"__name__": "page"}
    exec(compile(block, "docs/compare.md", "exec"), space)
    Response = space["Randomised"]
    external = {"name": "external", "label": "theirs", "command": [sys.executable, str(tmp_path / "theirs.py")]}
    with pytest.raises(ldpbench.BadInput, match="oracles: 'theirs' runs a program; allow_external=True"):
        ldpbench.compare(shrunk, ANSWERS, 1, oracle=[Response, external])
    found = ldpbench.compare([shrunk, "base"], ANSWERS, 1, oracle=["grr", ("ours", Response), external], repetitions=40,
                             query="full_domain", allow_external=True)["mse"].set_index(["method", "oracle"])
    assert [name for method, name in found.index if method == "base"] == ["grr", "ours", "theirs"]
    protocol = ldpbench.Protocol("grr", 4, 1)
    for name in ("ours", "theirs"):
        row = found.loc["base", name]
        assert abs(row["mse"] - (protocol.s1 + protocol.tf / 4) / 1000) < 4.5 * row["stderr"]
        assert found.loc["shrunk", name]["mse"] != row["mse"]
    for given, message in (({"oracle": lambda: 1}, "oracle mine: "), ({"oracle": ("shrunk", Response)}, 'oracles: expected different names, got "shrunk" twice')):
        with pytest.raises(ldpbench.BadInput, match=message):
            ldpbench.compare(shrunk, ANSWERS, 1, repetitions=2, **given)


def test_results_are_pickled_where_their_folder_stays(compared, tmp_path):
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(ldpbench.BadInput, match='expected output="FOLDER"'):
            copied(compared)
    kept = ldpbench.compare("norm_sub", ANSWERS, 1, repetitions=3, output=tmp_path / "out")
    kept.notes = ["a note"]
    again = pickle.loads(pickle.dumps(kept))
    assert again.notes == ["a note"] and (again["mse"]["mse"] == kept["mse"]["mse"]).all() and again.answer == kept.answer


def test_views(compared, tmp_path):
    page = compared._repr_html_()
    assert page.startswith("<p>") and "<table>" in page and "<svg" in page and "<?xml" not in page and "<script" not in page
    assert ldpbench.Protocol("olh", 4, 1)._repr_html_().count("<tr>") > 5
    pictures = compared.plot("pdf", width="column", size=9)
    assert pictures and all(one.path.read_bytes().startswith(b"%PDF") for one in pictures)
    assert 'src="data:image/png;base64,iVBORw0KGgo' in compared.plot("png", width=4)._repr_html_()
    with pytest.raises(ldpbench.BadInput, match="expected svg, pdf, png or axes"):
        compared.plot("gif")
    with pytest.raises(ldpbench.BadInput, match="--width: expected"):
        compared.plot(width="wide")
    assert "Norm-Sub" in compared.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert compared.report(tmp_path / "page.md").read_text(encoding="utf-8").lstrip().startswith("# ")
    latex = compared.to_latex()
    assert latex.startswith("% all frequencies: error in points, 20 repetitions\n") and r"norm\_sub with olh & " in latex


def test_axes(compared):
    matplotlib = pytest.importorskip("matplotlib", reason="without matplotlib (python3-matplotlib)")
    matplotlib.use("Agg")
    ax = compared.plot("axes", oracle="olh", query="full_domain")
    rows = compared["mse"].query("oracle == 'olh' and query == 'full_domain' and method == 'clipped'")
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    drawn = ax.containers[names.index("clipped with olh")].lines[0]
    assert list(drawn.get_xdata()) == [1, 2] and list(drawn.get_ydata()) == list(rows["mse"])
    assert compared.plot(ax=ax, query="top_k") is ax
    with pytest.raises(ldpbench.BadInput, match='plot: epsilon is of plot."axes"'):
        compared.plot(epsilon=1)


def test_without_matplotlib_the_reason_is_said(compared, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ldpbench.MachineError, match='Axes need matplotlib, .*plot\\("svg"\\) does not'):
        compared.plot("axes")


def test_import_is_fast():
    """pandas is what takes long; perf/starting.py measures."""
    subprocess.run([sys.executable, "-c", "import ldpbench, sys; assert 'pandas' not in sys.modules"], check=True,
                   env={**os.environ, "PYTHONPATH": str(Path(ldpbench.__file__).parents[1])})
