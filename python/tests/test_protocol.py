"""The library from Python: the same bytes as the program, the statistics that theory states, clear refusals."""

import copy
import pickle

import numpy
import pandas
import pytest

import ldpbench
from conftest import said

ORACLES = [name for name in ldpbench.oracles().index]


def zipf(d, n, s=1.5):
    weights = numpy.arange(1, d + 1) ** -s
    counts = numpy.floor(n * weights / weights.sum()).astype(numpy.uint64)
    counts[0] += n - int(counts.sum())
    return counts


def test_registries_are_those_of_the_program():
    for kind, table in (("oracles", ldpbench.oracles()), ("methods", ldpbench.methods()), ("queries", ldpbench.queries())):
        assert list(table.index) == said("list", kind, "--format", "names").split()
    assert list(ldpbench.parameters("base_cut")["name"]) == ["alpha", "tails"]


def test_numbers_of_olh():
    protocol = ldpbench.Protocol("olh", 100, numpy.log(3))
    assert protocol.parameters == {"g": 4, "attack_weight": 0, "decode": "support"}
    assert protocol.p == pytest.approx(0.5) and protocol.q == pytest.approx(0.25)
    assert protocol.s1 == pytest.approx(0.25 * 0.75 / 0.25**2)
    assert protocol.sigma(10000) == pytest.approx(numpy.sqrt(protocol.s1) / 100)
    assert protocol.cost["report_bits"] == 66
    assert ldpbench.Protocol("olh", 100, 1, g=2).parameters == {"g": 2, "attack_weight": 0, "decode": "support"}
    assert ldpbench.Protocol("hr", 100, 3, B=1).parameters == {"B": 1, "rule": "least_variance", "decode": "published"}
    # B is a value, not an index of its values: with B = 1, s1 is ((e + 1) / (e - 1))^2
    assert ldpbench.Protocol("hr", 100, 3, B=1).s1 == pytest.approx(((numpy.exp(3) + 1) / (numpy.exp(3) - 1))**2)
    assert ldpbench.Protocol("rhr", 100, 3, B=4).has("uneven") and not ldpbench.Protocol("rhr", 100, 3, B=1).has("uneven")
    assert ldpbench.Protocol("adaptive", 4, 3).runs == "grr"
    shared = ldpbench.Protocol("olh", 100, 2, decode="likelihood")
    assert (shared.oracle, shared.runs) == ("olh", "flh")
    own = shared.parameters
    assert numpy.isnan(own.pop("g")) and own == {"attack_weight": 0, "decode": "likelihood"}  # g is that of flh


@pytest.mark.parametrize("name", ORACLES)
def test_simulation_does_not_depend_on_threads(name):
    sketch = ldpbench.registry.ALGORITHMS["oracle"][name].inner or name in ("cms", "hcms")
    try:
        protocol = ldpbench.Protocol(name, 16, 1, **({"rows": 4, "columns": 16} if sketch else {}))
    except ldpbench.BadInput as refused:
        pytest.skip(str(refused))
    counts = zipf(16, 5000)
    one = protocol.simulate(counts, 7, seed=3, threads=1)
    assert one.shape == (7, protocol.support_size) and one.n == 5000
    assert (one == protocol.simulate(counts, 7, seed=3, threads=5)).all()
    assert (one[2:5] == protocol.simulate(counts, 3, seed=3, first=2)).all()
    if name != "exact":
        assert (one != protocol.simulate(counts, 7, seed=4)).any()


def test_clients_do_not_depend_on_threads():
    protocol = ldpbench.Protocol("oue", 32, 1)
    values = numpy.arange(200000, dtype=numpy.uint32) % 32
    assert (protocol.client(values, 1, threads=1) == protocol.client(values, 1, threads=4)).all()


