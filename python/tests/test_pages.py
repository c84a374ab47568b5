"""The Python of README.md, docs/tour.md and docs/python.md runs as it stands, next to the survey that they speak of."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/tour.md", "docs/python.md"])
def test_code_of_pages(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "docs" / "survey.csv", tmp_path)
    space, seen = {}, set()
    for source, after in re.findall(r"```python\n(.*?)```\n([^#`]*)", (ROOT / page).read_text(encoding="utf-8"), re.S):
        exec(compile(source, page, "exec"), space)
        said = capsys.readouterr().out
        if page == "docs/tour.md":  # which shows what it prints
            assert said.splitlines() == [line[4:] for line in after.splitlines() if line.startswith("    ")]
        if "results" in space:
            seen |= set(space["results"]["mse"]["n"])
    assert seen == ({5000, 1000000} if page == "docs/python.md" else {5000})
