"""Functions of this process as methods of a run: the program asks, and forked workers answer, so that lambdas, closures and
what a notebook defines need not be pickled.

The program starts a small Python (CONNECT) once for each of its threads, as it starts any command (docs/compare.md).
That sends its pipes here over a socket; a worker is forked, which answers on them until the program closes them.
"""

import contextlib
import functools
import hashlib
import inspect
import io
import math
import os
import pickle
import secrets
import signal
import socket
import socketserver
import sys
import tempfile
import threading
import time
import traceback
import types
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple

import numpy

from ._arguments import shown
from .arrays import Estimate
from .errors import BadInput, Error
from .protocol import Protocol
from .registry import ALGORITHMS, ORACLES, value_of
from .serving import Question, arguments_asked, serve_cells, serve_oracle

Function = Callable[[numpy.ndarray, Question, int], Any]

TIMEOUT = 600.0  # seconds for an answer

# Sends the pipes of a process to this one, and lives as long as the worker here, which closes the socket.
CONNECT = "exec(" + repr("""import os, socket, sys
to = socket.socket(socket.AF_UNIX)
try:
    to.connect(os.environ.get("LDPBENCH_FUNCTIONS", ""))
    socket.send_fds(to, [sys.argv[1].encode()], [0, 1, 2])
except OSError:
    print("error this is a function of a Python process that has ended: run it again by ldpbench.run or compare")
    sys.exit(2)
os.close(0)
os.close(1)
while to.recv(1):
    pass
""") + ")"


def is_method(value: Any) -> bool:
    """Whether a value is a method of yours: a function, or an object with ``fit``. A class is neither."""
    return not isinstance(value, type) and (callable(value) or callable(getattr(value, "fit", None)))


def label_of(method: Any) -> str:
    """The name of a function or a class; of an object that of its class."""
    name = getattr(method, "__name__", None) or type(method).__name__
    return "mine" if name == "<lambda>" else str(name)


def _own(oracle: str, values: Mapping[str, Any]) -> Dict[str, Any]:
    """Parameters of a question as a protocol takes them: choices by name, those of an oracle inside (``row_oracle.g``) with it."""
    algorithm = ALGORITHMS[ORACLES].get(oracle)
    if algorithm is None:
        return {}
    made = {row.name: value_of(row.kind, row.choices, values[row.name]) for row in algorithm.parameters if row.name in values}
    if algorithm.inner and algorithm.inner in values:
        inner, start = values[algorithm.inner], f"{algorithm.inner}."
        more = _own(inner, {name[len(start):]: value for name, value in values.items() if name.startswith(start)})
        made[algorithm.inner] = {"name": inner, **more}
    return made


def _protocol(question: Question) -> Any:
    """The protocol of a question; of an oracle from outside what the question says, which has p, q, s1, tf and sigma as well."""
    try:
        return Protocol(question.oracle, question.d, question.epsilon, **_own(question.oracle, question.parameters))
    except BadInput:
        return types.SimpleNamespace(**{**vars(question), "sigma": lambda n, est=None: math.sqrt(question.s1 / n)})


@functools.lru_cache(maxsize=1)
def _asked(question: Question) -> Tuple[Any, Optional[numpy.ndarray]]:
    """The protocol of a question, and the variances of absent values where the estimates know them."""
    made = _protocol(question)
    observes = isinstance(made, Protocol) and made._number("observes")
    return made, numpy.broadcast_to(question.s1, question.d) if observes else None


def adapted(method: Any) -> Function:
    """A method as a function of estimate, question and seed. It is called with as many of (est, protocol, n) as it takes."""
    call = method if callable(method) else method.fit
    count = arguments_asked(call)
    if count > 3 or count < 1:
        raise BadInput(f"{label_of(method)}: expected a function of est, or of est, protocol and n, got one of {count} arguments")
    fits, draws = not callable(method), numpy.random.seed

    def function(est: numpy.ndarray, question: Question, seed: int) -> Any:
        draws(seed & 0xFFFFFFFF)  # what it draws is the same in every run
        more: Tuple[Any, ...] = ()
        if count > 1:
            protocol, s1 = _asked(question)
            if s1 is not None:
                known = est.view(Estimate)
                known._s1 = s1
                est = known
            more = (protocol, question.n)[:count - 1]
        made = call(est, *more)
        if fits and (made is None or made is method):
            made = getattr(method, "frequencies_", None)
            if made is None:
                raise BadInput(f"{label_of(method)}: expected fit to return frequencies, or to set frequencies_")
        return made

    return function


