"""Runs experiments; their tables, answers and pictures."""

import collections
import contextlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Union

import numpy

from . import _html, functions
from ._arguments import number as number_of, shown, whole
from .errors import BadInput, MachineError
from .program import PathLike, call, path_of

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

    from .advice import Recommendation


@dataclass
class Picture:
    """A picture of the program: a file, and its text if it is SVG. A notebook shows it."""

    path: Path
    svg: Optional[str] = field(default=None, repr=False)
    data: bytes = field(default=b"", repr=False)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Dict[str, Any]:
        if self.svg is not None:
            return {"image/svg+xml": _html.without_declaration(self.svg), "text/plain": repr(self)}
        if self.path.suffix == ".png":
            return {"image/png": self.data, "text/plain": repr(self)}
        return {"text/plain": repr(self)}

    def _repr_svg_(self) -> Optional[str]:
        return None if self.svg is None else _html.without_declaration(self.svg)


class Pictures(List[Picture]):
    """Pictures, all of which a notebook shows."""

    def _repr_html_(self) -> str:
        return "\n".join(_html.picture(one) for one in self)


class Results(Mapping[str, "pandas.DataFrame"]):
    """The tables of a folder of results, by name (``results["mse"]`` has the columns of mse.csv), as the program reads them
    from its store, with all checksums, on the first access. A notebook shows the answer, a table and a picture."""

    def __init__(self, folder: PathLike, keep: Any = None):
        self.folder = Path(folder)
        self._keep = keep  # a temporary folder, removed with this object
        self._read: Optional[Dict[str, Any]] = None
        self._tables: Dict[str, "pandas.DataFrame"] = {}
        self._verdicts: Optional[Dict[str, Any]] = None
        self.notes: List[str] = []  # about the data, as of compare

    def _listed(self, *what: str) -> Dict[str, Any]:
        return dict(json.loads(call(["list", "--format", "json", "--", str(self.folder), *what])[1]))

    def _declared(self) -> Dict[str, Any]:
        if self._read is None:
            self._read = {name[:-len(".csv")]: table for name, table in self._listed().items()}
        return self._read

    def __reduce__(self) -> Any:
        if self._keep:
            raise BadInput('results: expected output="FOLDER" of run or compare, which keeps them, to pickle or copy them')
        return Results, (self.folder,), {"notes": self.notes}

    def __getitem__(self, name: str) -> "pandas.DataFrame":
        import pandas

        if name not in self._tables:
            said = self._declared()[name]
            table = pandas.DataFrame(said["rows"], columns=said["columns"])
            for column in table:  # names of values, some of which are numbers
                if table[column].map(lambda cell: isinstance(cell, str)).any():
                    table[column] = table[column].map(lambda cell: cell if cell is None else str(cell))
            numbers = {*said["measured"], *(column for column in table if table[column].isna().all())}
            self._tables[name] = table.astype({column: float for column in numbers})
        return self._tables[name]

    def samples(self, name: str, row: int, measure: Optional[str] = None) -> numpy.ndarray:
        """The values of a row in every repetition (NaN: undefined); measure: default the first of the table."""
        row = whole(row, "row", 0, 2**53, "2^53")
        values = self._listed(f"{name}.csv", str(row))
        measure = next(iter(values), "") if measure is None else measure
        if values.get(measure) is None:
            raise BadInput(f"{name}: no repetitions are stored for {shown(measure)} of row {row}")
        return numpy.array(values[measure], dtype=float)

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared())

    def __len__(self) -> int:
        return len(self._declared())

    def __repr__(self) -> str:
        place = "" if self._keep else f"{str(self.folder)!r}: "
        return f"Results({place}{', '.join(self)})"

    @property
    def provenance(self) -> Dict[str, Any]:
        """The content of run.json, which describes how the results were made."""
        path = self.folder / "run.json"
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise BadInput(f"{path}: expected what a run wrote: {error}") from None

    @property
    def verdicts(self) -> Dict[str, Any]:
        """What ``ldpbench report --format json`` says: the sentences of the answer, and how the candidates stand at each
        point (a combination of data, oracle, epsilon and query)."""
        if self._verdicts is None:
            self._verdicts = json.loads(call(["report", str(self.folder), "--format", "json"])[1])[0]
        return self._verdicts

    @property
    def answer(self) -> str:
        """The results in a few sentences: which method is best for which query and by how much, where it loses, and what
        was too close to call, as ``ldpbench report`` begins."""
        return "\n".join(self.verdicts["answer"])

    @property
    def points(self) -> "pandas.DataFrame":
        """A row for each point: the best, its mean error and standard error, the next and by what factor it is worse
        (``low`` to ``high``), whether the best is decided, and those that are not significantly different from it."""
        import pandas

        rows = []
        for point in self.verdicts["points"]:
            candidates = point["candidates"]
            following = candidates[1] if len(candidates) > 1 else {}
            keys = {key: value for key, value in point.items() if key not in ("candidates", "best", "decided")}
            rows.append({**keys, "best": point["best"], self.verdicts["measure"]: candidates[0]["mean"],
                         "stderr": candidates[0]["stderr"], "next": _subject(following),
                         "factor": following.get("ratio"), "low": following.get("low"), "high": following.get("high"),
                         "decided": point["decided"],
                         "tied": ", ".join(_subject(row) for row in candidates[1:] if not row["significantly_different"])})
        return pandas.DataFrame(rows)

    def _at(self, at: Mapping[str, Any]) -> List[Dict[str, Any]]:
        """The points with these keys."""
        points = self.verdicts["points"]
        for key in at:
            if points and key not in points[0]:
                raise BadInput(f"expected a key of the points ({', '.join(list(points[0])[:-3])}), got {shown(key)}")
        found = [point for point in points if all(point[key] == value for key, value in at.items())]
        if not found:
            raise BadInput(f"expected a point of these results, got {shown(dict(at))}" if at else
                           "expected results that compare something, got none")
        return found

    def best(self, **at: Any) -> str:
        """The method (or protocol, synopsis, oracle) that is best at the most points where that is decided, or, where nothing
        is, that has the least mean so far; ``best(query="top_k", epsilon=1)``: of these points. ``points`` has them all."""
        found = self._at(at)
        wins = collections.Counter(point["best"] for point in [point for point in found if point["decided"]] or found)
        return str(wins.most_common(1)[0][0])

    def mine(self, name: Optional[str] = None, **at: Any) -> "pandas.DataFrame":
        """How your own method stands: a row for each point with its error, the best, the ratio to the best's error with
        its interval (1: it is the best), and whether they differ significantly.

        name : of the method; default: the first one of your own.
        """
        import pandas

        name = name or next(iter(self._own()), None)
        rows = []
        for point in self._at(at):
            keys = {key: value for key, value in point.items() if key not in ("candidates", "best", "decided")}
            for place, row in enumerate(point["candidates"]):
                if _subject(row) == name:
                    rows.append({**keys, "rank": place + 1, self.verdicts["measure"]: row["mean"], "stderr": row["stderr"],
                                 "best": point["best"], "ratio": row["ratio"], "low": row["low"], "high": row["high"],
                                 "significantly_different": row["significantly_different"]})
        if not rows:
            raise BadInput(f'mine: expected a method of these results, got "{name}"' if name else
                           "mine: expected a method of your own in these results; mine(name) takes any")
        return pandas.DataFrame(rows)

    def _own(self) -> List[str]:
        """The names of the methods from outside the program."""
        methods = self.provenance.get("config", {})
        methods = (json.loads(methods) if isinstance(methods, str) else methods).get("methods", [])
        return [method.get("label", method["name"]) for method in methods
                if isinstance(method, dict) and method.get("name") == "external"]

    @property
    def recommendation(self) -> "Recommendation":
        """The methods ranked for each query, your own among them, as :func:`recommend` ranks the program's."""
        import pandas

        from .advice import Recommendation

        several = [key for key in ("dataset", "d", "n", "oracle", "epsilon")
                   if len({point[key] for point in self.verdicts["points"] if key in point}) > 1]
        blocks = []
        for point in self._at({}):
            value = point.get("parameter")
            query = str(point.get("query", "")) + ("" if value is None else f"={value:g}")
            query += "".join(f", {key} = {point[key]}" for key in several)
            blocks.append({"query": query, "ranking": point["candidates"]})
        rows = [{"query": block["query"], **row} for block in blocks for row in block["ranking"]]
        return Recommendation(pandas.DataFrame(rows), pandas.DataFrame(), {"queries": blocks, "answer": self.answer})

    def plot(self, format: str = "svg", *, width: Union[str, float, None] = None, size: Optional[float] = None,
             ax: Optional["Axes"] = None, x: Optional[str] = None, **at: Any) -> Any:
        """Pictures by the program (``ldpbench plot``; needs gnuplot), or matplotlib Axes to go on with.

        format : ``"svg"``, ``"pdf"``, ``"png"``: a list of pictures, files in the folder of the results, which a notebook
            shows. ``"axes"``: matplotlib Axes with the curves of one query.
        width : ``"column"`` or ``"page"`` of a paper of two columns, or a number of inches. Default: by the picture.
        size : of the type, in points. Default 7.5.
        ax : Axes to draw in; implies ``"axes"``.
        x : of Axes: the column of the x axis, by default the number that varies most. Further keys choose the points, as
            of :meth:`best`: ``plot("axes", query="top_k", parameter=10)``.
        """
        if ax is not None or format == "axes":
            from ._axes import draw

            return draw(self, ax, x, at)
        if x is not None or at:
            raise BadInput(f'plot: {x and "x" or next(iter(at))} is of plot("axes")')
        if format not in ("svg", "pdf", "png"):
            raise BadInput(f'plot: expected svg, pdf, png or axes, got {shown(format)}')
        given = ["--format", format]
        if width is not None:
            given += ["--width", width if isinstance(width, str) else f"{number_of(width, 'width'):g}"]
        if size is not None:
            given += ["--size", f"{number_of(size, 'size'):g}"]
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob(f"*.{format}")}
        call(["plot", str(self.folder), *given])
        drawn = [path for path in sorted(self.folder.glob(f"*.{format}")) if before.get(path) != path.stat().st_mtime_ns]
        return Pictures(Picture(path, path.read_text(encoding="utf-8")) if format == "svg" else
                        Picture(path, None, path.read_bytes()) for path in drawn)

    def report(self, path: PathLike) -> Path:
        """Writes one page of answer, tables and pictures (``ldpbench report``): HTML, or Markdown if it ends in .md."""
        page = Path(path_of(path, "path", "a path"))
        call(["report", str(self.folder), "-o", str(page)])
        return page

    def agreement(self, paper: str) -> str:
        """What a paper says and these results show, as Markdown (``ldpbench agree``): ``"ndss2020"``."""
        return call(["agree", path_of(paper, "paper", "a name"), str(self.folder)], also=[1])[1]

    def _repr_html_(self) -> str:
        parts = [_html.paragraph(line) for line in self.verdicts["answer"] + self.notes]
        if self.verdicts["points"]:
            parts.append(_html.table(self.points, 10))
        try:
            parts += [_html.picture(one) for one in self.plot()[:1]]
        except MachineError as error:
            parts.append(_html.paragraph(f"No picture: {error}"))
        return "\n".join(parts)


