#!/bin/sh
# Builds the wheel from what LDPBENCH names, installs it into an environment of its own and uses it from another folder,
# without the tree: protocols, a run, pictures, agreement, and the stories of docs/stories (tests/stories.py). Skipped, and
# said, where python3 has no venv, NumPy, pandas or what builds wheels.
set -eu
build=$(cd "$(dirname "$LDPBENCH")" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
case $build in
*/san | */coverage)
    echo "wheel: skipped: a plain interpreter cannot load an instrumented library" >&2
    exit 0
    ;;
esac
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import setuptools, ensurepip, numpy, pandas, pip, wheel' 2>/dev/null || {
    echo "wheel: skipped: no python3 with venv, NumPy, pandas, pip, setuptools and wheel (python3-venv, python3-numpy, ..)" >&2
    exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LDPBENCH_LIBRARY PYTHONPATH
cp -R "$root/python" "$work/python"
make --no-print-directory -C "$root" BUILD="${build#"$root/"}" NATIVE="$work/python/ldpbench/native" \
    -o "${build#"$root/"}/ldpbench" -o "${build#"$root/"}/libldpbench.a" -o "${build#"$root/"}/$(readlink "$build/libldpbench.so")" python >/dev/null
"$python" -m pip wheel --quiet --no-deps --no-build-isolation --disable-pip-version-check -w "$work" "$work/python"
version=$("$LDPBENCH" --version | sed 's/ldpbench \([^ ]*\) .*/\1/')
ls "$work" | grep -q "^ldpbench-$version-py3-none-manylinux_[0-9_]*_$(uname -m).whl\$" || {
    echo "wheel: expected ldpbench-$version for every Python 3, got $(ls "$work")" >&2
    exit 1
}
"$python" -m venv --system-site-packages --without-pip "$work/venv"
"$python" -m pip --python "$work/venv/bin/python" install --quiet --no-index --no-deps --disable-pip-version-check "$work"/ldpbench-*.whl
rm -rf "$work/python"

unset LDPBENCH LDPBENCH_DATA LDPBENCH_SHARE
cd "$work"
"$work/venv/bin/python" - <<'END'
import importlib.metadata
import pathlib
import subprocess
import sys

import numpy
import ldpbench

assert pathlib.Path(sys.prefix) in pathlib.Path(ldpbench.__file__).parents, ldpbench.__file__
assert ldpbench.__version__ == importlib.metadata.version("ldpbench"), ldpbench.__version__
assert pathlib.Path(sys.prefix) in pathlib.Path(ldpbench.program()).parents, ldpbench.program()
protocol = ldpbench.Protocol("olh", d=16, epsilon=1)
support = protocol.server(protocol.client(numpy.arange(1000) % 16, seed=1))
assert abs(ldpbench.postprocess(protocol.estimate(support), "norm_sub", protocol, n=support.n).sum() - 1) < 1e-9
results = ldpbench.run({"name": "w", "seed": 1, "repetitions": 3, "datasets": [{"type": "zipf", "s": 1.5, "d": 16, "n": 1000}],
                        "oracles": ["olh"], "epsilon": [1, 2], "methods": ["base", "norm_sub"],
                        "queries": [{"type": "full_domain"}]})
assert len(results["mse"]) == 4
assert results.plot()
command = pathlib.Path(sys.prefix, "bin", "ldpbench")
refused = subprocess.run([command, "check", "icml2022", str(results.folder)], capture_output=True, text=True)
assert refused.returncode == 2 and "result folders of configs that" in refused.stderr and "icml2022" in refused.stderr, refused
assert pathlib.Path(ldpbench.include(), "ldpbench.h").is_file()
END

PATH=$work/venv/bin:$PATH python3 "$root/tests/stories.py" --wheel
