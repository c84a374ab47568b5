#!/usr/bin/env python3
"""Draws mutants of the numeric files, one changed token each, and runs gate and quick suites with each.

usage: tests/mutants.py [--seed S] [--count N] [--timeout SECONDS] [--near] [FILE...]     in the root of the sources

A mutant replaces a comparison, an operator, a constant or a truth value in core/ and bench/stats/ (or FILE). Those that
do not compile, or compile to the same code, are not counted. A mutant is found if a suite that is named like its file
fails, or one near its folder, if a baseline's numbers change (tests/gate.sh), or by any test of `make quick`. What is
not changed is taken from the build of the program LDPBENCH. The output is a line for each mutant and the score; survivors do not change the status.
"""
import argparse
import glob
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(os.environ.get("LDPBENCH", "build/release/ldpbench"))
BUILD = os.path.dirname(PROGRAM)
PAIRS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
         "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "true": "false", "false": "true",
         "fmin": "fmax", "fmax": "fmin", "!": ""}
TOKENS = re.compile(
    r"(?<= )(?:<=|>=|==|!=|<|>|&&|\|\||\+|-|\*|/|\+=|-=|\*=|/=)(?=[ \n])"  # binary: clang-format puts blanks around
    r"|(?<![\w.])(?:true|false|fmin|fmax)(?=\W)|(?<=[( ])!(?=[\w(])"
    r"|(?<![\w.])(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|\d+)(?![\w.])")
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\])\'|^[ \t]*#(?:\\\n|[^\n])*|\bassert\([^\n]*',
                    re.S | re.M)
# Suites that see little of core/ but the program's words and pictures: last. Those of a busy machine's time or memory: never.
NEVER = "interruption|mistakes|times|valid_inputs"
# Suites that see the code of a folder, and of some of its files, soonest.
NEAR = {"bench/stats": "advice answer compare contest judge permutation population precision ranges recommend* regret suited",
        "family": "check", "guarded": "contest", "ranking": "recommend*", "relabel": "check*", "search_measures": "search"}

LAST = "agreement browse build cli compare config extending files init input json outside plots report results run store"


def replacement(token):
    if not token:
        return token
    if token in PAIRS:
        return PAIRS[token]
    return str(int(token) + 1) if token.isdigit() else repr(2 * float(token)) if float(token) else "1.0"


def mutants_of(path):
    with open(path) as file:
        text = file.read()
    visible = HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden.group()), text)
    return [(path, found.start(), found.group()) for found in TOKENS.finditer(visible)]


