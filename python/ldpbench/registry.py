"""The implemented oracles, methods and queries, with their parameters."""

import ctypes
import difflib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Tuple

import numpy

from ._arguments import number as number_of, shown, text as text_of
from ._library import check, library, reason
from .errors import BadInput, MachineError

if TYPE_CHECKING:
    import pandas

ORACLES, METHODS, QUERIES = range(3)
_NAME, _TITLE, _SOURCE, _INNER = range(4)
_REAL, _INTEGER, _FLAG, _CHOICE, _INTEGER_OR_AUTO = range(5)


@dataclass(frozen=True)
class Parameter:
    """A parameter of an oracle, a method or a query.

    ``default`` is None if it is derived from d and epsilon; ``choices`` are the names of a choice, or the only numbers that suit an integer.
    """

    name: str
    kind: str
    default: Any
    minimum: float
    maximum: float
    choices: Tuple[str, ...]
    help: str


@dataclass(frozen=True)
class Algorithm:
    """A row of a registry. ``flags`` are bits of the C header; ``inner`` is the key of an oracle inside, or None."""

    name: str
    title: str
    source: str
    flags: int
    inner: Optional[str]
    parameters: Tuple[Parameter, ...]


def _text(value: Optional[bytes]) -> str:
    return value.decode() if value is not None else ""


def _parameters(registry: int, i: int) -> Tuple[Parameter, ...]:
    rows: List[Parameter] = []
    while True:
        j = len(rows)
        name = library.ldp_registry_param(registry, i, j, False)
        if name is None:
            return tuple(rows)
        numbers = (ctypes.c_double * 4)()
        library.ldp_registry_param_numbers(registry, i, j, numbers)
        kind, default, least, largest = numbers
        kind = _INTEGER if kind == _INTEGER_OR_AUTO else kind  # auto needs the data of a config
        choices: List[str] = []
        while True:
            choice = library.ldp_registry_param_choice(registry, i, j, len(choices))
            if choice is None:
                break
            choices.append(choice.decode())
        value: Any = default
        if math.isnan(default):
            value = None
        elif kind == _INTEGER:
            value = int(default)
        elif kind == _FLAG:
            value = bool(default)
        elif kind == _CHOICE:
            value = choices[int(default)]
        rows.append(Parameter(name.decode(), ("real", "integer", "flag", "choice")[int(kind)], value, least, largest,
                              tuple(choices), _text(library.ldp_registry_param(registry, i, j, True))))


def _algorithms(registry: int) -> Dict[str, Algorithm]:
    found: Dict[str, Algorithm] = {}
    i = 0
    while True:
        name = library.ldp_registry_text(registry, i, _NAME)
        if name is None:
            return found
        inner = library.ldp_registry_text(registry, i, _INNER)
        found[name.decode()] = Algorithm(
            name.decode(), _text(library.ldp_registry_text(registry, i, _TITLE)),
            _text(library.ldp_registry_text(registry, i, _SOURCE)), library.ldp_registry_flags(registry, i),
            None if inner is None else inner.decode(), _parameters(registry, i))
        i += 1


ALGORITHMS = {registry: _algorithms(registry) for registry in (ORACLES, METHODS, QUERIES)}


def _table(registry: int) -> "pandas.DataFrame":
    import pandas

    rows = ALGORITHMS[registry].values()
    return pandas.DataFrame(
        {
            "title": [row.title for row in rows],
            "source": [row.source for row in rows],
            "parameters": [", ".join(parameter.name for parameter in row.parameters) for row in rows],
        },
        index=pandas.Index([row.name for row in rows], name="name"),
    )


def oracles() -> "pandas.DataFrame":
    """The frequency oracles: index ``name``, columns ``title``, ``source``, ``parameters`` (names)."""
    return _table(ORACLES)


def methods() -> "pandas.DataFrame":
    """The post-processing methods: index ``name``, columns ``title``, ``source``, ``parameters`` (names)."""
    return _table(METHODS)


def queries() -> "pandas.DataFrame":
    """The queries of experiments: index ``name``, columns ``title``, ``source``, ``parameters`` (names)."""
    return _table(QUERIES)


def parameters(name: str) -> "pandas.DataFrame":
    """The parameters of an oracle or a method: name, kind, default (None: derived), minimum, maximum, choices, help."""
    import pandas

    found = ALGORITHMS[ORACLES].get(text_of(name, "name")) or ALGORITHMS[METHODS].get(name)
    if found is None:
        raise BadInput(f'expected an oracle or a method, got "{name}"')
    return pandas.DataFrame([vars(parameter) for parameter in found.parameters],
                            columns=["name", "kind", "default", "minimum", "maximum", "choices", "help"])


class Choice:
    """An algorithm with its parameters, in the form of the C library."""

    def __init__(self, registry: int, name: str, given: Mapping[str, Any]):
        what = ("an oracle", "a method", "a query")[registry]
        known = ALGORITHMS[registry]
        self.handle: Optional[int] = None
        if not isinstance(name, str):
            raise BadInput(f"expected the name of {what}, got {shown(name)}")
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise BadInput(f'expected {what}, got "{name}"' + (f', did you mean "{near[0]}"?' if near else ""))
        self.algorithm = known[name]
        self.inner: Optional[Choice] = None
        self._made_of = (registry, name, dict(given))
        self.handle = library.ldp_choice_new(registry, name.encode())
        if not self.handle:
            raise MachineError("out of memory")
        for key, value in given.items():
            if value is None:
                continue
            if key == self.algorithm.inner:
                self._nest(registry, value)
            else:
                self._set(key, value)

    def _nest(self, registry: int, value: Any) -> None:
        if isinstance(value, str):
            value = {"name": value}
        if not isinstance(value, Mapping) or "name" not in value:
            raise BadInput(f'{self.algorithm.name}: {self.algorithm.inner}: expected a name, or a mapping with "name", got {shown(value)}')
        rest = {key: item for key, item in value.items() if key != "name"}
        self.inner = Choice(registry, value["name"], rest)
        text = reason()
        check(library.ldp_choice_nest(self.handle, self.inner.handle, text), text, self.algorithm.name)

    def _set(self, key: str, value: Any) -> None:
        row = next((row for row in self.algorithm.parameters if row.name == key), None)
        if row is not None and row.choices:
            if str(value) not in row.choices:
                listed = " or ".join(row.choices) if len(row.choices) < 12 else f"{row.choices[0]}, {row.choices[1]}, .."
                raise BadInput(f'{self.algorithm.name}: {key}: expected {listed}, got "{value}"')
            value = row.choices.index(str(value)) if row.kind == "choice" else int(value)
        flag = isinstance(value, (bool, numpy.bool_))
        number = float(value) if flag else number_of(value, f"{self.algorithm.name}: {key}")
        text = reason()
        check(library.ldp_choice_set(self.handle, key.encode(), number, text), text, self.algorithm.name)

    def __reduce__(self) -> Any:
        return Choice, self._made_of

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            library.ldp_choice_free(self.handle)
            self.handle = None
