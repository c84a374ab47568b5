"""One oracle at one (d, epsilon): clients, server, estimates, simulation; and post-processing."""

import ctypes
import functools
import math
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple, Union

import numpy

from . import _html
from ._arguments import number, shown, text as text_of, whole
from ._library import Handle, call, got, library
from .arrays import Estimate, Support, checked as _checked
from .errors import BadInput
from .registry import INTERVALS, METHODS, ORACLES, Choice, named, value_of

_USERS_PER_PART = 1 << 16  # that share one random stream; results do not depend on the number of threads


def _address(array: Optional[numpy.ndarray], start: int = 0) -> Optional[int]:
    return None if array is None else array[start:].ctypes.data


def _rows(array: Any, what: str, size: int) -> numpy.ndarray:
    """Numbers ``[..., size]``, contiguous."""
    given = _checked(array, numpy.float64, what)
    if given.ndim == 0 or given.shape[-1] != size:
        raise BadInput(f"{what}: expected {size} numbers in the last dimension, got {list(given.shape)}")
    return given


def _seed(seed: int, what: str = "seed") -> int:
    return whole(seed, what, 0, 2**64 - 1, "2^64 - 1")


def _users(n: Any) -> int:
    if n is None:
        raise BadInput("n: expected the number of reports, as these supports do not know it")
    return whole(n, "n", 1, 2**53, "2^53")


