"""Users' answers as people have them: lists, Series, columns, counts; as the counts of a config's data set."""

import collections
import csv
import io
import numbers
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy

from ._arguments import number, shown, whole, write_lines
from .errors import BadInput

# Texts that are no answer, as docs/data.md has them ("Cells").
_MISSING = {"", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "\\N", "?"}


class Counts(NamedTuple):
    """Answers of users, by value."""

    counts: Dict[str, int]  # users of each value, the values in their order
    notes: List[str]  # what was done to the data, a sentence each
    coding: Dict[str, int]  # what the program has still to do, as keys of its data set: bins, other


def _is_missing(value: Any) -> bool:
    if type(value) in (int, float):  # by far the most where there are many
        return bool(value != value)
    if isinstance(value, str):
        return value.strip() in _MISSING
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, numbers.Number) and value != value)


def _plain(value: Any) -> Any:
    """A NumPy number or date, or text in bytes, as an object of Python."""
    if isinstance(value, (numpy.datetime64, numpy.timedelta64)):
        value = value.astype(f"{value.dtype.kind}8[us]")  # item() of nanoseconds is a number
    if isinstance(value, numpy.generic):
        value = value.item()
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise BadInput(f"data: expected text in UTF-8, got {shown(value)}") from None
    return value


def cell_text(value: Any) -> str:
    """A value as the program writes it: on one line, without tabs."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    text = str(value)
    if type(value) in (int, float):
        return text
    if hasattr(value, "isoformat") and text.endswith(" 00:00:00"):
        text = text[:10]  # a date
    return "".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in text).strip()


def _pairs(data: Any) -> List[Tuple[Any, Any]]:
    """Values with their numbers of users."""
    if hasattr(data, "columns"):
        if len(data.columns) != 2:
            raise BadInput(f"data: expected two columns, values and users, got {len(data.columns)}")
        return list(zip(data.iloc[:, 0], data.iloc[:, 1]))
    if hasattr(data, "items"):
        return list(data.items())
    rows = list(data)
    if all(isinstance(row, (tuple, list)) and len(row) == 2 for row in rows) and rows:
        return [(row[0], row[1]) for row in rows]
    return list(enumerate(numpy.asarray(rows).tolist()))


def _listed(data: Any) -> List[Any]:
    if isinstance(data, numpy.ndarray) and data.dtype.kind in "mM":
        data = data.astype(f"{data.dtype.kind}8[us]")
    return [_plain(value) for value in (data.tolist() if hasattr(data, "tolist") else data)]


def records_of(frame: Any) -> str:
    """A data frame as a CSV file of records: whole numbers as such, also where missing ones made them floats."""
    columns = [_listed(frame.iloc[:, i]) for i in range(len(frame.columns))]
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["/".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns])
    table.writerows([["" if _is_missing(cell) else cell_text(cell) for cell in row] for row in zip(*columns)])
    return text.getvalue()


def _column(data: Any) -> Any:
    """The one column of a data frame; anything else as it is."""
    if not hasattr(data, "columns"):
        return data
    names = list(data.columns)
    if len(names) != 1:
        raise BadInput(f"data: expected one column, got {len(names)} ({', '.join(map(str, names[:5]))}{', ..' if len(names) > 5 else ''}): "
                       f"data[{names[0] if names else 'NAME'!r}] is one; users by value, in two columns: counts=True; several attributes "
                       'at once: advise(data, epsilon=1)')
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


def _binned(pairs: Sequence[Tuple[Any, int]], edges: Sequence[Any]) -> Dict[str, int]:
    """Users by the bin between given edges that contains their number; numbers beyond are in the first or the last."""
    values = numpy.array([number(value, "data: bins need numbers") for value, _ in pairs])
    given = numpy.array([number(edge, "bins") for edge in edges])
    if len(given) < 3 or not (numpy.diff(given) > 0).all():
        raise BadInput("bins: expected a number of them, or at least three increasing edges")
    names = [f"{cell_text(low)} to {cell_text(high)}" for low, high in zip(given.tolist(), given.tolist()[1:])]
    at = numpy.clip(numpy.searchsorted(given, values, side="right") - 1, 0, len(names) - 1)
    users = numpy.bincount(at, [users for _, users in pairs], len(names))
    return {name: int(held) for name, held in zip(names, users)}


def counts_of(data: Any, *, counts: Optional[bool] = None, values: Optional[Sequence[Any]] = None,
              bins: Union[int, Sequence[float], None] = None, other: Optional[int] = None, missing: str = "drop") -> Counts:
    """Counts of the answers of users, see :func:`compare`."""
    if missing not in ("drop", "keep"):
        raise BadInput(f"missing: expected drop or keep, got {shown(missing)}")
    counted = counts or (counts is None and isinstance(data, Mapping))
    data = data if counted else _column(data)
    if isinstance(data, (str, bytes)) or not hasattr(data, "__iter__") or getattr(data, "shape", None) == ():
        raise BadInput("data: expected answers (a list, an array, a Series, a column), or users by value (a dict), "
                       f"got {type(data).__name__}")
    if counts is None and not counted and _looks_counted(data):
        raise BadInput("data: this Series may be answers, one a user, or users by value, as value_counts returns: "
                       "counts=False or counts=True tells")
    if counted and bins is not None:
        raise BadInput("bins: expected answers to be binned, got users by value")
    coding = {} if other is None else {"other": whole(other, "other", 1, 2**20)}
    edges: Any = bins if bins is not None and numpy.ndim(bins) == 1 else None
    if bins is not None and edges is None:
        coding["bins"] = whole(bins, "bins", 2, 2**20)
    categories = None if counted or bins is not None else getattr(getattr(data, "dtype", None), "categories", None)
    known: Any = values if values is not None else () if categories is None else categories
    if counted:
        pairs = [(_plain(value), whole(users, f"data: users of {shown(value)}", 0, 2**53, "2^53")) for value, users in _pairs(data)]
    else:
        pairs = _answers(_listed(data), len(known) == 0 and bins is None)
    found = dict.fromkeys((cell_text(_plain(value)) for value in known), 0) if not counted else {}
    lost, present = 0, []
    for value, users in pairs:
        if _is_missing(value):
            lost += users
            continue
        if bins is not None:
            number(value, "data: bins need numbers")
        text = cell_text(value)
        if text not in found and len(known) > 0 and not counted:
            raise BadInput(f"data: expected one of the values, got {shown(value)}")
        found[text] = found.get(text, 0) + users
        present.append((value, users))
    if edges is not None:
        found = _binned(present, edges)
    notes, total = [], sum(found.values()) + lost
    if lost and missing == "keep":
        found["(none)"] = found.get("(none)", 0) + lost
        notes.append(f"{lost:,} of {total:,} users gave no answer, which is a value of its own: (none).")
    elif lost:
        notes.append(f"{lost:,} of {total:,} users gave no answer and are left out.")
    for value in known:
        found.setdefault(cell_text(_plain(value)), 0)
    if other is not None and coding["other"] < len(found):
        notes.append(f"{len(found) - coding['other']:,} of {len(found):,} values are one.")
    if len(found) < 2:
        raise BadInput(f"data: expected at least two values, got {len(found)}; values=[...] names those with zero frequency")
    if sum(found.values()) == 0:
        raise BadInput("data: expected at least one user, got none")
    return Counts(found, notes, coding)


def write_counts(found: Counts, path: str) -> str:
    """A file of counts at this path, without comments: # begins none."""
    write_lines(path, (f"{'number ' * value.startswith('#')}{value}\t{users}\n" for value, users in found.counts.items()), "data")
    return path


