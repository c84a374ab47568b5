import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # the package of this tree, installed or not

import ldpbench  # noqa: E402


def said(*arguments):
    """What the program prints."""
    return subprocess.run([ldpbench.program(), *arguments], capture_output=True, text=True, check=True).stdout