class _Identity(pickle.Pickler):
    """A digest of the pickle of a value, in which functions and classes are what decides what they compute: code, what they hold, and
    what they use; those of installed packages are their name and version."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256(f"{sys.version_info[:2]} {numpy.__version__}".encode())
        self._seen: Set[int] = set()
        super().__init__(self, 4)

    def write(self, data: Any) -> int:
        self.digest.update(data)
        return len(data)

    def reducer_override(self, obj: Any) -> Any:
        if inspect.ismodule(obj):
            return repr, ((obj.__name__, getattr(obj, "__version__", "")),)
        if isinstance(obj, types.CodeType):
            constants = [sorted(map(repr, one)) if isinstance(one, frozenset) else one for one in obj.co_consts]
            return repr, ((obj.co_name, obj.co_code, obj.co_names, obj.co_varnames, constants),)
        if not isinstance(obj, (types.FunctionType, type)):
            return NotImplemented
        top = (obj.__module__ or "").partition(".")[0]
        version = getattr(sys.modules.get(top), "__version__", "")
        if id(obj) in self._seen or (top != "__main__" and (version or top in getattr(sys, "stdlib_module_names", ()))):
            return repr, (f"{obj.__module__}.{obj.__qualname__} {version}",)
        self._seen.add(id(obj))
        return repr, (_parts(obj),)


def _parts(value: Any) -> Any:
    """What a function or a class is made of, without lines and file names."""
    if isinstance(value, types.FunctionType):
        used = {name: value.__globals__[name] for name in sorted(_names(value.__code__)) if name in value.__globals__}
        return value.__code__, value.__defaults__, value.__kwdefaults__, [cell.cell_contents for cell in value.__closure__ or ()], used
    held = {name: getattr(one, "__func__", one) for name, one in sorted(vars(value).items())}
    return value.__mro__[1:], {name: one for name, one in held.items() if isinstance(one, types.FunctionType) or (
        isinstance(one, (int, float, str, bool, tuple)) and not name.startswith("__"))}


def _names(code: types.CodeType) -> Set[str]:
    """Global names in a function and in those inside it."""
    return set(code.co_names).union(*(_names(one) for one in code.co_consts if isinstance(one, types.CodeType)))


def identity(method: Any) -> bytes:
    """Bytes that change where what a method computes may have changed; random ones where that cannot be told."""
    made = _Identity()
    try:
        made.dump(method)
    except Exception:  # pylint: disable=broad-except  # what cannot be pickled, or an empty cell of a closure
        return secrets.token_hex(32).encode()
    return made.digest.hexdigest().encode()


class Functions(socketserver.ThreadingUnixStreamServer):
    """Serves methods and oracles while a run lasts: ``with Functions(folder) as functions``."""

    request_queue_size = 128

    def __init__(self, folder: str):
        self._folder = folder
        self._serve: Dict[str, Callable[..., None]] = {}
        self.entries: List[Dict[str, Any]] = []
        # A path of a socket has at most 107 bytes: this folder's name is short whatever TMPDIR is.
        self._own = tempfile.TemporaryDirectory(prefix="ldp-", dir="/tmp" if os.path.isdir("/tmp") else None)
        super().__init__(os.path.join(self._own.name, "s"), socketserver.BaseRequestHandler)
        # Python by its name, found on PATH: neither where it is nor its bytes decide what a function computes.
        path = [os.path.dirname(sys.executable)] if sys.executable else []
        self.environment = {"LDPBENCH_FUNCTIONS": str(self.server_address),
                            "PATH": os.pathsep.join([*path, os.environ.get("PATH", os.defpath)])}
        self._traces = os.path.join(self._own.name, "trace")

    def add(self, what: str, own: Any, label: str) -> Dict[str, Any]:
        """The entry of a config's ``methods`` or ``oracles`` that stands for your own."""
        if label in self._serve:
            raise BadInput(f'{what}: expected different names, got "{label}" twice; a pair (name, function) names one')
        if not label or any(ord(c) < 32 or 0xd800 <= ord(c) < 0xe000 for c in label):
            raise BadInput(f"{what}: expected a name on one line, got {shown(label)}")
        serve = functools.partial(serve_cells, adapted(own)) if what == "methods" else functools.partial(serve_oracle, own)
        if not self._serve:
            threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        self._serve[label] = serve
        file = f"function{len(self.entries)}"
        Path(self._folder, file).write_bytes(label.encode() + b"\n" + identity(own))
        self.entries.append({"name": "external", "label": label, "command": ["python3", "-I", "-S", "-c", CONNECT, label],
                             "timeout": TIMEOUT, "files": [file]})
        return self.entries[-1]

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._serve:
            self.shutdown()
        self.server_close()
        said = Path(self._traces).read_text(encoding="utf-8") if os.path.exists(self._traces) else ""
        self._own.cleanup()
        if isinstance(error, Error):
            text = str(error)
            for entry in self.entries:  # of a command nobody wrote
                text = text.replace(" ".join(f"'{x}'" if set(x) & set(" \t\"'") else x for x in entry["command"]) + " ", "")
            raise type(error)(text) from (RuntimeError("\n" + said) if said else None)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """In a thread of its own: forks a worker for a command, and lasts as long as both."""
        label, descriptors, _, _ = socket.recv_fds(request, 4096, 3)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)  # of fork with other threads
                pid = os.fork() if len(descriptors) == 3 else -1
            if pid == 0:
                self._work(label.decode(), descriptors, request)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        if pid > 0:
            _wait(request, pid)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A command that ended at once: the program says so."""

    def _work(self, label: str, descriptors: List[int], connection: socket.socket) -> None:
        """The forked worker; it does not return."""
        status = 1
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # the program is interrupted, which ends the pipes
            self.socket.close()
            sys.stdout = sys.stderr = io.TextIOWrapper(os.fdopen(os.dup(descriptors[2]), "wb", 0), write_through=True)
            for own, descriptor in enumerate(descriptors):
                os.dup2(descriptors[2] if own == 1 else descriptor, own)
            with open(descriptors[0], "rb", buffering=1 << 16) as source, open(descriptors[1], "wb", buffering=1 << 16) as sink:
                self._serve[label](source=source, sink=sink)
            status = 0
        except BrokenPipeError:
            pass
        except Exception:  # pylint: disable=broad-except
            with open(self._traces, "a", encoding="utf-8") as file:
                if file.tell() == 0:
                    file.write(traceback.format_exc())
        finally:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            finally:
                os._exit(status)


def _wait(connection: socket.socket, pid: int) -> None:
    """Ends a worker when its command has ended: the program kills that where an answer takes too long."""
    with contextlib.suppress(OSError):
        connection.recv(1)
    with contextlib.suppress(ProcessLookupError, ChildProcessError):
        for _ in range(500):  # one that failed is writing down where
            if os.waitpid(pid, os.WNOHANG)[0]:
                return
            time.sleep(0.001)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _is_named(one: Any, is_own: Callable[[Any], bool]) -> bool:
    return isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], str) and is_own(one[1])


def listed(given: Any, is_own: Callable[[Any], bool]) -> List[Any]:
    """A list of names, dicts and your own, from such a list or one of them; a pair (name, own), or a dict of them, names it."""
    if isinstance(given, Mapping) and "name" not in given:
        return [(label, one) if is_own(one) else one for label, one in given.items()]
    return list(given) if not _is_named(given, is_own) and (isinstance(given, (list, tuple)) or hasattr(given, "tolist")) else [given]


def take(given: Any, is_own: Callable[[Any], bool], add: Callable[[Any, str], Any]) -> Any:
    """A config's list with what ``add`` makes of your own, and of its label, in its place."""
    if isinstance(given, str) or not (isinstance(given, (list, tuple)) or is_own(given)):
        return given
    return [add(one[1], one[0]) if _is_named(one, is_own) else add(one, label_of(one)) if is_own(one) else one
            for one in listed(given, is_own)]
