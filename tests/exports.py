#!/usr/bin/env python3
"""Files as people export them from pandas, R, Excel, LibreOffice, SQL and surveys: each is read right, or refused in one
line that names the place.

usage: tests/exports.py     the program is $LDPBENCH

A case is a file's name, its text, the arguments of `list` (or of a command that a line of COMMANDS names), and what
the answer contains, blanks run together. An expectation that begins with ! is a refusal: status 2, one line, that
contains it. One that begins with - must not be there.
"""
import concurrent.futures
import os
import re
import shlex
import subprocess
import sys
import tempfile

KINDS = {}


def kind(name, *cases):
    KINDS[name] = cases


def csv(text, expected, arguments="", file="t.csv"):
    return file, text, arguments, expected if isinstance(expected, list) else [expected]


def column(cells, expected, arguments="", name="x"):
    """A table of one column."""
    return csv("\n".join([name] + cells.split(" ")) + "\n", expected, arguments)


def lines(file, text, expected, arguments=""):
    return csv(text, expected, arguments, file)


X = "values of x "
kind("lines that begin with #, blank lines",
     csv("#chrom,pos\nchr1,5\nchr2,6\n", "#chrom 2, pos 2"),
     csv("code,n_\n#N/A,1\nA,2\n#f00,1\n", "values of code 0 #f00, 1 A, 2 (empty cells)"),
     csv("tag\n#yes\n#no\n#yes\n", ["n 3", "values of tag 0 #no, 1 #yes"]),
     csv("# made by hand\na,b\n1,2\n", "!t.csv:1: expected a header (a file of cells has no comments), got \"# made by hand\""),
     csv("a,b\n1,2\n# end\n3,4\n", "!t.csv:3: expected 2 columns"),
     csv("a,b\n1,2\n\n3,4\n\n", ["n 2", "2 blank lines left out (the first is line 3)"]),
     csv("a\nyes\n\nno\n\nyes\n", ["n 5", '2 of 5 users have no value of "a"']),
     csv("a\tb\n\t\n1\t2\n", ["n 2", '1 of 2 users have no value of "a"'], file="t.tsv"),
     csv("\n\na,b\n1,2\n", ["a 2, b 2", "2 blank lines left out (the first is line 1)"]),
     lines("t.counts", "#a\t60\nb\t50\n", ["d 2", "#a 60, b 50"]),
     lines("t.counts", "# emoji\n#\xef\xb8\x8f\xe2\x83\xa3\t23\nx\t2\n".encode("latin-1"), ["n 25", "-note"]),
     lines("t.counts", "a\t6\n\nb\t5\n# half\nc\t1\n", ["n 12", "1 blank line and 1 comment left out (the first is line 2)"]),
     lines("t.counts", "#note\na\t1\n", "!t.counts:1: expected value TAB count, got \"#note\""),
     lines("t.strings", "#love\n#love\n#hate\n# 1\n", ["n 3", "#love 2", "1 comment left out (the first is line 4)"]),
     lines("t.strings", "ab\n\nab\ncd\n", ["n 3", "1 blank line left out (the first is line 2)"]),
     lines("t.numbers", "# ages\n3\n\n4\n", ["n 2", "1 blank line left out"]))

kind("whole numbers",
     csv("year,b\n2019,0\n2021,1\n2020,1\n", ["year 3, b 2", "values of year 0 2019, 1 2020, 2 2021"]),
     csv("zip\n10115\n90210\n10115\n", "values of zip 0 10115, 1 90210"),
     column("1 2 3 4 5 1", "x 5"),
     column("0 1 1 0", ["x 2", "-values of"]),
     column("-1 1 0", X + "0 -1, 1 0, 2 1"),
     column("2019 2021", X + "0 2019, 1 2020, 2 2021", "full_range"),
     column("1 9", ["x 9", "7 of the 9 values of x, a range, have zero frequency"], "full_range"),
     column("1 99999999", "!t.csv: x: expected a range of at most 1048576 numbers, got from 1 to 99999999", "full_range"),
     column("20.0 21.0 20", X + "0 20, 1 21"),
     column("10 9 100", X + "0 9, 1 10, 2 100"),
     column("+5 5 6", X + "0 5, 1 6"),
     column("1e3 1000 2", X + "0 2, 1 1000"),
     column("9007199254740993 9007199254740992", X + "0 9007199254740992, 1 9007199254740993"),
     column("a b 1", [X + "0 1, 1 a, 2 b", "-note"]),
     column("0.5 1.5 0.50", X + "0 0.5, 1 1.5"),
     column(".5 1", X + "0 0.5, 1 1"),
     csv("x,count\n7,2\n9,3\n", ["n 5", X + "0 7, 1 9"]),
     column("1 2 3 4 5+", ["x 5", "1 of 5 values of x are no numbers, as \"5+\" in line 6, so that all are words"]))

