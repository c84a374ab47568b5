"""Recommendations, checks and audits by the program."""

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _html
from ._arguments import number as number_of, shown, whole, write_lines
from .answers import cell_text, records_of
from .errors import BadInput
from .program import PathLike, call, path_of
from .results import Results

if TYPE_CHECKING:
    import pandas

    from .protocol import Protocol


@dataclass
class Recommendation:
    """The result of ``ldpbench recommend``.

    ``ranking``: a row for each query, oracle and method, best first, with its mean squared error, standard error and
    the difference from the best. ``oracles``: their costs. ``said``: everything, as the program wrote it.
    """

    ranking: "pandas.DataFrame"
    oracles: "pandas.DataFrame"
    said: Dict[str, Any] = field(repr=False)

    def _rows(self, query: Optional[str]) -> List[Dict[str, Any]]:
        """The candidates for a query, or its first point, the best first, as the program judged them."""
        blocks = self.said.get("queries")
        if blocks is None:
            rows = self.said.get("ranking") or self.said.get("candidates") or []
            return [row for row in rows if "significantly_different" in row]
        for block in blocks:
            if query is None or block["query"] == query:
                return list(block["ranking"])
        raise BadInput(f'expected a query of the ranking, got "{query}"')

    def best(self, query: Optional[str] = None) -> str:
        """The method that the program recommends for a query (its text, as in ``ranking``; default the first); of other
        tasks the protocol or synopsis. See :meth:`tied`."""
        return _name_of(self._rows(query)[0])

    def tied(self, query: Optional[str] = None) -> List[str]:
        """Those that the program does not call significantly different from the best; empty if it stands alone."""
        return [_name_of(row) for row in self._rows(query)[1:] if not row["significantly_different"]]

    def _repr_html_(self) -> str:
        tied = self.tied()
        beside = f"; not significantly different: {', '.join(tied)}" if tied else ""
        return _html.paragraph(f"Recommended: {self.best()}{beside}.") + _html.table(self.ranking, 10)


def _name_of(row: Mapping[str, Any]) -> str:
    """What is recommended: a method, protocol or synopsis."""
    name = next(row[key] for key in ("method", "protocol", "synopsis") if key in row)
    return str(name["name"] if isinstance(name, Mapping) else name)


def _supports_file(support: Any, folder: str) -> str:
    """The path of a file with these supports, which are given as a path, an array, or labels with supports."""
    if isinstance(support, (str, os.PathLike)):
        return os.fspath(support)
    pairs: Iterable[Tuple[Any, Any]]
    if not hasattr(support, "columns") and (isinstance(support, Mapping) or hasattr(support, "items")):
        pairs = support.items()
    elif not hasattr(support, "columns") and numpy.ndim(support) == 1:
        pairs = enumerate(numpy.asarray(support).tolist())
    else:
        raise BadInput("support: expected one support for each value: an array of one dimension, a Series, a dict, or the path of "
                       f"a file, got {type(support).__name__}")
    path = os.path.join(folder, "support.tsv")
    numbers = [(cell_text(label), number_of(value, f"support of {shown(label)}")) for label, value in pairs]
    write_lines(path, (f"{label}\t{cell_text(value)}\n" for label, value in numbers), "support")
    return path


def _listed(value: Union[str, Sequence[str], None]) -> Sequence[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def _recommend_task(task: str, data: Any, options: Mapping[str, Any]) -> Recommendation:
    """A task other than frequency; options are named as in the program, and a list repeats the option."""
    import pandas

    given: List[str] = ["--task", task, "--format", "json"]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple, numpy.ndarray)) else [] if value is None else [value]:
            given += [f"--{name.replace('_', '-')}", cell_text(one)]
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        if hasattr(data, "to_csv") and hasattr(data, "columns"):  # a data frame of records
            path = os.path.join(folder, "records.csv")
            write_lines(path, [records_of(data)], "data")
            data = path
        files = [] if data is None else [_supports_file(data, folder)]
        said = json.loads(call(["recommend", *given, *files])[1])
    ranking = pandas.json_normalize(said.get("ranking") or said.get("candidates") or [])
    ranking.columns = [re.sub(r"\.name$", "", column) for column in ranking.columns]
    return Recommendation(ranking, pandas.DataFrame(said.get("oracles", [])), said)


