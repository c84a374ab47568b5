"""Data as people hold them, one line each: what the program reads of them, or one sentence that says why not."""

import datetime
import decimal
import enum
from pathlib import Path

import numpy
import pandas
import pytest

import ldpbench
from ldpbench import comparing
from ldpbench.answers import counts_of, records_of

SURVEY = Path(__file__).resolve().parents[2] / "docs" / "survey.csv"
NAN = float("nan")
TEN = [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
Colour = enum.Enum("Colour", "red blue")
DAYS = ["2020-01-02", "2020-01-01", "2020-01-02"]
INDEX = pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)])
COUNTED = {"counts": True}

READ = [
    ("list", ["b", "a", "b"], {}, {"a": 1, "b": 2}),
    ("generator", (x for x in "bab"), {}, {"a": 1, "b": 2}),
    ("Series", pandas.Series(["b", None, "b", "a"]), {}, {"a": 1, "b": 2}),
    ("frame", pandas.DataFrame({"q": ["b", "a", "b"]}), {}, {"a": 1, "b": 2}),
    ("items", {"b": 2, "a": 1}.items(), COUNTED, {"b": 2, "a": 1}),
    ("frame of counts", pandas.DataFrame({"q": ["b", "a"], "n": [2, 1]}), COUNTED, {"b": 2, "a": 1}),
    ("counts by position", numpy.array([3, 0, 2]), COUNTED, {"0": 3, "1": 0, "2": 2}),
    ("counts as floats", {"b": 2.0, "a": numpy.int8(1)}, {}, {"b": 2, "a": 1}),
    ("counts of a missing key", pandas.Series(["b", "b", None, "a"]).value_counts(dropna=False), COUNTED, {"b": 2, "a": 1}),
    ("counts of a missing key, kept", {"b": 2, NAN: 4, "a": 1}, {"missing": "keep"}, {"b": 2, "a": 1, "(none)": 4}),
    ("counts of keys None and NA", {"b": 2, None: 4, pandas.NA: 3, "NA": 1, "a": 1}, {}, {"b": 2, "a": 1}),
    ("counts by MultiIndex", pandas.Series([3, 2, 1], index=INDEX), COUNTED, {"('a', 1)": 3, "('a', 2)": 2, "('b', 1)": 1}),
    ("counts that meet", {"b ": 2, "b": 3, "a": 1}, {}, {"b": 5, "a": 1}),
    ("categories", pandas.Series(pandas.Categorical(["b", None, "b"], ["c", "b"])), {}, {"c": 0, "b": 2}),
    ("cut", pandas.cut(pandas.Series([1, 5, 6]), [0, 4, 8]), {}, {"(0, 4]": 1, "(4, 8]": 2}),
    ("numbers", TEN, {}, {"1": 1, "2": 2, "3": 3, "4": 4}),
    ("codes", ["007", "7", "7"], {}, {"007": 1, "7": 2}),
    ("nullable integers", pandas.Series([20, None, 21, 20], dtype="Int64"), {}, {"20": 2, "21": 1}),
    ("decimals", [0.1, 0.3, 0.1 + 0.2, 0.1], {}, {"0.1": 2, "0.3": 1, "0.30000000000000004": 1}),
    ("zeros", [0.0, -0.0, 0, 1], {}, {"0": 3, "1": 1}),
    ("large", [2**70, 10**300, 2**70], {}, {str(2**70): 2, "1" + "0" * 300: 1}),
    ("infinities", [numpy.inf, -numpy.inf, numpy.inf], {}, {"-inf": 1, "inf": 2}),
    ("Decimal", [decimal.Decimal("1.50"), decimal.Decimal("NaN"), decimal.Decimal(2), decimal.Decimal(2)], {}, {"1.50": 1, "2": 2}),
    ("truth", numpy.array([True, False, True]), {}, {"False": 1, "True": 2}),
    ("truth is no number", [True, 1, 1], {}, {"True": 1, "1": 2}),
    ("numbers and words", [1, "a", 1, "1"], {}, {"1": 3, "a": 1}),
    ("dates", pandas.to_datetime(pandas.Series(DAYS)), {}, {"2020-01-01": 1, "2020-01-02": 2}),
    ("dates of NumPy", numpy.array(DAYS, "M8[ns]"), {}, {"2020-01-01": 1, "2020-01-02": 2}),
    ("days of NumPy, one is none", numpy.array([*DAYS, "NaT"], "M8[D]"), {}, {"2020-01-01": 1, "2020-01-02": 2}),
    ("date and time", [datetime.date(2020, 1, 1), pandas.Timestamp("2020-01-01"), pandas.Timestamp("2020-01-01 12:30")], {},
     {"2020-01-01": 2, "2020-01-01 12:30:00": 1}),
    ("durations", numpy.array([1, 2, 2], "m8[s]"), {}, {"0:00:01": 1, "0:00:02": 2}),
    ("bytes", [b"ja", b"nein", b"ja"], {}, {"ja": 2, "nein": 1}),
    ("enumeration", [Colour.red, Colour.blue, Colour.red], {}, {"Colour.blue": 1, "Colour.red": 2}),
    ("masked", numpy.ma.masked_array([1, 2, 2, 9], [0, 0, 0, 1]), {}, {"1": 1, "2": 2}),
    ("missing words", ["yes", "NA", "?", "null", " ", "N/A", "#N/A", "\\N", "yes", "no"], {}, {"no": 1, "yes": 2}),
    ("blanks around", ["yes", " yes ", "no\u00a0"], {}, {"no": 1, "yes": 2}),
    ("control characters", ["a\tb", "a\nb", "c"], {}, {"a b": 2, "c": 1}),
    ("signs", ["#", "# 1", "#1", "#", "a,b", 'say "x"'], {}, {"number #": 2, "number # 1": 1, "number #1": 1, "a,b": 1, 'say "x"': 1}),
    ("scripts", ["é", "e\u0301", "é", "日本", "👍🏽", "ש"], {}, {"e\u0301": 1, "é": 2, "ש": 1, "日本": 1, "👍🏽": 1}),
    ("header", ["value", "count", "value"], {}, {"count": 1, "value": 2}),
    ("values", [1, 3, 3], {"values": ["1", 2, 3.0]}, {"1": 1, "2": 0, "3": 2}),
    ("edges", [18, 64, 65, NAN], {"bins": [0, 20, 65.5, 100]}, {"0 to 20": 1, "20 to 65.5": 2, "65.5 to 100": 0}),
    ("bins", TEN, {"bins": 2}, {"1 to 2": 3, "3 to 4": 7}),
    ("bins and a missing answer", [1, 1.0, 2, 9, None], {"bins": 2, "missing": "keep"}, {"1 to 5": 3, "6 to 10": 1, "(none)": 1}),
    ("other", ["a", "a", "a", "b", "c", "c", "d"], {"other": 2}, {"a": 3, "c": 2, "other": 2}),
    ("other of counts", {"a": 4, "b": 1, "c": 2, "d": 1}, {"other": 2}, {"a": 4, "c": 2, "other": 2}),
]