def _in_parts(work: Callable[[int, int], None], total: int, least: int, threads: Optional[int]) -> None:
    """Calls work(start, stop) for parts of 0 .. total-1 in several threads; lengths of parts are multiples of `least`."""
    if threads is not None:
        threads = whole(threads, "threads", 0, 4096)
    parts = max(1, -(-total // least))
    workers = 1 if parts == 1 else min(threads or os.cpu_count() or 1, parts)
    if workers <= 1:
        work(0, total)
        return
    size = max(least, -(-total // (4 * workers * least)) * least)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda start: work(start, min(start + size, total)), range(0, total, size)))


class Protocol:
    """A frequency oracle for d values at a privacy budget: the parameters shared by its clients and its server.

    oracle : name of an oracle, see :func:`oracles`. d : number of values, at least 2: 0 .. d-1. epsilon : > 0, in nats.
    public_seed : what clients and server share (hash functions of ``flh``, placements of ``hr`` and ``pgr``); new in every collection.
    parameters : of the oracle, by name, as in a config (``g=4``); omitted ones have their default.

    Has p, q : probability that a report supports the user's own value, another value.
    s1, tf : the variance of the estimate of f is (s1 + tf f) / n. For a sketch, s1 leaves out the collisions, which
        depend on the collection: :meth:`estimate` measures them.
    support_size : length of a support, d for most oracles. report_words : 64-bit words of a report in an array of reports.
    """

    def __init__(self, oracle: str, d: int, epsilon: float, *, public_seed: int = 0, **parameters: Any):
        choice = Choice(ORACLES, oracle, parameters)
        d, epsilon = whole(d, "d", 2, 2**32 - 1), number(epsilon, "epsilon")
        self.public_seed = _seed(public_seed, "public_seed")
        self._handle = Handle("protocol_new", choice.handle, d, epsilon, self.public_seed, what=f"oracle {oracle}")
        self._choice = choice
        self._given = parameters
        self.oracle: str = oracle
        self.d = d
        self.epsilon = epsilon
        self.p, self.q, self.s1, self.tf = (self._number(name) for name in ("p", "q", "s1", "tf"))
        self.support_size, self.report_words = (int(self._number(name)) for name in ("support_size", "report_words"))
        self._needs_observation = self._number("observes") == 2

    def __reduce__(self) -> Any:
        """Copies and other processes make a protocol of their own: the handle belongs to this object."""
        return functools.partial(type(self), self.oracle, self.d, self.epsilon, public_seed=self.public_seed, **self._given), ()

    def __repr__(self) -> str:
        return f"Protocol({self.oracle!r}, d={self.d}, epsilon={self.epsilon:g})"

    def _repr_html_(self) -> str:
        cost = {name.replace("_", " "): value for name, value in self.cost.items() if not math.isnan(value)}
        return _html.pairs({"oracle": self.oracle if self.runs == self.oracle else f"{self.oracle}: {self.runs}", "d": self.d,
                            "epsilon": self.epsilon, "p": self.p, "q": self.q, "n times the variance at f = 0": self.s1,
                            **self.parameters, **cost})

    def _number(self, name: str) -> float:
        return got("protocol_number", self._handle, name.encode())

    def has(self, word: str) -> bool:
        """Whether a property of the oracle, as changed by parameters, holds: ``"biased"``, ``"uneven"`` .. (ldpbench.h)."""
        return got("protocol_has", self._handle, text_of(word, "word").encode())

    @property
    def runs(self) -> str:
        """The oracle that is actually used: ``adaptive`` chooses another one by d and epsilon."""
        return got("protocol_text", self._handle, b"oracle").decode()

    @property
    def parameters(self) -> Dict[str, Any]:
        """The oracle's parameters, derived defaults filled in."""
        return {row.name: value_of(row.kind, row.choices, got("protocol_parameter", self._handle, row.name.encode()))
                for row in self._choice.algorithm.parameters}

    @property
    def cost(self) -> Dict[str, float]:
        """``report_bits`` of a report, ``report_operations`` of the server for it, ``collection_operations`` at the end; NaN: unknown."""
        return {name: self._number(name) for name in ("report_bits", "report_operations", "collection_operations")}

    def sigma(self, n: int, est: Any = None) -> Any:
        """Standard deviation, as a frequency, of the estimate of a value with zero frequency: sqrt(s1 / n).

        est : for a sketch, what :meth:`estimate` returned, ``[..., d]``: s1 is what was observed, and the result ``[...]``.
        """
        users, s1 = _users(n), self._observed(est) if self._number("observes") else None
        if s1 is None and self._needs_observation:
            raise BadInput(self._unobserved)
        return math.sqrt(self.s1 / users) if s1 is None else numpy.sqrt(numpy.abs(s1) / users)

    def central(self, n: int, delta: float) -> Tuple[float, float]:
        """Lower and upper value of the central epsilon of n reports that are shuffled, at delta."""
        lower, upper = ctypes.c_double(), ctypes.c_double()
        call("protocol_central", self._handle, _users(n), number(delta, "delta"), ctypes.byref(lower), ctypes.byref(upper),
             what="central")
        return lower.value, upper.value

    def attack(self, prior: Any = None, *, reports: int = 4096, seed: int = 1) -> Dict[str, float]:
        """How often the best guess of a value from one report is right (``success``), and without a report (``guess``).

        prior : frequencies ``[d]`` of sum 1, None: all equal. reports : simulated ones, where the distribution of reports has no closed
        form. ``advantage`` is (success - guess) / (1 - guess), ``error`` the standard error of ``success``, 0: exact.
        """
        given, found = _rows([1 / self.d] * self.d if prior is None else prior, "prior", self.d), numpy.empty(4)
        call("protocol_attack", self._handle, _address(given), whole(reports, "reports", 16, 2**40), _seed(seed), _address(found),
             what="attack")
        return dict(zip(("success", "guess", "advantage", "error"), map(float, found)))

    @property
    def _unobserved(self) -> str:
        return f"est: expected what Protocol.estimate returned: the noise of {self.runs} depends on the collection"

    def _observed(self, est: Any, s1: Any = None) -> Optional[numpy.ndarray]:
        """The s1 of each row, as given or observed, below 0 where intervals cannot be had (amp that has not converged); None: not known."""
        if s1 is None:
            found = getattr(est, "_s1", None)
            return None if found is None or est.ndim == 0 else numpy.ascontiguousarray(found[..., 0])
        given = _checked(s1, numpy.float64, "s1").reshape(numpy.shape(s1))
        rows = numpy.shape(est)[:-1]
        try:
            given = numpy.ascontiguousarray(numpy.broadcast_to(given, rows)).reshape(rows)
        except ValueError:
            raise BadInput(f"s1: expected one number, or one for each estimate {list(rows)}, got {list(given.shape)}") from None
        if not (numpy.isfinite(given) & (given >= 0)).all():
            raise BadInput("s1: expected finite numbers >= 0")
        return given

    def variance(self, counts: Any) -> numpy.ndarray:
        """Exact variances ``[d]`` of the estimated frequencies if the true counts are ``counts[d]``."""
        true = self._counts(counts)
        out = numpy.empty(self.d)
        call("protocol_variance", self._handle, _address(true), _address(out))
        return out

    def client(self, values: Any, seed: Optional[int] = None, *, threads: Optional[int] = None) -> numpy.ndarray:
        """The reports of users who have ``values``.

        values : integers ``[m]``, each from 0 to d-1; uint32 is taken without a copy. Returns uint64 ``[m, report_words]``.
        seed : of all users' coins: the same reports for any number of threads, and no protection. None: all random bits are the
            system's (docs/deployment.md).
        """
        held = _checked(values, numpy.uint32, "values")
        if held.ndim != 1:
            raise BadInput(f"values: expected an array of one dimension, got {held.ndim}")
        seed = None if seed is None else _seed(seed)
        out = numpy.empty((len(held), self.report_words), numpy.uint64)

        def work(start: int, stop: int) -> None:
            for first in range(start, stop, _USERS_PER_PART):
                last = min(first + _USERS_PER_PART, stop)
                source, stream = library.ldpbench_system_source(), None
                if seed is not None:
                    stream = Handle("stream_new", seed, b"client", first // _USERS_PER_PART)
                    source = got("stream_source", stream)
                call("client", self._handle, source, _address(held[first:last]), last - first, _address(out[first:last]),
                     what=f"oracle {self.oracle}")

        _in_parts(work, len(held), _USERS_PER_PART, threads)
        return out

    def server(self, reports: Any) -> Support:
        """Counts reports: uint64 ``[m, report_words]`` (no copy) to a support ``[support_size]`` of ``n`` = m."""
        given = _checked(reports, numpy.uint64, "reports")
        if given.ndim == 1 and self.report_words == 1:
            given = given.reshape(-1, 1)
        if given.ndim != 2 or given.shape[1] != self.report_words:
            raise BadInput(f"reports: expected an array of shape [m, {self.report_words}], got {list(given.shape)}")
        if len(given) == 0:
            raise BadInput("reports: expected at least one")
        out = numpy.empty(self.support_size).view(Support)
        what = f"oracle {self.oracle}"
        aggregate = Handle("aggregate_new", self._handle, what=what)
        call("aggregate_add", aggregate, _address(given), len(given), what=what)
        call("aggregate_support", aggregate, _address(out), what=what)
        out.n = len(given)
        return out

    def _supports(self, support: Any, n: int) -> numpy.ndarray:
        """Supports ``[..., support_size]`` of n reports; those that are not known to be are checked."""
        given = _rows(support, "support", self.support_size)
        rows = given.reshape(-1, self.support_size)
        for row, one in enumerate(rows if getattr(support, "n", None) != n else rows[:0]):
            place, z, unlikely, refused = ctypes.c_uint64(), ctypes.c_double(), ctypes.c_bool(), None
            try:
                call("support_check", self._handle, n, _address(one), ctypes.byref(place), ctypes.byref(z), ctypes.byref(unlikely))
            except BadInput as error:
                refused = error
            where = [row] * (len(rows) > 1) + [place.value] * (place.value < self.support_size)
            if refused:
                raise BadInput(f"support{where or ''}: {refused}")
            if unlikely.value:
                warnings.warn(f"support{where}: {one[place.value]:.15g} is hardly possible, z = {z.value:.1f}: expected "
                              f"about {n * self.q:.6g} or more; are oracle, epsilon and n right?", stacklevel=3)
        return given

    def estimate(self, support: Any, n: Optional[int] = None) -> numpy.ndarray:
        """Supports ``[..., support_size]`` of n reports each to unbiased frequencies ``[..., d]``, which may be negative;
        after a sketch an :class:`Estimate`, which knows how noisy it is.

        n may be omitted if the support comes from :meth:`server` or :meth:`simulate`. Of other supports one that is impossible
        for n reports is refused, and one that is improbably low causes a warning.
        """
        users = _users(getattr(support, "n", None) if n is None else n)
        given = self._supports(support, users)
        rows = given.size // self.support_size
        out = numpy.empty((rows, self.d))
        collection = Handle("collection_new", self._handle, users, _address(given), rows)
        call("collection_estimate", collection, _address(out))
        shape = given.shape[:-1] + (self.d,)
        if not self._number("observes"):
            return out.reshape(shape)
        s1, trials = numpy.empty(rows), numpy.empty((rows, self.d))
        call("collection_observed", collection, _address(s1), _address(trials))
        estimate = out.view(Estimate)
        estimate._s1 = numpy.broadcast_to(s1[:, None], out.shape)
        estimate._trials = trials if trials.min(initial=0) >= 0 else None
        return estimate.reshape(shape)

    def _counts(self, counts: Any) -> numpy.ndarray:
        given = _checked(counts, numpy.uint64, "counts")
        if given.shape != (self.d,):
            raise BadInput(f"counts: expected {self.d} of them, got an array of shape {list(given.shape)}")
        return given

    def simulate(self, counts: Any, repetitions: int = 1, seed: int = 0, mode: str = "counts", *, key: str = "",
                 first: int = 0, threads: Optional[int] = None) -> Support:
        """Supports ``[repetitions, support_size]`` with n, of collections from users whose true counts are ``counts[d]``.

        repetitions : repetition r has its own random stream, from (seed, key, first + r), for any number of threads.
        mode : ``"counts"`` draws supports from their exact joint distribution without visiting users, ``"reports"`` runs every client.
        key : a text that separates the streams of experiments. With that of a cell (``run --dry-run --verbose``) and its config's
            seed these are the collections of ``ldpbench run``; of a sketch without what only its server uses (``decode``, ``debias``).
        """
        if not isinstance(mode, str) or mode not in ("counts", "reports"):
            raise BadInput(f"mode: expected counts or reports, got {shown(mode)}")
        repetitions, first = whole(repetitions, "repetitions", 0, 2**53, "2^53"), whole(first, "first", 0, 2**63, "2^63")
        stream = os.fsencode(text_of(key, "key"))
        true, seed = self._counts(counts), _seed(seed)
        simulation = Handle("simulation_new", self._handle, _address(true), mode.encode(), what=f"oracle {self.oracle}")
        out = numpy.empty((repetitions, self.support_size)).view(Support)
        out.n = int(true.sum())

        def work(start: int, stop: int) -> None:
            call("simulation_run", simulation, seed, stream, first + start, stop - start, _address(out[start:stop]))

        _in_parts(work, repetitions, 1, threads)
        return out


class _Given:
    """Estimates ``[..., d]`` of n users each, all of them finite, with what is known of their noise. Supports are refused: a method
    would take them for frequencies and answer without a word."""

    def __init__(self, est: Any, protocol: Protocol, n: int, s1: Any = None, support: Any = None):
        self.n = _users(n)
        if not isinstance(protocol, Protocol):
            raise BadInput(f"protocol: expected a Protocol, got {type(protocol).__name__}")
        if isinstance(est, Support):
            raise BadInput("est: expected estimates, got supports; Protocol.estimate makes estimates of them")
        self.protocol = protocol
        self.est = _rows(est, "est", protocol.d)
        self.flat = self.est.reshape(-1, protocol.d)
        self.noise = protocol._observed(est, s1)
        self._refuse_supports()
        trials = getattr(est, "_trials", None)  # the reports of each value's block
        known = trials is not None and trials.shape == self.est.shape
        self.trials = numpy.ascontiguousarray(trials).reshape(-1, protocol.d) if known else None
        self.support = None
        if support is not None:
            given, expected = protocol._supports(support, self.n), (*self.est.shape[:-1], protocol.support_size)
            if given.shape != expected:
                raise BadInput(f"support: expected an array of shape {list(expected)}, got {list(given.shape)}")
            self.support = given.reshape(-1, protocol.support_size)

    def _refuse_supports(self) -> None:
        largest = float(self.flat.max(initial=0))
        sigma = math.sqrt((self.protocol.s1 if self.noise is None else float(numpy.abs(self.noise).max(initial=0))) / self.n)
        if not largest > 1 + 10 * sigma:  # nor NaN, which the library refuses
            return
        rows = self.flat[self.flat.max(axis=1) > 1 + 10 * sigma]
        counts = ((rows >= 0) & (rows == numpy.floor(rows))).all(axis=1).any()
        if counts or largest > 1 + 50 * sigma + 2 * (1 - self.protocol.q) / (self.protocol.p - self.protocol.q):
            raise BadInput(f"est: expected estimates, which are frequencies, got {largest:.6g}, which looks like a support; "
                           "Protocol.estimate makes estimates of supports")

    def collection(self, start: int = 0, stop: Optional[int] = None, what: str = "") -> Handle:
        """The collections of the rows from start on, with what they know of their law."""
        noise = None if self.noise is None else numpy.ascontiguousarray(self.noise.ravel()[start:stop])
        flat = self.flat[start:stop]
        return Handle("collection_of_estimates", self.protocol._handle, self.n, _address(flat), _address(self.support, start),
                      _address(noise), _address(self.trials, start), len(flat), what=what)


# A method with its defaults, made once, as making it takes longer than the method on a thousand values.
_method = functools.lru_cache(maxsize=None)(lambda name: Choice(METHODS, name, {}))


def postprocess(est: Any, method: Union[str, Mapping[str, Any]], protocol: Protocol, n: int, *,
                s1: Any = None, support: Any = None, threads: Optional[int] = None, **parameters: Any) -> numpy.ndarray:
    """Applies a method to estimates.

    est : frequencies ``[..., d]`` of n users, each row a separate estimate. Returns frequencies ``[..., d]``.
    method : name of a method, see :func:`methods`, or a mapping with ``name`` and parameters, as in a config.
    s1 : n times the variance of the estimate of a value with zero frequency, one number or one for each estimate. Default:
        what was observed, if est is an :class:`Estimate`, else the protocol's; after a sketch one of the two is needed.
    support : the supports ``[..., support_size]`` of which est was made, for methods that fit them (of ``sw`` and of trees).
    """
    name, more = named(method, "method")
    parameters = {**more, **parameters}
    choice = Choice(METHODS, name, parameters) if parameters or not isinstance(name, str) else _method(name)
    given = _Given(est, protocol, n, s1, support)
    if given.noise is None and protocol._needs_observation:
        raise BadInput(protocol._unobserved + ", or s1")
    out, what = numpy.empty(given.flat.shape), f"method {name}"

    def work(start: int, stop: int) -> None:
        call("collection_method", given.collection(start, stop, what), choice.handle, _address(out, start), what=what)

    _in_parts(work, len(out), 1, threads)
    return out.reshape(given.est.shape)


def intervals(est: Any, protocol: Protocol, n: int, level: float = 0.95, kind: str = "score", *,
              k: Optional[int] = None) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Intervals of the frequencies among the n users: ``low`` and ``high``, each ``[..., d]``, in [0, 1].

    est : unprocessed estimates, as :meth:`Protocol.estimate` returns them: they know the reports of each block (``hr``, ``rhr``,
        ``pgr``) and what shared hash functions add (``flh``).
    kind : ``"score"``: each value by itself; ``"exact"``: by the exact distribution of its count, for small counts; ``"mid_p"``: that
        at about the level; ``"power_split"``, ``"npmle_split"``: shorter for rare values by a fitted prior; ``"bonferroni"``: all
        values at once; ``"selected"`` (false coverage rate) and ``"conditional"``: the ``k`` values with the largest estimates
        (default 10), NaN for the others; ``"power_credible"``, ``"npmle_credible"``: posterior intervals (studies/intervals.md).
    """
    given = _Given(est, protocol, n)
    low, high = numpy.empty(given.est.shape), numpy.empty(given.est.shape)
    choice = Choice(INTERVALS, kind, {})
    if k is not None and choice.algorithm.parameters:
        choice.set("k", k)
    call("collection_interval", given.collection(), choice.handle, number(level, "level"), _address(low), _address(high))
    return low, high


def set_intervals(est: Any, sets: Sequence[Any], protocol: Protocol, n: int, level: float = 0.95, *,
                  support: Any = None) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Intervals of the total frequencies of sets of values: ``low`` and ``high``, each ``[..., len(sets)]``, in [0, 1].

    est : unprocessed estimates ``[..., d]``. An oracle whose covariances are not known is refused.
    sets : each an array of values below d, all different; fixed before looking at the data.
    support : the supports ``[..., support_size]`` of which est was made: the intervals of ``sw`` are found from them.
    """
    given = _Given(est, protocol, n, support=support)
    if not getattr(sets, "ndim", isinstance(sets, (list, tuple))):
        raise BadInput(f"sets: expected a list of arrays, got {type(sets).__name__}")
    members = [_checked(one, numpy.uint32, f"sets[{i}]").ravel() for i, one in enumerate(sets)]
    for i, one in enumerate(members):
        if one.size == 0 or one.max() >= protocol.d or len(numpy.unique(one)) != one.size:
            raise BadInput(f"sets[{i}]: expected different values from 0 to {protocol.d - 1}, at least one")
    member = numpy.concatenate(members) if members else numpy.zeros(0, numpy.uint32)
    first = numpy.cumsum([0] + [one.size for one in members]).astype(numpy.uint64)
    shape = given.est.shape[:-1] + (len(members),)
    low, high = numpy.empty(shape), numpy.empty(shape)
    call("collection_set_interval", given.collection(), number(level, "level"), _address(member), _address(first), len(members),
         _address(low), _address(high))
    return low, high
