#!/bin/sh
# The tests of the Python package against the program that LDPBENCH names and the library next to it. Skipped, and said,
# where no python3 has NumPy, pandas and pytest (Debian: python3-numpy, python3-pandas, python3-pytest).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$(dirname "$LDPBENCH")" && pwd)
case $build in
*/san | */coverage)
    echo "python: skipped: a plain interpreter cannot load an instrumented library" >&2
    exit 0
    ;;
esac
for python in ${PYTHON:-python3 /usr/bin/python3}; do
    "$python" -c 'import numpy, pandas, pytest' 2>/dev/null || continue
    cd "$root/python"
    LDPBENCH_LIBRARY=$build/libldpbench.so PYTHONDONTWRITEBYTECODE=1 PATH=$PATH \
        "$python" -m pytest -q -p no:cacheprovider tests "$@" >"$build/python-tests.log" 2>&1 || {
        tail -60 "$build/python-tests.log" >&2
        exit 1
    }
    grep -E '[0-9]+ (passed|skipped)' "$build/python-tests.log" >&2
    exit 0
done
echo "python: skipped: no python3 with NumPy, pandas and pytest (python3-numpy, python3-pandas, python3-pytest)" >&2
