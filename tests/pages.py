"""Every command of README.md and of the pages of docs/ runs, in a folder with the files that they speak of; what follows a line
"$ COMMAND" is what it prints, where a line "..." stands for any lines, and times and threads are those of any machine.

usage: pages.py [PAGE...]      LDPBENCH names the program
"""

import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGES = ["README.md"] + sorted(os.path.relpath(page, ROOT) for page in glob.glob(os.path.join(ROOT, "docs/*.md")))
FAILS = {"audit": {0, 1, 4}, "check": {0, 1}}  # exit statuses that are answers
# What a machine of one's own or minutes are needed for: builds, ranks, clients, whole suites.
ELSEWHERE = re.compile(r"mpirun|^ldpbench 2$|\./client|ldpbench help|score( |$)|oracles --epsilon E|sweep\.json|^ldpbench (run CONFIG|COMMAND)|DATA\b|FOLDER\b")


def prepare(folder):
    """The files that pages name, and the runs that they compare."""
    draw = random.Random(1)
    path = lambda name: os.path.join(folder, name)
    shutil.copy(os.path.join(ROOT, "docs/survey.csv"), folder)
    shutil.copytree(os.path.join(ROOT, "configs"), path("configs"))
    for name, lines in {
            "ages.numbers": [str(min(99, int(draw.gammavariate(6, 7)))) for _ in range(2000)],
            "queries.strings": [f"{word}\t{4000 // (rank + 1)}" for rank, word in
                                enumerate("maps news shop mail bank game song film book auto".split())],
            "records.csv": ["age,smoker,region"] + [f"{draw.choice(['18-39', '40-64', '65-'])},{draw.choice(['yes', 'no', 'no'])},"
                                                    f"{draw.choice('ABCD')}" for _ in range(3000)],
            "support.tsv": [f"{value}\t{count}" for value, count in enumerate((1900, 1600, 1300, 1100, 950, 850, 800, 760, 740))],
            "values.txt": ["never", "once a year", "once a month", "every week"],
            "reports.jsonl": ['{"user": "a17", "report": "once a year"}', '{"user": "k02", "report": "never"}',
                              '{"user": "b44", "report": "never"}'],
            "first": [str(int(draw.random() < 0.7)) for _ in range(3000)],
            "second": [str(int(draw.random() < 0.3)) for _ in range(3000)],
            "mine.py": ["import numpy, ldpbench", "ldpbench.serve(lambda est: numpy.maximum(est, 0))"],
            "mine.json": ['{"name": "mine", "repetitions": 5, "epsilon": 1, "oracles": ["grr"], "queries": ["full_domain"],',
                          ' "datasets": [{"type": "answers", "file": "survey.csv"}],',
                          f' "methods": ["base", {{"name": "external", "label": "mine", "command": ["{sys.executable}", "mine.py"]}}]}}'],
    }.items():
        with open(path(name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    os.mkdir(path("tables"))
    with open(path("tables/pair.csv"), "w", encoding="utf-8") as file:
        file.write("# users 1000\nage,smoker,frequency\n0,0,0.3\n0,1,0.2\n1,0,0.1\n1,1,0.4\n")
    for page, name in (("docs/guide.md", "first.json"), ("docs/deployment.md", "vectors.jsonl")):
        with open(os.path.join(ROOT, page), encoding="utf-8") as text, open(path(name), "w", encoding="utf-8") as file:
            file.write(re.search(r"```json\n(.*?)```", text.read(), re.S).group(1))
    for command in ("init survey.csv --epsilon 0.5,1,2", "run survey.json --quiet --repetitions 40", "run first.json --quiet",
                    "run survey.json --quiet --repetitions 6 -o before", "run survey.json --quiet --repetitions 6 --seed 3 -o after",
                    "run survey.json --quiet --repetitions 6 -o theirs", "run survey.json --quiet --repetitions 6 -o yours"):
        subprocess.run(f"ldpbench {command}", shell=True, check=True, cwd=folder, stdout=subprocess.DEVNULL)


def commands(text):
    """Each command of a page, with the lines that it is said to print (None: nothing is said)."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("    $ "):
            said = []
            for after in lines[number + 1:]:
                if not after.startswith("    ") or after.startswith("    $ "):
                    break
                said.append(after[4:])
            yield line[6:], said
        elif re.match(r"    (ldpbench|sqlite3) ", line):
            yield re.sub(r"\s+#.*", "", line.strip()), None
        elif re.match(r'    \{"name": "\w+", ("task"|"epsilon")', line):  # a config
            block = []
            for after in lines[number:]:
                if not after.startswith("    "):
                    break
                block.append(after)
            try:
                json.loads("".join(block))
            except ValueError:
                continue
            yield "cat > page.json <<'END' && ldpbench run page.json --dry-run\n" + "\n".join(block) + "\nEND", None
        elif line.startswith("|"):
            for code in re.findall(r"`(ldpbench [^`]*)`", line):
                yield code, None


def plain(line):
    return re.sub(r"in [0-9.]+ s \(\d+ threads?", "in 1 s (2 threads", line).rstrip()


def agrees(said, printed):
    """Whether the lines are printed in this order, one after the other except where "..." stands between them."""
    at, gap = 0, False
    for line in map(plain, said):
        if line == "...":
            gap = True
            continue
        while gap and at < len(printed) and printed[at] != line:
            at += 1
        if at == len(printed) or printed[at] != line:
            return f"expected {line!r}, got {printed[at] if at < len(printed) else 'the end'!r}"
        at, gap = at + 1, False
    return None if gap or not said or at == len(printed) else f"prints more: {printed[at]!r}"


ANSWERED = {}  # commands of all pages that write nothing, with the bytes of the files that they read


def answer(command, folder):
    """What a command does, run once where pages share it."""
    if not re.match(r"ldpbench (oracles|advise) (?!.*( -o |>))", command):
        return execute(command, folder)
    read = [open(path, "rb").read() for word in command.split() if os.path.isfile(path := os.path.join(folder, word))]
    key = (command, *read)
    if key not in ANSWERED:
        ANSWERED[key] = execute(command, folder)
    return ANSWERED[key]


def execute(command, folder):
    return subprocess.run(command, shell=True, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check(page, folder):
    wrong = 0
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        found = [row for row in commands(file.read()) if not ELSEWHERE.search(row[0])]
    for command, said in found:
        extra = " --force" if re.match(r"ldpbench init ", command) else ""
        done = answer(command + extra, folder)
        words = command.split()
        problem = None
        if done.returncode not in FAILS.get(words[1] if words[0] == "ldpbench" else "", {0}):
            problem = f"exit status {done.returncode}: {done.stdout.strip()[-300:]}"
        elif said is not None:
            problem = agrees(said, [plain(line) for line in done.stdout.splitlines()])
        if problem:
            print(f"{page}: {command.replace(chr(10), ' ')}: {problem}", file=sys.stderr)
            wrong += 1
    return len(found), wrong


def main():
    program = os.path.abspath(os.environ.get("LDPBENCH", os.path.join(ROOT, "build/release/ldpbench")))
    os.environ.update(PATH=":".join((os.path.dirname(program), os.path.dirname(sys.executable), os.environ["PATH"])), PYTHONPATH=os.path.join(ROOT, "python"), LC_ALL="C.UTF-8")
    total = failed = 0
    with tempfile.TemporaryDirectory() as work:
        prepared = os.path.join(work, "prepared")
        os.mkdir(prepared)
        prepare(prepared)
        for number, page in enumerate(sys.argv[1:] or PAGES):
            folder = os.path.join(work, str(number))
            shutil.copytree(prepared, folder)
            if page == "docs/tour.md":  # which makes all of its files
                shutil.rmtree(os.path.join(folder, "results"))
            run, wrong = check(page, folder)
            total, failed = total + run, failed + wrong
    print(f"{total} commands, {failed} do not do what their page says")
    return 1 if failed else 0


sys.exit(main())