@pytest.mark.parametrize("kind, k", [("score", None), ("bonferroni", None), ("selected", 3), ("conditional", 3)])
def test_intervals_are_those_of_the_program(tmp_path, kind, k):
    protocol = ldpbench.Protocol("olh", 8, 1)
    support = protocol.simulate(zipf(8, 3000), 1, seed=2)[0]
    file = tmp_path / "support.tsv"
    file.write_text("".join(f"v{v}\t{int(count)}\n" for v, count in enumerate(support)))
    lines = said("estimate", "--oracle", "olh", "--epsilon", "1", "--n", "3000", "--method", "base", "--level", "0.9", "--interval",
                 kind + (f"={k}" if k else ""), "--format", "csv", str(file)).splitlines()
    theirs = numpy.array([[float(x or "nan") for x in line.split(",")[2:]] for line in lines[1:]]).T
    low, high = ldpbench.intervals(protocol.estimate(support), protocol, 3000, 0.9, kind, k=k)
    assert low.tobytes() == theirs[0].tobytes() and high.tobytes() == theirs[1].tobytes()
    assert numpy.isnan(low).sum() == (8 - k if k else 0)
    with pytest.raises(ldpbench.BadInput, match="flh depends on the unknown collection"):
        ldpbench.intervals([0.5, 0.5], ldpbench.Protocol("flh", 2, 1), 10)


def test_batches_are_rows():
    protocol = ldpbench.Protocol("olh", 16, 1)
    support = protocol.simulate(zipf(16, 1000), 6, seed=1)
    support.flags.writeable = False  # as processes get arrays that are mapped into memory
    est = protocol.estimate(support.reshape(2, 3, 16))
    est.flags.writeable = False
    assert est.shape == (2, 3, 16)
    together = ldpbench.postprocess(est, {"name": "base_cut", "alpha": 1}, protocol, 1000, threads=3)
    for i in range(2):
        for j in range(3):
            alone = ldpbench.postprocess(est[i, j], "base_cut", protocol, 1000, alpha=1)
            assert (together[i, j] == alone).all()


def test_arrays_are_not_copied():
    protocol = ldpbench.Protocol("grr", 4, 1)
    for array, dtype in ((numpy.zeros(10, numpy.uint32), numpy.uint32), (protocol.simulate([1, 2, 3, 4], 2), numpy.float64)):
        assert numpy.shares_memory(ldpbench.protocol._checked(array, dtype, "array"), array)


def test_supports_know_n_until_they_are_computed_with():
    support = ldpbench.Protocol("olh", 4, 1).simulate([10, 20, 30, 40], 2)
    assert support[0].n == 100 and support.reshape(-1).n == 100
    total = support[0] + support[1]
    assert not isinstance(total, ldpbench.Support)
    with pytest.raises(ldpbench.BadInput, match="n: expected the number of reports"):
        ldpbench.Protocol("olh", 4, 1).estimate(total)
    assert ldpbench.Protocol("olh", 4, 1).estimate(total, n=200).shape == (4,)


