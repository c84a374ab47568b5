"""Time of a run with a method that does nothing: in C as a plugin, in Python as a function of one and of three arguments.

usage: PYTHONPATH=python python3 perf/functions.py      (a minute; needs cc)
"""

import os
import subprocess
import tempfile
import time

import ldpbench

PLUGIN = """#include <ldpbench.h>
LDP_PLUGIN;
#include <string.h>
static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    (void)param, (void)scratch;
    memcpy(out, collection->est, collection->protocol->d * sizeof *out);
}
const struct ldp_method ldp_method = {.name = "nothing", .title = "Nothing", .source = "own", .apply = apply};
"""


def one(est):
    return est


def three(est, protocol, n):
    return est


def seconds(methods, d, repetitions):
    def run():
        start = time.perf_counter()
        ldpbench.run({"seed": 1, "repetitions": repetitions, "datasets": [{"type": "zipf", "s": 1.5, "d": d, "n": 1000000}],
                      "oracles": ["olh"], "epsilon": 1, "methods": ["base", *methods], "queries": ["full_domain"]},
                     allow_external=True, threads=1)
        return time.perf_counter() - start
    return min(run() for _ in range(3))


def main():
    with tempfile.TemporaryDirectory() as folder:
        source, plugin = os.path.join(folder, "nothing.c"), os.path.join(folder, "nothing.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(PLUGIN)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-I", ldpbench.include(), source, "-o", plugin], check=True)
        print("d\trepetitions\tbase\tplugin\tfunction\tof three\tfunction / plugin\tof three / plugin")
        for d, repetitions in ((16, 3000), (128, 3000), (1024, 3000), (16384, 400)):
            base, native, *own = [seconds(methods, d, repetitions) for methods in
                                  ([], [{"name": "plugin", "file": plugin}], [one], [three])]
            print(d, repetitions, *(f"{value:.3f}" for value in (base, native, *own)), *(f"{value / native:.2f}" for value in own), sep="\t")


main()