EPOCH = " ".join(str(1700000000000 + 1000 * i) for i in range(100))
DAY = " ".join(f"{1700000000 + 60 * i}.5" for i in range(1440))
kind("bins",
     column(EPOCH, "x 10", "bins=10"),
     column(DAY, "x 144", "bins=144"),
     column(" ".join(f"{35 + i / 10:.1f}" for i in range(71)), "x 36", "bins=64"),
     column(" ".join(f"{35 + i / 10:.1f}" for i in range(71)), X + "0 35 to 38.5, 1 38.6 to 42.1", "bins=2"),
     column("1 2 3 4 1 2", X + "0 1 to 2, 1 3 to 4", "bins=2"),
     column("1 2 3 4 5 1 2", X + "0 1 to 3, 1 4 to 6", "bins=2"),
     column("1 2 3 4", X + "0 1 to 2, 1 3 to 4", "bins=2"),
     csv("x,y\n1,a\n2,b\n3,a\n4,b\n", X + "0 1, 1 2, 2 3, 3 4", "bins=2"),  # they number the users
     column("1e308 -1e308 5 6", "!t.csv:2: x: expected a number from -1e300 to 1e300, got \"1e308\"", "bins=3"),
     column("1.7e308 1 2 3", "!t.csv:2: x: expected a number from -1e300 to 1e300", "bins=3"),
     column("1 2 3 4 oops", "!t.csv:6: x: expected a number, as most of its values are, got \"oops\"", "bins=2"),
     column("1 2 3 4 oops", [X + "0 1 to 2, 1 3 to 4", '1 of 5 users have no value of "x"'], "bins=2,missing=oops"),
     column("0.1234567890123 1 2 2.1234567890123", X + "0 0.1234567890 to 1.123456789, 1 1.123456789 to 2.123456789".replace("0.1234567890 ", "0.123456789 "), "bins=2"),
     column("1.00000000001 1.000000000011 1.000000000012 1.000000000013", "x 2", "bins=2"),
     column("0 1e-320 2e-320 3e-320", "x 3", "bins=3"),
     column("a b c d", "!t.csv:2: x: expected numbers, which bins need, got \"a\"", "bins=2"),
     column("10% 20% 30%", "!t.csv:2: x: expected numbers, which bins need, got \"10%\"", "bins=2"),
     column("$10 $20 $30", "!t.csv:2: x: expected numbers, which bins need, got \"$10\"", "bins=2"),
     column("2024-01-01 2024-01-02 2024-01-03", "!t.csv:2: x: expected numbers, which bins need", "bins=2"),
     csv("x,y\n5,a\n9,b\n7,c\n20,d\n", [X + "0 5 to 12, 1 13 to 20", "values of y 0 a, 1 b, 2 c, 3 d"], "bins=2"),
     column("1700000000000000000 1700000000000000512 1700000000000001024", "x 2", "bins=2"),
     column("5 5 5", "x 2", "bins=2"),
     column("-2.5 10 0", X + "0 -2.5 to 3.7, 1 3.8 to 10", "bins=2"),
     column("other other b c", X + "0 other, 1 all others", "other=1"),
     column("other other b b c", X + "0 b, 1 other, 2 all others", "other=2"),
     column("other other b b c", X + "0 b, 1 other, 2 all others", "other=2"),
     csv("x\nother\nall others\nother\nall others\nb\nc\n", X + "0 all others, 1 other, 2 all others 2", "other=2"),
     column("10 9 10 9 8", X + "0 9, 1 10, 2 other", "other=2"))

kind("missing cells",
     *[column(f"3 {marker} 4", [X + "0 3, 1 4, 2 (empty cells)", '1 of 3 users have no value of "x"'])
       for marker in ("NA", "N/A", "n/a", "?", "null", "NULL", "NaN", "nan", "#N/A", "<NA>", "\\N")],
     csv("x,y\n3,a\n ,b\n4,c\n", '1 of 3 users have no value of "x"'),
     csv("x\n\"\"\n3\n4\n", '1 of 3 users have no value of "x"'),
     column("3 -9 4", [X + "0 3, 1 4, 2 (empty cells)"], "missing=-9"),
     column("3 refused dk 4", [X + "0 3, 1 4, 2 (empty cells)"], "missing=refused, dk"),
     column("None some None", [X + "0 None, 1 some", "-note"]),
     column("Na K Na", X + "0 K, 1 Na"),
     csv("x,count\n3,5\nNA,7\n4,1\n", '7 of 13 users have no value of "x"'),
     csv("x,y\nNA,\n,1\n", ["x 2, y 2", '2 of 2 users have no value of "x"']),
     csv("x,y\nNA,\n1,1\n", '1 of 2 users have no value of "x"; 1 of 2 users have no value of "y"'))

kind("marks of thousands and decimals",
     csv("x;y\n1.000,5;a\n2,25;b\n", X + "0 2.25, 1 1000.5"),
     csv("x;y\n1,5;a\n2,25;b\n", X + "0 1.5, 1 2.25"),
     csv("x,y\n\"1,000\",a\n\"2,500\",b\n", X + "0 1000, 1 2500"),
     csv("x,y\n\"1,000.5\",a\n12,b\n", X + "0 12, 1 1000.5"),
     csv("x;y\n1.000;a\n2.500;b\n", "!t.csv:2: x: expected numbers whose decimal mark can be told, got \"1.000\""),
     csv("x\ty\n1,000\ta\n2,500\tb\n", "!t.csv:2: x: expected numbers whose decimal mark can be told, got \"1,000\""),
     csv("x\ty\n1.5\ta\n2,5\tb\n", "!t.csv:3: x: expected numbers whose decimal mark can be told, got \"2,5\""),
     csv("x;y\n1.000.000;a\n2,5;b\n", X + "0 2.5, 1 1000000"),
     csv("x;y\n0.125;a\n12.500;b\n", X + "0 0.125, 1 12.5"),
     csv("x;y\n1 000;a\n2;b\n", X + "0 2, 1 1000"),
     csv("x;y\n1\u00a0000;a\n2;b\n", X + "0 2, 1 1000"),
     csv("x;y\n12\u202f500,5;a\n2;b\n", X + "0 2, 1 12500.5"),
     csv("x;y\n1'000;a\n2;b\n", X + "0 2, 1 1000"),
     csv("x;y\n1\u2019000;a\n2;b\n", X + "0 2, 1 1000"),
     csv("x,y\n\u22125,a\n5,b\n", X + "0 -5, 1 5"),
     csv("x,y\n\u22121.5,a\n2,b\n3,c\n", X + "0 -1.5 to 0.7, 1 0.8 to 3", "bins=2"),
     csv("x,y\n1.2.3,a\n1.10.2,b\n", X + "0 1.10.2, 1 1.2.3"),
     csv("x,y\n\"52.5,13.4\",a\n\"1,2\",b\n", "values of x"),
     csv("x;y\n1,250;a\n2,5;b\n", X + "0 1.25, 1 2.5"),
     csv("x;y\n1,250;a\n2,500;b\n", X + "0 1.25, 1 2.5"),
     csv("x,y\n$5,a\n$7,b\n", [X + "0 $5, 1 $7", "-note"]))

