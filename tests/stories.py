"""Five users: each story of docs/stories takes at most four commands, and its first screen answers the question of its head line.
Twelve questions: the first screen of one command answers each, in lines of at most 80 columns.

usage: stories.py [--wheel]    --wheel: the program and the package on PATH, the stories alone but survey.sh; else LDPBENCH names the program
"""

import glob
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCREEN = 24
TAKE = r"(?m)^  take +\w+ with \w+"
ERROR = r"(?m)^  error +[0-9.]+(, [0-9.]+)* points"

# What the first screen of a story says, and the files that it leaves.
STORIES = {
    "research.sh": ([TAKE, ERROR, r"(?m)^  yours +mine\.py with \w+ has"], ["errors.tex", "results/research/*.pdf"]),
    "survey.sh": ([TAKE, ERROR], []),
    "notebook.py": ([TAKE, ERROR], []),
    "deployment.sh": ([r"^ss at epsilon = 1: 20,000 users for a standard error of 0\.0111"], []),
    "review.sh": ([r"^Agreement with NDSS 2020\nOf \d+ statements of the paper \d+ agree", "Differs: .*Fig. 4"], []),
}
# What each further command of the story says on a screen of its own.
LATER = {
    "survey.sh": [r"[0-9,]+ users, 7 values, epsilon 1\n(.*\n)*These are the fewest users", r"This is the smallest epsilon"],
    "deployment.sh": [r"reports of ss(.*\n)+ +never +3\d\.\d +3\d\.\d +3\d\.\d\n"],
    "notebook.py": [r"(?m)^  yours +mine with \w+ has", r"\\toprule", r"\\textbf\{"],
}

# The questions of people who begin, each with one command and what its first screen says.
QUESTIONS = [
    ("Which oracle and method for my survey, and how wrong will a percentage be?",
     "ldpbench advise survey.csv --epsilon 1", [TAKE, ERROR]),
    ("How many people do I need for an error of one percentage point at epsilon 1?",
     "ldpbench advise survey.csv --epsilon 1 --error 0.01", [r"[0-9]{2},[0-9]{3} users, .* epsilon 1\n", "fewest users"]),
    ("Which epsilon can I afford with 20,000 people?",
     "ldpbench advise survey.csv --error 0.01 --n 20000", [r"20,000 users, .* epsilon [0-9.]+\n", "smallest epsilon"]),
    ("My method against all others: is it better, where, by how much, surely?",
     "ldpbench run research.json --with mine.py -o own", [TAKE, r"(?m)^  yours +mine\.py with \w+ has"]),
    ("Did my commit change accuracy?",
     "ldpbench check before after", [r"(?i)no significant|worse|better|differ"]),
    ("Which report fits into 16 bytes, and what does that cost me?",
     "ldpbench oracles --d 1024 --epsilon 2 --bits 128 --error 0.001", [r"^pgr at epsilon = 2: [0-9,]+ users", r"ss needs 0\.428 % fewer users"]),
    ("What can somebody who sees one report guess about a person?",
     "ldpbench oracles --d 1024 --n 1000000 --epsilon 4", [r"(?m)^  oracle .* attack ", r"(?m)^  grr +[0-9.]+ .* 0\.0507 "]),
    ("How much can one per cent of malicious users shift the numbers, and which oracle and method lose least?",
     "ldpbench oracles --epsilon 1 --n 100000 --fraction 0.01", [r"^hm at epsilon = 1: .* malicious users push is off by [0-9.]+"]),
    ("Which ten strings are the most frequent, and how many of those returned are false?",
     "ldpbench advise queries.strings --epsilon 4 --top 10 --trials 3", [r"(?m)^  take +pem", r"[0-9]+ % wrong"]),
    ("Age by town: which marginals can I ask of 5,000 people, and how?",
     "ldpbench advise 'people.csv(bins=4)' --epsilon 2 --marginal age+town --trials 3", [r"each user answers one question", r"(?m)^  take +\w+"]),
    ("I have the reports: what are the percentages, with intervals?",
     "ldpbench estimate reports.jsonl --oracle ss --epsilon 1 --domain values.txt", [r"(?m)^ +never +[0-9.]+ +[0-9.]+ +[0-9.]+$"]),
    ("Does Figure 4 of the paper hold, and where does it not?",
     "ldpbench check ndss2020 results/ndss2020-fig4", [r"statements of the paper \d+ agree", "Differs: .*Fig. 4"]),
]


PRINTED = {}  # by each command: a question that a story asks is answered there


def run(command, problems, what, seconds):
    """The lines that a command prints; problems: where it fails, or takes long."""
    if command in PRINTED:
        return PRINTED[command]
    begun = time.monotonic()
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    if done.returncode not in (0, 1 if "check " in command else 0):
        problems.append(f"{what}: exit status {done.returncode}: {done.stdout[-300:]}")
    if time.monotonic() - begun > seconds:
        problems.append(f"{what}: {time.monotonic() - begun:.0f} s, expected at most {seconds}")
    PRINTED[command] = done.stdout.splitlines()
    return PRINTED[command]


def demand(lines, said, problems, what):
    for pattern in said:
        if not re.search(pattern, "\n".join(lines)):
            problems.append(f"{what}: expected {pattern!r}, got:\n" + "\n".join(lines))


def tell(problems, wheel):
    for story, (said, files) in STORIES.items():
        if wheel and story == "survey.sh":  # minutes of advice, which notebook.py asks of the wheel too
            continue
        path = os.path.join(ROOT, "docs/stories", story)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        commands = [line for line in text.splitlines() if not line.startswith(("#", "import"))]
        if not re.match(r"# .*\?", text) or len(commands) > 4:
            problems.append(f"{story}: expected a question and at most four commands, got {len(commands)}")
        whole = [f"python3 {path}"] if story.endswith(".py") else [f"sh -e {path}"] if "=$(" in text else commands
        lines = [line for command in whole for line in run(command, problems, story, 300)]
        demand(lines[:SCREEN], said, problems, story)
        demand(lines, LATER.get(story, []), problems, story)
        problems += [f"{story}: made no {name}" for name in files if not glob.glob(name)]


def ask(problems):
    for seed, folder in ((1, "before"), (2, "after")):
        run(f"ldpbench run research.json --quiet --repetitions 30 --seed {seed} -o {folder}", problems, folder, 60)
    for question, command, said in QUESTIONS:
        lines = run(command, problems, question, 60)
        demand(lines[:SCREEN], said, problems, command)
        problems += [f"{command}: {len(line)} columns: {line}" for line in lines if len(line) > 80]


def main():
    wheel = sys.argv[1:] == ["--wheel"]
    if not wheel:
        program = os.path.abspath(os.environ.get("LDPBENCH", os.path.join(ROOT, "build/release/ldpbench")))
        library = os.path.join(os.path.dirname(program), "libldpbench.so")
        os.environ.update(PATH=":".join((os.path.dirname(program), os.path.dirname(sys.executable), os.environ["PATH"])),
                          PYTHONPATH=os.path.join(ROOT, "python"), LDPBENCH=program, LDPBENCH_LIBRARY=library, LC_ALL="C.UTF-8")
    problems = []
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        run(f"python3 {os.path.join(ROOT, 'docs/stories/data.py')}", problems, "data.py", 60)
        tell(problems, wheel)
        if not wheel:
            ask(problems)
        os.chdir(ROOT)
    sys.stderr.writelines(problem + "\n" for problem in problems)
    print(f"{len(STORIES)} stories" + ("" if wheel else f", {len(QUESTIONS)} questions") + f": {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
