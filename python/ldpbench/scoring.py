"""The rank of a method (oracle, search, synopsis) among all references: ``ldpbench score``."""

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

from . import _html, functions
from ._arguments import shown
from .errors import BadInput
from .program import PathLike, frame, path_of, said
from .results import plain

if TYPE_CHECKING:
    import pandas


@dataclass
class Score:
    """The result of ``ldpbench score``."""

    regret: float  # the geometric mean over settings of the error over the lowest error; of searches, which have scores, NaN
    low: float  # of regret, to high (95 %)
    high: float
    place: int  # by regret
    rank: float  # the mean over settings
    rank_low: float  # of rank, to rank_high (95 %)
    rank_high: float
    table: "pandas.DataFrame"  # all of the track, over all queries (query None) and by query
    said: Dict[str, Any] = field(repr=False)  # everything, as the program wrote it

    def __str__(self) -> str:
        return str(self.said["answer"][0])

    def _repr_html_(self) -> str:
        return _html.paragraph(str(self)) + _html.table(self.table, 20)


def score(subject: Any, *, track: str = "methods", seed: Optional[int] = None, output: Optional[PathLike] = None, **options: Any) -> Score:
    """Runs a subject and the references of a track on the same collections.

    subject : a name (``"norm_sub"``), a dict as in a config (``{"name": "base_cut", "alpha": 3}``), the path of a file
        (``pathlib.Path("mine.py")``), or, of the track methods, a function or object as of :func:`compare`.
    track : ``"methods"``, ``"ordered"``, ``"defences"``, ``"oracles"``, ``"sketches"``, ``"searches"`` or ``"synopses"``.
    seed : default: from what is scored and the suite, so that it cannot be chosen.
    output : folder of the run, in which an interrupted score goes on; default: a temporary one. The rest are options of the command.
    """
    with tempfile.TemporaryDirectory(prefix="ldpbench-") as work, functions.Functions(work) as served:
        if functions.is_method(subject):
            entry = served.add("methods", subject, functions.label_of(subject))
            text = json.dumps({**entry, "files": [os.path.join(work, name) for name in entry["files"]]})
            if seed is None:
                seed = int(hashlib.sha256(functions.identity(subject)).hexdigest()[:13], 16)
        elif isinstance(subject, Mapping):
            text = json.dumps(dict(subject), default=plain)
        elif isinstance(subject, (str, os.PathLike)):
            text = os.fspath(subject)
        else:
            raise BadInput(f"subject: expected a name, a dict, a path, a function or an object with fit, got {shown(subject)}")
        folder = os.path.join(work, "score") if output is None else path_of(output, "output")
        found = said("score", {"track": track, "seed": seed, "output": folder, **options}, text,
                     environment=served.environment if served.entries else None)
    regret, low, high = (float("nan") if found[key] is None else found[key] for key in ("regret", "regret_low", "regret_high"))
    return Score(regret, low, high, found["place"], found["rank"], found["rank_low"], found["rank_high"],
                 frame(found["ranking"]), found)