kind("blanks after separators",
     csv("age, job, sex\n39, State-gov, m\n40, Private, f\n", "values of job 0 Private, 1 State-gov"),
     csv("age, job\n39, State-gov\n40,State-gov\n", "job 2"),
     csv("a , b\n1 , x\n2 , y\n", "a 2, b 2"),
     csv("a; b\n1; x\n2; y\n", "values of b 0 x, 1 y"),
     csv("a, b\n1, \"x, y\"\n2, \"z\" \n", "values of b 0 x, y, 1 z"),
     csv("a, b\n1, ?\n2, x\n", '1 of 2 users have no value of "b"'),
     csv("a, b\n 007, x\n7, y\n", "values of a 0 007, 1 7"),
     csv("a, count\nx, 5\ny, 6\n", "n 11"),
     csv("a,b\n1,  \n2,x\n", '1 of 2 users have no value of "b"'),
     csv("a, b\n39, x\n40, y\n", "b 2", "columns=b"))

kind("columns without a name, separators at the end",
     csv(",age,sex\n0,39,m\n1,40,f\n", ["attributes 2", "1 column without a name left out"]),
     csv("\"\",\"age\",\"sex\"\n\"1\",39,\"m\"\n\"2\",40,\"f\"\n", ["attributes 2", "1 column without a name left out"]),
     csv("age,sex\n1,39,m\n2,40,f\n", ["attributes 2", "age 2, sex 2", "values of sex 0 f, 1 m"]),
     csv("\"age\" \"sex\"\n\"1\" 39 \"m\"\n", "!t.csv:1: expected"),
     csv("age,sex,\n39,m,\n40,f,\n", ["attributes 2", "1 column without a name left out"]),
     csv("age,sex\n39,m,\n40,f,\n", ["attributes 2", "1 column without a name left out"]),
     csv("age;sex;;\n39;m;;\n", "2 columns without a name left out"),
     csv(",age\n0,39\n1,40\n", "attributes 1", "columns=age"),
     csv(",\n0,39\n", "!t.csv:1: expected a header with a column of values"),
     csv("age,sex,\n39,m\n", "!t.csv:2: expected 3 columns, as the header has"),
     csv("price\n1.000,5\n2,5\n", "!t.csv:2: expected 1 column, as the header has (quotes around decimal commas)"),
     csv("price\n\"1.000,5\"\n\"2,5\"\n", X.replace("x", "price") + "0 2.5, 1 1000.5"),
     csv(",browser\nchrome,10056\nfirefox,3967\n", "!t.csv:1: expected names of both columns (value,count if these are counts)"),
     csv("a,b\n0,0\n0.5,1\n2,2\n0,2\n", ["values of a 0 0, 1 0.5, 2 2", "-values of b"]),
     csv(",job\n0,a\n1,b\n", ["values of job 0 a, 1 b", "1 column without a name left out"]),
     csv("\"age\"\n\"1\",39\n\"2\",40\n", ["values of age 0 39, 1 40", "1 column without a name left out"]),
     csv("a,b,a\n1,2,3\n", "!t.csv:1: expected each column once, got \"a\""),
     csv("a,b,a\n1,2,3\n", "attributes 1", "columns=b"),
     csv("age,sex\n1,m\n2,f\n", "!t.csv: expected a column Age, got none of that name; there are age, sex", "columns=Age"))

kind("no header",
     csv("39, State-gov, 13\n40, Private, 13\n", ["n 2", "attributes 3", "values of 2 0 Private, 1 State-gov"], "no_header"),
     csv("39, State-gov, 13\n40, Private, 13\n", ["n 1", "the header has numbers (\"no_header\""]),
     csv("1,0\n0,1\n", "the header has numbers"),
     csv("1,0\n0,1\n", ["n 2", "-note"], "no_header"),
     csv("yes\nno\n", ["n 2", "values of 1 0 no, 1 yes"], "no_header"),
     csv("a\n", ["n 1"], "no_header"),
     csv("a,b\n1,2\n", "-note"),
     csv("id,2019,2020,country\n1,2,3,a\n4,5,6,b\n", "attributes 4"),
     csv("x;1,5\ny;2,5\n", ["n 2", "values of 2 0 1.5, 1 2.5"], "no_header"),
     csv("a,b\n", "!t.csv: expected at least one user, got none"),
     csv("", "!t.csv: expected lines of text, got an empty file"),
     csv("x,y\n1,2\n3,4\n", "attributes 1", "no_header,columns=2"))

kind("separators",
     csv("a|b\n1|x\n2|y\n", "a 2, b 2"),
     csv("Home town, today;Age\nBerlin;5\nBonn;6\n", "Home town, today 2, Age 2"),
     csv("Size, cm;Age\n1,5;5\n2,5;6\n", ["Size, cm 2, Age 2", "0 1.5, 1 2.5"]),
     csv("a\tb\n1,5\tx\n2,5\ty\n", "values of a 0 1.5, 1 2.5"),
     csv("a,b;c\n1,x\n2,y\n", "a 2, b;c 2"),
     csv("a|b,c\n1|x\n2|y\n", "a 2, b,c 2"),
     csv("\"a;b\",c\n1,x\n2,y\n", "a;b 2, c 2"),
     csv("sep=;\na;b\n1;2\n", "!t.csv:1: expected a header, not a line for a spreadsheet alone (remove it), got \"sep=;\""),
     csv("a,b\n1,x\n2\n", "!t.csv:3: expected 2 columns, as the header has, got \"2\""),
     csv("a,b\n1,x,9\n2,y,8\n", "attributes 2"),
     csv("a;b\n\"1\"x;2\n", "!t.csv:2: expected a semicolon"),
     csv("a|b\n\"1\"x|2\n", "!t.csv:2: expected a bar"),
     csv("a,b\n5\" pipe,2\n", "!t.csv:2: expected quotes around the whole field"))

kind("codes",
     column("007 7 8", [X + "0 007, 1 7, 2 8", "-note"]),
     column("01234 90210", X + "0 01234, 1 90210"),
     column("00 01 10", X + "0 00, 1 01, 2 10"),
     column("0 1 10", X + "0 0, 1 1, 2 10"),
     column("0.0 0", "x 2"),
     column("08/15 9", "x 2"),
     column("2024-01-01 2024-01-02", X + "0 2024-01-01, 1 2024-01-02"),
     column("12:30 09:15", X + "0 09:15, 1 12:30"),
     column("1/2 3/4", X + "0 1/2, 1 3/4"),
     column("0x10 0x11", X + "0 0x10, 1 0x11"),
     column("inf 1 2", [X + "0 1, 1 2, 2 inf", "\"inf\" in line 2"]),
     column("TRUE FALSE", X + "0 FALSE, 1 TRUE"))