def _subject(row: Mapping[str, Any]) -> str:
    """Who a row of candidates is of: its first entry."""
    return str(next(iter(row.values()), ""))


def results(folder: PathLike) -> Results:
    """The tables of a folder that ``ldpbench run`` has written."""
    if not (Path(path_of(folder, "folder", "a path")) / "run.json").exists():
        raise BadInput(f"{folder}: expected a folder of results, found no run.json")
    found = Results(folder)
    found._declared()
    return found


def run(config: Union[Mapping[str, Any], PathLike], output: Optional[PathLike] = None, *,
        threads: Optional[int] = None, seed: Optional[int] = None, repetitions: Optional[int] = None,
        simulation: Optional[str] = None, fresh: bool = False, keep: bool = False,
        allow_external: bool = False) -> Results:
    """Runs an experiment and returns its tables.

    config : a config as a dict (relative file names start at the current folder), or the path of a file. The methods and
        oracles of a dict may be functions and objects of yours, as of :func:`compare`.
    output : folder of the results, in which an interrupted run continues; default: a temporary one, which is removed
        with the returned object.
    The rest are the options of ``ldpbench run``.
    """
    given: List[str] = []
    for name, value in (("threads", threads), ("seed", seed), ("repetitions", repetitions),
                        ("simulation", simulation)):
        if value is not None:
            given += [f"--{name}", str(value)]
    given += ["--fresh"] * fresh + ["--keep"] * keep + ["--allow-external"] * allow_external
    temporary = tempfile.TemporaryDirectory(prefix="ldpbench-") if output is None else None
    folder = Path(temporary.name, "results") if temporary else Path(path_of(output, "output", "a path"))
    if not isinstance(config, Mapping):
        config = path_of(config, "config", "a dict, or the path of a file")
        call(["run", os.fspath(config), "-o", str(folder), "--quiet", *given])
        return Results(folder, temporary)
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as beside:
        folders = os.pathsep.join([os.getcwd()] + [x for x in [os.environ.get("LDPBENCH_DATA")] if x])
        _run(config, beside, ["-o", str(folder), "--quiet", *given], {"LDPBENCH_DATA": folders})
    return Results(folder, temporary)


