"""The program from Python: its tables as data frames, its messages as exceptions."""

import io
import json
import re
import sys

import numpy
import pandas
import pytest

import ldpbench

CONFIG = {"name": "small", "seed": 3, "repetitions": 6, "simulation": "counts", "epsilon": numpy.array([0.5, 1.0]),
          "datasets": [{"type": "zipf", "s": 1.5, "d": numpy.int64(32), "n": 5000}], "oracles": ["olh"],
          "methods": ["base", "norm_sub"], "queries": [{"type": "full_domain"}, {"type": "top_k", "k": [2, 4]}]}


def test_run_gives_the_tables_of_the_program(tmp_path):
    results = ldpbench.run(CONFIG)
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**CONFIG, "epsilon": [0.5, 1], "datasets": [{"type": "zipf", "s": 1.5, "d": 32, "n": 5000}]}))
    again = ldpbench.run(file, tmp_path / "out", threads=1)
    assert set(results) == {"mse", "n_equivalent"} and len(results["mse"]) == 12
    assert (again.folder / "mse.csv").read_bytes() == (results.folder / "mse.csv").read_bytes()
    written = (again.folder / "mse.csv").read_text().splitlines()[1].split(",")
    assert results["mse"]["mse"][0] == float(written[-3])
    with pytest.raises(ldpbench.BadInput, match="expected result folders of configs that"):
        results.agreement("icml2022")
    assert "ndss2020-fig4" in ldpbench.configs() and "schema" not in ldpbench.configs()
    assert ldpbench.check(results, again)
    assert list(ldpbench.results(tmp_path / "out")) == ["mse", "n_equivalent"]


def test_tables_are_those_of_the_files_and_lead_to_repetitions(tmp_path):
    results = ldpbench.run({**CONFIG, "repetitions": 30}, tmp_path / "out")
    for name in results:
        written = pandas.read_csv(tmp_path / "out" / f"{name}.csv", float_precision="round_trip")
        pandas.testing.assert_frame_equal(results[name], written, check_dtype=False, check_exact=True)
    ldpbench.run({**CONFIG, "repetitions": 70, "methods": ["base", "norm_sub", "norm"]}, tmp_path / "out")
    grown = ldpbench.results(tmp_path / "out")
    for row, mse in enumerate(grown["mse"]["mse"]):
        values = grown.samples("mse", row)
        assert len(values) == 70 and values.mean() == pytest.approx(mse, rel=1e-12)
    (tmp_path / "out" / "mse.csv").unlink()
    assert len(ldpbench.results(tmp_path / "out")["mse"]) == 18


def test_relative_files_start_at_the_current_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.counts").write_text("a\t500\nb\t300\nc\t200\n")
    monkeypatch.chdir(tmp_path)
    results = ldpbench.run({**CONFIG, "datasets": [{"type": "counts", "file": "mine.counts"}], "queries": ["full_domain"]})
    assert set(results["mse"]["n"]) == {1000}


def test_check_says_what_changed(tmp_path):
    one = ldpbench.run({**CONFIG, "repetitions": 400})
    other = ldpbench.run({**CONFIG, "repetitions": 400, "seed": 4, "oracles": [{"name": "olh", "g": 2, "label": "olh"}]})
    verdict = ldpbench.check(one, other, allow_config=True)
    assert not verdict and not verdict.passed and len(verdict.changes) > 0
    assert isinstance(verdict.changes, pandas.DataFrame) and verdict.summary


def test_advise():
    protocol = ldpbench.Protocol("olh", 64, 1)
    counts = numpy.maximum(1, 20000 / numpy.arange(1, 65) ** 1.5).astype(int)
    support = protocol.simulate(counts, 1, seed=1)[0]
    said = ldpbench.advise(support, supports="olh", epsilon=1, n=support.n, query=["full_domain", "top_k=8"],
                           method=["base", "norm_sub", "norm"], trials=20)
    assert list(said.decisions["query"]) == ["all frequencies", "the most frequent values, k = 8"] and said.take() == "norm_sub"
    assert set(said.candidates["method"]) == {"base", "norm_sub", "norm"} and len(said.candidates) == 6
    assert (said.candidates["error"] > 0).all() and "take" in str(said)
    with pytest.raises(ldpbench.BadInput, match="expected a query or a column"):
        said.take("nothing")
    known = ldpbench.advise({"yes": 700, "no": 300}, epsilon=1, oracle="grr", trials=20, query="full_domain")
    assert known.said["n"] == 1000 and known.take().split()[0] in set(known.candidates["method"])


def test_messages_are_those_of_the_program():
    with pytest.raises(ldpbench.BadInput, match="config: "):
        ldpbench.run({**CONFIG, "epsilon": float("nan")})
    with pytest.raises(ldpbench.BadInput, match="no such file|No such file|not found"):
        ldpbench.run("missing.json")
    with pytest.raises(ldpbench.BadInput, match="output: expected a path, got function"):
        ldpbench.run({"name": "x"}, output=lambda: 1)


def test_a_missing_program_is_told(monkeypatch):
    monkeypatch.setenv("LDPBENCH", "/nowhere/ldpbench")
    with pytest.raises(ldpbench.MachineError, match="/nowhere/ldpbench: No such file"):
        ldpbench.run(CONFIG)


