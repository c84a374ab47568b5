"""Runs the program: experiments, recommendations, checks. Its tables are returned as pandas data frames."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ._arguments import number as number_of, whole
from .errors import BadInput, Error, MachineError

if TYPE_CHECKING:
    import pandas

    from .protocol import Protocol

PathLike = Union[str, "os.PathLike[str]"]

HERE = Path(__file__).resolve().parent


def program() -> str:
    """The path of the program: the environment variable LDPBENCH, otherwise the build next to the package, the program
    inside the package, or the one on PATH."""
    named = os.environ.get("LDPBENCH")
    if named:
        return named
    for place in (HERE.parents[1] / "build" / "release" / "ldpbench", HERE / "native" / "program" / "bin" / "ldpbench"):
        if os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("ldpbench")
    if not found:
        raise MachineError("expected the program ldpbench, found none; run make python, or set LDPBENCH to its path")
    return found


def main() -> None:
    """The command ``ldpbench`` of an environment in which the package is installed: the program itself."""
    os.execv(program(), ["ldpbench", *sys.argv[1:]])


def include() -> str:
    """The folder of ldpbench.h, for plugins and programs in C: ``cc -shared -fPIC -I FOLDER mine.c -o mine.so``."""
    for place in (HERE.parents[1] / "core", HERE / "native" / "include"):
        if (place / "ldpbench.h").is_file():
            return str(place)
    raise MachineError("expected ldpbench.h in the package, found none; run make python")


def call(arguments: Sequence[str], *, also: Iterable[int] = (), environment: Optional[Mapping[str, str]] = None) -> \
        Tuple[int, str]:
    """Runs the program: its exit status and standard output. A failure is an exception with the program's message,
    except for the exit statuses in ``also``."""
    try:
        done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, check=False)
    except OSError as error:
        raise MachineError(f"{program()}: {error.strerror}") from None
    if done.returncode == 0 or done.returncode in also:
        return done.returncode, done.stdout.decode()
    said = re.sub(r"^ldpbench: ", "", done.stderr.decode(errors="replace").strip(), flags=re.M)
    said = said or f"ldpbench {arguments[0]} ended with status {done.returncode}"
    raise {2: BadInput, 3: MachineError}.get(done.returncode, Error)(said)


@dataclass
class Picture:
    """An SVG picture; a notebook shows it."""

    path: Path
    svg: str = field(repr=False)

    def _repr_svg_(self) -> str:
        return self.svg


class Results(Mapping[str, "pandas.DataFrame"]):
    """The tables of a folder of results, by name (``results["mse"]`` has the columns of mse.csv). They are read from its
    store, store.sqlite (docs/store.md), each on first access."""

    def __init__(self, folder: PathLike, keep: Any = None):
        self.folder = Path(folder)
        self._keep = keep  # a temporary folder, removed with this object
        self._tables: Dict[str, "pandas.DataFrame"] = {}
        with self._store() as store:
            self._columns = {name: json.loads(declaration)["columns"] for name, declaration in
                             store.execute("SELECT name, declaration FROM tables WHERE id > 2 ORDER BY name")}

    @contextlib.contextmanager
    def _store(self) -> Iterator[sqlite3.Connection]:
        """The store, to read."""
        path = self.folder / "store.sqlite"
        try:
            with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as store:
                yield store
        except sqlite3.Error as error:
            raise BadInput(f"{path}: expected a store of results: {error}") from None

    def __getitem__(self, name: str) -> "pandas.DataFrame":
        import pandas

        if name not in self._columns:
            raise KeyError(name)
        if name not in self._tables:
            with self._store() as store:
                held = [column[0] for column in store.execute(f'SELECT * FROM "{name}" LIMIT 0').description]
                asked = [f'"{column}_label" AS "{column}"' if f"{column}_label" in held else f'"{column}"'
                         for column in self._columns[name]]
                table = pandas.read_sql_query(f'SELECT {", ".join(asked)} FROM "{name}" ORDER BY row', store)
            empty = [column for column in table if table[column].isna().all()]
            self._tables[name] = table.astype({column: float for column in empty})
        return self._tables[name]

    def samples(self, name: str, row: int, measure: Optional[str] = None) -> numpy.ndarray:
        """The values of a row in every repetition (NaN: undefined); measure: default the first of the table."""
        with self._store() as store:
            declared, = store.execute("SELECT declaration FROM tables WHERE name = ?", (name,)).fetchone() or [None]
            known = [m["name"] for m in json.loads(declared)["measures"]] if declared else []
            measure = measure or next(iter(known), None)
            found = store.execute(f'SELECT key, layout, repetitions, "{measure}_series" FROM "{name}_rows" JOIN run USING '
                                  "(cell) WHERE row = ?", (row,)).fetchone() if measure in known else None
            if found is None or found[3] is None:
                raise BadInput(f"{name}: no repetitions are stored for {measure} of row {row}")
            cell, layout, repetitions, place = found
            packed, = store.execute("SELECT series FROM layout WHERE id = ?", (layout,)).fetchone()
            series = numpy.frombuffer(packed, "<i8")[place]
            values = numpy.full(repetitions, numpy.nan)
            # Later rows of this count: those of the run's own build, and of these the oldest.
            for first, count, numbers, held in store.execute(
                    "SELECT first, repetitions, numbers, series FROM block JOIN layout ON layout.id = layout WHERE cell = ? AND "
                    "NOT sums ORDER BY build = (SELECT build.id FROM build JOIN tables ON key = declaration WHERE name = 'run'), "
                    "block.id DESC", (cell,)):
                at = numpy.flatnonzero(numpy.frombuffer(held, "<i8") == series)
                if at.size > 0 and first < repetitions:
                    own = numpy.frombuffer(numbers, "<f8")[at[0] * count:(at[0] + 1) * count]
                    values[first:first + count] = own[:repetitions - first]
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"Results({str(self.folder)!r}: {', '.join(self._columns)})"

    @property
    def provenance(self) -> Dict[str, Any]:
        """The content of run.json, which describes how the results were made."""
        with open(self.folder / "run.json", encoding="utf-8") as file:
            return json.load(file)

    @property
    def answer(self) -> str:
        """The results in a few sentences: which method is best for which query and by how much, where it loses, and what
        was too close to call, as ``ldpbench report`` begins."""
        return call(["report", str(self.folder), "--format", "text"])[1].strip()

    def plot(self) -> List[Picture]:
        """Draws the figures of the folder (``ldpbench plot``; needs gnuplot)."""
        before = {path: path.stat().st_mtime_ns for path in self.folder.glob("*.svg")}
        call(["plot", str(self.folder)])
        drawn = [path for path in sorted(self.folder.glob("*.svg")) if before.get(path) != path.stat().st_mtime_ns]
        return [Picture(path, path.read_text(encoding="utf-8")) for path in drawn]


def results(folder: PathLike) -> Results:
    """The tables of a folder that ``ldpbench run`` has written."""
    if not (Path(_path(folder, "folder", "a path")) / "run.json").exists():
        raise BadInput(f"{folder}: expected a folder of results, found no run.json")
    return Results(folder)


def run(config: Union[Mapping[str, Any], PathLike], output: Optional[PathLike] = None, *,
        threads: Optional[int] = None, seed: Optional[int] = None, repetitions: Optional[int] = None,
        simulation: Optional[str] = None, fresh: bool = False, keep: bool = False,
        allow_external: bool = False) -> Results:
    """Runs an experiment and returns its tables.

    config : a config as a dict (relative file names start at the current folder), or the path of a file.
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
    folder = Path(temporary.name, "results") if temporary else Path(_path(output, "output", "a path"))
    if not isinstance(config, Mapping):
        config = _path(config, "config", "a dict, or the path of a file")
        call(["run", os.fspath(config), "-o", str(folder), "--quiet", *given])
        return Results(folder, temporary)
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as beside:
        path = Path(beside, "config.json")
        try:
            path.write_text(json.dumps({"name": "experiment", **config}, allow_nan=False, default=_plain),
                            encoding="utf-8")
        except (TypeError, ValueError) as error:
            raise BadInput(f"config: {error}") from None
        folders = os.pathsep.join([os.getcwd()] + [x for x in [os.environ.get("LDPBENCH_DATA")] if x])
        call(["run", str(path), "-o", str(folder), "--quiet", *given], environment={"LDPBENCH_DATA": folders})
    return Results(folder, temporary)


