"""The Python of README.md and docs/python.md runs as it stands, beside the survey that they speak of."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_code_of_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs" / "survey.csv", tmp_path)
    space, seen = {}, set()
    for source in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S):
        exec(compile(source, page, "exec"), space)
        seen |= set(space["results"]["mse"]["n"])
    assert seen == ({5000} if page == "README.md" else {5000, 1000000})
