"""Arrays with something that the result of arithmetic, a plain array, has not: supports and estimates."""

from typing import Any, Callable, Optional, Tuple

import numpy

from .errors import BadInput


def checked(array: Any, dtype: Any, what: str) -> numpy.ndarray:
    """Converts to a C-contiguous array of that type; returns the array itself, without a copy, if it already is one."""
    try:
        given = numpy.asarray(array)
    except (TypeError, ValueError):  # rows of different lengths, for example
        raise BadInput(f"{what}: expected an array of numbers, got {type(array).__name__}") from None
    if given.dtype != dtype:
        wanted = numpy.dtype(dtype)
        if wanted.kind == "u":
            if given.dtype.kind not in "iub" and not (given.dtype.kind == "f" and (given == numpy.floor(given)).all()):
                raise BadInput(f"{what}: expected integers, got an array of {given.dtype}")
            least, largest = (given.min(), given.max()) if given.size else (0, 0)
            if not (least >= 0 and largest < numpy.inf and int(largest) <= numpy.iinfo(wanted).max):
                raise BadInput(f"{what}: expected integers from 0 to {numpy.iinfo(wanted).max}")
        elif given.dtype.kind not in "iubf":
            raise BadInput(f"{what}: expected numbers, got an array of {given.dtype}")
    return numpy.ascontiguousarray(given, dtype=dtype)


class _Attached(numpy.ndarray):
    """An array with something that the result of arithmetic, a plain array, has not."""

    _kept: Tuple[str, ...] = ()  # the names of that

    def __reduce__(self) -> Any:
        made, arguments, state, *_ = tuple(super().__reduce__())
        return made, arguments, (state, [getattr(self, name) for name in self._kept])

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        for name, value in zip(self._kept, state[1]):
            setattr(self, name, value)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        def plain(x: Any) -> Any:
            return x.view(numpy.ndarray) if isinstance(x, _Attached) else x

        if out is not None:
            options["out"] = tuple(plain(x) for x in out)
        return getattr(ufunc, method)(*(plain(x) for x in inputs), **options)


class Support(_Attached):
    """An array of supports with its number of reports, ``n``: ``[..., support_size]`` float64.

    Slices and reshaped views keep ``n``; the result of arithmetic is a plain array, for which ``estimate`` requires n.
    """

    _kept = ("n",)
    n: Optional[int] = None

    def __array_finalize__(self, other: Any) -> None:
        self.n = getattr(other, "n", None)


class Estimate(_Attached):
    """Estimates ``[..., d]`` of a protocol whose distribution depends on the collection (sketches, blocks, shared hash functions),
    with what was observed of it.

    Rows, copies and reshaped arrays keep theirs; the result of arithmetic is a plain array, for which the mean distribution is used,
    and for which ``postprocess`` after a sketch requires s1.
    """

    _kept = ("_s1", "_trials")
    _s1: Optional[numpy.ndarray] = None  # of each number
    _trials: Optional[numpy.ndarray] = None  # of each number: the reports of its value's block, or its s1 (flh)

    @property
    def s1(self) -> Optional[numpy.ndarray]:
        """n times the variance of the estimate of a value with zero frequency, ``[...]``, the mean over values; None: not known."""
        return None if self._s1 is None or self.ndim == 0 else numpy.abs(self._s1[..., 0])

    def _with(self, observed: "Estimate", change: Callable[[numpy.ndarray], numpy.ndarray]) -> "Estimate":
        for name in self._kept:
            known = getattr(observed, name)
            setattr(self, name, None if known is None else change(known))
        return self

    def __getitem__(self, key: Any) -> Any:
        made = super().__getitem__(key)
        return made._with(self, lambda x: x[key]) if isinstance(made, Estimate) else made

    def reshape(self, *shape: Any, **options: Any) -> Any:
        made: Any = super().reshape(*shape, **options)
        return made._with(self, lambda x: x.reshape(*shape, **options))

    def copy(self, order: Any = "C") -> Any:
        made: Any = super().copy(order)
        return made._with(self, lambda x: x)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()