def _path(value: Any, what: str, expected: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise BadInput(f"{what}: expected {expected}, got {type(value).__name__}")
    return os.fspath(value)


def _plain(value: Any) -> Any:
    """Converts NumPy numbers and arrays, and paths, to JSON values."""
    if isinstance(value, (numpy.generic, numpy.ndarray)):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"expected what JSON can hold, got {type(value).__name__}")


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
    with open(path, "w", encoding="utf-8") as file:
        for label, value in pairs:
            number = number_of(value, f"support of {label!r:.40}")
            file.write(f"{label}\t{int(number) if number.is_integer() else repr(number)}\n")
    return path


def _listed(value: Union[str, Sequence[str], None]) -> Sequence[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def _recommend_task(task: str, data: Any, options: Mapping[str, Any]) -> Recommendation:
    """A task other than frequency; options are named as in the program, and a list repeats the option."""
    import pandas

    given: List[str] = ["--task", task, "--format", "json"]
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple, numpy.ndarray)) else [] if value is None else [value]:
            given += [f"--{name.replace('_', '-')}", repr(float(one)) if isinstance(one, float) else str(one)]
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        if hasattr(data, "to_csv") and hasattr(data, "columns"):  # a data frame of records
            path = os.path.join(folder, "records.csv")
            data.to_csv(path, index=False)
            data = path
        files = [] if data is None else [_supports_file(data, folder)]
        said = json.loads(call(["recommend", *given, *files])[1])
    ranking = pandas.json_normalize(said.get("ranking") or said.get("candidates") or [])
    ranking.columns = [re.sub(r"\.name$", "", column) for column in ranking.columns]
    return Recommendation(ranking, pandas.DataFrame(said.get("oracles", [])), said)


