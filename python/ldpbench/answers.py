"""Users' answers as people hold them: lists, Series, columns, counts; as the counts of a config's data set."""

import math
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from ._arguments import number, shown, whole
from .errors import BadInput


class Counts(NamedTuple):
    """How many users hold each value, the values in their order, and what was done to the data, a sentence each."""

    counts: Dict[str, int]
    notes: List[str]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ in ("NAType", "NaTType") or \
        (isinstance(value, str) and not value.strip())


def _label(value: Any) -> str:
    """A value as the program writes it: on one line, without tabs, not beginning as a comment."""
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    text = "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in str(value)).strip()
    return "number " + text if text.startswith("#") else text


def _add(counts: Dict[str, int], value: Any, users: int) -> None:
    text = _label(value)
    counts[text] = counts.get(text, 0) + users


def _pairs(data: Any) -> Iterable[Tuple[Any, Any]]:
    """Values with their numbers of users."""
    if hasattr(data, "items"):
        return list(data.items())
    rows = list(data)
    if all(isinstance(row, (tuple, list)) and len(row) == 2 for row in rows) and rows:
        return [(row[0], row[1]) for row in rows]
    return list(enumerate(numpy.asarray(rows).tolist()))


def _counted(data: Any) -> Dict[str, int]:
    counts: Dict[str, int] = {}
    for value, users in _pairs(data):
        _add(counts, value, whole(users, f"data: users of {shown(value)}", 0, 2**53, "2^53"))
    return counts


def _column(data: Any) -> Any:
    """The one column of a data frame; anything else as it is."""
    if not hasattr(data, "columns"):
        return data
    names = list(data.columns)
    if len(names) != 1:
        raise BadInput(f"data: expected one column, got {len(names)} ({', '.join(map(str, names[:5]))}{', ..' if len(names) > 5 else ''}): "
                       f'data["{names[0] if names else "NAME"}"] is one; several attributes at once: recommend(data, task="marginals")')
    return data[names[0]]


def _looks_counted(data: Any) -> bool:
    """Whether a Series is likely one of counts by value, as value_counts returns: whole numbers, sorted, with other labels."""
    index = getattr(data, "index", None)
    if index is None or callable(index) or not hasattr(data, "dtype") or getattr(data.dtype, "kind", "") not in "iu" or len(data) < 2:
        return False
    labels = list(index)
    return labels != list(range(len(labels))) and len(set(labels)) == len(labels) and \
        (getattr(data, "name", None) == "count" or (bool((numpy.diff(numpy.asarray(data)) <= 0).all()) and
                                                   not all(isinstance(x, (int, numpy.integer)) for x in labels)))


def _binned(answers: Sequence[Any], bins: Any) -> Tuple[List[str], List[str]]:
    """Numbers as the bins that hold them, and the bins' names: equally wide ones, or between given edges."""
    values = numpy.array([number(value, f"data: bins need numbers; value {i}") for i, value in enumerate(answers)])
    if numpy.ndim(bins) == 0:
        edges = numpy.linspace(values.min(), values.max(), whole(bins, "bins", 2, 2**20) + 1)
    else:
        edges = numpy.array([number(edge, "bins") for edge in bins])
        if len(edges) < 3 or not (numpy.diff(edges) > 0).all():
            raise BadInput("bins: expected a number of them, or at least three increasing edges")
    if len(edges) and values.min() == values.max() and numpy.ndim(bins) == 0:
        raise BadInput(f"bins: expected different numbers, got only {values[0]:g}")
    names = [f"{low:g} to {high:g}" for low, high in zip(edges, edges[1:])]
    at = numpy.clip(numpy.searchsorted(edges, values, side="right") - 1, 0, len(names) - 1)
    return [names[i] for i in at], names


def _topped(counts: Dict[str, int], most: int) -> Dict[str, int]:
    """The most frequent values, in their order, and one value for all others."""
    kept = set(sorted(counts, key=lambda value: -counts[value])[:most])
    top = {value: users for value, users in counts.items() if value in kept}
    rest = sum(users for value, users in counts.items() if value not in kept)
    if len(kept) < len(counts):
        _add(top, "other", rest)
    return top


def counts_of(data: Any, *, counts: Optional[bool] = None, values: Optional[Sequence[Any]] = None,
              bins: Union[int, Sequence[float], None] = None, other: Optional[int] = None, missing: str = "drop") -> Counts:
    """Counts of the answers of users, see :func:`compare`."""
    if missing not in ("drop", "keep"):
        raise BadInput(f"missing: expected drop or keep, got {shown(missing)}")
    data = _column(data)
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__"):
        raise BadInput("data: expected answers (a list, an array, a Series, a column), or users by value (a dict), "
                       f"got {type(data).__name__}")
    if counts is None and not isinstance(data, Mapping) and _looks_counted(data):
        raise BadInput("data: this Series may be answers, one a user, or users by value, as value_counts returns: "
                       "counts=False or counts=True tells")
    notes: List[str] = []
    if counts or (counts is None and isinstance(data, Mapping)):
        if bins is not None:
            raise BadInput("bins: expected answers to be binned, got users by value")
        found = _counted(data)
    else:
        found = _count_answers(data, values, bins, missing, notes)
    for value in values if values is not None else ():
        _add(found, value, 0)
    if other is not None:
        most = whole(other, "other", 1, 2**31)
        if most < len(found):
            notes.append(f"{len(found) - most:,} of {len(found):,} values are one, other.")
        found = _topped(found, most)
    if len(found) < 2:
        raise BadInput(f"data: expected at least two values, got {len(found)}; values=[...] names those that nobody holds")
    if sum(found.values()) == 0:
        raise BadInput("data: expected at least one user, got none")
    return Counts(found, notes)


def _count_answers(data: Any, values: Optional[Sequence[Any]], bins: Any, missing: str, notes: List[str]) -> Dict[str, int]:
    categories = getattr(getattr(data, "dtype", None), "categories", None)
    answers = data.tolist() if hasattr(data, "tolist") else list(data)
    given = [value for value in answers if not _is_missing(value)]
    lost = len(answers) - len(given)
    if any(isinstance(value, (list, tuple, dict, set, numpy.ndarray)) for value in given[:1000]):
        raise BadInput("data: expected one answer for each user, got several; counts=True takes pairs of value and users")
    if not given:
        raise BadInput("data: expected at least one answer, got none")
    found: Dict[str, int] = {}
    if bins is not None:
        given, names = _binned(given, bins)
        for name in names:
            found[name] = 0
    elif categories is not None:
        for category in categories:
            _add(found, category, 0)
    elif values is not None:
        for value in values:
            _add(found, value, 0)
        strange = next((value for value in given if _label(value) not in found), None)
        if strange is not None:
            raise BadInput(f"data: expected one of the values, got {shown(strange)}")
    tally: Dict[Any, int] = {}
    for value in given:
        tally[value] = tally.get(value, 0) + 1
    for value in _in_order(tally):
        _add(found, value, tally[value])
    if lost and missing == "keep":
        _add(found, "(none)", lost)
        notes.append(f"{lost:,} of {len(answers):,} users gave no answer, which is a value of its own: (none).")
    elif lost:
        notes.append(f"{lost:,} of {len(answers):,} users gave no answer and are left out.")
    return found


def _in_order(values: Iterable[Any]) -> List[Any]:
    """In increasing order where values can be compared, else as they came: the same for the same users in any order."""
    listed = list(values)
    try:
        if any(isinstance(value, float) and math.isnan(value) for value in listed):
            raise TypeError
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda value: (type(value).__name__, str(value)))