REFUSED = [
    ("text", "survey.csv", {}, "got a text; a file: pathlib.Path"),
    ("two dimensions", numpy.zeros((3, 2)), {}, "one answer for each user, got several"),
    ("records", numpy.array([(1, 2.0)], "i4,f8"), {}, "one answer for each user, got several"),
    ("two columns", pandas.DataFrame({"q": ["a", "b"], "n": [2, 3]}), {}, r"got 2 \(q, n\): data\['q'\] is one; users by value, in two columns"),
    ("three columns of counts", pandas.DataFrame({"q": ["a"], "n": [2], "m": [3]}), COUNTED, "two columns, values and users, got 3"),
    ("no columns", pandas.DataFrame(), {}, "expected one column, got 0"),
    ("empty", [], {}, "at least one answer"),
    ("one value", ["a"] * 9, {}, "at least two values, got 1"),
    ("ids", list(range(20)), {}, "answers that users share, got 20 different ones of 20"),
    ("nearly ids", [*range(1000), *range(50)], {}, "got 1,000 different ones of 1,050 users"),
    ("values and their counts", pandas.read_csv(SURVEY)["how often"], {}, "got 9 different ones of 9 users.*counts=True"),
    ("counts or answers", pandas.Series(list("aab")).value_counts(), {}, "counts=False or counts=True"),
    ("shares", pandas.Series(list("aab")).value_counts(normalize=True), COUNTED, "users of 'a': expected an integer"),
    ("too many users in all", {"a": 2**53, "b": 2**53}, {}, "2\\^53|9007199254740992"),
    ("surrogate", ["a", "b\ud800", "a"], {}, "text that UTF-8 can hold, got 'b.*ud800"),
    ("surrogate in counts", {"a": 2, "\udcff": 2, "b": 3}, {"other": 1}, "text that UTF-8 can hold"),
    ("bytes that are no text", [b"\xff", b"a", b"a"], {}, "text in UTF-8, got b"),
    ("bins of words", ["a", "b", "a"], {"bins": 2}, "bins need numbers: expected a number, got 'a'"),
    ("bins of counts", {"a": 1, "b": 2}, {"bins": 2}, "answers to be binned, got users by value"),
    ("one edge", [1, 2, 2], {"bins": [0]}, "three increasing edges"),
    ("a value outside", ["a", "b"], {"values": ["a"]}, "expected one of the values, got 'b'"),
    ("falling edges", [1, 2, 2], {"bins": [3, 2, 1]}, "three increasing edges"),
    ("no other", [1, 2, 2], {"other": 0}, "other: expected an integer from 1"),
    ("missing", [1, 2, 2], {"missing": "ignore"}, "missing: expected drop or keep"),
    ("nobody", {"a": 0, "b": 0}, {}, "at least one user"),
    ("a function", len, {}, "got builtin_function_or_method"),
]


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """What the program reads of all of them, in one run."""
    folder, sets = tmp_path_factory.mktemp("inputs"), []
    for i, (_, data, given, _) in enumerate(READ):
        (folder / str(i)).mkdir()
        try:
            sets.append(comparing._data(data, f"data {i}", str(folder / str(i)), given, []))
        except ldpbench.BadInput as error:
            sets.append({"type": "zipf", "s": 1, "d": 2, "n": 1, "label": str(error).replace(",", "")[:90]})
    table = ldpbench.run({"seed": 1, "repetitions": 2, "datasets": sets, "oracles": ["exact"], "epsilon": 1, "methods": ["base"],
                          "queries": ["full_domain"], "outputs": ["values"]})["values"]
    return {name: dict(zip(rows["value"], rows["count"])) for name, rows in table.groupby("dataset", sort=False)}


