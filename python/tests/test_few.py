"""The statements of studies/intervals.md on few reports, by the script that makes them."""

import importlib.util
import re
from pathlib import Path

import pytest

import ldpbench

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def score():
    spec = importlib.util.spec_from_file_location("score", ROOT / "studies" / "intervals" / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_coverage_by_hand(score):
    """One user, randomised response: both counts are possible, and both intervals hold f = 1 unless x is far from it."""
    protocol = ldpbench.Protocol("grr", 16, 1)
    low, high = ldpbench.intervals([[(c - protocol.q) / (protocol.p - protocol.q) for c in (0, 1)] * 8], protocol, 1, 0.9)
    want = sum(chance for chance, bottom, top in zip((1 - protocol.p, protocol.p), low[0], high[0]) if bottom <= 1 <= top)
    assert score.coverage(protocol, 1, 1)[0] == pytest.approx(want, abs=1e-12)


@pytest.mark.parametrize("name, d, epsilon", [("grr", 1024, 4), ("oue", 1024, 1)])
def test_score_holds_from_a_number_of_reports_on(score, name, d, epsilon):
    protocol = ldpbench.Protocol(name, d, epsilon)
    for mean, at_level in ((200, 0), (100, 1), (5, 2)):
        for i in range(5):
            n = round(mean / protocol.q * (1 + 0.02 * i))
            for _, held in score.HELD:
                assert score.coverage(protocol, n, held(n, mean))[at_level] >= score.LEVELS[at_level] - 0.01
    few = [score.coverage(protocol, max(2, round(mean / protocol.q)), 0)[1] for mean in (0.5, 1)]
    assert min(few) < 0.94, "with few reports it covers less"


def test_the_page_says_what_the_script_says(score):
    page = (ROOT / "studies" / "intervals.md").read_text(encoding="utf-8")
    page = " ".join(re.sub("<!--.*?-->", "", page, flags=re.S).split())
    assert "at 90 % from n q = 200 on (two points: 100), at 95 % from n q = 100 on (two points: 10), at 99 % from n q = 5 on" in page
    if "This page is older than the program" in page:
        pytest.skip("studies/intervals.md is older than the program")
    assert all("| " + " | ".join(row) + " |" in page for row in score.refused())
