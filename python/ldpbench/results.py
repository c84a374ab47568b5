"""Runs experiments; their tables, answers and pictures."""

import collections
import functools
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

import numpy

from . import _html, functions
from ._arguments import shown
from .errors import BadInput, MachineError
from .program import PathLike, call, frame, options_of, path_of, said

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

# What is said of a point, or of a candidate; the other entries are keys.
_JUDGED = ("rank", "take", "decided", "candidates", "candidate", "mean", "stderr", "error", "ratio", "at_least", "at_most", "as_good",
           "may_be_best", "may_be_better", "own", "title", "low", "high")


def _keys(judged: Mapping[str, Any]) -> Dict[str, Any]:
    """The keys of a point or a candidate."""
    return {key: value for key, value in judged.items() if key not in _JUDGED}


def points_of(verdicts: Mapping[str, Any]) -> List[Tuple[Dict[str, Any], Dict[str, Any], Dict[str, Any]]]:
    """Decisions with each of their points, and with the candidate that is taken there, empty if none is."""
    return [(decision, point, next((row for row in point["candidates"] if row["candidate"] == point["take"]), {}))
            for decision in verdicts.get("decisions", []) for point in decision["points"]]


@dataclass
class Picture:
    """A picture of the program: a file and its bytes. A notebook shows it, but for PDF."""

    path: Path
    data: bytes = field(repr=False)

    def _repr_html_(self) -> str:
        return _html.picture(self.path, self.data)


class Pictures(List[Picture]):
    """Pictures, all of which a notebook shows."""

    def _repr_html_(self) -> str:
        return "\n".join(one._repr_html_() for one in self)


