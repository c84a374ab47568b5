"""Builds wheel and source package with the standard library alone (PEP 517, PEP 660).

pip normally fetches a build backend from the network. The wheel is the folder ``ldpbench`` with its metadata, so this
file is the backend. What ``make python`` put into ``ldpbench/native`` (libraries, the program and its files) goes with
it. The source package holds the tree that is committed, as ``source/``; a wheel built from it runs ``make python`` there.
"""

import base64
import hashlib
import os
import io
import re
import shutil
import subprocess
import sysconfig
import tarfile
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


def _native():
    return os.path.join(HERE, "ldpbench", "native")


def _glibc():
    """The newest version of the C library that a file of the package asks for, as (2, 35); None if none does."""
    found = set()
    for folder, _, files in os.walk(_native()):
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            if data.startswith(b"\x7fELF"):
                found.update((int(major), int(minor)) for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", data))
    return max(found, default=None)


def _tag():
    """The wheel's tag: what its libraries need if it contains them, otherwise any platform."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if not os.path.isdir(_native()) or not os.listdir(_native()):
        return "py3-none-any"
    glibc = _glibc()
    if glibc and platform.startswith("linux_"):
        platform = platform.replace("linux", f"manylinux_{glibc[0]}_{glibc[1]}", 1)
    return f"py3-none-{platform}"


def _build_native():
    """In a source package: compiles what the wheel contains."""
    source = os.path.join(HERE, "source")
    if os.path.isdir(source) and not os.path.isdir(_native()):
        subprocess.run(["make", f"-j{os.cpu_count() or 1}", "python"], cwd=source, check=True)
        shutil.copytree(os.path.join(source, "python", "ldpbench", "native"), _native())


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
        self.add(f"{info}/entry_points.txt", b"[console_scripts]\nldpbench = ldpbench.program:main\n")
        self.add(f"{info}/METADATA", _metadata(self.project).encode())
        self.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: ldpbench\nRoot-Is-Purelib: "
                                  f"{'true' if _tag().endswith('any') else 'false'}\nTag: {_tag()}\n".encode())
        path = f"{info}/RECORD"
        self.add(path, ("\n".join(self.record + [f"{path},,"]) + "\n").encode())
        self.zip.close()
        return self.name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    project = _project()
    info = f"{project['name']}-{project['version']}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in (("METADATA", _metadata(project)), ("WHEEL", "Wheel-Version: 1.0\nGenerator: ldpbench\nRoot-Is-Purelib: false\n")):
        with open(os.path.join(metadata_directory, info, name), "w", encoding="utf-8") as file:
            file.write(text)
    return info


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_native()
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


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    tree = subprocess.run(["git", "archive", "--format=tar", "HEAD"], cwd=os.path.dirname(HERE), check=True,
                          stdout=subprocess.PIPE).stdout
    with tarfile.open(os.path.join(sdist_directory, f"{stem}.tar.gz"), "w:gz") as out, \
            tarfile.open(fileobj=io.BytesIO(tree)) as source:
        described = tarfile.TarInfo(f"{stem}/PKG-INFO")
        described.size = len(_metadata(project).encode())
        out.addfile(described, io.BytesIO(_metadata(project).encode()))
        for member in source.getmembers():
            data = source.extractfile(member) if member.isfile() else None
            places = [f"{stem}/source/{member.name}"]
            if member.name.startswith("python/"):
                places.append(f"{stem}/{member.name[len('python/'):]}")
            for place in places:
                member.name = place
                if data:
                    data.seek(0)
                out.addfile(member, data)
    return f"{stem}.tar.gz"
