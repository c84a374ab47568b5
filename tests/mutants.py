#!/usr/bin/env python3
"""Draws mutants of the numeric files, one changed token each, and runs gate and quick suites with each.

usage: tests/mutants.py [--seed S] [--count N] [--jobs J] [--near] [--early] [FILE...]     in the root of the sources
       tests/mutants.py --again OUTPUT      what survived an earlier run, from its output

A mutant replaces a comparison, an operator, a constant or a truth value in core/ and bench/stats/ (or FILE). Those that
do not compile, or compile to the same code, are not counted. A mutant is found if a baseline's numbers change
(tests/gate.sh), if a suite that is named like its file fails, or one near its folder, or by any test of `make quick`. What
is quick on the original comes first: baselines of little time, short tests of the suites nearby, the other baselines, the
other short tests, long ones. Only the changed file is compiled; what is not changed is taken from the build of the program
LDPBENCH. The output is a line for each mutant and the score; survivors do not change the status.
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
import threading
import time

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
NEVER = "interruption mistakes times valid_inputs"
# Suites that see the code of a folder, and of some of its files, soonest.
NEAR = {"bench/stats": "advise compare decisions setting judge permutation population posterior precision regret applicable",
        **dict.fromkeys((f"core/{room}" for room in "numerics random sampling hashing protocol evaluation".split()),
                        "oracles clients levels vectors rows"),
        "core/attacks": "attacks defences attacked_tasks", "core/geometry": "field projective pgr set_variance",
        "core/intervals": "intervals permutation keep", "core/laws": "intervals shuffle set_variance",
        "core/marginals": "marginals synopses columns", "core/methods": "methods vectors wave levels",
        "core/oracles": "oracles clients levels protocol set_variance vectors", "core/ordinal": "levels ordered wave clients",
        "core/priors": "absent calibrate chebyshev fit mle* npmle optimise pen power simd",
        "core/privacy": "longitudinal chains shuffle", "core/queries": "queries shortest",
        "core/searches": "search* heavy_hitters", "core/sketches": "sketches cells hash search",
        "core/synopses": "synopses* marginals columns", "family": "check", "robust": "setting",
        "permutation_test": "check*", "search_measures": "search", "count_law": "intervals", "buckets": "wave", "tree": "ordered"}

SHORT = 0.5  # a short test or baseline, in seconds
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


def run(command, seconds, **environment):
    """The status of a command, its output, or None if it had to be stopped."""
    with tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen(command, stdout=said, stderr=said, start_new_session=True,
                                 env=dict(os.environ, **environment))
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


def build_flags():
    with open(f"{BUILD}/flags") as file:
        flags = file.read().replace(" -Werror ", " ").split()
    return ([flag for flag in flags if not flag.startswith("-l")] + ["-w", "-g0"],
            [flag for flag in flags if flag.startswith("-l")] + ["-lcriterion", "-Wl,-s"])


class Costs:
    """Seconds that baselines and tests took with the original program."""
    baselines = {}
    tests = {}

    @classmethod
    def any_of(cls, suites, short):
        """The filter for tests of suites that are short or are not."""
        suites = re.compile("(?:" + "|".join(suite.replace("*", ".*") for suite in suites) + ")/.*")
        tests = [test for test, seconds in cls.tests.items() if suites.fullmatch(test) and (seconds < SHORT) == short]
        return f"@({'|'.join(tests)})" if tests else None

    @classmethod
    def long(cls):
        return [test for test, seconds in cls.tests.items() if seconds >= SHORT]


def suites_near(path):
    stem = os.path.basename(path)[:-2]
    return sorted({f"{stem}*", *NEAR.get(stem, "").split(), *NEAR.get(os.path.dirname(path), "").split()})


class Mutant:
    """One changed token in a copy of its file, in a folder with the program and the tests made from it."""

    def __init__(self, site, folder):
        self.path, self.start, self.token = site
        self.folder = folder
        with open(self.path) as file:
            self.text = file.read()
        self.flags, self.libraries = build_flags()

    def __str__(self):
        line, column = self.text.count("\n", 0, self.start) + 1, self.start - self.text.rfind("\n", 0, self.start)
        code = self.text.splitlines()[line - 1].strip()
        return f"{self.path}:{line}:{column}: `{self.token}` -> `{replacement(self.token)}` in `{code}`"

    def compiled(self, text, name):
        source = f"{self.folder}/{os.path.basename(self.path)}"
        with open(source, "w") as file:
            file.write(text)
        command = [*self.flags, "-iquote", os.path.dirname(self.path), "-c", source, "-o", f"{self.folder}/{name}"]
        if run(command, 600)[0] != 0:
            return None
        with open(f"{self.folder}/{name}", "rb") as file:
            return file.read()

    def link(self, name):
        own = [f"{BUILD}/bench/main.o"] if name == "ldpbench" else [f"{BUILD}/{test[:-1]}o" for test in glob.glob("tests/*.c")]
        common = [f"{BUILD}/{source[:-1]}o" for pattern in ("bench/*/*.c", "datasets/*.c", "datasets/*/*.c")
                  for source in glob.glob(pattern) if source != self.path]
        status, said = run([*self.flags, f"{self.folder}/mutant.o", *common, *own, f"{BUILD}/libldpbench.a", "-o",
                            f"{self.folder}/{name}", *self.libraries], 600)
        if status != 0:
            sys.exit(said)

    def build(self):
        """Whether the mutant compiles to other code than the original."""
        original = f"original-{self.path.replace('/', '-')}.o"
        if not os.path.exists(f"{self.folder}/{original}"):
            self.compiled(self.text, original)
        changed = self.compiled(self.text[:self.start] + replacement(self.token) + self.text[self.start + len(self.token):],
                                "mutant.o")
        with open(f"{self.folder}/{original}", "rb") as file:
            if not changed or self.token and file.read() == changed:
                return False
        self.link("ldpbench")
        return True

    def gate(self, baselines, seconds):
        for baseline in baselines:
            now = f"{self.folder}/now"
            shutil.rmtree(now, ignore_errors=True)
            began = time.monotonic()
            if any(run([f"{self.folder}/ldpbench", *words], seconds)[0] != 0
                   for words in (["run", f"{baseline}.json", "-o", now, "--quiet"], ["check", "--exact", baseline, now])):
                return f"gate: {os.path.basename(baseline)}"
            if not self.token:
                Costs.baselines[baseline] = time.monotonic() - began
        return None

    def suites(self, filters, seconds):
        if not filters:
            return None
        status, said = run([f"{self.folder}/run-tests", "-j1", "--fail-fast", "--verbose", f"--timeout={seconds}", "--filter",
                            filters], 20 * seconds, LDPBENCH=f"{self.folder}/ldpbench", LDPBENCH_QUICK="1",
                           LDPBENCH_SHARE=os.getcwd(), TMPDIR=self.folder)
        if status == 0:
            if not self.token:
                Costs.tests.update((f"{suite}/{test}", float(took)) for suite, test, took in re.findall(
                    r"\[PASS\] (\w+)::(\w+): \(([0-9.]+)s\)", said))
            return None
        failed = re.search(r"\[FAIL\][^\n]*?(\w+)::(\w+)", said) or re.search(r"(\w+)::(\w+): (?:Timed|CRASH)", said)
        return f"{failed.group(1)}/{failed.group(2)}" if failed else said.strip().splitlines()[-1] if said.strip() else "a test"

    def found(self, options):
        """What finds the mutant: the cheap first."""
        near = suites_near(self.path)
        own = os.path.basename(os.path.dirname(self.path))
        baselines = sorted(Costs.baselines, key=lambda name: (not own.startswith(os.path.basename(name)), Costs.baselines[name]))
        cheap = [baseline for baseline in baselines if Costs.baselines[baseline] < SHORT] if not options.near else []
        early = self.gate(cheap, options.timeout)
        if early:
            return early
        self.link("run-tests")
        early = self.suites(Costs.any_of(near, True), options.timeout)
        if early or options.near:
            return early
        early = self.gate([baseline for baseline in baselines if baseline not in cheap], options.timeout)
        if early or options.early:
            return early
        late = [f"{suite}/*" for suite in f"{NEVER} {LAST}".split()]
        return (self.suites(f"!({'|'.join([f'{suite}/*' for suite in near] + late + Costs.long())})", options.timeout)
                or self.suites(Costs.any_of(LAST.split(), True), options.timeout)
                or self.suites(f"@({'|'.join(Costs.long())})", options.timeout))


def work_folder(folder):
    """A folder in which mutants are made and run, one after the other; other users can look into it."""
    os.chmod(folder, 0o755)
    for name in os.listdir(BUILD):  # tests that build something look next to the program
        if name not in ("ldpbench", "run-tests"):
            os.symlink(f"{BUILD}/{name}", f"{folder}/{name}")


def measure_original(paths, folder, options):
    """Runs with the original what mutants of these files may be run with, and keeps what it took."""
    original = Mutant((min(paths), 0, ""), folder)
    original.build()
    original.link("run-tests")
    finder = None
    if not options.near:
        finder = original.gate(sorted(config[:-5] for config in glob.glob("configs/baselines/*.json")), 600)
    if options.near or options.early:
        suites = "@(" + "|".join(f"{suite}/*" for suite in {suite for path in paths for suite in suites_near(path)}) + ")"
    else:
        suites = "!(" + "|".join(f"{suite}/*" for suite in NEVER.split()) + ")"
    finder = finder or original.suites(suites, 600)
    if finder:
        sys.exit(f"the original is found, too: {finder}")


class Draw:
    """Mutants of the sites, in order; as many as are wanted are tried."""

    def __init__(self, sites, options):
        self.sites, self.options = iter(sites), options
        self.lock = threading.Lock()
        self.tried = self.found = 0

    def next_mutant(self, folder):
        while True:
            with self.lock:
                site = next(self.sites, None)
            if site is None:
                return None
            mutant = Mutant(site, folder)
            if not mutant.build():
                continue
            with self.lock:
                if self.tried == self.options.count:
                    return None
                self.tried += 1
            return mutant

    def work(self, folder):
        while (mutant := self.next_mutant(folder)) is not None:
            finder = mutant.found(self.options)
            with self.lock:
                self.found += finder is not None
                print(f"{'found' if finder else 'SURVIVED'}: {mutant}{f': {finder}' if finder else ''}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--timeout", type=int, default=30, help="seconds after which a baseline or a test has not ended")
    parser.add_argument("--near", action="store_true", help="no gate, and no other suites than those near a file")
    parser.add_argument("--early", action="store_true", help="the gate, and no other suites than those near a file")
    parser.add_argument("--again", metavar="OUTPUT", help="the survivors of an earlier run, from its output")
    parser.add_argument("file", nargs="*")
    options = parser.parse_args()
    numeric = sorted(glob.glob("core/**/*.c", recursive=True) + glob.glob("bench/stats/*.c"))
    sites = [site for path in options.file or numeric for site in mutants_of(path)]
    random.Random(options.seed).shuffle(sites)
    if options.again:
        with open(options.again) as file:
            wanted = {line[len("SURVIVED: "):].strip() for line in file if line.startswith("SURVIVED: ")}
        sites = [site for site in sites if str(Mutant(site, "")) in wanted]
    if not sites:
        sys.exit("no mutants of these files")
    # For all that is run.
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        os.chmod(root, 0o755)
        folders = [f"{root}/{job}" for job in range(options.jobs)]
        for folder in folders:
            os.mkdir(folder)
            work_folder(folder)
        measure_original({site[0] for site in sites}, folders[0], options)
        draw = Draw(sites, options)
        workers = [threading.Thread(target=draw.work, args=[folder]) for folder in folders]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(f"{draw.found} of {draw.tried} mutants found, drawn with seed {options.seed} from {len(sites)} places")


if __name__ == "__main__":
    main()
