"""Serves your own method or oracle to ``ldpbench run``: the process behind ``{"name": "external", "command": [...]}``."""

import functools
import inspect
import os
import re
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Callable, Dict, Optional, Tuple

import numpy

GREETING = b"ldpbench 2\n"
_USERS_PER_BLOCK = 1 << 22  # times values; reports of a block are in memory at once
_VARIES = re.compile(rb" (seed|question)=(\S+)")  # the words of a request in which those of a cell differ


@dataclass(eq=False)
class Question:
    """The information that a method gets in addition to the estimate.

    The variance of the estimate of f is (s1 + tf f) / n, and ``sigma`` is its root at f = 0. ``seed`` differs from question to
    question and is the same in every run. Of ``parameters`` ``row_oracle`` is the name of an oracle inside, ``row_oracle.g`` its own.
    """

    d: int
    n: int
    seed: int
    oracle: str
    epsilon: float
    p: float
    q: float
    s1: float
    tf: float
    sigma: float
    parameters: Dict[str, Any]


def _question(fields: Dict[str, str]) -> Question:
    """The question of a cell, without its seed."""
    parameters: Dict[str, Any] = {}
    for key, value in fields.items():
        if key[:7] == "oracle.":
            try:
                parameters[key[7:]] = float(value)
            except ValueError:  # the name of an oracle inside
                parameters[key[7:]] = value
    return Question(int(fields["d"]), int(fields["n"]), 0, fields["oracle"], parameters=parameters,
                    **{key: float(fields[key]) for key in ("epsilon", "p", "q", "s1", "tf", "sigma")})


_Answer = Tuple[bytes, numpy.ndarray]
_NUMBERS = numpy.dtype("<f8")


def _converse(word: str, cell_of: Callable[[Dict[str, str]], Any], answer: Callable[[Any, int, numpy.ndarray], _Answer],
              source: Optional[BinaryIO], sink: Optional[BinaryIO]) -> None:
    """Answers requests that begin with a word, until there are no more: line and numbers in, line and numbers out. What they ask
    for, but for the seed, is made once for all that follow each other and are of one cell."""
    read = source or os.fdopen(os.dup(0), "rb")
    write = sink or os.fdopen(os.dup(1), "wb")
    if sink is None:  # printed output must not mix with the answers
        os.dup2(2, 1)
    write.write(GREETING)
    write.flush()
    if read.readline() != GREETING:
        raise SystemExit("expected to be started by ldpbench run")
    known, cell, size = b"", None, 0
    while True:
        line = read.readline()
        if not line:
            return
        try:
            parts = _VARIES.split(line)
            own, rest = dict(zip(parts[1::3], parts[2::3])), b"".join(parts[::3])
            if rest != known:
                asked, *words = rest.decode().split()
                if asked != word:
                    raise ValueError(f'expected a request "{word}", got "{asked}": a method is served by serve, an oracle by serve_oracle')
                fields = dict(one.split("=", 1) for one in words)
                known, cell, size = rest, cell_of(fields), 8 * int(fields["d"])
            given = numpy.frombuffer(bytearray(read.read(size)), _NUMBERS)
            first, numbers = answer(cell, int(own[b"seed"]), given)
            first += b" question=" + own[b"question"]
        except Exception as error:  # pylint: disable=broad-except
            message = f"error {type(error).__name__}: {error}".replace("\n", " ")[:1500] + "\n"
            write.write(message.encode(errors="backslashreplace"))
            write.flush()
            raise
        write.write(first + b"\n" + numbers.tobytes())
        write.flush()


def arguments_asked(function: Callable[..., Any]) -> int:
    """How many arguments a function has to be given by their place; 3 where it takes any number, 1 where that is not known."""
    try:
        given = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a built-in function without a signature
        return 1
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in given):
        return 3
    return len([parameter for parameter in given if parameter.default is parameter.empty and parameter.kind in (0, 1)])


def serve(function: Callable[..., Any], *, source: Optional[BinaryIO] = None, sink: Optional[BinaryIO] = None) -> None:
    """Answers the program's questions with a function until there are no more: your own method.

    function : ``function(est)`` or ``function(est, question)``; est is ``[d]``, unbiased frequencies, the result ``[d]`` numbers,
        question a :class:`Question`. What it prints goes to standard error; the text of an exception becomes the program's message.
    """
    if arguments_asked(function) > 1:
        serve_cells(lambda est, question, seed: function(est, replace(question, seed=seed)), source, sink)
    else:
        serve_cells(lambda est, question, seed: function(est), source, sink)


def serve_cells(function: Callable[[numpy.ndarray, Question, int], Any], source: Optional[BinaryIO], sink: Optional[BinaryIO]) -> None:
    """The same with a function of est, of one question for all of a cell, whose seed is 0, and of the seed."""

    def answer(question: Question, seed: int, est: numpy.ndarray) -> _Answer:
        out = numpy.asarray(function(est, question, seed), dtype=_NUMBERS).ravel()
        return b"%d" % len(out), out

    _converse("estimate", _question, answer, source, sink)


def _collect(oracle: Any, counts: numpy.ndarray, rng: numpy.random.Generator) -> numpy.ndarray:
    """The support of one collection."""
    if hasattr(oracle, "collect"):
        return numpy.asarray(oracle.collect(counts, rng), dtype="<f8").ravel()
    d, total = len(counts), numpy.zeros(0)
    ends = numpy.cumsum(counts)
    for first in range(0, int(ends[-1]), max(1, _USERS_PER_BLOCK // d)):
        users = numpy.arange(first, min(first + max(1, _USERS_PER_BLOCK // d), int(ends[-1])))
        values = numpy.searchsorted(ends, users, side="right")
        support = numpy.asarray(oracle.support(oracle.client(values, rng)), dtype="<f8").ravel()
        total = total + support if len(total) else support
    return total


def serve_oracle(oracle: Callable[[int, float], Any], *, source: Optional[BinaryIO] = None, sink: Optional[BinaryIO] = None) -> None:
    """Collects for the program until there are no more requests: your own frequency oracle.

    oracle : a class, or a function that returns an object, called as ``oracle(d, epsilon)``, once for each d and epsilon. It has

        ``client(values, rng)`` : the reports, in any form, of users who have ``values`` (integers ``[m]``, each below d), and
            ``support(reports)`` : how many of these support each value, ``[d]``; supports of blocks of users are added. Or
            ``collect(counts, rng)`` : the support ``[d]`` of a whole collection from users with ``counts[d]``.
        ``p, q`` : the probability that a report supports the user's own value, another value. Or ``estimate(support, n)`` :
            frequencies ``[d]``, with ``s1`` and ``tf`` (default 0): the variance of the estimate of f is (s1 + tf f) / n.

    rng is a ``numpy.random.Generator``, seeded by the program. Printed output and exceptions are as in :func:`serve`.
    """
    made = functools.lru_cache(maxsize=None)(oracle)

    def answer(mine: Any, seed: int, given: numpy.ndarray) -> _Answer:
        counts = given.astype(numpy.int64)
        out = _collect(mine, counts, numpy.random.default_rng(seed))
        if hasattr(mine, "estimate"):
            out = numpy.asarray(mine.estimate(out, int(counts.sum())), dtype="<f8").ravel()
            return f"estimate {len(out)} s1={float(mine.s1)!r} tf={float(getattr(mine, 'tf', 0))!r}".encode(), out
        return f"support {len(out)} p={float(mine.p)!r} q={float(mine.q)!r}".encode(), out

    _converse("collect", lambda fields: made(int(fields["d"]), float(fields["epsilon"])), answer, source, sink)
