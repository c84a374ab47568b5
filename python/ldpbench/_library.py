"""Finds libldpbench.so and calls its functions (core/api/ldpbench.h)."""

import ctypes
import os
from ctypes import c_bool, c_char_p, c_double, c_size_t, c_void_p
from pathlib import Path
from typing import Any, Dict

from .errors import BadInput, MachineError

VERSION = 1  # LDPBENCH_VERSION_MAJOR
NAME = "libldpbench.so"
SONAME = f"{NAME}.{VERSION}"

HERE = Path(__file__).resolve().parent


class _Failure(ctypes.Structure):
    """struct ldpbench_error"""

    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 252)]


# What functions with a result other than a handle return, as their last argument.
_RESULTS: Dict[str, Any] = {
    **dict.fromkeys(("registry_count", "parameter_count"), c_size_t),
    **dict.fromkeys(("registry_name", "registry_text", "parameter_text", "parameter_choice", "protocol_text"), c_char_p),
    **dict.fromkeys(("parameter_number", "spec_local", "protocol_number", "protocol_parameter"), c_double),
    "protocol_has": c_bool,
}


def _load() -> ctypes.CDLL:
    """The library that is named, of the tree that this package is in, of the package, of the system."""
    named = os.environ.get("LDPBENCH_LIBRARY")
    places = [named] if named else [str(HERE.parents[1] / "build" / "release" / NAME), str(HERE / "native" / NAME), SONAME,
                                    f"/usr/local/lib/{SONAME}"]
    for place in places:
        try:
            library = ctypes.CDLL(place)
        except OSError:
            continue
        library.ldpbench_system_source.restype = c_void_p
        library.ldpbench_version.restype = c_char_p
        found = library.ldpbench_version().decode()
        if int(found.split(".")[0]) != VERSION:
            raise MachineError(f"{place}: expected version {VERSION} of the library, got {found}")
        return library
    raise MachineError(f"expected the library {SONAME}, found none at {', '.join(places)}; run make python, or set "
                       "LDPBENCH_LIBRARY to its path")


library = _load()


def call(function: str, *arguments: Any, what: str = "") -> None:
    """Calls a function that returns a status; raises its error, after `what`. Its arguments are doubles and words of 64 bits: numbers,
    addresses, bytes, handles."""
    failure, entry = _Failure(), getattr(library, f"ldpbench_{function}")
    if entry.argtypes is None:
        entry.argtypes = [c_double if isinstance(one, float) else c_void_p for one in (*arguments, None)]
    status = entry(*arguments, ctypes.byref(failure))
    if status == 0:
        return
    text = failure.text.decode(errors="replace")
    if status == 3:
        raise MachineError(text)
    raise BadInput(f"{what}: {text}" if what else text)


def got(function: str, *arguments: Any, what: str = "") -> Any:
    """The same for a function whose last argument gets one result: a number, a truth value, bytes of a text."""
    out = _RESULTS.get(function, c_void_p)()
    call(function, *arguments, ctypes.byref(out), what=what)
    return out.value


class Handle:
    """What a function has made, freed with this object; passed to other functions as it is."""

    def __init__(self, function: str, *arguments: Any, what: str = ""):
        self._free = getattr(library, f"ldpbench_{function.split('_', maxsplit=1)[0]}_free")
        self._as_parameter_ = None
        self._as_parameter_ = got(function, *arguments, what=what)

    def __del__(self) -> None:
        if self._as_parameter_:
            self._free(c_void_p(self._as_parameter_))