def _answers(given: List[Any], unknown: bool) -> List[Tuple[Any, int]]:
    """Answers with their numbers of users. If nothing is known of the values, those nearly all of which differ name users, or are
    values next to their counts, and are refused."""
    if any(isinstance(value, (list, tuple, dict, set, numpy.ndarray)) for value in given):
        raise BadInput("data: expected one answer for each user, got several; counts=True takes pairs of value and users")
    tally = collections.Counter((type(value), value) for value in given if not _is_missing(value))  # True is not 1
    if not tally:
        raise BadInput("data: expected at least one answer, got none")
    users, different = sum(tally.values()), len({cell_text(value) for _, value in tally})
    if unknown and ((users > 2 and different == users) or (different > 64 and different >= 0.9 * users)):
        raise BadInput(f"data: expected answers that users share, got {different:,} different ones of {users:,} users, as names or ids "
                       "are, or values next to their counts: users by value are a dict, or two columns with counts=True")
    return [*((value, tally[type(value), value]) for value in _in_order([value for _, value in tally])), (None, len(given) - users)]


def _in_order(values: List[Any]) -> List[Any]:
    """Numbers, and what is of one kind, in increasing order, else by kind and text: the same for the same users in any order."""
    try:
        if len({type(value) for value in values}) == 1 or all(isinstance(value, numbers.Real) for value in values):
            return sorted(values)
    except TypeError:
        pass
    return sorted(values, key=lambda value: (type(value).__name__, str(value)))