class Results(Mapping[str, "pandas.DataFrame"]):
    """The tables of a folder of results, by name (``results["mse"]`` has the columns of mse.csv), as the program reads them
    from its store, with all checksums, on the first access. A notebook shows the answer, a table and a picture."""

    def __init__(self, folder: PathLike, keep: Any = None):
        self.folder = Path(folder)
        self._keep = keep  # a temporary folder, removed with this object
        self._tables: Dict[str, "pandas.DataFrame"] = {}
        self.notes: List[str] = []  # about the data, as of compare

    def _listed(self, *what: str) -> Dict[str, Any]:
        return dict(said("list", {}, str(self.folder), *what))

    @functools.cached_property
    def _declared(self) -> Dict[str, Any]:
        return {name[:-len(".csv")]: table for name, table in self._listed().items()}

    def __reduce__(self) -> Any:
        if self._keep:
            raise BadInput('results: expected output="FOLDER" of run or compare, which keeps them, to pickle or copy them')
        return Results, (self.folder,), {"notes": self.notes}

    def __getitem__(self, name: str) -> "pandas.DataFrame":
        if name not in self._tables:
            declared = self._declared[name]
            table = frame(declared["rows"], columns=declared["columns"])
            for column in table:  # names of values, some of which are numbers
                if table[column].map(lambda cell: isinstance(cell, str)).any():
                    table[column] = table[column].map(lambda cell: cell if cell is None else str(cell))
            numbers = {*declared["measured"], *(column for column in table if table[column].isna().all())}
            self._tables[name] = table.astype({column: float for column in numbers})
        return self._tables[name]

    def samples(self, name: str, row: int, measure: Optional[str] = None) -> numpy.ndarray:
        """The values of a row in every repetition (NaN: undefined); measure: default the first of the table."""
        values = self._listed(f"{name}.csv", str(row))
        measure = next(iter(values), "") if measure is None else measure
        if values.get(measure) is None:
            raise BadInput(f"{name}: no repetitions are stored for {shown(measure)} of row {row}")
        return numpy.array(values[measure], dtype=float)

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __repr__(self) -> str:
        place = "" if self._keep else f"{str(self.folder)!r}: "
        return f"Results({place}{', '.join(self)})"

    @functools.cached_property
    def verdicts(self) -> Dict[str, Any]:
        """What ``ldpbench report --format json`` says: the answer, and a decision for each query with its candidates at each point."""
        return dict(said("report", {}, str(self.folder))[0])

    @property
    def answer(self) -> str:
        """The decision for each query, as ``ldpbench report`` begins."""
        return "\n".join(self.verdicts["answer"])

    @property
    def points(self) -> "pandas.DataFrame":
        """A row for each point: what to take, its error (in ``unit``), the measure's mean with its standard error, ``at_most``: by
        what factor it is above the best, ``decided``: whether it is as good as the best within 5 %, and what is as good."""
        return frame({**_keys(point), "take": point["take"], "error": taken.get("error"), "unit": decision["unit"],
                      decision["measure"]: taken.get("mean"), "stderr": taken.get("stderr"), "at_most": taken.get("at_most"),
                      "decided": point["decided"],
                      "as_good": ", ".join(row["candidate"] for row in point["candidates"] if row["as_good"] and row is not taken)}
                     for decision, point, taken in points_of(self.verdicts))

    def _at(self, at: Mapping[str, Any]) -> List[Tuple[Dict[str, Any], Dict[str, Any], List[Dict[str, Any]]]]:
        """The points with these keys, each with its decision and its candidates with these keys."""
        points = points_of(self.verdicts)
        known = {key for _, point, _ in points for key in _keys({**point, **point["candidates"][0]})}
        for key in at:
            if points and key not in known:
                raise BadInput(f"expected a key of the points ({', '.join(sorted(known))}), got {shown(key)}")
        found = []
        for decision, point, _ in points:
            rows = [row for row in point["candidates"] if all(point.get(key, row.get(key)) == value for key, value in at.items())]
            if rows:
                found.append((decision, point, rows))
        if not found:
            raise BadInput(f"expected a point of these results, got {shown(dict(at))}" if at else
                           "expected results that compare something, got none")
        return found

    def best(self, **at: Any) -> str:
        """What to take at the most points where that is decided, or, where nothing is, at the most points: "norm_sub with ss", or
        one name where nothing else differs. ``best(query="top_k", epsilon=1)``: at these points; ``best(oracle="olh")``: of these
        candidates, that with the lowest error unless one of them is taken."""
        found = self._at(at)
        wins = collections.Counter(
            str(point["take"] if any(row["candidate"] == point["take"] for row in rows) else rows[0]["candidate"])
            for _, point, rows in [one for one in found if one[1]["decided"]] or found)
        return wins.most_common(1)[0][0]

    def mine(self, name: Optional[str] = None, **at: Any) -> "pandas.DataFrame":
        """How your own stands, or methods or candidates of this name: a row for each point with its error, what is taken, the ratio
        to the lowest error (an estimate), between which factors of the best's error it is (95 %), and whether it is as good as the best."""
        rows = [{**_keys(point), **_keys(row), "rank": row["rank"], "error": row["error"], "unit": decision["unit"],
                 decision["measure"]: row["mean"], "stderr": row["stderr"], "take": point["take"],
                 **{key: row[key] for key in ("ratio", "at_least", "at_most", "as_good")}}
                for decision, point, candidates in self._at(at) for row in candidates
                if (row["own"] if name is None else name in row.values())]
        if not rows:
            raise BadInput(f'mine: expected a method of these results, got "{name}"' if name else
                           "mine: expected a method of your own in these results; mine(name) takes any")
        return frame(rows)

    def plot(self, format: str = "svg", *, width: Union[str, float, None] = None, size: Optional[float] = None,
             ax: Optional["Axes"] = None, **at: Any) -> Any:
        """Pictures by the program (``ldpbench plot``; needs gnuplot), or matplotlib Axes to go on with.

        format : ``"svg"``, ``"pdf"``, ``"png"``: files in the folder of the results. ``"axes"``: Axes with the curves of one query.
        width : ``"column"`` or ``"page"`` of a paper, or inches. Default: by the picture. size : of the type, in points. Default 7.5.
        ax : Axes to draw in; implies ``"axes"``. Further keys choose the points, as of :meth:`best`: ``plot("axes", query="top_k")``.
        """
        if ax is not None or format == "axes":
            from ._axes import draw

            return draw(self, ax, at)
        if at:
            raise BadInput(f'plot: {next(iter(at))} is of plot("axes")')
        if format not in ("svg", "pdf", "png"):
            raise BadInput(f'plot: expected svg, pdf, png or axes, got {shown(format)}')
        drawn = call(["plot", str(self.folder), *options_of({"format": format, "width": width, "size": size})])
        return Pictures(Picture(path, path.read_bytes()) for path in map(Path, sorted(drawn.splitlines())))

    def report(self, path: PathLike) -> Path:
        """Writes one page of answer, tables and pictures (``ldpbench report``): HTML, or Markdown if it ends in .md."""
        page = Path(path_of(path, "path"))
        call(["report", str(self.folder), "-o", str(page)])
        return page

    def to_latex(self) -> str:
        """For a paper, with booktabs: errors of each query, a column a point; the best bold, what may be it underlined."""
        return call(["report", str(self.folder), "--format", "latex"])

    def agreement(self, paper: str) -> str:
        """What a paper says and these results show, as Markdown (``ldpbench check``): ``"ndss2020"``."""
        return call(["check", path_of(paper, "paper", "a name"), str(self.folder), "--format", "md"], also=[1])

    def _repr_html_(self) -> str:
        parts = [_html.paragraph(line) for line in self.notes]
        for decision in self.verdicts["decisions"]:
            rows = {label or " " * i: text for i, (label, text) in enumerate(decision["rows"])}
            parts += [_html.paragraph(decision["title"]), _html.pairs(rows)]
        try:
            parts += [one._repr_html_() for one in self.plot()[:1]]
        except MachineError as error:
            parts.append(_html.paragraph(f"No picture: {error}"))
        return "\n".join(parts)