def limits():
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, seconds, **environment):
    """The status of a command, its output, or None if it had to be stopped."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=said, preexec_fn=limits, env=dict(os.environ, **environment))
        try:
            child.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        ended = child.poll() is not None
        try:
            os.killpg(child.pid, signal.SIGKILL)  # with what it left behind
        except ProcessLookupError:
            pass
        child.wait()
        if not ended:
            return None, "does not end"
        said.seek(0)
        return child.returncode, said.read()


class Mutant:
    def __init__(self, site, folder):
        self.path, self.start, self.token = site
        self.folder = folder
        os.chmod(folder, 0o755)  # a test runs the program as another user
        with open(self.path) as file:
            self.text = file.read()

    def __str__(self):
        line = self.text.count("\n", 0, self.start) + 1
        code = self.text.splitlines()[line - 1].strip()
        return f"{self.path}:{line}: `{self.token}` -> `{replacement(self.token)}` in `{code}`"

    def build(self):
        """Whether the mutant compiles to other code than the original."""
        with open(f"{BUILD}/flags") as file:
            flags = file.read().replace(" -Werror ", " ").split()
        libraries = [flag for flag in flags if flag.startswith("-l")] + ["-lcriterion"]
        flags = [flag for flag in flags if not flag.startswith("-l")] + ["-w", "-g0", "-iquote", os.path.dirname(self.path)]
        changed = self.text[:self.start] + replacement(self.token) + self.text[self.start + len(self.token):]
        objects = []
        for name, text in ("original", self.text), ("mutant", changed):
            source = f"{self.folder}/{os.path.basename(self.path)}"
            with open(source, "w") as file:
                file.write(text)
            if run([*flags, "-c", source, "-o", f"{self.folder}/{name}.o"], 600)[0] != 0:
                return False
            with open(f"{self.folder}/{name}.o", "rb") as file:
                objects.append(file.read())
        if self.token and objects[0] == objects[1]:
            return False
        common = [f"{self.folder}/mutant.o"] + [
            f"{BUILD}/{source[:-1]}o" for pattern in ("bench/*/*.c", "datasets/*.c", "datasets/*/*.c")
            for source in glob.glob(pattern) if source != self.path]
        tests = [f"{BUILD}/{source[:-1]}o" for source in glob.glob("tests/*.c")]
        for name in os.listdir(BUILD):  # tests that build something look beside the program
            if name not in ("ldpbench", "run-tests"):
                os.symlink(f"{BUILD}/{name}", f"{self.folder}/{name}")
        for name, own in ("ldpbench", [f"{BUILD}/bench/main.o"]), ("run-tests", tests):
            status, said = run([*flags, *common, *own, f"{BUILD}/libldpbench.a", "-o", f"{self.folder}/{name}", *libraries], 600)
            if status != 0:
                sys.exit(said)
        return True

    def gate(self, seconds):
        for config in sorted(glob.glob("configs/baselines/*.json")):
            now = f"{self.folder}/now"
            shutil.rmtree(now, ignore_errors=True)
            if any(run([f"{self.folder}/ldpbench", *words], seconds)[0] != 0
                   for words in (["run", config, "-o", now, "--quiet"], ["check", "--exact", config[:-5], now])):
                return f"gate: {os.path.basename(config)[:-5]}"
        return None

    def suites(self, filters, seconds):
        status, said = run([f"{self.folder}/run-tests", "-j2", "--fail-fast", "--filter", filters], seconds,
                           LDPBENCH=f"{self.folder}/ldpbench", LDPBENCH_QUICK="1", LDPBENCH_SHARE=os.getcwd(),
                           TMPDIR=self.folder)
        if status == 0:
            return None
        failed = re.search(r"\[(?:FAIL|----)\][^\n]*?(\w+)::(\w+)", said)
        return f"{failed.group(1)}/{failed.group(2)}" if failed else said.strip().splitlines()[-1] if said.strip() else "a test"

    def found(self, seconds, only_near):
        last = LAST.replace(" ", "|")
        stem = os.path.basename(self.path)[:-2]
        near = "|".join([f"{stem}*", *NEAR.get(stem, "").split(), *NEAR.get(os.path.dirname(self.path), "").split()])
        early = self.suites(f"@({near})/*", 10 * seconds)
        if early or only_near:
            return early
        early = self.gate(seconds)
        if early:
            return early
        return (self.suites(f"!({near}|{NEVER}|{last})/*", 10 * seconds) or self.suites(f"@({last})/*", 10 * seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--timeout", type=int, default=60, help="seconds after which a run of one baseline has not ended")
    parser.add_argument("--near", action="store_true", help="no gate, and no other suites than those near a file")
    parser.add_argument("file", nargs="*")
    options = parser.parse_args()
    numeric = sorted(glob.glob("core/**/*.c", recursive=True) + glob.glob("bench/stats/*.c"))
    sites = [site for path in options.file or numeric for site in mutants_of(path)]
    random.Random(options.seed).shuffle(sites)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        original = Mutant((sites[0][0], 0, ""), folder)
        original.build()
        finder = original.found(options.timeout, options.near)
        if finder:
            sys.exit(f"the original is found, too: {finder}")
    tried = found = 0
    for site in sites:
        if tried == options.count:
            break
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            mutant = Mutant(site, folder)
            if not mutant.build():
                continue
            tried += 1
            finder = mutant.found(options.timeout, options.near)
        found += finder is not None
        print(f"{'found' if finder else 'SURVIVED'}: {mutant}{f': {finder}' if finder else ''}", flush=True)
    print(f"{found} of {tried} mutants found, drawn with seed {options.seed} from {len(sites)} places")


if __name__ == "__main__":
    main()
