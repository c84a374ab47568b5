"""Finds libldpbench.so and declares its functions (core/ldpbench_binding.h)."""

import ctypes
import os
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path
from typing import Iterator

from .errors import BadInput, Error, MachineError

SONAME = "libldpbench.so.0"
VERSION = 4  # LDP_BINDING_VERSION
REASON = 160  # LDP_BINDING_REASON

HERE = Path(__file__).resolve().parent

_SIGNATURES = {
    "ldp_binding_version": (c_uint, []),
    "ldp_registry_text": (c_char_p, [c_int, c_size_t, c_int]),
    "ldp_registry_flags": (c_uint, [c_int, c_size_t]),
    "ldp_registry_param": (c_char_p, [c_int, c_size_t, c_size_t, c_bool]),
    "ldp_registry_param_numbers": (c_bool, [c_int, c_size_t, c_size_t, POINTER(c_double)]),
    "ldp_registry_param_choice": (c_char_p, [c_int, c_size_t, c_size_t, c_size_t]),
    "ldp_choice_new": (c_void_p, [c_int, c_char_p]),
    "ldp_choice_free": (None, [c_void_p]),
    "ldp_choice_set": (c_int, [c_void_p, c_char_p, c_double, c_char_p]),
    "ldp_choice_nest": (c_int, [c_void_p, c_void_p, c_char_p]),
    "ldp_handle_new": (c_int, [c_void_p, c_size_t, c_double, c_char_p, POINTER(c_void_p)]),
    "ldp_handle_free": (None, [c_void_p]),
    "ldp_handle_oracle": (c_char_p, [c_void_p]),
    "ldp_handle_number": (c_bool, [c_void_p, c_char_p, POINTER(c_double)]),
    "ldp_handle_param": (c_bool, [c_void_p, c_char_p, POINTER(c_double)]),
    "ldp_handle_attack": (c_int, [c_void_p, c_void_p, c_uint64, c_uint64, c_void_p, c_char_p]),
    "ldp_handle_central": (c_int, [c_void_p, c_uint64, c_double, c_void_p, c_char_p]),
    "ldp_choice_local": (c_int, [c_void_p, c_size_t, c_uint64, c_double, c_double, c_double, POINTER(c_double), c_char_p]),
    "ldp_handle_client": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t, c_uint64, c_char_p, c_uint64, c_void_p,
                                  c_char_p]),
    "ldp_handle_server": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p, c_char_p]),
    "ldp_handle_check": (c_int, [c_void_p, c_uint64, c_void_p, POINTER(c_uint64), POINTER(c_double), POINTER(c_bool),
                                 c_char_p]),
    "ldp_handle_estimate": (c_int, [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "ldp_handle_variance": (c_int, [c_void_p, c_void_p, c_void_p]),
    "ldp_largest_of": (c_double, [c_void_p, c_size_t]),
    "ldp_handle_postprocess": (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
                                       c_void_p, c_char_p]),
    "ldp_handle_interval": (c_int, [c_void_p, c_char_p, c_double, c_double, c_uint64, c_void_p, c_void_p, c_void_p, c_size_t,
                                    c_void_p, c_void_p, c_char_p]),
    "ldp_handle_set_interval": (c_int, [c_void_p, c_double, c_uint64, c_void_p, c_void_p, c_void_p, c_void_p, c_size_t,
                                        c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_char_p]),
    "ldp_simulator_new": (c_int, [c_void_p, c_void_p, c_int, c_char_p, POINTER(c_void_p)]),
    "ldp_simulator_free": (None, [c_void_p]),
    "ldp_simulator_run": (c_int, [c_void_p, c_uint64, c_char_p, c_uint64, c_size_t, c_void_p]),
    "ldp_optimum": (c_double, [c_size_t, c_double]),
}


def _places() -> Iterator[str]:
    """Paths at which the library is searched, in this order; the last is left to the system's loader."""
    named = os.environ.get("LDPBENCH_LIBRARY")
    if named:
        yield named
        return
    yield str(HERE.parents[1] / "build" / "release" / SONAME)  # of the tree that this package is in
    yield str(HERE / "native" / SONAME)
    yield SONAME
    yield f"/usr/local/lib/{SONAME}"


def _load() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            library = ctypes.CDLL(place)
        except OSError:
            tried.append(place)
            continue
        for name, (result, arguments) in _SIGNATURES.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise MachineError(f"{place}: expected the function {name}, which this library lacks") from None
            function.restype = result
            function.argtypes = arguments
        found = library.ldp_binding_version()
        if found != VERSION:
            raise MachineError(f"{place}: expected version {VERSION} of the interface, got {found}")
        return library
    raise MachineError(f"expected the library {SONAME}, found none at {', '.join(tried)}; run make python, or set "
                       "LDPBENCH_LIBRARY to its path")


library = _load()


_Reason = ctypes.c_char * REASON


def reason() -> ctypes.Array:
    """A buffer for the reason of a failure."""
    return _Reason()


def check(status: int, text: ctypes.Array, what: str = "") -> None:
    """Raises the exception for a status."""
    if status == 0:
        return
    if status == 2:
        raise MachineError("out of memory")
    said = text.value.decode() or "an argument is out of range"
    raise BadInput(f"{what}: {said}" if what else said)


__all__ = ["BadInput", "Error", "library", "reason", "check"]
