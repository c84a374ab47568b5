"""Advice, checks and audits by the program."""

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Union

import numpy

from . import _html, registry
from ._arguments import number as number_of, shown, write_lines
from .answers import cell_text, counts_of, records_of, write_counts
from .errors import BadInput
from .program import PathLike, frame, path_of, said
from .results import Results, points_of

if TYPE_CHECKING:
    import pandas

    from .protocol import Protocol


@dataclass
class Advice:
    """The result of ``ldpbench advise``."""

    decisions: "pandas.DataFrame"  # a row for each query: what to take, its error with a range, at_most: a ratio to the best's
    candidates: "pandas.DataFrame"  # a row for each query and candidate, the best first
    columns: "pandas.DataFrame"  # of records, a row for each column
    answer: str  # the lines that the program prints
    said: Dict[str, Any] = field(repr=False)  # everything, as the program wrote it

    def take(self, query: Optional[str] = None) -> str:
        """What to take for a query, by its text in ``decisions``, default the first; of records for a column."""
        for row in self.said.get("columns", []) + self.decisions.to_dict("records"):
            if query in (None, row.get("query"), row.get("column")):
                return str(row.get("take") or f"{row['method']} with {row['oracle']}")
        raise BadInput(f"expected a query or a column of the answer, got {shown(query)}")

    def __str__(self) -> str:
        return self.answer if self.columns.empty else f"{self.answer}\n\n{self.columns.round(3).to_string(index=False)}"

    def _repr_html_(self) -> str:
        return "".join(_html.table(table, 10) for table in (self.columns, self.decisions) if len(table))


def _supports_file(support: Any, folder: str) -> str:
    """The path of a file with these supports, which are given as a path, an array, or labels with supports."""
    if isinstance(support, (str, os.PathLike)):
        return os.fspath(support)
    if hasattr(support, "columns") or not (hasattr(support, "items") or numpy.ndim(support) == 1):
        raise BadInput("support: expected one support for each value: an array of one dimension, a Series, a dict, or the path of "
                       f"a file, got {type(support).__name__}")
    path = os.path.join(folder, "support.tsv")
    pairs = support.items() if hasattr(support, "items") else enumerate(numpy.asarray(support).tolist())
    numbers = [(cell_text(label), number_of(value, f"support of {shown(label)}")) for label, value in pairs]
    write_lines(path, (f"{label}\t{cell_text(value)}\n" for label, value in numbers), "support")
    return path


def _data_file(data: Any, supports: Optional[str], folder: str) -> str:
    """The path of a file with the data: records of a data frame, supports, counts by value; a path or a distribution as it is."""
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data)
    if supports is not None:
        return _supports_file(data, folder)
    if not (hasattr(data, "to_csv") and hasattr(data, "columns")):
        return write_counts(counts_of(data), os.path.join(folder, "data.counts"))
    path = os.path.join(folder, "records.csv")
    write_lines(path, [records_of(data)], "data")
    return path


def oracles(data: Any = None, **options: Any) -> "pandas.DataFrame":
    """The frequency oracles: index ``name``, columns ``title``, ``source``, ``parameters`` (names). With options of ``ldpbench
    oracles``, as in ``oracles(d=9, epsilon=1, error=0.01)``, what each costs and protects, exactly, the most accurate first;
    ``data`` in place of ``d``: answers, users by value, or a path, as :func:`advise` takes them. With ``frontier=True``,
    ``attrs["frontier"]`` has the best parameters by error and attack success, a mapping each."""
    if data is None and not options:
        return registry.table_of(registry.ORACLES)
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        found = said("oracles", options, *([] if data is None else [_data_file(data, None, folder)]))
    table = frame(found["oracles"]).set_index("oracle").sort_values("variance", kind="stable")
    table.attrs["frontier"] = found.get("frontier", [])
    return table