kind("encodings and line ends",
     csv("a,b\n1,x\n".encode("utf-16"), "!t.csv: expected text in UTF-8, got UTF-16"),
     csv("a,b\n1,x\n".encode("utf-16-le"), "!t.csv: expected text in UTF-8, got UTF-16"),
     csv("a,b\n1,x\n".encode("utf-16-be"), "!t.csv: expected text in UTF-8, got UTF-16"),
     csv("a,b\r1,x\r", "!t.csv:1: expected lines that end with LF or CRLF, got a CR alone"),
     lines("t.counts", "a\t1\rb\t2\r", "!t.counts:1: expected lines that end with LF or CRLF, got a CR alone"),
     csv("a,b\r\n1,x\r\n2,y\r\n", "a 2, b 2"),
     csv("\ufeffa,b\n1,x\n2,y\n", "a 2, b 2"),
     csv("a,b\n1,\"x\r\ny\"\n2,z\n", "n 2"),
     csv("a,b\n1,M\xfcller\n".encode("latin-1"), "!t.csv:2: expected UTF-8 text, got the byte 0xfc"),
     csv("a,b\n1,\x00\n", "!t.csv:2: expected text, got a byte 0x00"),
     csv("a,b\n1,\"x\n", "!t.csv:2: expected a closing quote"))

kind("counts and their headers",
     csv("value,cnt\na,5\nb,6\n", "n 11"),
     csv("value,n\na,5\nb,6\n", "n 11"),
     csv("value,Count\na,5\nb,6\n", "n 11"),
     csv("Var1,Freq\na,5\nb,6\n", "n 11"),
     csv("value,COUNT(*)\na,5\nb,6\n", "n 11"),
     csv("value,n\na,5\nb,6\n", ["n 2", "value 2, n 2"], "columns=value,n"),
     csv("value,count\na,5.5\n", "!t.csv:2: expected a whole count from 0 to 2^53, got \"5.5\""),
     csv("value,count\na,-1\n", "!t.csv:2: expected a whole count"),
     csv("n\n5\n6\n", ["n 2", "n 2"]),
     lines("t.counts", "value\tcnt\na\t5\nb\t6\n", ["n 11", "the first line of data is taken for a header"]),
     lines("t.counts", "value\tcount\na\t5\nb\t6\n", ["n 11", "-note"]),
     lines("t.counts", "word\tFreq\na\t5\nb\t6\n", "n 11"),
     lines("t.counts", "value\tusers\na\t5\n", "!t.counts:1: expected a whole count from 0 to 2^53, got \"users\""),
     lines("t.counts", "a\t5\na\t6\n", "!t.counts:2: expected each value once"),
     lines("t.counts", "a,5\nb,6\n", "!t.counts:1: expected value TAB count"),
     csv("answer,count\nyes,5\nNA,6\nno,1\n", ["n 12", '6 of 12 users have no value of "answer"']))

kind("strings",
     lines("t.strings", "string\nab\nab\ncd\n", ["n 3", "the first line of data is taken for a header"]),
     lines("t.strings", "query\nab\ncd\n", "n 2"),
     lines("t.strings", "URL\nab\ncd\n", "n 2"),
     lines("t.strings", "string\tcount\nab\t5\ncd\t6\n", ["n 11", "-note"]),
     lines("t.strings", "word\tcnt\nab\t5\ncd\t6\n", ["n 11", "taken for a header"]),
     lines("t.strings", "ab\nstring\ncd\n", ["n 3", "-note"]),
     lines("t.strings", "ab\nab\tx\n", "!t.strings:2: expected a string without TAB"),
     lines("t.strings", "ab\t5\nab\t6\n", "!t.strings:2: expected each string once (see line 1)"),
     lines("t.strings", "ab\t0\n", "!t.strings:1: expected a whole count from 1"),
     lines("t.strings", "#1\t5\n#2\t6\n", "n 11"),
     lines("t.strings", "NA\nNA\nab\n", ["n 3", "NA 2"]))

kind("numbers",
     lines("t.numbers", "age\n3\n4\n5\n", ["n 3", "the first line of data is taken for a header"]),
     lines("t.numbers", "3\nNA\n4\n", ["n 2", "1 line without a number left out (the first is line 2)"]),
     lines("t.numbers", "3\nx\n4\n", "!t.numbers:2: expected a number from -1e15 to 1e15"),
     lines("t.numbers", "3\n1,5\n4\n", "!t.numbers:2: expected a number from -1e15 to 1e15"),
     lines("t.numbers", "1,5\n2,5\n", "!t.numbers:1: expected a number from -1e15 to 1e15"),
     lines("t.numbers", "\u22123\n4\n", ["d 8", "n 2"]),
     lines("t.numbers", "3\n4\n1e308\n", "!t.numbers:3: expected a number from -1e15 to 1e15"),
     lines("t.numbers", "\n".join(f"{35 + i / 10:.1f}" for i in range(71)) + "\n", ["d 71", "values with count 0 0"]),
     lines("t.numbers", "\n".join(f"{350 + i}" for i in range(71)) + "\n", ["d 71", "values with count 0 0"]),
     lines("t.numbers", "1\n1000\n", "998 of the 1000 bins are empty"),
     lines("t.numbers", "value\tfreq\n3\t5\n4\t6\n", ["n 11", "taken for a header"]),
     lines("t.numbers", " 3\n4 \n5\n", "n 3"),
     lines("t.numbers", "inf\n3\n4\n", "n 2"),
     lines("t.numbers", "2019\n2021\n2020\n", "d 3"),
     lines("t.numbers", "0.25\n0.5\n0.75\n1\n", "d 2", "bins=2"))