def test_supports_that_cannot_be_are_refused():
    protocol = ldpbench.Protocol("oue", d=8, epsilon=1)
    support = numpy.array(protocol.simulate([500] * 8, seed=1))[0]
    assert protocol.estimate(support, n=4000).shape == (8,)
    with pytest.raises(ldpbench.BadInput, match=r"support\[3\]: expected a support from 0 to n = 4000, got 4001"):
        protocol.estimate(numpy.where(numpy.arange(8) == 3, 4001, support), n=4000)
    with pytest.raises(ldpbench.BadInput, match=r"support\[1, 0\]"):
        protocol.estimate([support, -support], n=4000)
    with pytest.raises(ldpbench.BadInput, match="support: "):  # the sum of all
        ldpbench.Protocol("grr", d=8, epsilon=1).estimate([1.0] * 8, n=9)
    with pytest.warns(UserWarning, match="hardly possible"):
        protocol.estimate(support / 4 // 1, n=4000)


def test_intervals_of_sets():
    protocol = ldpbench.Protocol("grr", d=8, epsilon=1)
    est = protocol.estimate(protocol.simulate([500, 300, 100, 50, 20, 20, 5, 5], repetitions=3, seed=1))
    low, high = ldpbench.set_intervals(est, [[0], [1, 2], range(8)], protocol, 1000)
    one = ldpbench.intervals(est, protocol, 1000)
    assert low.shape == high.shape == (3, 3)
    assert (low[:, 0] == one[0][:, 0]).all() and (high[:, 0] == one[1][:, 0]).all()
    assert (low[:, 2] > 0.98).all() and (high[:, 2] == 1).all()  # the sum of all has no variance at 1
    for wrong in ([[0, 0]], [[8]], [[]]):
        with pytest.raises(ldpbench.BadInput, match=r"sets\[0\]: expected different values from 0 to 7"):
            ldpbench.set_intervals(est, wrong, protocol, 1000)
    with pytest.raises(ldpbench.BadInput, match="the covariance of two estimates of count_sketch depends"):
        ldpbench.set_intervals(est, [[0]], ldpbench.Protocol("count_sketch", d=8, epsilon=1), 1000)


def test_supports_of_the_square_wave():
    """Its estimators and its intervals of sets take the supports; one line says so without."""
    protocol = ldpbench.Protocol("sw", d=16, epsilon=2)
    support = protocol.simulate([0] * 5 + [60000] + [0] * 9 + [40000], repetitions=40, seed=1)
    est = protocol.estimate(support)
    assert (ldpbench.postprocess(est, "em", protocol, 100000, support=support) == est).all()
    fits = ldpbench.postprocess(est, "pooled", protocol, 100000, support=support, threads=2)
    one = ldpbench.postprocess(est[3], "pooled", protocol, 100000, support=support[3])
    assert (fits[3] == one).all() and abs(fits.mean(axis=0)[5] - 0.6) < 0.05
    low, high = ldpbench.set_intervals(est, [range(8), [5]], protocol, 100000, support=support)
    assert low.shape == (40, 2) and ((low < 0.6) & (0.6 < high)).mean() > 0.85
    with pytest.raises(ldpbench.BadInput, match="from support counts of single outputs, .*: expected support"):
        ldpbench.set_intervals(est, [[0]], protocol, 100000)
    with pytest.raises(ldpbench.BadInput, match="pen needs the support counts of a collection"):
        ldpbench.postprocess(est, "pen", protocol, 100000)
    with pytest.raises(ldpbench.BadInput, match=r"support: expected an array of shape \[40, "):
        ldpbench.set_intervals(est, [[0]], protocol, 100000, support=support[0])
    with pytest.raises(ldpbench.BadInput, match="support"):
        ldpbench.set_intervals(est, [[0]], protocol, 100000, support=-numpy.asarray(support))


def test_copies_are_protocols_of_their_own():
    """A copy of the handle's address would be freed twice, or mean nothing in another process."""
    protocol = ldpbench.Protocol("count_min", 32, 1.0, public_seed=7, row_oracle={"name": "olh", "g": 3}, rows=4, columns=8)
    values = numpy.arange(32, dtype=numpy.uint32)
    want = protocol.client(values, 1)
    for twin in (copy.copy(protocol), copy.deepcopy(protocol), pickle.loads(pickle.dumps(protocol))):
        assert twin._handle != protocol._handle and twin.public_seed == 7 and twin.parameters == protocol.parameters
        assert (twin.client(values, 1) == want).all()
        del twin
    assert (protocol.client(values, 1) == want).all()
    support = protocol.simulate([5] * 32, seed=1)
    assert all(twin.n == 160 for twin in (copy.copy(support), copy.deepcopy(support), pickle.loads(pickle.dumps(support))))


GRR = ldpbench.Protocol("grr", 4, 1)


@pytest.mark.parametrize("call, message", [
    (lambda: ldpbench.Protocol("ohl", 4, 1), 'expected an oracle, got "ohl", did you mean "olh"?'),
    (lambda: ldpbench.Protocol("olh", 1, 1), "d: expected an integer from 2 to 4294967295, got 1"),
    (lambda: ldpbench.Protocol("olh", 4, -1), "oracle olh: epsilon = -1: expected a finite number > 0"),
    (lambda: ldpbench.Protocol("olh", 4, 1, k=2), 'olh has no parameter "k"'),
    (lambda: ldpbench.Protocol("olh", 4, 1, g=1), "g: expected an integer"),
    (lambda: ldpbench.Protocol("hr", 4, 1, B=3), 'hr: B: expected 1, 2, .., got "3"'),
    (lambda: ldpbench.Protocol("hm", 4, 1, decode="x"), 'expected per_bit or joint or likelihood, got "x"'),
    (lambda: GRR.client([0, 4], 1), "values[1]: expected a value below d = 4, got 4"),
    (lambda: GRR.client([-1], 1), "values: expected integers from 0"),
    (lambda: GRR.client([0.5], 1), "values: expected integers, got an array of float64"),
    (lambda: GRR.server([[0], [9]]), "report 1: expected a whole number below 4, got 9 (1 of 2 reports"),
    (lambda: ldpbench.Protocol("olh", 4, 1).server([[0]]), "expected an array of shape [m, 2], got [1, 1]"),
    (lambda: ldpbench.Protocol("olh", 4, 1).estimate([1, 2, 3], n=9), "expected 4 numbers in the last dimension"),
    (lambda: ldpbench.Protocol("olh", 4, 1).simulate([1, 2, 3]), "counts: expected 4 of them"),
    (lambda: ldpbench.postprocess([1, 0, 0, float("nan")], "norm", ldpbench.Protocol("olh", 4, 1), 9), "finite"),
    (lambda: ldpbench.postprocess([1, 0, 0, 0], "norm_sb", ldpbench.Protocol("olh", 4, 1), 9), "norm_sub"),
    (lambda: ldpbench.parameters(None), "expected"),
    (lambda: ldpbench.Protocol("grr", "4", 1), "d: expected an integer from 2 to 4294967295, got '4'"),
    (lambda: ldpbench.Protocol("grr", 4, "1"), "epsilon: expected a number, got '1'"),
    (lambda: ldpbench.Protocol("grr", 4, 10**400), "epsilon: expected a number, got one above"),
    (lambda: ldpbench.Protocol(None, 4, 1), "expected the name of an oracle, got None"),
    (lambda: ldpbench.Protocol("olh", 4, 1, g="2"), "olh: g: expected a number, got '2'"),
    (lambda: ldpbench.Protocol("count_min", 4, 1, row_oracle=3), 'count_min: row_oracle: expected a name, or a mapping'),
    (lambda: GRR.sigma(float("inf")), "n: expected an integer from 1 to 2^53, got inf"),
    (lambda: GRR.server(None), "reports: expected integers"),
    (lambda: GRR.server([[0], [1, 2]]), "reports: expected"),
    (lambda: GRR.server([[2.0**64]]), "reports: expected integers from 0"),
    (lambda: GRR.client([1], seed=1, threads="2"), "threads: expected an integer"),
    (lambda: GRR.simulate([1] * 4, mode=[]), "mode: expected counts or reports"),
    (lambda: GRR.simulate([1] * 4, key=3), "key: expected a text"),
    (lambda: ldpbench.postprocess(GRR.simulate([1000] * 4), "norm", GRR, 4000), "est: expected estimates, got supports"),
    (lambda: ldpbench.postprocess([1000.0, 2000, 500, 500], "norm", GRR, 4000), "got 2000, which looks like a support"),
    (lambda: ldpbench.postprocess([1, 0, 0, 0], {"alpha": 1}, GRR, 9), "method: expected a name"),
    (lambda: ldpbench.postprocess([1, 0, 0, 0], "norm", None, 9), "protocol: expected a Protocol, got NoneType"),
    (lambda: ldpbench.intervals([1, 0, 0, 0], GRR, 9, level="x"), "level: expected a number, got 'x'"),
    (lambda: ldpbench.set_intervals([1, 0, 0, 0], None, GRR, 9), "sets: expected a list of arrays"),
    (lambda: ldpbench.advise(pandas.DataFrame({"a": [1, 2]}), supports="grr", epsilon=1, n=9), "got DataFrame"),
    (lambda: ldpbench.advise([[1, 2]], supports="grr", epsilon=1, n=9), "array of one dimension"),
    (lambda: ldpbench.advise({"a": "x"}, supports="grr", epsilon=1, n=9), "support of 'a': expected a number, got 'x'"),
    (lambda: ldpbench.advise([1, 2], supports="grr", epsilon="x", n=9), "--epsilon: expected"),
    (lambda: ldpbench.audit(None, [1], 1.0), "reports: expected an array or a list"),
    (lambda: ldpbench.run(None), "config: expected a dict, or the path of a file"),
])
def test_arguments_of_a_wrong_kind(call, message):
    """One exception with one sentence; never a bare TypeError or ValueError of Python or NumPy."""
    with pytest.raises(ldpbench.BadInput) as refused:
        call()
    assert message in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ORACLES)