def advise(data: Any, *, supports: Optional[str] = None, output: Optional[PathLike] = None, **options: Any) -> Advice:
    """What to use for data like these, and how wrong the answers will be.

    data : a data frame of records, a user each row; answers of users (a list, a Series); users by value (a dict); the
        path of a file, or a distribution such as ``"zipf(s=1.1,d=100,n=1e5)"``. With ``supports``, the oracle of a collection from
        ``n`` users: an array, Series or dict of its supports, or a path.
    output : keeps the experiment in this folder. The rest are the options of ``ldpbench advise``; a list repeats one.
    """
    given = {"supports": supports, "output": None if output is None else path_of(output, "output"), **options}
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        found = said("advise", given, _data_file(data, supports, folder))
    points = points_of(found)
    decisions = ({"query": point["title"], "take": point["take"], "error": taken.get("error"), "unit": decision["unit"],
                  "low": point["low"], "high": point["high"], "at_most": taken.get("at_most"), "decided": point["decided"]}
                 for decision, point, taken in points)
    candidates = ({"query": point["title"], **row} for _, point, _ in points for row in point["candidates"])
    return Advice(frame(decisions), frame(candidates), frame(found.get("columns", [])), "\n".join(found["answer"]), found)


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


def check(baseline: Union[Results, PathLike], result: Union[Results, PathLike], **options: Any) -> Check:
    """Tests whether accuracy changed between two runs: folders, stores, or results of :func:`run`. The rest are the options of
    ``ldpbench check``, such as ``allow_better=True``."""

    def path(value: Union[Results, PathLike]) -> str:
        return str(value.folder) if isinstance(value, Results) else path_of(value, "check", "results, or a path")

    found = said("check", options, path(baseline), path(result), also=[1])
    rows = [{"change": kind, **(row if isinstance(row, dict) else {"row": row})}
            for kind in ("worse", "better", "other_numbers") for row in found.get(kind, [])]
    return Check(bool(found["passed"]), found["summary"], frame(rows), found)


@dataclass
class Audit:
    """The result of ``ldpbench audit``. True if the bound is not above the stated epsilon, although so many reports could
    show more; false if it is above, or if there are too few reports to tell (``inconclusive``)."""

    epsilon: float  # lower bound of the epsilon that is spent, at the requested confidence
    stated: float
    exceeds: bool
    inconclusive: bool  # these reports cannot show more than the stated epsilon
    most: float  # the largest epsilon that these reports can show
    event: str  # the event with the probabilities that show it
    said: Dict[str, Any] = field(repr=False)

    def __bool__(self) -> bool:
        return not self.exceeds and not self.inconclusive

    def _repr_html_(self) -> str:
        return _html.pairs({"epsilon is at least": self.epsilon, "states": self.stated, "exceeds it": self.exceeds,
                            "inconclusive": self.inconclusive, "these reports can show at most": self.most, "event": self.event})


def _reports_file(reports: Any, path: str) -> str:
    """The path of a file with these reports, which are given as a path or as an array with one report per row."""
    if isinstance(reports, (str, os.PathLike)):
        return os.fspath(reports)
    if not getattr(reports, "ndim", isinstance(reports, (list, tuple, range))):
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
    """A lower bound of a client's epsilon, from its reports of two inputs or more.

    first, second, more : reports of each input: ``[m]`` or ``[m, words]``, an array or lists of numbers or texts, each report
        made independently; or paths of files, one report per line. Every two inputs are compared.
    epsilon : the stated epsilon; default: that of the protocol.
    confidence : a client that satisfies its epsilon is accused with probability at most 1 - confidence.
    protocol : if these are reports of its ``client`` for the ``values``, one of each input; the audit examines what they support.
    """
    if protocol is not None and epsilon not in (None, protocol.epsilon):
        raise BadInput(f"epsilon: expected that of the protocol, {protocol.epsilon:g}, got {epsilon:g}")
    words: Dict[str, Any] = {"epsilon": epsilon, "confidence": confidence}
    if protocol is not None:
        if protocol._choice.inner is not None:
            raise BadInput(f"protocol: expected no oracle inside, got {protocol.oracle} of {protocol._choice.inner.algorithm.name}")
        known = {name: value for name, value in protocol.parameters.items() if value == value}
        words = {**words, "epsilon": protocol.epsilon, "oracle": json.dumps({"name": protocol.oracle, **known}), "d": protocol.d,
                 "public_seed": protocol.public_seed, "values": ",".join(str(int(value)) for value in values)}
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        files = [_reports_file(reports, os.path.join(folder, str(number)))
                 for number, reports in enumerate((first, second, *more))]
        found = said("audit", words, *files, also=[1, 4])
    return Audit(found["epsilon"], found["stated"], bool(found["exceeds"]), found["verdict"] == "inconclusive", found["most"],
                 found["event"], found)