def recommend(support: Any, *, epsilon: float, oracle: Optional[str] = None, n: Optional[int] = None,
              task: str = "frequency", query: Union[str, Sequence[str]] = "full_domain",
              method: Union[str, Sequence[str]] = "all", oracles: Union[str, Sequence[str], None] = None,
              param: Optional[Mapping[str, Any]] = None, counts: bool = False, trials: Optional[int] = None,
              replicates: int = 20, seed: int = 1, surrogate: Optional[str] = None,
              threads: Optional[int] = None, **options: Any) -> Recommendation:
    """Which method has the least error on data like these; for marginals, which synopsis.

    support : ``[d]`` supports, a Series or dict of them by label, or the path of a file of value TAB support lines. With
        another task its data: the path of a file, a data frame of records, counts by string, or None.
    oracle, n : the oracle and the number of users of the supports; required.
    query : texts as ``--query`` takes them: ``"full_domain"``, ``"top_k=32"``, ``"set_value=10,50"``.
    task : ``"frequency"``, or another one listed by ``ldpbench recommend --help``, such as ``"marginals"``; its options
        by name, with a list for an option that may be repeated: ``k=[2, 3]``, ``synopsis="calm"``.
    The rest are the options of ``ldpbench recommend``.
    """
    import pandas

    listed = _listed
    if task != "frequency":
        return _recommend_task(task, support, {"epsilon": number_of(epsilon, "epsilon"), "n": n, "oracles": list(listed(oracles)) or None,
                                               "trials": trials, "seed": seed, "threads": threads, **options})
    if options:
        raise BadInput(f"recommend: unknown option {next(iter(options))}")
    if oracle is None or n is None:
        raise BadInput("recommend: expected oracle and n, which made the supports")
    trials = 100 if trials is None else trials
    given = ["--oracle", oracle, "--epsilon", repr(number_of(epsilon, "epsilon")), "--n", str(whole(n, "n", 1, 2**53, "2^53")), "--trials", str(trials),
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


def check(baseline: Union[Results, PathLike], result: Union[Results, PathLike], *, level: Optional[float] = None,
          floor: Optional[float] = None, exact: bool = False, allow_better: bool = False, allow_missing: bool = False,
          allow_new: bool = False, allow_config: bool = False) -> Check:
    """Tests whether accuracy changed between two runs: folders, tables, stores, or results of :func:`run`."""
    import pandas

    def path(value: Union[Results, PathLike]) -> str:
        return str(value.folder) if isinstance(value, Results) else _path(value, "check", "results, or a path")

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


def _reports_file(reports: Any, path: str) -> str:
    """The path of a file with these reports, which are given as a path or as an array with one report per row."""
    if isinstance(reports, (str, os.PathLike)):
        return os.fspath(reports)
    if not hasattr(reports, "__iter__") or numpy.ndim(reports) == 0:
        raise BadInput(f"reports: expected an array or a list of them, or the path of a file, got {type(reports).__name__}")
    with open(path, "w", encoding="utf-8") as file:
        for report in reports.tolist() if isinstance(reports, numpy.ndarray) else reports:
            words = report if isinstance(report, (list, tuple, numpy.ndarray)) else [report]
            texts = [str(int(word) if isinstance(word, (bool, numpy.bool_)) else word) for word in words]
            if any(not text or re.search(r"[\s,]", text) for text in texts):
                raise BadInput(f"reports: expected words without blanks and commas, got {texts}")
            file.write(" ".join(texts) + "\n")
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
