"""Builds the wheel of the package with the standard library alone (PEP 517, PEP 660).

pip normally fetches a build backend from the network. There is nothing to compile here: the wheel is the folder
``ldpbench`` with its metadata, so this file is the backend. What ``make python`` put into ``ldpbench/native`` (the
shared library and the program) goes with it.
"""

import base64
import hashlib
import os
import re
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def _project():
    """Name, version, description and dependencies from pyproject.toml (tomllib is in Python from 3.11 on)."""
    with open(os.path.join(HERE, "pyproject.toml"), encoding="utf-8") as file:
        text = file.read()
    value = {key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
             for key in ("name", "version", "description", "requires-python")}
    listed = re.search(r"^dependencies = \[(.*)\]$", text, re.M).group(1)
    value["dependencies"] = re.findall(r'"([^"]+)"', listed)
    return value


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", "License: GPL-3.0-or-later",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in project["dependencies"]]
    return "\n".join(lines) + "\n"


def _tag():
    """The wheel's tag: for this platform if the package contains the library, otherwise for any."""
    native = os.path.join(HERE, "ldpbench", "native")
    if not os.path.isdir(native) or not os.listdir(native):
        return "py3-none-any"
    return "py3-none-" + re.sub(r"[-.]", "_", sysconfig.get_platform())


class _Wheel:
    def __init__(self, folder):
        self.project = _project()
        self.stem = f"{self.project['name']}-{self.project['version']}"
        self.name = f"{self.stem}-{_tag()}.whl"
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, path, data, mode=0o644):
        info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{path},sha256={digest},{len(data)}")

    def close(self):
        info = f"{self.stem}.dist-info"
        self.add(f"{info}/METADATA", _metadata(self.project).encode())
        self.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ldpbench\nRoot-Is-Purelib: "
                                  f"{'true' if _tag().endswith('any') else 'false'}\nTag: {_tag()}\n".encode())
        path = f"{info}/RECORD"
        self.add(path, ("\n".join(self.record + [f"{path},,"]) + "\n").encode())
        self.zip.close()
        return self.name


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = _Wheel(wheel_directory)
    top = os.path.join(HERE, "ldpbench")
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                wheel.add(os.path.relpath(path, HERE), file.read(), os.stat(path).st_mode & 0o777)
    return wheel.close()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    wheel = _Wheel(wheel_directory)
    wheel.add("ldpbench.pth", (HERE + "\n").encode())
    return wheel.close()
