"""Serves your own method to ``ldpbench run``: the process behind ``{"name": "external", "command": [...]}``."""

import inspect
import os
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Dict, Optional

import numpy

GREETING = b"ldpbench 1\n"


@dataclass
class Question:
    """The information that a method gets in addition to the estimate.

    ``d`` values, ``n`` users, ``oracle`` and ``epsilon``; the variance of the estimate of f is (s1 + tf f) / n, and
    ``sigma`` is its root at f = 0. ``seed`` differs from question to question and is the same in every run;
    ``parameters`` are those of the oracle.
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
    parameters: Dict[str, float]


def _question(line: bytes) -> Question:
    fields = dict(word.split("=", 1) for word in line.decode().split()[1:])
    given: Dict[str, Any] = {key: float(value) for key, value in fields.items() if not key.startswith("oracle")}
    for key in ("d", "n", "seed"):
        given[key] = int(fields[key])
    parameters = {key[7:]: float(value) for key, value in fields.items() if key.startswith("oracle.")}
    return Question(oracle=fields["oracle"], parameters=parameters, **given)


def serve(function: Callable[..., Any], *, source: Optional[BinaryIO] = None, sink: Optional[BinaryIO] = None) -> None:
    """Answers the program's questions with a function until there are no more.

    function : ``function(est)`` or ``function(est, question)``; est is ``[d]``, unbiased frequencies, the result
        ``[d]`` numbers; question is a :class:`Question`. Its printed output goes to standard error, and the text of an
        exception becomes the program's message.
    """
    read = source or os.fdopen(os.dup(0), "rb")
    write = sink or os.fdopen(os.dup(1), "wb")
    if sink is None:  # printed output of the function must not get between the answers
        os.dup2(2, 1)
    asks = len([parameter for parameter in inspect.signature(function).parameters.values()
                if parameter.default is parameter.empty and parameter.kind in (0, 1)]) > 1
    write.write(GREETING)
    write.flush()
    if read.readline() != GREETING:
        raise SystemExit("expected to be started by ldpbench run")
    while True:
        line = read.readline()
        if not line:
            return
        question = _question(line)
        est = numpy.frombuffer(read.read(8 * question.d), "<f8").copy()
        try:
            answer = numpy.asarray(function(est, question) if asks else function(est), dtype="<f8").ravel()
        except Exception as error:  # pylint: disable=broad-except
            message = f"error {type(error).__name__}: {error}".replace("\n", " ")[:1500] + "\n"
            write.write(message.encode())
            write.flush()
            raise
        write.write(b"%d\n" % len(answer) + answer.tobytes())
        write.flush()