def _run(config: Mapping[str, Any], beside: str, given: List[str], environment: Dict[str, str]) -> None:
    """Writes a config into a folder and runs it there, with workers for its functions."""
    methods: Dict[str, Any] = {}
    oracles: Dict[str, Any] = {}
    config = {"name": "experiment", **config}
    for key, is_own, own in (("methods", functions.is_method, methods), ("oracles", functions.is_oracle, oracles)):
        if key in config:
            config[key] = functions.take(config[key], is_own, own, key)
    twice = next((label for label in methods if label in oracles), None)
    if twice is not None:
        raise BadInput(f'oracles: expected another name than that of a method, got "{twice}"')
    with contextlib.ExitStack() as stack:
        if methods or oracles:
            if "--allow-external" not in given:
                _refuse_commands(config)
                given = [*given, "--allow-external"]
            served = stack.enter_context(functions.Functions(methods, beside, oracles))
            environment = {**environment, **served.environment}
            for key in ("methods", "oracles"):
                if isinstance(config.get(key), list):
                    config[key] = [served.config(x) if isinstance(x, functions.Own) else x for x in config[key]]
        path = Path(beside, "config.json")
        try:
            path.write_text(json.dumps(config, allow_nan=False, default=_plain),
                            encoding="utf-8")
        except (TypeError, ValueError) as error:
            said = "expected finite numbers, got NaN or an infinite one" if "Out of range float" in str(error) else error
            raise BadInput(f"config: {said}") from None
        try:
            call(["run", str(path), *given], environment=environment)
        except BadInput as error:
            raise BadInput(str(error).replace(f"{path}:1: ", "config: ").replace(f"{path}: ", "config: ")) from None


def _refuse_commands(config: Mapping[str, Any]) -> None:
    """A config with functions runs them; its commands, which the program would then start too, have to be allowed."""
    for key in ("methods", "oracles"):
        listed = config.get(key)
        for one in listed if isinstance(listed, (list, tuple)) else [listed]:
            if isinstance(one, Mapping) and one.get("name") == "external":
                raise BadInput(f"{key}: {shown(one.get('label', one['name']))} runs a program; allow_external=True permits it")


def _plain(value: Any) -> Any:
    """Converts NumPy numbers and arrays, and paths, to JSON values."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected what JSON can hold, got {type(value).__name__}")
