"""The implemented oracles, methods and queries, with their parameters."""

import difflib
import math
from typing import TYPE_CHECKING, Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy

from ._arguments import number as number_of, shown, text as text_of
from ._library import Handle, call, got
from .errors import BadInput
from .program import frame

if TYPE_CHECKING:
    import pandas

ORACLES, METHODS, QUERIES, INTERVALS = "oracle", "method", "query", "interval"


class Parameter(NamedTuple):
    """A parameter of an oracle, a method or a query.

    ``default`` is None if it is derived; ``choices`` are the names of a choice, or the only numbers that suit an integer.
    """

    name: str
    kind: str
    default: Any
    minimum: float
    maximum: float
    choices: Tuple[str, ...]
    help: str


class Algorithm(NamedTuple):
    """A row of a registry. ``inner`` is the key of an oracle inside, or None."""

    name: str
    title: str
    source: str
    inner: Optional[str]
    parameters: Tuple[Parameter, ...]


def value_of(kind: str, choices: Sequence[str], number: float) -> Any:
    """What a parameter's number means."""
    if kind == "real" or math.isnan(number):
        return number
    return choices[int(number)] if kind == "choice" else bool(number) if kind == "flag" else int(number)


def _parameter(registry: bytes, name: bytes, j: int) -> Parameter:
    def text(field: bytes) -> str:
        return got("parameter_text", registry, name, j, field).decode()

    def number(field: bytes) -> float:
        return got("parameter_number", registry, name, j, field)

    kind, value = text(b"kind"), number(b"default")
    choices = tuple(got("parameter_choice", registry, name, j, c).decode() for c in range(int(number(b"choices"))))
    default = None if math.isnan(value) else value_of(kind, choices, value)  # NaN: derived, or by the data of a config
    return Parameter(text(b"name"), kind, default, number(b"least"), number(b"largest"), choices, text(b"help"))


def _algorithms(registry: str) -> Dict[str, Algorithm]:
    found: Dict[str, Algorithm] = {}
    kind = registry.encode()
    for i in range(got("registry_count", kind)):
        name = got("registry_name", kind, i)
        title, source, inner = (got("registry_text", kind, name, field).decode() for field in (b"title", b"source", b"inner"))
        found[name.decode()] = Algorithm(name.decode(), title, source, inner or None, tuple(
            _parameter(kind, name, j) for j in range(got("parameter_count", kind, name))))
    return found


ALGORITHMS = {registry: _algorithms(registry) for registry in (ORACLES, METHODS, QUERIES, INTERVALS)}


def table_of(registry: str) -> "pandas.DataFrame":
    rows = [(row.name, row.title, row.source, ", ".join(parameter.name for parameter in row.parameters))
            for row in ALGORITHMS[registry].values()]
    return frame(rows, columns=["name", "title", "source", "parameters"]).set_index("name")


def methods() -> "pandas.DataFrame":
    """The post-processing methods: index ``name``, columns ``title``, ``source``, ``parameters`` (names)."""
    return table_of(METHODS)


def queries() -> "pandas.DataFrame":
    """The queries of experiments, in the same form."""
    return table_of(QUERIES)


def parameters(name: str) -> "pandas.DataFrame":
    """The parameters of an oracle or a method: name, kind, default (None: derived), minimum, maximum, choices, help."""
    found = ALGORITHMS[ORACLES].get(text_of(name, "name")) or ALGORITHMS[METHODS].get(name)
    if found is None:
        raise BadInput(f'expected an oracle or a method, got "{name}"')
    return frame(found.parameters, columns=Parameter._fields)


def named(value: Any, what: str) -> Tuple[Any, Dict[str, Any]]:
    """An algorithm as in a config: its name and its parameters."""
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, Mapping) or "name" not in value:
        raise BadInput(f'{what}: expected a name, or a mapping with "name", got {shown(value)}')
    return value["name"], {key: item for key, item in value.items() if key != "name"}


class Choice:
    """An algorithm with its parameters, in the form of the C library."""

    def __init__(self, registry: str, name: str, given: Mapping[str, Any]):
        what = f"{'an' if registry[0] in 'oi' else 'a'} {registry}"
        known = ALGORITHMS[registry]
        if not isinstance(name, str):
            raise BadInput(f"expected the name of {what}, got {shown(name)}")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise BadInput(f'expected {what}, got "{name}"' + (f', did you mean "{near[0]}"?' if near else ""))
        self.algorithm = known[name]
        self.inner: Optional[Choice] = None
        self.handle = Handle("spec_new", registry.encode(), name.encode())
        for key, value in given.items():
            if value is None:
                continue
            if key == self.algorithm.inner:
                self.inner = Choice(registry, *named(value, f"{name}: {key}"))
                call("spec_nest", self.handle, self.inner.handle, what=name)
            else:
                self.set(key, value)

    def set(self, key: str, value: Any) -> None:
        row = next((row for row in self.algorithm.parameters if row.name == key), None)
        if row is not None and row.choices:
            if str(value) not in row.choices:
                listed = " or ".join(row.choices) if len(row.choices) < 12 else f"{row.choices[0]}, {row.choices[1]}, .."
                raise BadInput(f'{self.algorithm.name}: {key}: expected {listed}, got "{value}"')
            if row.kind == "choice":
                call("spec_choose", self.handle, key.encode(), str(value).encode(), what=self.algorithm.name)
                return
            value = int(value)
        flag = isinstance(value, (bool, numpy.bool_))
        number = float(value) if flag else number_of(value, f"{self.algorithm.name}: {key}")
        call("spec_set", self.handle, key.encode(), number, what=self.algorithm.name)
