#!/usr/bin/env python3
"""Bad input by chance: reports, result folders, answers of outside programs, and calls from Python.

usage: tests/bad_inputs_random.py [COUNT [SEED]]     COUNT inputs of each of five kinds (default 200), seed 1

Each takes a good input and spoils one to three places. The program must end with one of its statuses within SECONDS of
processor time; a refusal is one line. Python raises ldpbench.Error or nothing, and its process lives on. Input I of a seed
is the same whatever COUNT is. tests/bad_inputs.py has inputs by list, whose outcome is certain.
"""
import functools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ.get("LDPBENCH", "build/release/ldpbench"))
SECONDS = 30
CONFIG = {"name": "x", "repetitions": 2, "datasets": [{"type": "zipf", "s": 1.5, "d": 4, "n": 100}], "oracles": ["grr", "olh"],
          "epsilon": [1, 2], "methods": ["base", "norm_sub"], "queries": ["full_domain", {"type": "top_k", "k": [1, 2]}],
          "outputs": ["mse", "values", "oracles", "expected"]}
NUMBERS = ["0", "1", "-1", "2", "3", "7", "8", "255", "2147483647", "2147483648", "4294967295", "4294967296", "9007199254740993",
           "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1" * 400, "1.5",
           "0.3", "1e3", "1e308", "1e999", "-1e308", "4.9e-324", "inf", "-inf", "nan", "0x10", "1,000", "", " ", "x", "\x00", "\x01",
           "\udcff", "\u202e", "%s%n", "'", "\"", "1 2", "1\t2", "#", "\r", "\u00e9" * 300]
ORACLES = ("grr sue oue blh olh flh ss hr hm rhr pgr pi_rappor the she ue mss adaptive sw hh haar bins count_min count_sketch cms hcms bloom").split()
METHOD = """printf 'ldpbench 2\\n'; read hello; q=0
while read line; do q=$((q + 1)); head -c 32 >/dev/null; printf '4 question=%s\\n' $q; head -c 32 /dev/zero; done
"""
ORACLE = """printf 'ldpbench 2\\n'; read hello; q=0
while read line; do q=$((q + 1)); head -c 32 >/dev/null; printf 'support 4 p=0.7 q=0.1 question=%s\\n' $q; head -c 32 /dev/zero; done
"""


def ask(folder, words, may=(0, 1, 2, 3, 4)):
    """Whether the program refused, and what is wrong with how it did, or None."""
    try:
        run = subprocess.run([PROGRAM, *(word.encode("utf-8", "surrogateescape") for word in words)], cwd=folder,
                             stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=10 * SECONDS,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5)))
    except subprocess.TimeoutExpired:
        return False, f"{words}: waits"
    error = run.stderr.decode("utf-8", "replace")
    if run.returncode not in may or "Sanitizer" in error or "runtime error" in error:
        return False, f"{words}: status {run.returncode}: {error[:1000]}"
    drawn = words[0] == "plot"  # which names the pictures that it drew before
    if run.returncode in (2, 3) and (len(error.splitlines()) != 1 or not error.startswith("ldpbench: ") or (run.stdout and not drawn)):
        return True, f"{words}: not one line: {error[:1000]!r}"
    return run.returncode in (2, 3), None


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))


