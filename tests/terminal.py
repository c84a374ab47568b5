"""What every command prints fits the terminal: 80 columns, broken between words; escape sequences on a terminal alone, none
where NO_COLOR is set or TERM is dumb; --help fits a screen. LDPBENCH names the program."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROGRAM = os.environ["LDPBENCH"]
SCREEN, COLUMNS = 24, 80
LONGER = {"advise": 25}  # as many options
ESCAPE = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")

MINE = "import ldpbench\n\n\ndef fit(collection):\n    return collection.est.clip(0)\n\n\nif __name__ == '__main__':\n    ldpbench.serve(fit)\n"

# Each in the folder of those before it.
COMMANDS = [
    "", "help run", "list", *[f"list {what}" for what in (
        "oracles", "methods", "queries", "attacks", "synopses", "chains", "datasets", "searches", "tasks", "commands", "config")],
    "list survey.csv", "list people.csv", "list words.strings",
    "init survey.csv --epsilon 1,2", "init people.csv", "init words.strings",
    "run survey.json --set repetitions=9 --dry-run", "run survey.json --set repetitions=9 --set methods=base,norm_sub,power_ns -o before",
    "run survey.json --set repetitions=9 --set methods=base,norm_sub,power_ns -o before",
    "run survey.json --set repetitions=9 --set methods=base,norm_sub,power_ns -o after --seed 8",
    "run people.json --set repetitions=2 --dry-run", "run words.json --set repetitions=2 --dry-run",
    "report before --format text", "report before --no-plots", "check before after", "check before before", "check before after --exact",
    "plot before --format tsv", "advise survey.csv --epsilon 1 --trials 40 --method base,norm_sub,mix",
    "advise people.csv --epsilon 2 --trials 2 --oracle grr --method base,norm_sub",
    "advise words.strings --epsilon 4 --trials 2 --top 3 --protocol pem",
    "oracles --d 64 --epsilon 1", "oracles --d 64 --epsilon 1 --n 10000 --error 0.01 --bits 8", "oracles --d 64 --epsilon 1 --fraction 0.01 --n 10000",
    "estimate support.tsv --oracle grr --epsilon 1 --n 3000", "estimate tables", "audit --oracle grr --epsilon 1 --reports 3000 --d 4",
    "score --help",
    # errors
    "nothing", "run", "run no-such-file.json", "run survey.json --epsilon 3", "run survey.json --set epsilon=0,1,1 --set methods=nosuch",
    "advise survey.csv", "advise survey.csv --epsilon 1 --error 2", "estimate support.tsv --oracle grr --epsilon 1",
    "list 'zipf(s=1,d=4,m=10)'", "plot nowhere", "check before nowhere", "audit --oracle grr", "oracles --oracle nosuch --epsilon 1",
]


def files():
    answers = ["never", "once a year", "twice a year", "every month", "every week", "every day"]
    yield "survey.csv", "how often,count\n" + "".join(f"{answer},{1200 // (i + 1)}\n" for i, answer in enumerate(answers))
    yield "people.csv", "town,age,owner\n" + "".join(f"{'abc'[i % 3]},{20 + i * i % 9},{'yn'[i % 2]}\n" for i in range(300))
    yield "words.strings", "".join(f"{word}\n" * (90 // (i + 1)) for i, word in enumerate(["abc", "bca", "cab", "aaa", "bbb"]))
    yield "support.tsv", "".join(f"{answer}\t{500 + i}\n" for i, answer in enumerate(answers[:-1])) + "every day\t485\n"
    yield "tables/a.csv", "# users 300\na,b,frequency\n0,0,0.4\n0,1,0.1\n1,0,0.2\n1,1,0.3\n"


def on_terminal(words, folder, **environment):
    """The exit status and all that is written to a terminal of 80 columns."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", SCREEN, COLUMNS, 0, 0))
    running = subprocess.Popen(f"{PROGRAM} {words}", shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=its, stderr=its,
                               env={**os.environ, "TERM": "xterm", **environment})
    os.close(its)
    said = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:
            break
        if not some:
            break
        said += some
    os.close(ours)
    return running.wait(), said.decode().replace("\r\n", "\n")


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        commands = subprocess.run([PROGRAM, "list", "commands", "--format", "names"], capture_output=True, text=True, check=True).stdout.split()
        helps = ["--help", *[f"{command} --help" for command in commands if command != "help"]]
        coloured = 0
        for words in [*helps, *COMMANDS]:
            status, said = on_terminal(words, folder)
            lines = [part for line in ESCAPE.sub("", said).split("\n") for part in line.split("\r")]
            if status < 0 or status > 4:
                wrong.append(f"{words}: status {status}: {said}")
            wrong += [f"{words}: {width(line)} columns: {line}" for line in lines if width(line) > COLUMNS]
            if words in helps:
                rows = len(said.rstrip("\n").split("\n"))
                if rows > LONGER.get(words.split()[0], SCREEN) or not said.startswith("  ldpbench "):
                    wrong.append(f"{words}: {rows} lines, expected a screen that begins with examples")
            coloured += bool(COLOURS.search(said))
        for words in ("report before --format text", "oracles --d 64 --epsilon 1", "check before after", "nothing"):
            for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
                if "\x1b" in on_terminal(words, folder, **environment)[1]:
                    wrong.append(f"{words}: escape sequences with {environment}")
            piped = subprocess.run(f"{PROGRAM} {words}", shell=True, cwd=folder, capture_output=True, check=False)
            if b"\x1b" in piped.stdout + piped.stderr:
                wrong.append(f"{words}: escape sequences in a pipe")
            if len(piped.stderr.splitlines()) > 1:
                wrong.append(f"{words}: a message of several lines in a pipe")
        if coloured < 9:
            wrong.append(f"{coloured} commands have colours")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


sys.exit(main())