def recommend(support: Any, *, epsilon: Optional[float] = None, oracle: Optional[str] = None, n: Optional[int] = None,
              task: str = "frequency", query: Union[str, Sequence[str]] = "full_domain",
              method: Union[str, Sequence[str]] = "all", oracles: Union[str, Sequence[str], None] = None,
              param: Optional[Mapping[str, Any]] = None, counts: bool = False, trials: Optional[int] = None,
              replicates: int = 20, seed: int = 1, surrogate: Optional[str] = None,
              threads: Optional[int] = None, **options: Any) -> Recommendation:
    """Which method has the least error on data like these; for marginals, which synopsis.

    support : ``[d]`` supports, a Series or dict of them by label, or the path of a file of value TAB support lines. With
        another task its data: the path of a file, a data frame of records, counts by string, or None.
    epsilon : required.
    oracle, n : the oracle and the number of users of the supports; required but for other tasks.
    query : texts as ``--query`` takes them: ``"full_domain"``, ``"top_k=32"``, ``"set_value=10,50"``.
    task : ``"frequency"``, or another one listed by ``ldpbench recommend --help``, such as ``"marginals"``; its options
        by name, with a list for an option that may be repeated: ``k=[2, 3]``, ``synopsis="calm"``.
    The rest are the options of ``ldpbench recommend``.
    """
    import pandas

    listed = _listed
    epsilon = number_of(epsilon, "epsilon")
    if task != "frequency":
        return _recommend_task(task, support, {"epsilon": epsilon, "n": n, "oracles": list(listed(oracles)) or None,
                                               "trials": trials, "seed": seed, "threads": threads, **options})
    if options:
        raise BadInput(f"recommend: unknown option {next(iter(options))}")
    if oracle is None or n is None:
        raise BadInput("recommend: expected oracle and n, which made the supports")
    trials = 100 if trials is None else trials
    given = ["--oracle", oracle, "--epsilon", repr(epsilon), "--n", str(whole(n, "n", 1, 2**53, "2^53")), "--trials", str(trials),
             "--replicates", str(replicates), "--seed", str(seed), "--format", "json"]
    for name, values in (("query", listed(query)), ("method", listed(method)), ("oracles", listed(oracles)),
                         ("param", [f"{key}={value}" for key, value in (param or {}).items()])):
        for value in values:
            given += [f"--{name}", value]
    given += ["--counts"] * counts
    if surrogate is not None:
        given += ["--surrogate", surrogate]
    if threads is not None:
        given += ["--threads", str(threads)]
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        said = json.loads(call(["recommend", *given, _supports_file(support, folder)])[1])
    rows = [{"query": block["query"], **row} for block in said["queries"] for row in block["ranking"]]
    return Recommendation(pandas.DataFrame(rows), pandas.DataFrame(said.get("oracles", [])), said)


@dataclass
class Check:
    """The result of ``ldpbench check``. True if it passed."""

    passed: bool
    summary: str
    changes: "pandas.DataFrame"  # rows that became worse, better, or changed otherwise; empty if none did
    said: Dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return self.passed

    def _repr_html_(self) -> str:
        return _html.paragraph(self.summary) + (_html.table(self.changes, 10) if len(self.changes) else "")


def check(baseline: Union[Results, PathLike], result: Union[Results, PathLike], *, level: Optional[float] = None,
          floor: Optional[float] = None, exact: bool = False, allow_better: bool = False, allow_missing: bool = False,
          allow_new: bool = False, allow_config: bool = False) -> Check:
    """Tests whether accuracy changed between two runs: folders, tables, stores, or results of :func:`run`."""
    import pandas

    def path(value: Union[Results, PathLike]) -> str:
        return str(value.folder) if isinstance(value, Results) else path_of(value, "check", "results, or a path")

    given = ["--format", "json"]
    for name, number in (("level", level), ("floor", floor)):
        if number is not None:
            given += [f"--{name}", repr(number_of(number, name))]
    for name, flag in (("exact", exact), ("allow-better", allow_better), ("allow-missing", allow_missing),
                       ("allow-new", allow_new), ("allow-config", allow_config)):
        given += [f"--{name}"] * flag
    said = json.loads(call(["check", path(baseline), path(result), *given], also=[1])[1])
    rows = []
    for kind in ("worse", "better", "other_numbers"):
        for row in said.get(kind, []):
            rows.append({"change": kind, **(row if isinstance(row, dict) else {"row": row})})
    return Check(bool(said["passed"]), said["summary"], pandas.DataFrame(rows), said)