@pytest.mark.parametrize("i", range(len(READ)), ids=[row[0] for row in READ])
def test_read(read, i):
    assert read.get(f"data {i}") == READ[i][3], list(read)[i]


@pytest.mark.parametrize("data, given, message", [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_refused(data, given, message):
    with pytest.raises(ldpbench.BadInput, match=message) as caught:
        ldpbench.compare("norm_sub", data, 1, repetitions=2, **given)
    assert "\n" not in str(caught.value)


def test_what_was_done_is_said_and_the_order_of_users_does_not_matter():
    assert counts_of(["a", "b", "b", None, NAN]).notes == ["2 of 5 users gave no answer and are left out."]
    assert counts_of({"a": 5, "b": 1, "c": 4, "d": 2}, other=2).notes == ["2 of 4 values are one."]
    assert list(counts_of(["b", "a", "b"]).counts) == list(counts_of(["b", "b", "a"]).counts)


def test_frames_are_records():
    frame = pandas.DataFrame({"float": [20.0, NAN, 21], "Int": pandas.array([1, None, 2], "Int64"), "word": ["#a", 'b,"c"', None],
                              "day": pandas.to_datetime(DAYS), "cat": pandas.Categorical(["x", "y", "x"]), "truth": [True, False, True],
                              ("two", 1): [b"a", b"", "NA"]})
    assert records_of(frame).splitlines() == ["float,Int,word,day,cat,truth,two/1", "20,1,#a,2020-01-02,x,True,a",
                                              ',,"b,""c""",2020-01-01,y,False,', "21,2,,2020-01-02,x,True,"]


def test_a_column_whose_name_is_a_question():
    answers = pandas.Series(["yes", "no", "no"], name='Do you smoke, drink, or "vape"?\n(one answer) ' + "long " * 30)
    found = ldpbench.compare("norm_sub", answers, 1, repetitions=2)["mse"]["dataset"][0]
    assert found.startswith("Do you smoke  drink  or  vape ? (one answer) long") and len(found) <= 100


SURROGATE = "x\ud800"


@pytest.mark.parametrize("call", [
    lambda: ldpbench.compare(SURROGATE, "aab", 1),
    lambda: ldpbench.compare("norm_sub", list("aab"), 1, name=SURROGATE),
    lambda: ldpbench.compare((SURROGATE, lambda est: est), list("aab"), 1),
    lambda: ldpbench.compare("norm_sub", list("aab"), 1, output="/nowhere/" + SURROGATE),
    lambda: ldpbench.compare("norm_sub", Path(SURROGATE), 1),
    lambda: ldpbench.run(SURROGATE),
    lambda: ldpbench.score(SURROGATE),
    lambda: ldpbench.advise({SURROGATE: 1, "b": 2}, epsilon=1, supports="grr", n=3),
    lambda: ldpbench.advise({"a": 1, "b": 2}, epsilon=1, query=SURROGATE),
    lambda: ldpbench.advise(pandas.DataFrame({"a": [SURROGATE, "y"] * 40, "b": [1, 2] * 40}), epsilon=1, k=1),
    lambda: ldpbench.advise(pandas.DataFrame({SURROGATE: [0, 1] * 40, "b": [1, 0] * 40}), epsilon=1, k=1),
    lambda: ldpbench.advise(pandas.DataFrame({"a": [0, 1] * 40, "b": [1, 0] * 40}), epsilon=1, k=1, synopsis=SURROGATE),
    lambda: ldpbench.audit([SURROGATE] * 50, ["b"] * 50, 1),
    lambda: ldpbench.Protocol("grr", 4, 1).simulate([1, 1, 1, 1], key=SURROGATE),
    lambda: ldpbench.Protocol(SURROGATE, 4, 1),
    lambda: ldpbench.parameters(SURROGATE),
])
def test_lone_surrogates(call):
    with pytest.raises(ldpbench.BadInput) as caught:
        call()
    assert "\n" not in str(caught.value)