COMMANDS = {"t.supports": "estimate --oracle oue --epsilon 1 --n 200 --method base"}
kind("supports and reports",
     lines("t.supports", "#a\t60\nb\t50\nc\t90\n", ["#a ", "b ", "c "]),
     lines("t.supports", "value\tsupport\na\t60\nb\t50\n", "a "),
     lines("t.supports", "value\tcount\na\t60\nb\t50\n", "a "),
     lines("t.supports", "# made by me\na\t60\nb\t50\n", ["a ", "-made"]),
     lines("t.supports", "#made by me\na\t60\nb\t50\n", "!t.supports:1: expected value TAB support, got \"#made by me\""),
     lines("t.supports", "a\t60\na\t50\n", "!t.supports:2: expected each value once"),
     lines("t.supports", "a\t60\nb\tNA\n", "!t.supports:2: expected a number after the TAB, got \"NA\""),
     lines("t.supports", "a\t60\nb\t1,5\n", "!t.supports:2: expected a number after the TAB, got \"1,5\""),
     lines("t.supports", "a;60\nb;50\n", "!t.supports:1: expected value TAB support, got \"a;60\""),
     lines("t.supports", "a\t60\n\nb\t50\n", ["a ", "b "]))

UTF8 = "expected text in UTF-8, got UTF-16"
FOUR = ["age 3, job 3, w 3, ok 2", "values of job 0 a, b, 1 c, 2 (empty cells)", "0 1.5, 1 2, 2 (empty cells)",
        '1 of 4 users have no value of "job"; 1 of 4 users have no value of "w"']
kind("pandas",
     csv(',age,job,w,ok\n0,39,"a, b",1.5,True\n1,40,c,2.0,False\n2,39,"a, b",,True\n3,41,,1.5,True\n',
         FOUR + ["1 column without a name left out"]),
     csv("age;job;w;ok\n39;a, b;1,5;True\n40;c;2,0;False\n39;a, b;;True\n41;;1,5;True\n", FOUR),
     csv('age,job,w,ok\n39,"a, b",1.5,True\n40,c,2.0,False\n39,"a, b",NA,True\n41,NA,1.5,True\n', FOUR),
     csv('"age","job","w","ok"\n"39","a, b","1.5","True"\n"40","c","2.0","False"\n"39","a, b","","True"\n"41","","1.5","True"\n', FOUR),
     csv("\ufeffage,w\n39,1.500\n40,\n", '1 of 2 users have no value of "w"'),
     csv(",q,q\n,a,b\n0,1,3\n1,2,4\n", "!t.csv:1: expected each column once, got \"q\""),
     csv("job,count\n\"a, b\",2\nc,1\n", ["n 3", "values of job 0 a, b, 1 c"]),
     csv('"a, b",2\nc,1\n', ["n 1", "the header has numbers"]),
     csv('z\na\n""\nb\n', ["n 3", '1 of 3 users have no value of "z"']),
     csv("z\n\"['a', 'b']\"\n['a']\n", "values of z 0 ['a', 'b'], 1 ['a']"),
     csv("age,job,w\n39,a\\, b,1.5\n40,c,2.0\n", "!t.csv:3: expected 4 columns, as the first record has, got \"40,c,2.0\""),
     csv('q,y\nsay \\"hi\\",1\nx,2\n', "!t.csv:2: expected quotes around the whole field, and \"\" for each in it"),
     csv("age,w\n39,1\n".encode("utf-16"), "!t.csv: " + UTF8),
     csv("age,w\r39,1\r", "!t.csv:1: expected lines that end with LF or CRLF, got a CR alone"),
     csv("x\n1e-05\n20000000000.0\n1e-05\n3.0\n", X + "0 1e-05, 1 3, 2 20000000000"),
     csv("x,y\n1.0,1\ninf,2\n2.0,1\n1.0,1\n", "1 of 3 values of x are no numbers, as \"inf\" in line 3"),
     csv("t,x\n2020-01-01 00:00:00,1\n2020-01-02 00:00:00,1\n,2\n", '1 of 3 users have no value of "t"'))

kind("R",
     csv('"","age","job"\n"1",39,"a"\n"2",NA,"b"\n"3",39,NA\n', ["age 2, job 3", "1 column without a name left out", '1 of 3 users have no value of "age"']),
     csv('"";"age";"w"\n"1";39;1,5\n"2";NA;2,5\n', ["age 2, w 2", "values of w 0 1.5, 1 2.5"]),
     csv('"age","job"\n39,"a"\nNA,"b"\n', '1 of 2 users have no value of "age"'),
     csv('"age" "job"\n"1" 39 "a"\n"2" 40 "b"\n', "!t.csv:1: expected a comma or the end of the line after a closing quote"),
     csv("age,job\n1,39,a\n2,40,b\n", ["values of age 0 39, 1 40", "1 column without a name left out"]),
     lines("t.tsv", "age\tjob\n1\t39\ta\n2\t40\tb\n", ["values of age 0 39, 1 40", "1 column without a name left out"]),
     csv("\ufeffage;w\n39;1,5\n40;2,5\n", "values of w 0 1.5, 1 2.5"),
     csv('"","Var1","Freq"\n"1","a",5\n"2","b",6\n', ["n 11", "values of Var1 0 a, 1 b"]),
     csv("job,n\na,5\nb,6\nNA,2\n", ["n 13", '2 of 13 users have no value of "job"']),
     csv('"x","y"\n"say \\"hi\\"",1\n"b",2\n', "!t.csv:2: expected a comma or the end of the line after a closing quote"),
     csv('"ok","x"\nTRUE,1\nFALSE,2\nNA,1\n', "values of ok 0 FALSE, 1 TRUE, 2 (empty cells)"),
     csv('"x"\n1e+05\n2e+05\n1e+05\n', X + "0 100000, 1 200000"),
     csv('"x"\n"(0,10]"\n"(10,20]"\n', X + "0 (0,10], 1 (10,20]"),
     csv('"x"\n"yes "\n"yes"\n" yes"\n', X + "0 yes"),
     csv('"x","y"\n-Inf,1\nNaN,2\n3,1\n', ["\"-Inf\" in line 2", '1 of 3 users have no value of "x"']),
     csv('"","mpg"\n"Mazda RX4",21\n"Datsun 710",22.8\n', ["values of mpg 0 21, 1 22.8", "1 column without a name left out"]))