def test_estimates_are_not_taken_for_supports(name):
    """However noisy: one report, and a small epsilon."""
    for d, epsilon, n in ((8, 1, 1), (1000, 1, 1), (8, 0.01, 3), (64, 8, 2)):
        try:
            protocol = ldpbench.Protocol(name, d, epsilon)
        except ldpbench.BadInput:
            continue
        many = 20 if protocol.support_size < 1e5 else 2  # cms and hcms: a support is two million cells
        est = protocol.estimate(protocol.simulate([n] + [0] * (d - 1), many, seed=1))
        assert numpy.isfinite(ldpbench.postprocess(est, "base", protocol, n)).all()


def test_clients_without_a_seed_take_one_from_the_system(monkeypatch):
    protocol, values = ldpbench.Protocol("olh", 8, 1.0), numpy.zeros(100, dtype=numpy.uint32)
    assert (protocol.client(values) != protocol.client(values)).any()
    assert (protocol.client(values, 3) == protocol.client(values, seed=3)).all()

    def refuse(*_: object) -> None:
        raise AssertionError("a generator with a seed")

    monkeypatch.setattr(ldpbench.protocol, "Handle", refuse)
    assert protocol.client(values).shape == (100, 2)


def test_shuffled_reports():
    lower, upper = ldpbench.Protocol("oue", 1024, 1).central(1000000, 1e-9)
    assert abs(upper / 0.0039220 - 1) < 2e-4 and abs(lower / upper - 0.907) < 1e-3
    local = ldpbench.local_epsilon("olh", 1024, 1000000, 0.1, 1e-9)
    assert ldpbench.Protocol("olh", 1024, local).central(1000000, 1e-9)[1] <= 0.1 * (1 + 1e-6)
    with pytest.raises(ldpbench.BadInput, match="not private"):
        ldpbench.local_epsilon("exact", 4, 10, 1, 0.1)


def test_attack_success():
    """d = 4, e^epsilon = 3: grr keeps the value with probability 1/2; of a skewed prior the guess stays the first value."""
    protocol = ldpbench.Protocol("grr", d=4, epsilon=float(numpy.log(3)))
    assert protocol.attack()["success"] == pytest.approx(0.5, abs=1e-12)
    skewed = protocol.attack([0.7, 0.1, 0.1, 0.1])
    assert skewed["success"] == pytest.approx(0.7) and skewed["advantage"] == pytest.approx(0, abs=1e-12) and skewed["error"] == 0
    sampled = ldpbench.Protocol("hm", d=16, epsilon=1).attack(reports=500)
    assert 0 < sampled["error"] < 0.01 < sampled["success"]
    for prior in ([0.5, 0.5], [0.5, 0.4, 0, 0], [1.5, -0.5, 0, 0]):
        with pytest.raises(ldpbench.BadInput, match="prior"):
            protocol.attack(prior)