def test_advise_on_records():
    coins = numpy.random.default_rng(5)
    records = pandas.DataFrame({name: coins.integers(0, 2, 400) for name in "abc"})
    assert ldpbench.advise(pandas.DataFrame({"a": [20.0, numpy.nan, 21.0] * 40, "b": ["x", "y", "x"] * 40}), epsilon=1, k=1, trials=2,
                           synopsis="product").said["n"] == 120
    answer = ldpbench.advise(records, epsilon=1, n=numpy.float64(5000), k=2, trials=2.0, synopsis=["product", "uniform"])
    assert set(answer.candidates["synopsis"]) == {"product", "uniform"} and answer.take() in ("product", "uniform")
    assert answer.said["n"] == 5000 and len(answer.columns) == 0
    columns = ldpbench.advise(records, epsilon=1, query="full_domain", method="base", oracle="grr", trials=2)
    assert list(columns.columns["column"]) == ["a", "b", "c"] and columns.take("b") == "base with grr" and " at_most\n" in str(columns)
    with pytest.raises(ldpbench.BadInput, match="expected --epsilon and --n"):
        ldpbench.advise([1, 2], supports="grr", epsilon=1)


def test_audit_of_anybodys_reports():
    coins = numpy.random.default_rng(3)

    def uncleared(value, m=20000, d=8):  # unary encoding whose true bit is set with probability 1/2 and not cleared before
        bits = coins.random((m, d)) < 1 / (numpy.e + 1)
        bits[:, value] |= coins.random(m) < 0.5
        return bits

    finding = ldpbench.audit(uncleared(0), uncleared(1), epsilon=1)
    assert not finding and finding.exceeds and 1.2 < finding.epsilon < 1.5515 and "word 1" in finding.event
    few = ldpbench.audit(["yes"] * 46, ["no"] * 46, epsilon=1)
    assert not few and few.inconclusive and not few.exceeds and few.most < 1
    noise = [coins.integers(2, size=2000) for _ in range(3)]
    assert ldpbench.audit(*noise[:2], 1, more=noise[2:]).said["pairs"] == 3
    with pytest.raises(ldpbench.BadInput, match="without blanks"):
        ldpbench.audit([["a b"]] * 50, [["c"]] * 50, epsilon=1)
    with pytest.raises(ldpbench.BadInput, match="at least 40 reports"):
        ldpbench.audit([[1]] * 50, [[2]] * 3, epsilon=1)


@pytest.mark.parametrize("oracle, parameters", [("olh", {"g": 3}), ("hr", {"B": 2}), ("flh", {"k": 50}), ("she", {})])
def test_audit_reads_reports_of_a_protocol(oracle, parameters):
    protocol = ldpbench.Protocol(oracle, d=8, epsilon=1, public_seed=7, **parameters)
    reports = [protocol.client(numpy.full(20000, value), seed=value) for value in (3, 5)]
    if oracle == "she":  # words are doubles
        reports = [each.view(numpy.float64) for each in reports]
    finding = ldpbench.audit(*reports, protocol=protocol, values=(3, 5))
    assert finding and finding.epsilon > .6
    with pytest.raises(ldpbench.BadInput, match="that of the protocol"):
        ldpbench.audit(*reports, 2, protocol=protocol)


def test_progress_where_somebody_sees_it(monkeypatch):
    """A line that is rewritten, with the time left once it is known; messages are still exceptions, and nothing is written where nobody sees it."""
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    config = {"name": "long", "repetitions": 3000, "datasets": [{"type": "zipf", "s": 1.1, "d": 4096, "n": 100000}], "oracles": ["olh"],
              "epsilon": [1], "methods": ["base", "norm_sub"], "queries": ["full_domain"]}
    for stream, seen in ((Terminal(), True), (io.StringIO(), False)):
        monkeypatch.setattr(sys, "stderr", stream)
        assert len(ldpbench.run(config)["mse"]) == 2
        assert bool(re.search(r"\rlong: \d+ of 3000 repetitions", stream.getvalue())) == seen
        assert "\x1b" not in stream.getvalue()
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(ldpbench.BadInput, match="oracles"):
        ldpbench.run({**config, "oracles": ["nothing"]})
    assert sys.stderr.getvalue().strip() == ""


def test_oracles_have_costs():
    """The table of the command: the standard error of n users, the optimum first, the same from data as from d."""
    costs = ldpbench.oracles(d=9, epsilon=1, n=5000, bits=8)
    protocol = ldpbench.Protocol("grr", d=9, epsilon=1)
    assert costs.index[0] == ldpbench.oracles(d=9, epsilon=1, error=0.01).index[0] == "ss" and costs.loc["grr", "error"] == pytest.approx(
        numpy.sqrt((protocol.s1 + protocol.tf / 9) / 5000), rel=1e-12)
    best = ldpbench.oracles(d=9, epsilon=1, n=5000, frontier=True).attrs["frontier"]
    assert best[0]["oracle"] == "ss" and all(b["error"] > a["error"] and b["attack_success"] < a["attack_success"] for a, b in zip(best, best[1:]))
    people = ldpbench.oracles([f"v{user % 9}" for user in range(5000)], epsilon=1, oracle=["grr", "ss"])
    assert sorted(people.index) == ["grr", "ss"] and people.loc["grr", "users"] == 5000
    assert "Generalised" in ldpbench.oracles().loc["grr", "title"]
    with pytest.raises(ldpbench.BadInput, match="missing option --epsilon"):
        ldpbench.oracles(d=9)
