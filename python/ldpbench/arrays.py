"""Arrays with something that the result of arithmetic, a plain array, has not: supports and estimates."""

from typing import Any, Callable, Optional

import numpy


class _Attached(numpy.ndarray):
    """An array with something that the result of arithmetic, a plain array, has not."""

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

    n: Optional[int] = None

    def __array_finalize__(self, other: Any) -> None:
        self.n = getattr(other, "n", None)

    def __reduce__(self) -> Any:
        made, arguments, state, *_ = tuple(super().__reduce__())
        return made, arguments, (state, self.n)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self.n = state[1]


class Estimate(_Attached):
    """Estimates ``[..., d]`` of a protocol whose law depends on the collection (sketches, blocks, shared hash functions),
    with what was observed of it.

    Rows, copies and reshaped arrays keep theirs; the result of arithmetic is a plain array, for which the mean law is used,
    and for which ``postprocess`` after a sketch requires s1.
    """

    _s1: Optional[numpy.ndarray] = None  # of each number
    _trials: Optional[numpy.ndarray] = None  # of each number: the reports of its value's block

    @property
    def s1(self) -> Optional[numpy.ndarray]:
        """n times the variance of the estimate of a value with zero frequency, ``[...]``, the mean over values; None: not
        known."""
        return None if self._s1 is None or self.ndim == 0 else numpy.abs(self._s1[..., 0])

    def _with(self, observed: "Estimate", change: Callable[[numpy.ndarray], numpy.ndarray]) -> "Estimate":
        self._s1 = None if observed._s1 is None else change(observed._s1)
        self._trials = None if observed._trials is None else change(observed._trials)
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

    def __copy__(self) -> Any:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        made, arguments, state, *_ = tuple(super().__reduce__())
        return made, arguments, (state, self._s1, self._trials)

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state[0])
        self._s1, self._trials = state[1:]
