"""Finds and runs the program."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ._arguments import text
from .answers import cell_text
from .errors import BadInput, Error, MachineError

if TYPE_CHECKING:
    import pandas

PathLike = Union[str, "os.PathLike[str]"]

_PROGRESS = re.compile(rb"\r([^\r\n]*)\x1b\[K")  # a line of progress

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


def _places(tree: str, packed: str, installed: str) -> Iterator[Path]:
    """Where the program's files may be: in the sources, in the package, where `make install` or a system's package put it."""
    yield HERE.parents[1] / tree
    yield HERE / "native" / packed
    yield Path(program()).resolve().parents[1] / installed


def include() -> str:
    """The folder of ldpbench.h, for programs in C: ``cc -I FOLDER mine.c -o mine -lldpbench``."""
    for place in _places("core/api", "include", "include"):
        if (place / "ldpbench.h").is_file():
            return str(place)
    raise MachineError("expected ldpbench.h in the package, found none; run make python")


def configs() -> Dict[str, str]:
    """The configs that come with the program, those of the papers' figures among them: their paths by name."""
    for place in _places("configs", "configs", "share/ldpbench/configs"):
        if place.is_dir():
            return {path.stem: str(path) for path in sorted(place.glob("*.json")) if path.stem != "schema"}
    raise MachineError("expected configs in the package, found none; run make python")


def call(arguments: Sequence[str], *, also: Iterable[int] = (), environment: Optional[Mapping[str, str]] = None) -> str:
    """Runs the program: its standard output. A failure is an exception with the program's message, except for the exit
    statuses in ``also``."""
    for option, word in zip(arguments, arguments[1:]):
        text(word, option[2:] or arguments[0] if option.startswith("--") else arguments[0])
    command, given = [program(), *arguments], {**os.environ, **(environment or {})}
    try:
        if arguments[0] in ("run", "advise") and _watched():
            status, out, err = _show(command, given)
        else:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=given, check=False)
            status, out, err = done.returncode, done.stdout, done.stderr
    except OSError as error:
        raise MachineError(f"{program()}: {error.strerror}") from None
    if status == 0 or status in also:
        return out.decode()
    said = re.sub(r"^ldpbench: ", "", err.decode(errors="replace").strip(), flags=re.M)
    said = said or f"ldpbench {arguments[0]} ended with status {status}"
    raise {2: BadInput, 3: MachineError}.get(status, Error)(said)


def _watched() -> bool:
    """Whether somebody sees what is written to sys.stderr: a terminal, or a notebook, which rewrites a line after a return."""
    return sys.stderr is not None and (sys.stderr.isatty() or type(sys.stderr).__module__.startswith("ipykernel"))


def _show(command: Sequence[str], environment: Mapping[str, str]) -> Tuple[int, bytes, bytes]:
    """Runs the program with a terminal of its own as its standard error: its line of progress is passed on, the rest returned."""
    ours, its = os.openpty()
    with tempfile.TemporaryFile() as out:
        try:
            running = subprocess.Popen([word for word in command if word != "--quiet"], stdin=subprocess.DEVNULL, stdout=out, stderr=its,
                                       env={**environment})
        finally:
            os.close(its)
        said, width = b"", 0
        try:
            while True:
                try:
                    said += os.read(ours, 4096)
                except OSError:  # the program has ended
                    break
                for line in _PROGRESS.findall(said):
                    text = line.decode(errors="replace")
                    sys.stderr.write(f"\r{text:{width}}")
                    width = len(text)
                said = _PROGRESS.sub(b"", said)
                sys.stderr.flush()
        except BaseException:
            running.terminate()
            raise
        finally:
            os.close(ours)
            status = running.wait()
            sys.stderr.write("\r" + " " * width + "\r")
        out.seek(0)
        return status, out.read(), said.replace(b"\r\n", b"\n")


def options_of(words: Mapping[str, Any]) -> List[str]:
    """The program's options; a list repeats one, None and False are none."""
    given: List[str] = []
    for name, word in words.items():
        word = word.tolist() if isinstance(word, numpy.ndarray) else word
        for one in word if isinstance(word, (list, tuple)) else [] if word is None or word is False else [word]:
            given += [f"--{name.replace('_', '-')}"] + ([] if one is True else [cell_text(one)])
    return given


def said(command: str, options: Mapping[str, Any], *operands: str, also: Iterable[int] = (),
         environment: Optional[Mapping[str, str]] = None) -> Any:
    """What a command says, by its document in JSON."""
    return json.loads(call([command, *options_of({**options, "format": "json"}), "--", *operands], also=also, environment=environment))


def frame(rows: Any, columns: Any = None) -> "pandas.DataFrame":
    """A data frame; pandas is imported by the first."""
    import pandas

    return pandas.DataFrame(rows, columns=columns)


def path_of(value: Any, what: str, expected: str = "a path") -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise BadInput(f"{what}: expected {expected}, got {type(value).__name__}")
    return os.fspath(value)