kind("Excel",
     csv("\ufeffage,job\r\n39,a\r\n40,b\r\n", "age 2, job 2"),
     csv("age,job\r39,a\r", "!t.csv:1: expected lines that end with LF or CRLF, got a CR alone"),
     lines("t.txt", "age\tjob\r\n39\tx\r\n".encode("utf-16"), "!t.txt: " + UTF8),
     csv("Alter;Stadt\r\n39;Bonn\r\n40;K\xf6ln\r\n".encode("cp1252"), "!t.csv:3: expected UTF-8 text, got the byte 0xf6"),
     csv("Alter;Gehalt\r\n39;1.234,50\r\n40;999,00\r\n", "values of Gehalt 0 999, 1 1234.5"),
     csv('x,y\r\n" $1,234.00 ",a\r\n" $-   ",b\r\n', X + "0 $-, 1 $1,234.00"),
     csv("x,y\r\n#DIV/0!,a\r\n#N/A,b\r\n5,c\r\n6,d\r\n", ["\"#DIV/0!\" in line 2", '1 of 4 users have no value of "x"']),
     csv("a,b\r\n1,x\r\n,\r\n,\r\n", '2 of 3 users have no value of "a"'),
     csv("a,b,,,\r\n1,x,,,\r\n", "3 columns without a name left out"),
     csv("Survey 2024,,\r\n,,\r\nage,job,sex\r\n39,a,m\r\n40,b,f\r\n", ["2 columns without a name left out", "\"age\" in line 3"]),
     csv("id,x\r\n1.23E+11,a\r\n4.5E+12,b\r\n", "values of id 0 123000000000, 1 4500000000000"),
     csv('"q\nmore",y\r\na,1\r\n', "!t.csv:1: expected names of columns without line breaks"),
     csv("x,y\r\na\u00a0,1\r\na,2\r\n\u200ba,1\r\n", [X + "0 a", "n 3"]),
     csv('x\r\n"=""007"""\r\n"=""008"""\r\n', X + '0 ="007", 1 ="008"'),
     csv('job,count\r\na,"1,500"\r\nb,600\r\n', "!t.csv:2: expected a whole count from 0 to 2^53, got \"1,500\""),
     csv("sep=,\r\na,b\r\n1,x\r\n", "!t.csv:1: expected a header, not a line for a spreadsheet alone"),
     csv("a,b\r\n1,x\r\n\x1a", "!t.csv:3: expected text, got a byte 0x1a"),
     csv(b"PK\x03\x04\x14\x00", "!t.csv:1: expected text, got a byte 0x03"))

kind("LibreOffice",
     csv('"age";"job"\n39;"a"\n40;"b"\n', "age 2, job 2"),
     lines("t.tsv", '"age"\t"job"\n39\t"a\tb"\n40\t"b"\n', "age 2, job 2"),
     csv("x;y\n1.000;a\n12;b\n500;c\n", "!t.csv:2: x: expected numbers whose decimal mark can be told, got \"1.000\""),
     csv("x;y\n1\u2019000.50;a\n12.00;b\n", X + "0 12, 1 1000.5"),
     csv("x;y\nWAHR;1\nFALSCH;2\n", X + "0 FALSCH, 1 WAHR"),
     csv("x;y\n#NAME?;1\nErr:502;2\n5;3\n6;4\n", "2 of 4 values of x are no numbers, as \"#NAME?\" in line 2"),
     csv("'age','job'\n39,'a, b'\n40,'b'\n", "!t.csv:3: expected 3 columns, as the first record has, got \"40,'b'\""),
     csv("\n", "!t.csv: expected a header and records, got none"),
     csv(b'a,b\n1,"\x93x\x94"\n', "!t.csv:2: expected UTF-8 text, got the byte 0x93"),
     csv("t\n2024-01-01T00:00:00\n2024-01-02T00:00:00\n", "values of t 0 2024-01-01T00:00:00, 1 2024-01-02T00:00:00"),
     csv("x\n10.00%\n12.50%\n10.00%\n", X + "0 10.00%, 1 12.50%"),
     csv("x\n00:05:30\n00:06:00\n", X + "0 00:05:30, 1 00:06:00"))

kind("SQL",
     csv('39,a\n40,"b c"\n,d\n', "the header has numbers"),
     csv('39,a\n40,"b c"\n,d\n', ["n 3", '1 of 3 users have no value of "1"'], "no_header"),
     csv("age|job\n39|a\n|b\n", '1 of 2 users have no value of "age"'),
     csv("age  job\n---  ---\n39   a  \n", "!t.csv:2: expected cells, not a line that is drawn for a terminal, got \"--- ---\""),
     csv("\u250c\u2500\u2510\n\u2502 a \u2502\n", "!t.csv:1: expected cells, not a line that is drawn for a terminal"),
     csv("+-----+\n| age |\n+-----+\n|  39 |\n+-----+\n", "!t.csv:1: expected cells, not a line that is drawn for a terminal"),
     csv(" age | job \n-----+-----\n  39 | a\n(1 row)\n", "!t.csv:2: expected cells, not a line that is drawn for a terminal"),
     csv("age,job\n---,---\n39,a\n", "!t.csv:2: expected cells, not a line that is drawn for a terminal"),
     csv("x,y\n-,--\n--,-\n", "values of x 0 -, 1 --"),
     csv("age|job\n39|a\n(1 row)\n", "!t.csv:3: expected 2 columns, as the header has, got \"(1 row)\""),
     csv("39\ta\n\\N\tb\n", ["n 2", '1 of 2 users have no value of "1"'], "no_header"),
     csv("age\tjob\n39\ta\nNULL\tb\n", '1 of 2 users have no value of "age"'),
     csv("job,count\na,5\nb,6\n,3\n", ["n 14", '3 of 14 users have no value of "job"']),
     csv("ok,x\nt,1\nf,2\n", "values of ok 0 f, 1 t"),
     csv('x,y\n"{""a"": 1}",1\n"{a,b}",2\n', X + '0 {"a": 1}, 1 {a,b}'),
     csv("x\n1.00\n2.00\n1.00\n", X + "0 1, 1 2"),
     lines("t.counts", "      5 a\n      6 b\n", "!t.counts:1: expected value TAB count, got \" 5 a\""))

