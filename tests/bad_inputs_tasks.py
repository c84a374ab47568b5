"""Bad input for the tasks search, marginals and selection, for methods of one's own, sweeps, and the commands audit, init,
estimate of tables, serve and advise: the cases that tests/bad_inputs.py tries in addition to its own."""
import gzip
import json

WORDS = "".join(f"{a}{b}c\t{40 + 7 * i}\n" for i, (a, b) in enumerate((a, b) for a in "abc" for b in "abcd"))
RECORDS = "age,sex,income\n" + "".join(f"{i % 3},{i % 2},{int(i % 5 > 0)}\n" for i in range(300))
TABLE = "# variance 0.0001\na,b,frequency\n0,0,0.4\n0,1,0.1\n1,0,0.2\n1,1,0.3\n"
REPORTS_A = "".join(f"{i % 5 % 2} {i % 3}\n" for i in range(400))
REPORTS_B = "".join(f"{i % 7 % 2} {i % 3}\n" for i in range(400))
SUPPORT = "".join(f"v{i}\t{400 + i}\n" for i in range(8))

SECTIONS = ("law", "dataset", "oracle", "method", "protocol", "query", "attack", "synopsis", "chain", "evolution")


def read_schema():
    """configs/schema.json, of whose references those to algorithms are left."""
    with open("configs/schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    definitions = schema.pop("definitions")

    def whole(part):
        if isinstance(part, list):
            return [whole(item) for item in part]
        if not isinstance(part, dict):
            return part
        name = part.get("$ref", "").split("/")[-1] if isinstance(part.get("$ref", ""), str) else ""
        return whole(definitions[name]) if name and name not in SECTIONS else {key: whole(item) for key, item in part.items()}

    return {**whole(schema), "definitions": {name: whole(definitions[name]) for name in SECTIONS}}


SEARCH = {"name": "words", "task": "search", "seed": 1, "repetitions": 2,
          "datasets": [{"type": "strings", "file": "w.strings", "length": 3, "alphabet": "a-d"},
                       {"type": "zipf_strings", "s": 1, "length": 3, "d": 50, "n": 2000}],
          "oracles": ["olh", {"name": "count_min", "rows": 4, "columns": 16, "row_oracle": "oue"}], "epsilon": [1, 3],
          "protocols": [{"name": "pem", "start": 1, "step": 1, "keep": [2, 4]}, {"name": "treehist", "keep": 4}], "targets": {"top": [2, 4]},
          "outputs": ["search", "times"]}
MARGINALS = {"name": "people", "task": "marginals", "seed": 1, "repetitions": 2,
             "datasets": [{"type": "records", "file": "r.csv", "n": 500, "columns": "age sex income"},
                          {"type": "chain", "d": 4, "n": 500, "cardinalities": "2 3"}],
             "oracles": ["adaptive"], "epsilon": [1], "synopses": ["calm", {"name": "calm", "m": 3, "l": 2}, "uniform"],
             "marginals": {"k": [1, 2], "count": 3}, "outputs": ["errors", "parts"]}
SELECTION = {"name": "choice", "task": "selection", "seed": 1, "repetitions": 2, "trials": 3,
             "surrogates": ["posterior", "norm_sub"], "datasets": [{"type": "zipf", "s": 1.5, "d": 8, "n": 1000}],
             "oracles": ["olh"], "epsilon": [1], "methods": ["base", "norm_sub"], "queries": ["full_domain"]}
SWEEP = {"name": "sweep", "seed": 1, "repetitions": 8,
         "datasets": [{"type": "zipf", "s": [1.1, 1.5], "d": [8, 16], "n": {"from": 1000, "to": 4000, "points": 3, "scale": "log"}}],
         "oracles": ["olh", "grr"], "epsilon": {"from": 0.5, "to": 2, "points": 2, "scale": "log"},
         "exclude": [{"oracle": "grr", "n": {"from": 2000}}, {"epsilon": [0.5], "d": 8}], "methods": ["base"],
         "queries": ["full_domain"],
         "pictures": [{"picture": "full_domain", "caption": "x", "leave_out": ["named"], "names": {"olh": "OLH"}}]}
OUTSIDE = {"name": "outside", "seed": 1, "repetitions": 2, "datasets": [{"type": "zipf", "s": 1.5, "d": 8, "n": 1000}],
           "oracles": ["olh"], "epsilon": [1], "queries": ["full_domain"],
           "methods": ["base", {"name": "external", "label": "mine", "command": ["sh", "mine.sh"], "files": ["s.tsv"],
                                "timeout": 1}]}
LONGITUDINAL = {"name": "rounds", "task": "longitudinal", "seed": 1, "repetitions": 2, "rounds": [3],
                "datasets": [{"type": "zipf", "s": 1.5, "d": 8, "n": 1000}],
                "evolution": ["static", {"name": "redraw", "change": 0.25}], "equal": "unchanged",
                "chains": ["l_grr", {"name": "loloha", "g": 2}, {"name": "dbitflip", "bits": 1}], "epsilon": [2], "first": [0.5],
                "methods": ["base"], "queries": ["full_domain"], "outputs": ["average", "budget"]}
ATTACKED = {"name": "attacked", "seed": 1, "repetitions": 2, "datasets": [{"type": "zipf", "s": 1.5, "d": 16, "n": 1000}],
            "oracles": ["olh", "oue"], "epsilon": [1], "methods": ["base", "recentre", {"name": "ldp_recover", "eta": 0.1}],
            "queries": ["full_domain"], "outputs": ["mse", "detection"],
            "attacks": [{"type": "mga", "fraction": [0.01, 0.05], "targets": {"spread": 3}, "budget": 10, "padding": True},
                        {"type": "ria", "fraction": 0.05, "targets": {"ranks": [5]}}]}
ORDERED = {"name": "ordered", "seed": 1, "repetitions": 2, "ordered": True,
           "datasets": [{"type": "zipf", "s": 1, "d": 16, "n": 1000}],
           "oracles": ["sw", {"name": "hh", "B": 4, "shares": "optimal"}, {"name": "haar"}, {"name": "bins", "bins": 8}], "epsilon": [1],
           "methods": ["base", "hh_ci", "ems"],
           "queries": ["distribution", {"type": "range", "percent": [10, 40]}, {"type": "quantile", "percent": [50]}],
           "outputs": ["mse", "expected"]}
RECORDS_APART = {"name": "apart", "task": "marginals", "seed": 1, "repetitions": 2, "oracles": ["oue"], "epsilon": [1],
                 "datasets": [{"type": "chain", "d": 3, "n": 500, "cardinality": 3}], "equal": "tuple",
                 "synopses": ["spl", "each", {"name": "rsfd", "fake": "zero"}, {"name": "plan", "pilot": 0.3}],
                 "marginals": {"k": 1}, "outputs": ["protection"]}
TASKS = {"search": SEARCH, "marginals": MARGINALS, "selection": SELECTION, "sweep": SWEEP, "longitudinal": LONGITUDINAL,
         "attacked": ATTACKED, "ordered": ORDERED, "apart": RECORDS_APART}
MINE = "head -n 1 >/dev/null; exit 3\n"

# What tests/bad_inputs.py writes into its folder before the first case.
FILES = {"w.strings": WORDS, "r.csv": RECORDS, "a.reports": REPORTS_A, "b.reports": REPORTS_B,
         "mine.sh": MINE, "tables/one.csv": TABLE, "outside.json": json.dumps(OUTSIDE),
         **{f"{name}.json": json.dumps(config) for name, config in TASKS.items()}}

ADVISE_STRINGS = ["advise", "--epsilon", "2", "--n", "2000", "--top", "2", "--protocol", "pem", "--trials", "2", "w.strings"]
ADVISE_RECORDS = ["advise", "--epsilon", "1", "--n", "500", "--k", "2", "--synopsis", "uniform", "--trials", "2", "r.csv"]
# Good calls, by the command whose options they are attacked with.
CALLS = [("audit", ["audit", "--epsilon", "3", "--format", "text", "a.reports", "b.reports"]),
         ("audit", ["audit", "--epsilon", "9", "--oracle", "grr", "--d", "4", "--values", "0,1", "--reports", "1000"]),
         ("init", ["init", "--epsilon", "1", "-o", "out.json", "c.counts"]),
         ("estimate", ["estimate", "--marginal", "a+b", "--oracle", "grr", "tables"]),
         ("advise", ADVISE_STRINGS), ("advise", ADVISE_RECORDS),
         ("oracles", ["oracles", "--oracle", "grr", "--d", "8", "--epsilon", "2", "--n", "1000", "--delta", "1e-6"]),
         ("oracles", ["oracles", "--epsilon", "1", "--fraction", "0.01", "--format", "json", "c.counts"]),
         ("run", ["run", "--shard", "1/2", "good.json", "-o", "out"])]
VALUES = ["", "x", "-1", "0", "1e999", "nan", "inf", "1,,2", "99999999999999999999", "\x01", "0x1", " 1", "1 ", "1e", "--help",
          "9" * 100000, "x" * 100000, "\udcff", "\udcc3(", "a\udcff", "\n", "%s%n",
          "nowhere/../" * 50 + "nowhere/at/all", "\u202e"]
AGAIN = {"epsilon": "2", "n": "900", "format": "json", "seed": "3", "trials": "3", "threads": "1", "count": "3", "top": "3",
         "limit": "5", "confidence": "0.9", "d": "5", "values": "1,2", "reports": "2000", "task": "search", "strength": "0.5",
         "shard": "2/2", "output": "out2", "oracle": "grr", "length": "2", "bits": "8", "alphabet": "a-d", "threshold": "0.1",
         "cardinalities": "2 2", "repetitions": "3", "simulation": "counts"}


def option_cases(make, options_of):
    """Every option without a value, with values of no sense, and twice."""
    for command, good in CALLS:
        name = " ".join(good[:3])
        for option, takes_value, is_repeated in options_of(command, good):
            bare = option.lstrip("-")
            rest = good[1:]
            if option in rest:
                i = rest.index(option)
                rest = rest[:i] + rest[i + 2:]
            if not takes_value:
                yield make(f"{name} {option}=1", [command, option + "=1", *good[1:]])
                yield make(f"{name} {option} twice", [command, option, option, *good[1:]], sure=False)
                continue
            yield make(f"{name} {option} at the end", [command, *rest, option])
            for value in VALUES:
                yield make(f"{name} {option} {value[:20]!r}", [command, option, value, *rest], sure=False)
            if not is_repeated and bare in AGAIN:
                yield make(f"{name} {option} twice", [command, option, AGAIN[bare], option, AGAIN[bare], *rest])
        for words in (["--nothing"], ["x" * 100000], ["\udcff"], ["--" + "y" * 100000], ["--\udcff=1"]):
            yield make(f"{name} {words[0][:12]!r}", [*good, *words])


def config_cases(make, wrongs, places, replaced):
    for task, good in [*TASKS.items(), ("outside", OUTSIDE)]:
        run = ["run", "bad.json", "-o", "out", "--allow-external"]
        text = json.dumps(good)
        for path in places(good):
            for name, value in wrongs:
                yield make(f"{task} {path}: {name}", run, {"bad.json": json.dumps(replaced(good, path, value))},
                           sure=name != "a number with no sense")
            for value in ("", "x" * 1000, 0, 1e300, 0.5, True, [], {}, ["olh", "olh"], "\x7f", "a,b", "a\"b"):
                yield make(f"{task} {path}: {str(value)[:10]!r}", run, {"bad.json": json.dumps(replaced(good, path, value))},
                           sure=False, keeps=task != "outside")
        for word in [f'"{key}"' for key in good]:
            yield make(f"{task}: {word} misspelt", run, {"bad.json": text.replace(word + ":", word[:-1] + 'x":', 1)})
            if word != '"repetitions"':
                yield make(f"{task}: {word} twice", run, {"bad.json": "{" + word + ": 1, " + text[1:]})
        for length in range(1, len(text) - 1, 61):
            yield make(f"{task} cut off at {length}", run, {"bad.json": text[:length]})
        yield make(f"{task} with a key of 100 kB", run, {"bad.json": '{"' + "k" * 100000 + '": 1, ' + text[1:]})
        yield make(f"{task} with a name of 100 kB", run,
                   {"bad.json": text.replace(f'"{good["name"]}"', '"' + "k" * 100000 + '"')})
        yield make(f"{task} with a type of no UTF-8", run, {"bad.json": text.replace('"type": "', '"type": "\udcff', 1)})
    yield make("outside without permission", ["run", "outside.json", "-o", "out"])
    yield make("outside that fails", ["run", "outside.json", "-o", "out", "--allow-external"], keeps=False)
    for name, script in [("says nothing", ""), ("says another thing", "echo hello\n"), ("answers too little",
                         "echo ldpbench 2; echo 8; echo x\n"), ("says 100 kB", "head -c 100000 /dev/zero | tr '\\0' x; echo\n"),
                         ("says no UTF-8", "printf 'ldpbench 2\\nerror \\377\\n'\n"), ("says an error of 100 kB",
                         "echo ldpbench 2; printf 'error '; head -c 100000 /dev/zero | tr '\\0' x; echo\n"),
                         ("hangs", "echo ldpbench 2; sleep 100\n"), ("dies", "kill -9 $$\n"),
                         ("writes markup", "printf 'ldpbench 2\\nerror \\033[31m<b>\\n'\n")]:
        yield make(f"outside that {name}", ["run", "outside.json", "-o", "out", "--allow-external"], {"mine.sh": script},
                   keeps=False)
    for name, method in [("no program", {"command": ["/nowhere/at/all"]}), ("a folder", {"command": ["tables"]}),
                         ("an empty word", {"command": [""]}), ("no words", {"command": []}),
                         ("no permission", {"command": ["./mine.sh"]}), ("a file that is missing", {"command": ["sh"], "files": ["gone"]})]:
        other = {**OUTSIDE, "methods": ["base", {"name": "external", "label": "mine", **method}]}
        yield make(f"external with {name}", ["run", "bad.json", "-o", "out", "--allow-external"], {"bad.json": json.dumps(other)})
    for name, content in [("text", "hello\n"), ("empty", ""), ("an ELF head", b"\x7fELF" + bytes(60))]:
        other = {**OUTSIDE, "methods": ["base", {"name": "external", "label": "mine", "command": ["./mine"]}]}
        yield make(f"program: {name}", ["run", "bad.json", "-o", "out", "--allow-external"],
                   {"bad.json": json.dumps(other), "mine": content}, keeps=False)


def line_cases(make):
    """Good files with one wrong line, at the beginning, in the middle and at the end."""
    lines = {
        "w.strings": (WORDS, ["aac", "x\tx", "aac\t-1", "aac\t", "\t5", "aac\t99999999999999999999", "aac\t1\t2", "a\x01c\t1", "aac\t1.5"],
                      [["run", "search.json", "-o", "out"], ["list", "w.strings"], ADVISE_STRINGS, ["init", "w.strings", "-o", "out.json"]]),
        "r.csv": (RECORDS, ["1,1", "1,1,1,x", "1,\"1,1", "1,1,1\x01", "1,\udcff,1", "1,1,99999999999", "1,-1,0", "1,x,0", "1,1.5,1"],
                  [["run", "marginals.json", "-o", "out"], ["list", "r.csv"], ADVISE_RECORDS, ["init", "r.csv", "-o", "out.json"]]),
        "tables/one.csv": (TABLE, ["0,0", "0,0,x", "0,0,nan", "0,0,0.1", "0,0,inf", "0,0,1e999", "2,2,0.1", ",,", "0,0,0.1,0.1"],
                           [["estimate", "tables"], ["estimate", "tables", "--epsilon", "1", "-o", "out"]]),
        "a.reports": (REPORTS_A, ["1 2 3 \x01", "1 " * 100000, "\udcff"], [["audit", "--epsilon", "3", "a.reports", "b.reports"]]),
        "c.counts": ("".join(f"v{i}\t{(i + 1) * 10}\n" for i in range(8)), ["w\t-1", "w", "w\t1e3", "v0\t1", "w\udcff\t3", "w" * 100000 + "\tx"],
                     [["init", "c.counts", "-o", "out.json"], ["list", "c.counts"]]),
    }
    for name, (text, wrong, calls) in lines.items():
        rows = text.splitlines(keepends=True)
        for line in wrong:
            for at in (0, len(rows) // 2, len(rows)):
                for call in calls:
                    yield make(f"{' '.join(call[:3])}: {name} with {line[:20]!r} at {at}", call,
                               {name: "".join(rows[:at]) + line + "\n" + "".join(rows[at:])}, sure=False)


def file_cases(make, fifo, folder, gone):
    """Files that are missing, a folder, empty, a pipe, of another kind, cut off, or compressed and damaged."""
    good = {"w.strings": WORDS, "r.csv": RECORDS, "c.counts": "".join(f"v{i}\t{(i + 1) * 10}\n" for i in range(8)),
            "c.sets": "v0\ta\nv1\ta\nv2\tb\n", "s.tsv": SUPPORT, "a.reports": REPORTS_A,
            "tables/one.csv": TABLE, "mine.sh": MINE, "search.json": json.dumps(SEARCH)}
    calls = {"w.strings": [["run", "search.json", "-o", "out"], ["list", "w.strings"], ADVISE_STRINGS,
                           ["init", "w.strings", "-o", "out.json"]],
             "r.csv": [["run", "marginals.json", "-o", "out"], ["list", "r.csv"], ADVISE_RECORDS, ["init", "r.csv", "-o", "out.json"]],
             "c.counts": [["run", "good.json", "-o", "out"], ["list", "c.counts"], ["init", "c.counts", "-o", "out.json"]],
             "c.sets": [["run", "good.json", "-o", "out"]],
             "s.tsv": [["estimate", "--oracle", "olh", "--epsilon", "1", "--n", "1000", "s.tsv"],
                       ["advise", "--supports", "olh", "--epsilon", "1", "--n", "1000", "--trials", "2", "s.tsv"]],
             "a.reports": [["audit", "--epsilon", "3", "a.reports", "b.reports"]],
             "tables/one.csv": [["estimate", "tables"]],
             "mine.sh": [["run", "outside.json", "-o", "out", "--allow-external"]],
             "search.json": [["run", "search.json", "-o", "out"], ["run", "search.json", "--from", "good", "-o", "out"]]}
    for name, text in good.items():
        raw = text.encode()
        packed = gzip.compress(raw)
        kinds = [("gone", gone, True), ("a folder", folder, True), ("empty", b"", True), ("an empty pipe", fifo, True),
                 ("zeros", bytes(1000), True), ("noise", bytes(range(256)) * 8, True), ("a line of 1 MB", b"x" * 1000000, True),
                 ("gzip cut off", packed[:-9], True), ("gzip and more", packed + b"more", True), ("gzip of nothing", gzip.compress(b""), True),
                 ("gzip with a wrong sum", packed[:-8] + b"\0\0\0\0" + packed[-4:], True), ("UTF-16", text.encode("utf-16"), True),
                 ("half", raw[:len(raw) // 2], False), ("a byte less", raw[:-1], False), ("CR LF", raw.replace(b"\n", b"\r\n"), False),
                 ("with a byte order mark", b"\xef\xbb\xbf" + raw, False), ("with NUL", raw[:20] + b"\0" + raw[20:], True),
                 ("no UTF-8", raw[:10] + b"\xff\xfe" + raw[10:], False), ("newlines", b"\n" * 100000, True)]
        for call in calls[name]:
            for what, content, sure in kinds:
                certain = sure and name not in ("mine.sh", "a.reports") and not (name == "tables/one.csv" and what == "gone")
                yield make(f"{' '.join(call[:3])}: {name}: {what}", call, {name: content}, sure=certain, keeps=name != "mine.sh")


def name_cases(make):
    """Files whose names are no text: all that the program says and writes of them is."""
    texts = {"s.tsv": SUPPORT, "c.counts": "v0\t10\nv1\t20\n", "w.strings": WORDS, "r.csv": RECORDS, "a.reports": REPORTS_A,
             "tables/one.csv": TABLE, "good.json": None}
    for odd in ("\udcff", "\x1b[31m", "\n", "<script>", "\u202e", "%s", "x" * 200, "-", " "):
        for name, text in texts.items():
            stem, end = name.rsplit(".", 1)
            other = f"{stem}{odd}.{end}"
            files = {} if text is None else {other: text}
            calls = {"s.tsv": [["estimate", "--oracle", "olh", "--epsilon", "1", "--n", "1000", other],
                               *[["advise", "--supports", "olh", "--epsilon", "1", "--n", "1000", "--trials", "2", "--format", how, other] for how in ("text", "md", "json")]],
                     "c.counts": [["list", other], ["init", other, "-o", "out.json"]],
                     "w.strings": [["list", other], ["init", other, "-o", "out.json"], [*ADVISE_STRINGS[:-1], other],
                                   [*ADVISE_STRINGS[:-1], "--format", "json", other]],
                     "r.csv": [["list", other], ["init", other, "-o", "out.json"], [*ADVISE_RECORDS[:-1], other],
                               [*ADVISE_RECORDS[:-1], "--format", "json", other]],
                     "a.reports": [["audit", "--epsilon", "3", other, "b.reports"]],
                     "tables/one.csv": [["estimate", "tables", "-o", "out"]],
                     "good.json": [["run", "good.json", "-o", "out" + odd], ["run", "good.json", "--from", "good", "-o", "out" + odd],
                                   ["init", "c.counts", "-o", "out" + odd], ["report", "good", "--no-plots", "-o", "out" + odd],
                                   ["plot", "good", "--format", odd], ["run", "nowhere" + odd + ".json"], ["check", "good", "no" + odd],
                                   ["check", "paper", "no" + odd], ["check", "no" + odd, "good"], ["estimate", "no" + odd], ["list", "no" + odd + ".counts"]]}[name]
            for call in calls:
                yield make(f"{' '.join(call[:3])}: name with {odd[:9]!r}", call, files, sure=False)


def output_cases(make):
    """Outputs that cannot be."""
    for call in (["run", "search.json", "-o"], ["run", "marginals.json", "-o"], ["run", "selection.json", "-o"], ["run", "good.json", "--from", "good", "-o"],
                 ["init", "c.counts", "-o"], ["estimate", "tables", "-o"], ["report", "good", "--no-plots", "-o"],
                 ["check", "paper", "good", "-o"]):
        for where in ("nowhere/at/all/x", "s.tsv/x", "/dev/null/x", "", "x" * 5000, "\udcff/x", "/proc/x", "/dev/full"):
            if where == "/dev/full" and call[:2] not in (["report", "good"], ["check", "paper"]):
                continue
            makes = call[0] in ("run", "estimate") and where == "nowhere/at/all/x"  # folders are made
            yield make(f"{' '.join(call)} {where[:20]!r}", [*call, where], sure=not makes and where != "\udcff/x", statuses=(2, 3))
    for call in (["init", "c.counts", "-o", "c.counts"], ["init", "c.counts", "-o", "tables"], ["estimate", "tables", "-o", "s.tsv"],
                 ["report", "good", "--no-plots", "-o", "tables"], ["check", "paper", "good", "-o", "tables"],
                 ["run", "search.json", "-o", "s.tsv"], ["run", "search.json", "-o", "good"], ["run", "search.json", "-o", "tables"],
                 ["run", "good.json", "--from", "good", "-o", "tables"], ["run", "good.json", "--from", "good", "-o", "good"],
                 ["run", "good.json", "--from", "good", "words", "-o", "out"]):
        yield make(" ".join(call), call, sure=False)
