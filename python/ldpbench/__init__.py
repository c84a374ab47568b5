"""Frequency estimation under local differential privacy.

Oracles and post-processing run in the C library (arrays are passed without copies, the interpreter's lock is released);
experiments, advice and checks run in the program ``ldpbench``, and its tables are returned as data frames.

>>> import ldpbench
>>> protocol = ldpbench.Protocol("olh", d=4, epsilon=1)
>>> support = protocol.simulate([400, 300, 200, 100], repetitions=3, seed=1)
>>> est = protocol.estimate(support)
>>> ldpbench.postprocess(est, "norm_sub", protocol, n=1000).sum(axis=1).round(6).tolist()
[1.0, 1.0, 1.0]
"""

from typing import Any

from ._arguments import number, whole
from ._library import got as _got, library as _c
from .advice import Advice, Audit, Check, advise, audit, check, oracles
from .arrays import Estimate, Support
from .comparing import compare
from .errors import BadInput, Error, MachineError
from .program import configs, include, program
from .protocol import Protocol, intervals, postprocess, set_intervals
from .registry import ORACLES, Choice, methods, parameters, queries
from .results import Picture, Pictures, Results, results, run
from .scoring import Score, score
from .serving import Question, serve, serve_oracle

__version__ = _c.ldpbench_version().decode()

__all__ = [
    "Advice", "Audit", "BadInput", "Check", "Error", "Estimate", "MachineError", "Picture", "Pictures", "Protocol", "Question", "Results",
    "Score", "Support", "advise", "audit", "check", "compare", "configs", "include", "intervals", "local_epsilon", "methods", "oracles",
    "parameters", "postprocess", "program", "queries", "results", "run", "score", "serve", "serve_oracle", "set_intervals",
]


def local_epsilon(oracle: str, d: int, n: int, central: float, delta: float, *, most: float = 20, **parameters: Any) -> float:
    """The largest epsilon of clients, at most ``most``, whose n reports, shuffled, keep the central epsilon at delta.

    >>> local_epsilon("grr", d=1024, n=1000000, central=0.1, delta=1e-9) > local_epsilon("sue", d=1024, n=1000000, central=0.1, delta=1e-9)
    True
    """
    choice = Choice(ORACLES, oracle, parameters)
    d, n = whole(d, "d", 2, 2**32 - 1), whole(n, "n", 1, 2**53, "2^53")
    return _got("spec_local", choice.handle, d, n, number(central, "central"), number(delta, "delta"), number(most, "most"),
                what=f"oracle {oracle}")