kind("surveys",
     csv('Timestamp,"Which fruits, if any?"\n2024/01/02 10:00:01 AM GMT+1,Apples;Pears\n2024/01/02 10:05:01 AM GMT+1,\n',
         ["values of Which fruits, if any? 0 Apples;Pears, 1 (empty cells)", '1 of 2 users have no value of "Which fruits, if any?"']),
     csv("Respondent ID,Fruits,,Age\n,Apples,Pears,Response\n1001,Apples,,25\n1002,,Pears,26\n",
         ["1 column without a name left out", "\"Response\" in line 2"]),
     csv('Q1,Q2\nHow old?,Which?\n"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n25,a\n26,b\n',
         "!t.csv:3: expected a record, not the third header of a survey (remove this line and the one before)"),
     csv('"id. Response ID","Q2[SQ001]. Fruits [Apples]"\n"1","Yes"\n"2",""\n', '1 of 2 users have no value of "Q2[SQ001]. Fruits [Apples]"'),
     csv("id,q1\n1,Very satisfied\n2,Don't know\n3,-99\n", "values of q1 0 Don't know, 1 Very satisfied, 2 (empty cells)", "missing=-99"),
     csv("q\n5 - very good\n1 - very bad\n", "values of q 0 1 - very bad, 1 5 - very good"),
     csv("record_id,q___1,q___2\n1,0,1\n2,1,0\n", "record_id 2, q___1 2, q___2 2"),
     csv("_id,q/apples\n1,True\n2,\n", '1 of 2 users have no value of "q/apples"'),
     csv('q\n"Apples\nPears"\nApples\n', "q 2"),
     csv("#,Question?\n1,yes\n2,no\n", "values of Question? 0 no, 1 yes"),
     csv("q\nyes\nyes \n yes\nYes\n", ["q 2", "n 4"]),
     lines("t.tsv", '"CASE"\t"A101"\n"Interview-Nummer"\t"Alter"\n"1"\t"25"\n"2"\t"26"\n', "\"Alter\" in line 2"),
     csv("q,y\n.,3\n2,5\n3,5\n", "1 of 3 values of q are no numbers, as \".\" in line 2"),
     csv("q,y\n,1\n,2\n", '2 of 2 users have no value of "q"'))

TWO = "Which job?,Where from?\n" + "".join(f"{'abc'[i % 3]},{'xy'[i % 2]}\n" for i in range(60))
kind("lines that are no users",
     csv("age,job\n39,a\n40,b\nage,job\n39,c\n", "!t.csv:4: expected a record, not the header again (remove this line), got \"age,job\""),
     csv("job,sex\na,m\njob,sex\njob,f\n", "!t.csv:3: expected a record, not the header again"),
     csv("q\nq\nr\n", ["n 2", "values of q 0 q, 1 r"]),
     csv("age,job\n39,a\nage,job\n", ["n 3", "-note"], "no_header,columns=2"),
     csv("Q1,Q2\n" + TWO, "!t.csv:2: expected a record, not a second header, whose words no user has (remove it; a user may stand further down), got \"Which job?\""),
     csv("Q1,Q2,age\n" + TWO.replace("from?\n", "from?,How old?\n").replace("x\n", "x,39\n").replace("y\n", "y,40\n"),
         "!t.csv:2: expected a record, not a second header"),
     csv("id,Q1,Q2\n" + "".join((f"{i}," if i else "Response,") + line for i, line in enumerate(TWO.splitlines(True))),
         "!t.csv:2: expected a record, not a second header"),
     csv("Q1;Q2\n" + "\n".join(TWO.replace(",", ";").splitlines()[1:] + ["Which job?;Where from?"]) + "\n", ["n 61", "Q1 4, Q2 3"]),
     csv("a,b\nPeru,Lima\n" + "".join(f"{'STU'[i // 20]},{'yz'[i % 2]}\n" for i in range(60)), ["n 61", "a 4, b 3"]),  # sorted
     csv("a,b\nz,x\n" + TWO.split("\n", 1)[1], ["n 61", "a 4, b 2"]),
     csv("a,b\n7,w\n" + TWO.split("\n", 1)[1], ["n 61", "a 4, b 3"]),
     csv("a\nother\n" + "b\nc\n" * 2000, ["n 4001", "a 3"]),
     csv("job,count\na,5\nb,6\nTotal,11\n", "!t.csv:4: expected a record, not the sum of all others (remove it), got \"Total\""),
     csv("job;n\na;5\nb;6\nGesamt;11\n", "!t.csv:4: expected a record, not the sum of all others"),
     csv("job,count\na,5\nb,6\nTotal,12\n", ["n 23", "job 3"]),
     csv("job,count\na,5\nb,6\nc,11\n", ["n 22", "job 3"]),
     lines("t.counts", "a\t5\nb\t6\ntotal\t11\n", "!t.counts:3: expected a value, not the sum of all others (remove it), got \"total\""),
     lines("t.counts", "a\t5\ntotal\t5\n", ["d 2", "n 10"]))

