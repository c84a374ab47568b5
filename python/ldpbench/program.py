"""Finds and runs the program."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple, Union

from ._arguments import text
from .errors import BadInput, Error, MachineError

PathLike = Union[str, "os.PathLike[str]"]

HERE = Path(__file__).resolve().parent


def program() -> str:
    """The path of the program: the environment variable LDPBENCH, otherwise the build next to the package, the program
    inside the package, or the one on PATH."""
    named = os.environ.get("LDPBENCH")
    if named:
        return named
    for place in (HERE.parents[1] / "build" / "release" / "ldpbench", HERE / "native" / "program" / "bin" / "ldpbench"):
        if os.access(place, os.X_OK):
            return str(place)
    found = shutil.which("ldpbench")
    if not found:
        raise MachineError("expected the program ldpbench, found none; run make python, or set LDPBENCH to its path")
    return found


def main() -> None:
    """The command ``ldpbench`` of an environment in which the package is installed: the program itself."""
    os.execv(program(), ["ldpbench", *sys.argv[1:]])


def include() -> str:
    """The folder of ldpbench.h, for programs in C: ``cc -I FOLDER mine.c -o mine -lldpbench``."""
    for place in (HERE.parents[1] / "core", HERE / "native" / "include"):
        if (place / "ldpbench.h").is_file():
            return str(place)
    raise MachineError("expected ldpbench.h in the package, found none; run make python")


def configs() -> Dict[str, str]:
    """The configs that come with the program, those of the papers' figures among them: their paths by name."""
    for place in (HERE.parents[1] / "configs", HERE / "native" / "configs"):
        if place.is_dir():
            return {path.stem: str(path) for path in sorted(place.glob("*.json")) if path.stem != "schema"}
    raise MachineError("expected configs in the package, found none; run make python")


def call(arguments: Sequence[str], *, also: Iterable[int] = (), environment: Optional[Mapping[str, str]] = None) -> \
        Tuple[int, str]:
    """Runs the program: its exit status and standard output. A failure is an exception with the program's message,
    except for the exit statuses in ``also``."""
    for option, word in zip(arguments, arguments[1:]):
        text(word, option[2:] or arguments[0] if option.startswith("--") else "output" if option == "-o" else arguments[0])
    try:
        done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, check=False)
    except OSError as error:
        raise MachineError(f"{program()}: {error.strerror}") from None
    if done.returncode == 0 or done.returncode in also:
        return done.returncode, done.stdout.decode()
    said = re.sub(r"^ldpbench: ", "", done.stderr.decode(errors="replace").strip(), flags=re.M)
    said = said or f"ldpbench {arguments[0]} ended with status {done.returncode}"
    raise {2: BadInput, 3: MachineError}.get(done.returncode, Error)(said)


def path_of(value: Any, what: str, expected: str) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise BadInput(f"{what}: expected {expected}, got {type(value).__name__}")
    return os.fspath(value)
