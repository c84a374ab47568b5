"""After a sketch methods are told the noise that was observed, here as in the program."""

import copy
import json
import pickle
import re

import numpy
import pytest

import ldpbench
from conftest import said

SKETCHES = [name for name in ldpbench.oracles().index if ldpbench.Protocol(name, 16, 1).has("sketch")]
BOTH = [*SKETCHES, "olh", "grr", "hr"]
OBSERVING = [name for name in SKETCHES if name != "bloom"]
D, N = 64, 10000
COUNTS = numpy.floor(N / 5 / numpy.arange(1, D + 1)).astype(numpy.uint64)
COUNTS[0] += N - int(COUNTS.sum())


def sized(name):
    return {"rows": 4, "columns": 16} if name in OBSERVING else {}


def collection(name, repetitions=1):
    protocol = ldpbench.Protocol(name, D, 1, **sized(name))
    return protocol, protocol.estimate(protocol.simulate(COUNTS, repetitions, seed=3))


def test_methods_are_those_of_an_experiment(tmp_path):
    """The collections of run, by their keys: its mean squared errors (NumPy adds squares in an order of its own)."""
    counts = tmp_path / "counts.tsv"
    counts.write_text("".join(f"{v}\t{count}\n" for v, count in enumerate(COUNTS)))
    config = {"name": "sketches", "seed": 20, "repetitions": 3, "simulation": "counts", "epsilon": 1,
              "datasets": [{"type": "counts", "file": str(counts)}], "oracles": [{"name": name, **sized(name)} for name in BOTH],
              "methods": ["base", "base_cut", "power", "npmle"], "queries": [{"type": "full_domain"}]}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    table = ldpbench.run(config)["mse"]
    keys = [line.strip() for line in said("run", str(file), "--dry-run", "--verbose").splitlines() if line.strip().startswith("frequency|")]
    assert len(keys) == len(BOTH) and len(table) == 4 * len(BOTH)
    for name in BOTH:
        protocol = ldpbench.Protocol(name, D, 1, **sized(name))
        key = next(key for key in keys if key.split("|")[5].split("(")[0] == name)
        est = protocol.estimate(protocol.simulate(COUNTS, 3, seed=20, key=re.sub("(decode|debias|lasso|ridge)=[^ )]* ?", "", key)))
        for row in table[table.oracle.str.split("(").str[0] == name].itertuples():
            answer = ldpbench.postprocess(est, row.method, protocol, N)
            errors = ((answer - COUNTS / N) ** 2).mean(axis=1)
            assert row.mse == pytest.approx(errors.mean(), rel=1e-13), row


@pytest.mark.parametrize("name", BOTH)
def test_methods_are_those_of_the_command(tmp_path, name):
    protocol = ldpbench.Protocol(name, D, 1, **sized(name))
    support = protocol.simulate(COUNTS, seed=2)[0]
    file = tmp_path / "support.tsv"
    file.write_text("".join(f"s{i}\t{number!r}\n" for i, number in enumerate(support.tolist())))
    text = said("estimate", "--oracle", json.dumps({"name": name, **sized(name)}), "--epsilon", "1", "--n", str(N),
                *(["--d", str(D)] if name in SKETCHES else []), "--method", "all", "--interval", "none", "--format", "csv", str(file)).splitlines()
    assert [line.split(",")[0] for line in text[1:]] == [f"s{v}" if name not in SKETCHES else str(v) for v in range(D)]
    theirs = numpy.array([[float(x) for x in line.split(",")[1:]] for line in text[1:]]).T
    est = protocol.estimate(support)
    for method, expected in zip(text[0].split(",")[1:], theirs):
        assert ldpbench.postprocess(est, method, protocol, N).tobytes() == expected.tobytes(), method


def test_what_was_observed_follows_the_estimates():
    protocol, est = collection("count_min", 3)
    s1 = est.s1
    assert s1.shape == (3,) and len(set(s1.tolist())) == 3
    assert est[1].s1 == s1[1] and [row.s1 for row in est] == s1.tolist()
    for twin in (est.copy(), copy.copy(est), copy.deepcopy(est), pickle.loads(pickle.dumps(est)), est[:], est.reshape(3, 1, D)):
        assert (twin.s1.ravel() == s1).all() and (twin.reshape(3, D) == est).all()
    assert (est[::-1].s1 == s1[::-1]).all() and (est[s1 > s1.min()].s1 == s1[s1 > s1.min()]).all()
    together = ldpbench.postprocess(est.reshape(3, 1, D), "base_cut", protocol, N, threads=3)
    for i in range(3):
        alone = ldpbench.postprocess(numpy.asarray(est[i]), "base_cut", protocol, N, s1=s1[i])
        assert (together[i, 0] == alone).all() and (alone == ldpbench.postprocess(est[i], "base_cut", protocol, N)).all()


def test_numbers_without_it_are_refused():
    protocol, est = collection("count_min", 3)
    assert type(2 * est) is numpy.ndarray and type(est.mean(axis=0)) is numpy.ndarray
    for call in (lambda: ldpbench.postprocess(2 * est, "base_cut", protocol, N), lambda: protocol.sigma(N),
                 lambda: protocol.sigma(N, 2 * est)):
        with pytest.raises(ldpbench.BadInput, match="est: expected what Protocol.estimate returned: the noise of count_min"):
            call()
    for wrong, message in (([1, 2], r"s1: expected one number, or one for each estimate \[3\], got \[2\]"),
                           (-1, "s1: expected finite numbers >= 0"), ("x", "s1: expected numbers")):
        with pytest.raises(ldpbench.BadInput, match=message):
            ldpbench.postprocess(est, "base_cut", protocol, N, s1=wrong)


@pytest.mark.parametrize("name", SKETCHES)
def test_supports_from_elsewhere_are_checked(name):
    protocol = ldpbench.Protocol(name, D, 1, **sized(name))
    good = numpy.asarray(protocol.simulate(COUNTS, seed=2)[0])
    protocol.estimate(good, N)
    for place, value, message in ((0, 2.0**32, "half of a seed"), (1, -1, "half of a seed"), (2, N + 1, "the users of a row"),
                                  (2, 0.5, "the users of a row"), (2, good[2] + 1, "users of rows that sum to n = 10000"),
                                  (3, numpy.nan, "a finite number")):
        bad = good.copy()
        bad[place] = value
        with pytest.raises(ldpbench.BadInput, match=message):
            protocol.estimate(bad, N)


def test_amp_that_has_not_settled_has_no_intervals():
    protocol = ldpbench.Protocol("count_min", 100, 0.5, rows=4, columns=4, decode="amp", row_oracle="oue")
    support = protocol.simulate(numpy.full(100, 20), 1, seed=1)
    est = protocol.estimate(support)
    assert (est.s1 > 0).all() and protocol.sigma(support.n, est) > 0
    with pytest.raises(ldpbench.BadInput, match="unknown collection: amp has not converged, or has few cells"):
        ldpbench.intervals(est, protocol, support.n)
    assert ldpbench.postprocess(est, "norm_sub", protocol, support.n).sum() == pytest.approx(1)
    large = ldpbench.Protocol("count_min", 100, 1, rows=32, columns=64, decode="amp", row_oracle="oue")
    settled = large.estimate(large.simulate(numpy.full(100, 20), 1, seed=1))
    assert (ldpbench.intervals(settled, large, 2000, 0.9)[1] > 0).any()