kind("marks, keys and cells of other programs",
     csv("x,y\r\n1,000,a\r\n2,500,b\r\n1,250,c\r\n", "!t.csv:4: expected each row name once (see line 2)"),
     csv("x\ty\na\t1\t2\nb\t1\t3\n", ["values of x 0 1", "1 column without a name left out"], file="t.tsv"),
     csv("Unnamed: 0,age\n0,39\n1,40\n2,39\n", "Unnamed: 0 3, age 2"),
     csv("x,y\nTrue,a\n,b\nFalse,c\n", [X + "0 False, 1 True, 2 (empty cells)", '1 of 3 users have no value of "x"']),
     csv("x,y\n1,a\n<NA>,b\n3,c\n", [X + "0 1, 1 3, 2 (empty cells)", '1 of 3 users have no value of "x"']),
     csv("x\n1.10\n1.1\n2.00\n", X + "0 1.1, 1 2"),
     csv("x;y\n1,0;a\n0,0;b\n1;c\n", "x 2, y 3"),
     csv("x,y\n1.0,a\n0,b\n1,c\n", "x 2, y 3"),
     csv('"x"\n1e+05\n100000\n99999\n', X + "0 99999, 1 100000"),
     csv("x,y\n1+2i,1\n2+0i,2\n", X + "0 1+2i, 1 2+0i"),
     csv("x;y\n-1,5;a\n-2,25;b\n", X + "0 -2.25, 1 -1.5"),
     csv('c("a", "b")\n', "!t.csv:1: expected quotes around the whole field"),
     csv("x,y\r\n(500),a\r\n300,b\r\n200,c\r\n100,d\r\n", "1 of 4 values of x are no numbers, as \"(500)\" in line 2"),
     csv("x;y\r\n12,5%;a\r\n7%;b\r\n", X + "0 12,5%, 1 7%"),
     csv("x;y\r\n5,00 \u20ac;a\r\n6,50 \u20ac;b\r\n", X + "0 5,00 \u20ac, 1 6,50 \u20ac"),
     csv("d\r\n01/02/2024\r\n2024-02-01\r\n1.2.2024\r\n45292\r\n", "values of d 0 01/02/2024, 1 1.2.2024, 2 2024-02-01, 3 45292"),
     csv("\ufeffsep=;\r\na;b\r\n1;2\r\n", "!t.csv:1: expected a header, not a line for a spreadsheet alone"),
     csv("a,b\r\n1,x\n2,y\r\n3,z\n", ["n 3", "values of b 0 x, 1 y, 2 z"]),
     csv("a,b\r\r\n1,x\r\r\n", "!t.csv:1: expected lines that end with LF or CRLF, got a CR alone"),
     csv(",,\r\n,,\r\na,b,c\r\n1,2,3\r\n", "!t.csv:1: expected a header with a column of values"),
     csv("x\r\n'007\r\n'008\r\n", X + "0 '007, 1 '008"),
     csv("Stra\xdfe;b\nx;1\n".encode("latin-1"), "!t.csv:1: expected UTF-8 text, got the byte 0xdf"),
     csv("x,y\n" + "a" * 70000 + ",1\nb,2\n", "!t.csv:2: expected a line of at most 65536 bytes, got more"),
     csv(",".join(f"c{i}" for i in range(99)) + "\n", "!t.csv:1: expected at most 64 attributes, got more"),
     csv("x\ty\na\\tb\t1\nc\t2\n", X + "0 a\\tb, 1 c", file="t.tsv"),
     csv("x\ty\na\\\nb\t1\nc\t2\n", "!t.tsv:2: expected 2 columns, as the header has", file="t.tsv"),
     csv('"x","y"\n"a \\"b\\"","1"\n', "!t.csv:2: expected a comma or the end of the line after a closing quote"),
     csv("job,count(1)\na,5\nb,6\n", "n 11"),
     csv("job,COUNT(DISTINCT id)\na,5\nb,6\n", "n 11"),
     csv("-[ RECORD 1 ]\nx | 1\ny | a\n", "!t.csv:1: expected cells, not a line that is drawn for a terminal"),
     csv("| a | b |\n|---|---|\n| 1 | x |\n", "!t.csv:2: expected cells, not a line that is drawn for a terminal"),
     csv("x,y\na,1\nb,2\n\n(2 rows affected)\n", "!t.csv:5: expected 2 columns, as the header has, got \"(2 rows affected)\""),
     csv("<!DOCTYPE html>\n<html><body>404</body></html>\n", "!t.csv:1: expected cells, not a web page, got \"<!DOCTYPE html>\""),
     csv('<?xml version="1.0"?>\n<a/>\n', "!t.csv:1: expected quotes around the whole field"),
     csv('"<p>Q1</p>"\n"<b>yes</b>"\n"no"\n', "values of <p>Q1</p> 0 <b>yes</b>, 1 no"),
     csv('{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', "!t.csv:1: expected quotes around the whole field"),
     csv('record_id,sex\n1,"1, Male"\n2,"2, Female"\n', "values of sex 0 1, Male, 1 2, Female"),
     csv("q,y\n\u201ca, b\u201d,1\nc,2\n", "!t.csv:3: expected 3 columns, as the first record has"),
     csv("q,y\na\x00b,1\nc,2\n", "!t.csv:2: expected text, got a byte 0x00"),
     csv("a\nx\x0by\nz\n", "!t.csv:2: expected text, got a byte 0x0b"),
     csv("q,y\r\n", "!t.csv: expected at least one user, got none"),
     csv("q", "!t.csv: expected at least one user, got none"),
     csv("  \n  \n", "!t.csv: expected a header and records, got none"),
     csv("a,b\n1,x\n2,\"y\n3,z\n4,w\n", "!t.csv:3: expected a closing quote, got the end of the file"),
     csv("a\n\xc0\xafx\n".encode("latin-1"), "!t.csv:2: expected UTF-8 text, got the byte 0xc0"),
     csv("a\n1\n".encode("utf-32"), "!t.csv: expected text in UTF-8, got UTF-16 or binary data"),
     csv(b"\x1f\x8b\x08\x00\x00\x00", "!t.csv: expected a complete gzip file, got a truncated one"))


def holds(shown, text):
    """Whether a text has these words, not as a part of longer numbers."""
    return re.search(r"(?<!\w)" + re.escape(" ".join(text.split())) + r"(?!\d)", shown) is not None


def run(program, case):
    file, text, arguments, expected = case
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, file), "wb") as out:
            out.write(text if isinstance(text, bytes) else text.encode())
        data = f"{file}({arguments})" if arguments else file
        done = subprocess.run([program, *COMMANDS.get(file, "list").split(), data], cwd=folder, capture_output=True,
                              check=False, timeout=60)
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    shown = " ".join((out + err).split())
    refused = expected[0].startswith("!")
    right = done.returncode == (2 if refused else 0) and (not refused or (out == "" and err.count("\n") == 1))
    for part in expected:
        right &= not holds(shown, part[1:]) if part.startswith("-") else holds(shown, part.lstrip("!"))
    return right, f"{file} {arguments}: expected {expected}, got status {done.returncode}: {shown}"


def main():
    program = os.path.abspath(os.environ.get("LDPBENCH", "build/release/ldpbench"))
    cases = [(name, case) for name, some in KINDS.items() for case in some]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for (name, case), (right, said) in zip(cases, pool.map(lambda case: run(program, case[1]), cases)):
            failed += not right
            if not right:
                print(f"{name}: {said}\n  {case[1][:200]!r}")
    print(f"{len(cases)} files, {failed} read wrong")
    return failed > 0 or len(cases) < 200


if __name__ == "__main__":
    sys.exit(main())