@dataclass
class Audit:
    """The result of ``ldpbench audit``. True if the bound is not above the stated epsilon, although so many reports could
    show more; false if it is above, or if there are too few reports to tell (``undecided``)."""

    epsilon: float  # lower bound of the epsilon that is spent, at the requested confidence
    stated: float
    exceeds: bool
    undecided: bool  # these reports cannot show more than the stated epsilon
    most: float  # the largest epsilon that these reports can show
    event: str  # the event with the probabilities that show it
    said: Dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return not self.exceeds and not self.undecided

    def _repr_html_(self) -> str:
        return _html.pairs({"spends at least": self.epsilon, "states": self.stated, "exceeds it": self.exceeds,
                            "undecided": self.undecided, "these reports can show at most": self.most, "event": self.event})


def _reports_file(reports: Any, path: str) -> str:
    """The path of a file with these reports, which are given as a path or as an array with one report per row."""
    if isinstance(reports, (str, os.PathLike)):
        return os.fspath(reports)
    if not hasattr(reports, "__iter__") or numpy.ndim(reports) == 0:
        raise BadInput(f"reports: expected an array or a list of them, or the path of a file, got {type(reports).__name__}")
    lines: List[str] = []
    for report in reports.tolist() if isinstance(reports, numpy.ndarray) else reports:
        words = report if isinstance(report, (list, tuple, numpy.ndarray)) else [report]
        texts = [str(int(word) if isinstance(word, (bool, numpy.bool_)) else word) for word in words]
        if any(not text or re.search(r"[\s,]", text) for text in texts):
            raise BadInput(f"reports: expected words without blanks and commas, got {shown(texts)}")
        lines.append(" ".join(texts) + "\n")
    write_lines(path, lines, "reports")
    return path


def audit(first: Any, second: Any, epsilon: Optional[float] = None, *, more: Sequence[Any] = (),
          confidence: float = 0.999, protocol: Optional["Protocol"] = None, values: Sequence[int] = (0, 1)) -> Audit:
    """A lower bound of the epsilon that a client spends, from its reports of two inputs or more.

    first, second : reports of the first and of the second input: ``[m]`` or ``[m, words]``, an array or lists of
        numbers or texts, each report made independently; or paths of files, one report per line.
    more : reports of further inputs; every two inputs are compared.
    epsilon : the stated epsilon; default: that of the protocol.
    confidence : a client that keeps its epsilon is accused with probability at most 1 - confidence.
    protocol : a :class:`Protocol` if these are reports of its ``client`` for the ``values``, one of each input; the audit
        then examines what they support.
    """
    if protocol is None and epsilon is None:
        raise BadInput("epsilon: expected what the client states, or a protocol")
    if protocol is not None and epsilon not in (None, protocol.epsilon):
        raise BadInput(f"epsilon: expected that of the protocol, {protocol.epsilon:g}, got {epsilon:g}")
    stated = protocol.epsilon if epsilon is None and protocol is not None else epsilon
    given = ["--epsilon", repr(number_of(stated, "epsilon")), "--confidence", repr(number_of(confidence, "confidence")),
             "--format", "json"]
    if protocol is not None:
        if protocol._choice.inner is not None:
            raise BadInput(f"protocol: expected no oracle inside, got {protocol.oracle} of {protocol._choice.inner.algorithm.name}")
        given += ["--oracle", protocol.oracle, "--d", str(protocol.d), "--public-seed", str(protocol.public_seed),
                  "--values", ",".join(str(int(value)) for value in values)]
        for name, value in protocol.parameters.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            if text != "nan":
                given += ["--param", f"{name}={text}"]
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        files = [_reports_file(reports, os.path.join(folder, str(number)))
                 for number, reports in enumerate((first, second, *more))]
        said = json.loads(call(["audit", *given, *files], also=[1, 4])[1])
    return Audit(said["epsilon"], said["stated"], bool(said["exceeds"]), said["answer"] == "undecided", said["most"],
                 said["event"], said)