def spoiled(rng, content):
    """Bytes with one to three of them replaced, added, taken away, doubled, or a number instead of a number."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        at, length = rng.randrange(len(content) + 1), rng.choice([1, 1, 2, 8, 60])
        other = rng.choice([bytes([rng.randrange(256)]), rng.choice(NUMBERS).encode("utf-8", "surrogateescape"), b"\n", b",", b""])
        content = rng.choice([content[:at] + other + content[at + 1:], content[:at] + other + content[at:],
                              content[:at] + content[at + length:], content[:at] + content[at:at + length] + content[at:], content[:at]])
    return content


def reports(rng, folder, _):
    oracle, d = rng.choice(ORACLES), rng.choice([2, 4, 8, 100])
    words = rng.choice([1, 1, 2, 3, 8])
    for name in "ab":
        lines = [" ".join(str(rng.randrange(d)) for _ in range(words)) for _ in range(rng.choice([1, 20, 200]))]
        for _ in range(rng.choice([1, 1, 2, 20])):
            lines[rng.randrange(len(lines))] = " ".join(rng.choice(NUMBERS) for _ in range(rng.choice([words, 1, 40])))
        write(folder, name, "\n".join(lines) + rng.choice(["\n", ""]))
    of = ["--oracle", oracle, "--d", str(d)] if rng.random() < 0.7 else []
    return ask(folder, ["audit", "--epsilon", rng.choice(["1", "0.001", "20"]), *of, *rng.choice([[], ["--bits"]]), "a", "b"])


def folders(rng, folder, good):
    names = sorted(good)
    for name in names:
        write(folder, "r/" + name, good[name])
    for name in {rng.choice(names), rng.choice(names + ["run.json"] * 3)}:
        write(folder, "r/" + name, spoiled(rng, good[name]))
    outcomes = [ask(folder, words.split()) for words in (
        "plot r --format tsv", "report r --no-plots -o page.html", "check r r", "check good r", "run c.json --from r -o m --quiet",
        "run c.json -o r --quiet")]
    return any(refused for refused, _ in outcomes), next((wrong for _, wrong in outcomes if wrong), None)


def programs(rng, folder, _):
    kind, script = rng.choice([("methods", METHOD), ("oracles", ORACLE)])
    if rng.random() < 0.3:
        first, rest = script.split("\n", 1)  # a process that does not greet has half a minute for it
        changed = first + "\n" + spoiled(rng, rest.encode()).decode("utf-8", "surrogateescape")
    else:
        part = rng.choice(["ldpbench 2", "4 ", "question=%s", "0.7", "0.1", "head -c 32 /dev", "p=", " q=", "%s\\n", "support", "zero"])
        other = rng.choice(NUMBERS + ["question=0", "question=%s question=%s", "estimate", "s1=1e308 tf=1", "s1=-1 p=nan", "p=1e-300",
                                      "head -c 31 /dev", "head -c 3200 /dev", "urandom", "random", "5 ", "error x", "error"])
        changed = script.replace(part, other.replace("\x00", "").replace("\n", ""), rng.choice([1, 2]))
    write(folder, "own.sh", changed)
    own = {"name": "external", "label": "own", "command": ["sh", "own.sh"], "files": ["own.sh"], "timeout": 0.3}
    config = {**CONFIG, kind: ["base" if kind == "methods" else "grr", own], "outputs": ["mse"], "queries": ["full_domain"]}
    write(folder, "o.json", json.dumps(config))
    refused, wrong = ask(folder, ["run", "o.json", "-o", "o", "--allow-external", "--quiet", "-j", "1"])
    if not refused and not wrong:  # what is taken, our readers take
        wrong = ask(folder, ["check", "o", "o"], may=(0,))[1]
    return refused, wrong


def weird(rng):
    import decimal
    import numpy
    values = [None, True, float("nan"), float("inf"), -1, 0, 2**31, 2**64, 10**400, 1.5, -1e308, 5e-324, "1", "", "x\0y", "olh", b"x", [],
              [[]], [[1], [1, 2]], {}, {"a": 1}, object(), (), {1}, range(3), lambda: 1, decimal.Decimal(1), decimal.Decimal("nan"),
              1j, numpy.array(3), numpy.float32("nan"), numpy.array([]), numpy.zeros((2, 2, 2)), numpy.zeros((0, 3)),
              numpy.full(8, numpy.nan), numpy.full(8, 1e308), numpy.arange(8)[::-1], numpy.array(["a"] * 8), numpy.array([None] * 8),
              numpy.array([2**64 - 1] * 8, dtype=numpy.uint64), numpy.arange(8, dtype=numpy.int8) - 4, numpy.ones(8, dtype=complex),
              numpy.array(["2020-01-01"] * 8, dtype="datetime64[D]"), numpy.zeros(8, dtype=[("a", "i4")]),
              numpy.ma.masked_array(numpy.arange(8), numpy.arange(8) % 2), numpy.broadcast_to(numpy.float64(1), (2, 8)),
              numpy.zeros(8, dtype=numpy.float16), (x for x in [1, 2]), [10**30] * 8, ["1"] * 8, [None] * 8, "\udcff", numpy.bool_(True)]
    return rng.choice(values)


def calls(rng, oracle):
    """Good calls: a function and its arguments by name."""
    import ldpbench
    import numpy
    protocol = ldpbench.Protocol(oracle, 8, 1.0)
    counts, est = numpy.array([40, 30, 20, 10, 0, 0, 0, 0]), numpy.full(8, 0.125)
    sent = protocol.client(numpy.zeros(4, dtype=numpy.uint32), 1)
    support = protocol.server(sent)
    return rng.choice([
        (ldpbench.Protocol, {"oracle": oracle, "d": 8, "epsilon": 1.0, "public_seed": 0}), (protocol.client, {"values": [0, 1], "seed": 1}),
        (protocol.server, {"reports": sent}), (protocol.estimate, {"support": support, "n": 4}), (protocol.sigma, {"n": 4}),
        (protocol.simulate, {"counts": counts, "repetitions": 2, "seed": 1, "mode": "counts", "key": ""}),
        (protocol.variance, {"counts": counts}),
        (ldpbench.postprocess, {"est": est, "method": "norm_sub", "protocol": protocol, "n": 100}),
        (ldpbench.intervals, {"est": est, "protocol": protocol, "n": 100, "level": 0.9, "kind": "score"}),
        (ldpbench.set_intervals, {"est": est, "sets": [[0, 1]], "protocol": protocol, "n": 100, "level": 0.9}),
        (ldpbench.audit, {"first": sent, "second": sent, "epsilon": 1.0, "confidence": 0.9}), (ldpbench.parameters, {"name": oracle}),
        (ldpbench.advise, {"data": counts, "epsilon": 1.0, "supports": "grr", "n": 100, "trials": 2, "seed": 1}),
        (ldpbench.run, {"config": CONFIG, "output": "out"}), (ldpbench.results, {"folder": "out"}),
        (ldpbench.check, {"baseline": "out", "result": "out", "level": 0.1})])


def python_input(seed, kind, i):
    """In a process of its own: one line that says how input i ended."""
    import ldpbench
    import numpy
    rng = random.Random(f"{seed} {kind} {i}")
    oracle = rng.choice(ORACLES)
    if kind == "server":
        protocol = ldpbench.Protocol(oracle, rng.choice([2, 8, 100, 1024]), rng.choice([1e-3, 1.0, 8.0]))
        sent = protocol.client(numpy.zeros(20, dtype=numpy.uint32), i)
        for _ in range(rng.choice([1, 1, 5])):
            word = rng.choice([2**rng.randrange(64), 2**64 - 1, rng.randrange(2**64), rng.randrange(2**64) >> rng.randrange(64)])
            sent[rng.randrange(20), rng.randrange(sent.shape[1])] = word
        function, arguments = protocol.server, {"reports": sent}
    else:
        function, arguments = calls(rng, oracle)
        arguments[rng.choice(list(arguments))] = weird(rng)
    what = f"{oracle} {getattr(function, '__name__', function)}({', '.join(f'{k}={v!r:.60}' for k, v in arguments.items())})"
    what = " ".join(what.split())
    try:
        value = function(**arguments)
        if kind == "server":
            assert numpy.isfinite(value).all(), "supports that are not finite"
        return "taken"
    except ldpbench.Error as error:
        return "refused" if str(error) and "\n" not in str(error) else f"WRONG {what}: no line: {str(error)[:300]!r}"
    except BaseException as error:  # pylint: disable=broad-except
        return f"WRONG {what}: {type(error).__name__}: {error}".replace("\n", " ")


def in_python(kind, seed, count, folder):
    """Outcomes of all inputs of a kind; a process that dies is begun again after the input that ended it."""
    environment = {**os.environ, "LDPBENCH": PROGRAM, "PYTHONPATH": os.path.abspath("python"), "PYTHONWARNINGS": "ignore",
                   "LDPBENCH_LIBRARY": os.path.join(os.path.dirname(PROGRAM), "libldpbench.so")}
    i = 0
    while i < count:
        run = subprocess.run([python(), os.path.abspath(__file__), kind, str(seed), str(i), str(count)], cwd=folder, check=False,
                             env=environment, capture_output=True, text=True, errors="replace", timeout=count * SECONDS)
        for line in run.stdout.splitlines():
            i += 1
            yield line == "refused", f"{kind} {i - 1}: {line}" if line.startswith("WRONG") else None
        if i < count:
            yield False, f"{kind} {i}: the process ended with {run.returncode}: {run.stderr[-1000:]}"
            i += 1


@functools.lru_cache(None)
def python():
    """A Python that has NumPy and pandas, or None."""
    return next((one for one in (sys.executable, "/usr/bin/python3")
                 if subprocess.run([one, "-c", "import numpy, pandas"], capture_output=True, check=False).returncode == 0), None)


def main():
    count, seed = [int(word) for word in sys.argv[1:]] + [200, 1][len(sys.argv) - 1:]
    faults = tried = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "c.json", json.dumps(CONFIG))
        for name in ("good", "r"):
            subprocess.run([PROGRAM, "run", "c.json", "-o", name, "--quiet"], cwd=folder, check=True)
        good = {}
        for name in os.listdir(os.path.join(folder, "good")):
            with open(os.path.join(folder, "good", name), "rb") as file:
                good[name] = file.read()
        kinds = [(f.__name__, functools.partial(lambda f: (f(random.Random(f"{seed} {f.__name__} {i}"), folder, good)
                                                           for i in range(count)), f)) for f in (reports, folders, programs)]
        if python():
            kinds += [(kind, functools.partial(in_python, kind, seed, count, folder)) for kind in ("server", "call")]
        else:
            print("bad_inputs_random.py: without Python's calls: no python3 with NumPy and pandas")
        for name, outcomes in kinds:
            found = list(outcomes())
            wrong = [f"{name} {i} of seed {seed}: {text}" for i, (_, text) in enumerate(found) if text]
            print(f"{name}: {len(found)} inputs, {sum(bad for bad, _ in found)} refused, {len(wrong)} wrong", *wrong, sep="\n", flush=True)
            tried, refused, faults = tried + len(found), refused + sum(bad for bad, _ in found), faults + len(wrong)
    print(f"bad_inputs_random.py: {tried} inputs of seed {seed}, {refused} refused, {faults} wrong")
    return faults > 0


if __name__ == "__main__":
    if len(sys.argv) == 5:
        for number in range(int(sys.argv[3]), int(sys.argv[4])):
            print(python_input(sys.argv[2], sys.argv[1], number), flush=True)
        sys.exit(0)
    sys.exit(main())