def results(folder: PathLike) -> Results:
    """The tables of a folder that ``ldpbench run`` has written."""
    if not (Path(path_of(folder, "folder")) / "run.json").exists():
        raise BadInput(f"{folder}: expected a folder of results, found no run.json")
    found = Results(folder)
    found._declared  # reads it
    return found


def run(config: Union[Mapping[str, Any], PathLike], output: Optional[PathLike] = None, **options: Any) -> Results:
    """Runs an experiment and returns its tables.

    config : a config as a dict (relative file names start at the current folder), or the path of a file. The methods and
        oracles of a dict may be functions and objects of yours, as of :func:`compare`.
    output : folder of the results, in which an interrupted run continues; default: one that is removed with the returned object.
    The rest are the options of ``ldpbench run``, such as ``threads=1``, ``seed=2`` or ``allow_external=True``.
    """
    temporary = tempfile.TemporaryDirectory(prefix="ldpbench-") if output is None else None
    folder = Path(temporary.name, "results") if temporary else Path(path_of(output, "output"))
    given = options_of({"output": str(folder), "quiet": True, **options})
    if isinstance(config, Mapping):
        with tempfile.TemporaryDirectory(prefix="ldpbench-") as work:
            _run(config, work, given)
    else:
        call(["run", path_of(config, "config", "a dict, or the path of a file"), *given])
    return Results(folder, temporary)


def _run(config: Mapping[str, Any], work: str, given: List[str]) -> None:
    """Writes a config into a folder and runs it there, with workers for its functions."""
    config = {"name": "experiment", **config}
    environment = {"LDPBENCH_DATA": os.pathsep.join(filter(None, [os.getcwd(), os.environ.get("LDPBENCH_DATA")]))}
    with functions.Functions(work) as served:
        for key, is_own in (("methods", functions.is_method), ("oracles", callable)):
            if key in config:
                config[key] = functions.take(config[key], is_own, functools.partial(served.add, key))
        if served.entries and "--allow-external" not in given:  # which allows commands that are not one's own, too
            for key in ("methods", "oracles"):
                for one in functions.listed(config.get(key), functions.is_method):
                    if isinstance(one, Mapping) and one.get("name") == "external" and one not in served.entries:
                        raise BadInput(f"{key}: {shown(one.get('label', one['name']))} runs a program; allow_external=True permits it")
            given = [*given, "--allow-external"]
        environment.update(served.environment if served.entries else {})
        path = Path(work, "config.json")
        try:
            path.write_text(json.dumps(config, allow_nan=False, default=plain), encoding="utf-8")
        except (TypeError, ValueError) as error:
            reason = "expected finite numbers, got NaN or an infinite one" if "Out of range float" in str(error) else error
            raise BadInput(f"config: {reason}") from None
        try:
            call(["run", str(path), *given], environment=environment)
        except BadInput as error:
            raise BadInput(str(error).replace(f"{path}:1: ", "config: ").replace(f"{path}: ", "config: ")) from None


def plain(value: Any) -> Any:
    """Converts NumPy numbers and arrays, and paths, to JSON values."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected what JSON can hold, or a function, or an object with fit, got {shown(value)}")
