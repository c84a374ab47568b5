"""Arguments of one number: what is no number, or out of range, is a BadInput with one sentence."""

import contextlib
import math
import numbers
import os
from typing import Any, Iterable

import numpy

from .errors import BadInput


def _plain(value: Any) -> Any:
    """A NumPy number, or an array of no dimension, as a number of Python."""
    return value.item() if isinstance(value, numpy.generic) or (isinstance(value, numpy.ndarray) and value.ndim == 0) else value


def shown(value: Any) -> str:
    """The beginning of an argument in a message, on one line."""
    return " ".join(f"{value!r:.60}".split())


def number(value: Any, what: str) -> float:
    """A real number; texts and truth values are none."""
    if type(value) is float:  # by far the most common
        return value
    given = _plain(value)
    if isinstance(given, bool) or not isinstance(given, numbers.Real):
        raise BadInput(f"{what}: expected a number, got {shown(given)}")
    try:
        return float(given)
    except OverflowError:
        raise BadInput(f"{what}: expected a number, got one above the largest double") from None


def whole(value: Any, what: str, least: int, most: int, most_text: str = "") -> int:
    """A whole number from least to most; 3.0 is one."""
    if type(value) is int and least <= value <= most:  # by far the most common
        return value
    given = _plain(value)
    real = isinstance(given, numbers.Real) and not isinstance(given, bool)
    if not real or (not isinstance(given, numbers.Integral) and not (math.isfinite(given) and given == int(given))) or \
            not least <= given <= most:
        raise BadInput(f"{what}: expected an integer from {least} to {most_text or most}, got {shown(given)}")
    return int(given)


def text(value: Any, what: str) -> str:
    """A text without a null character, which would end it in C, and without surrogates that are no byte of a file name."""
    with contextlib.suppress(UnicodeEncodeError):
        if isinstance(value, str) and b"\0" not in os.fsencode(value):
            return value
    raise BadInput(f"{what}: expected a text, got {shown(value)}")


def write_lines(path: str, lines: Iterable[str], what: str) -> None:
    """Writes a file of text; what UTF-8 cannot hold, lone surrogates, is named."""
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    except UnicodeEncodeError as error:
        raise BadInput(f"{what}: expected text that UTF-8 can hold, got {shown(error.object.strip())}") from None
