"""Compares methods, the program's and your own, on your data."""

import csv
import io
import os
import re
import tempfile
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from . import functions
from ._arguments import shown, write_lines
from .answers import counts_of, write_counts
from .errors import BadInput
from .program import PathLike, call
from .results import Results, run


def _listed(value: Any) -> List[Any]:
    return list(value) if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else [value]


def _query(query: Any) -> Any:
    """A query of a config from its text on the command line: top_k=10,100."""
    if not isinstance(query, str) or "=" not in query:
        return query
    name, _, points = query.partition("=")
    key = {"set_value": "percent", "top_k": "k", "heavy_hitters": "threshold", "set_intervals": "percent", "intervals": "rank",
           "selected_intervals": "k", "set_metrics": "percent", "fixed_sets": "file", "fixed_set_intervals": "file",
           "fixed_set_metrics": "file"}.get(name)
    if key is None:
        raise BadInput(f"query: expected one that takes points, got {shown(query)}")
    if key == "file":
        return {"type": name, key: points}
    try:
        return {"type": name, key: [float(point) for point in points.split(",")]}
    except ValueError:
        raise BadInput(f"query: expected numbers after {name}=, got {shown(points)}") from None


def _methods(methods: Any) -> Any:
    """The methods of a config; one by itself is compared with the unprocessed estimate, which comes last, so that messages
    count as the caller does."""
    if isinstance(methods, str) and methods == "all":
        return methods
    listed = functions.listed(methods, functions.is_method)
    if not listed:
        raise BadInput("methods: expected at least one")
    return listed if len(listed) > 1 or listed == ["base"] else [*listed, "base"]


def _data(data: Any, name: str, folder: str, given: Mapping[str, Any], notes: List[str]) -> Dict[str, Any]:
    """The data set of a config: a distribution or file as it is, answers as a file of counts."""
    if isinstance(data, Mapping) and isinstance(data.get("type"), str):
        return dict(data)
    if isinstance(data, os.PathLike):
        return {"type": "counts", "file": os.path.abspath(os.fspath(data))}
    if isinstance(data, str):
        raise BadInput(f"data: expected answers, or users by value, got a text; a file: pathlib.Path({shown(data)})")
    found = counts_of(data, **given)
    notes += found.notes
    if not found.coding:
        return {"type": "counts", "file": write_counts(found, os.path.join(folder, "answers.counts")), "label": name}
    path, text = os.path.join(folder, "answers.csv"), io.StringIO()  # the program makes bins, and one value of many
    rows = [("" if value == "(none)" else value, users) for value, users in found.counts.items()]
    csv.writer(text, lineterminator="\n").writerows([("answer", "count"), *rows])
    write_lines(path, [text.getvalue()], "data")
    return {"type": "answers", "file": path, "column": "answer", "label": name, **found.coding}


def _size(dataset: Mapping[str, Any]) -> int:
    """The values of a data set, 0: not known before it is read."""
    if dataset["type"] == "counts" and isinstance(dataset.get("file"), (str, os.PathLike)):
        found = re.search(r"^  d +([0-9]+)$", call(["list", "--", os.fspath(dataset["file"])], also=[2]), re.M)
        return int(found[1]) if found else 0
    size = dataset.get("d", 0 if "bins" in dataset else dataset.get("other", -1) + 1)
    return size if isinstance(size, int) else 0


def compare(methods: Any, data: Any, epsilon: Union[float, Sequence[float]], *, oracle: Any = None, query: Any = None,
            repetitions: int = 100, seed: int = 1, n: Optional[int] = None, name: Optional[str] = None,
            counts: Optional[bool] = None, values: Optional[Sequence[Any]] = None, bins: Union[int, Sequence[float], None] = None,
            other: Optional[int] = None, missing: str = "drop", output: Optional[PathLike] = None, **options: Any) -> Results:
    """Which method answers best if users like these report under local differential privacy.

    methods : ``"all"``, or one or a list of names, dicts with parameters (``{"name": "base_cut", "alpha": 2}``), functions
        ``f(est, protocol, n)`` (or of the first one or two) that return ``[d]`` frequencies, objects whose ``fit`` takes the same and
        returns them or sets ``frequencies_``; ``("name", f)`` names one. One by itself is compared with ``"base"``.
    data : answers, one a user: a list, an array, a Series, a column; or users by value: a dict, or with ``counts=True`` anything with
        pairs. Or the path of a file of counts, or a distribution as in a config. Categories of pandas are the values.
    oracle : one or a list of names, dicts, or classes of yours (:func:`serve_oracle`). Default: ``"ss"``, of over 1000 values ``"olh"``.
    query : ``"full_domain"``, ``"top_k=10,20"``, or dicts as in a config. Default: all frequencies, and the ten most frequent of more.
    n : users that the counts are scaled to. repetitions : simulated collections of each point; every method sees the same ones.
    values, bins, other, missing : ``values=[...]``: what users could have answered; ``bins=8`` or edges: numbers as bins;
        ``other=50``: all but the 50 most frequent values are one; ``missing="keep"``: no answer is an answer.
    output : folder of the results, in which an interrupted comparison continues; default: a temporary one.
    The rest are the options of ``ldpbench run``.
    """
    given = {"counts": counts, "values": values, "bins": bins, "other": other, "missing": missing}
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as folder:
        notes: List[str] = []
        question = getattr(data, "name", None)
        label = re.sub(r'[\x00-\x1f\x7f-\x9f,"]+', " ", question).strip()[:100] if isinstance(question, str) else ""
        dataset = _data(data, name or label or "data", folder, given, notes)
        if n is not None:
            dataset["n"] = n
        size = _size(dataset) if query is None or oracle is None else 0
        if query is None:
            query = ["full_domain", "max_error"] + ([{"type": "top_k", "k": 10}] if size > 10 else [])
        if oracle is None:
            oracle = "ss" if 0 < size <= 1000 else "olh"
        config = {"name": name or "compare", "seed": seed, "repetitions": repetitions, "datasets": [dataset],
                  "oracles": functions.listed(oracle, callable), "epsilon": _listed(epsilon), "methods": _methods(methods),
                  "queries": [_query(one) for one in _listed(query)]}
        made = run(config, output, **options)
    made.notes = notes
    return made
