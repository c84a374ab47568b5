"""Finds libldpbench.so and calls its functions (core/api/ldpbench.h)."""

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Dict, Iterator, List

from .errors import BadInput, Error, MachineError

VERSION = 1  # LDPBENCH_VERSION_MAJOR
NAME = "libldpbench.so"
SONAME = f"{NAME}.{VERSION}"

HERE = Path(__file__).resolve().parent


class _Failure(ctypes.Structure):
    """struct ldpbench_error"""

    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 252)]


_HANDLE, _TEXT, _NUMBER, _SIZE, _FLAG = (POINTER(kind) for kind in (c_void_p, c_char_p, c_double, c_size_t, c_bool))
_ARRAY = c_void_p

# Arguments of functions that return a status; the last one, of the error, is left out.
_SIGNATURES: Dict[str, List[Any]] = {
    "stream_new": [c_uint64, c_char_p, c_uint64, _HANDLE],
    "stream_source": [c_void_p, _HANDLE],
    "registry_count": [c_char_p, _SIZE],
    "registry_name": [c_char_p, c_size_t, _TEXT],
    "registry_text": [c_char_p, c_char_p, c_char_p, _TEXT],
    "registry_has": [c_char_p, c_char_p, c_char_p, _FLAG],
    "parameter_count": [c_char_p, c_char_p, _SIZE],
    "parameter_text": [c_char_p, c_char_p, c_size_t, c_char_p, _TEXT],
    "parameter_number": [c_char_p, c_char_p, c_size_t, c_char_p, _NUMBER],
    "parameter_choice": [c_char_p, c_char_p, c_size_t, c_size_t, _TEXT],
    "spec_new": [c_char_p, c_char_p, _HANDLE],
    "spec_set": [c_void_p, c_char_p, c_double],
    "spec_choose": [c_void_p, c_char_p, c_char_p],
    "spec_nest": [c_void_p, c_void_p],
    "spec_local": [c_void_p, c_size_t, c_uint64, c_double, c_double, c_double, _NUMBER],
    "protocol_new": [c_void_p, c_size_t, c_double, c_uint64, _HANDLE],
    "protocol_text": [c_void_p, c_char_p, _TEXT],
    "protocol_has": [c_void_p, c_char_p, _FLAG],
    "protocol_number": [c_void_p, c_char_p, _NUMBER],
    "protocol_parameter": [c_void_p, c_char_p, _NUMBER],
    "protocol_variance": [c_void_p, _ARRAY, _ARRAY],
    "protocol_central": [c_void_p, c_uint64, c_double, _NUMBER, _NUMBER],
    "protocol_attack": [c_void_p, _ARRAY, c_uint64, c_uint64, _ARRAY],
    "optimum": [c_size_t, c_double, _NUMBER],
    "client": [c_void_p, c_void_p, _ARRAY, c_size_t, _ARRAY],
    "aggregate_new": [c_void_p, _HANDLE],
    "aggregate_add": [c_void_p, _ARRAY, c_size_t],
    "aggregate_support": [c_void_p, _ARRAY],
    "collection_new": [c_void_p, c_uint64, _ARRAY, c_size_t, _HANDLE],
    "collection_of_estimates": [c_void_p, c_uint64, _ARRAY, _ARRAY, _ARRAY, _ARRAY, c_size_t, _HANDLE],
    "collection_estimate": [c_void_p, _ARRAY],
    "collection_observed": [c_void_p, _ARRAY, _ARRAY],
    "collection_method": [c_void_p, c_void_p, _ARRAY],
    "collection_interval": [c_void_p, c_void_p, c_double, _ARRAY, _ARRAY],
    "collection_set_interval": [c_void_p, c_double, _ARRAY, _ARRAY, c_size_t, _ARRAY, _ARRAY],
    "support_check": [c_void_p, c_uint64, _ARRAY, POINTER(c_uint64), _NUMBER, _FLAG],
    "simulation_new": [c_void_p, _ARRAY, c_char_p, _HANDLE],
    "simulation_run": [c_void_p, c_uint64, c_char_p, c_uint64, c_size_t, _ARRAY],
}
_KINDS = ("stream", "spec", "protocol", "aggregate", "collection", "simulation")


def _places() -> Iterator[str]:
    """Paths at which the library is searched, in this order; the last is left to the system's loader."""
    named = os.environ.get("LDPBENCH_LIBRARY")
    if named:
        yield named
        return
    yield str(HERE.parents[1] / "build" / "release" / NAME)  # of the tree that this package is in
    yield str(HERE / "native" / NAME)
    yield SONAME
    yield f"/usr/local/lib/{SONAME}"


def _declare(library: ctypes.CDLL) -> None:
    """Types of arguments; AttributeError if a function is missing."""
    for name, arguments in _SIGNATURES.items():
        function = getattr(library, f"ldpbench_{name}")
        function.restype = ctypes.c_int
        function.argtypes = [*arguments, POINTER(_Failure)]
    for kind in _KINDS:
        function = getattr(library, f"ldpbench_{kind}_free")
        function.restype = None
        function.argtypes = [c_void_p]
    library.ldpbench_system_source.restype = c_void_p
    library.ldpbench_version.restype = c_char_p


def _load() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError:
            tried.append(place)
            continue
        try:
            _declare(library)
        except AttributeError as error:
            raise MachineError(f"{place}: expected a function that this library lacks: {error}") from None
        found = library.ldpbench_version().decode()
        if int(found.split(".")[0]) != VERSION:
            raise MachineError(f"{place}: expected version {VERSION} of the library, got {found}")
        return library
    raise MachineError(f"expected the library {SONAME}, found none at {', '.join(tried)}; run make python, or set "
                       "LDPBENCH_LIBRARY to its path")


library = _load()


def call(function: str, *arguments: Any, what: str = "") -> None:
    """Calls a function that returns a status; raises its error, after `what`."""
    failure = _Failure()
    status = getattr(library, f"ldpbench_{function}")(*arguments, ctypes.byref(failure))
    if status == 0:
        return
    text = failure.text.decode(errors="replace")
    if status == 3:
        raise MachineError(text)
    raise BadInput(f"{what}: {text}" if what else text)


def got(function: str, *arguments: Any, what: str = "") -> Any:
    """The same for a function whose last argument gets one result: a number, a truth value, bytes of a text."""
    out = _SIGNATURES[function][-1]._type_()
    call(function, *arguments, ctypes.byref(out), what=what)
    return out.value


class Handle:
    """What a function has made, freed with this object; passed to other functions as it is."""

    def __init__(self, function: str, *arguments: Any, kind: str = "", what: str = ""):
        self._free = getattr(library, f"ldpbench_{kind or function.split('_', maxsplit=1)[0]}_free")
        self._as_parameter_ = None
        self._as_parameter_ = got(function, *arguments, what=what)

    def __del__(self) -> None:
        if getattr(self, "_as_parameter_", None):
            self._free(self._as_parameter_)
            self._as_parameter_ = None


__all__ = ["BadInput", "Error", "Handle", "call", "got", "library"]
