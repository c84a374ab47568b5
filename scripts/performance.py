#!/usr/bin/env python3
"""The tables of studies/performance.md that come from the benchmark's JSON, and the curves of its plot.

usage: performance.py BENCH.json FOLDER

FOLDER gets a file for each table, the numbers of sentences at the end of "values" (scripts/fill.awk puts both into the page),
and NAME.dat with the curves that plots/performance.gp draws.
"""
import json
import math
import os
import sys

POWERS = {10 ** k: "10" + "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(k)) for k in range(4, 13)}
SIZES = [100, 1000, 10 ** 4, 10 ** 5, 10 ** 6]
LEVELS = ["generic", "avx2", "avx512"]
TEN, NINE, ALL = "olh counts, ten methods", "olh counts, nine methods", "olh counts, all methods"
KOSARAK = (41270, 8019015)


def three(x):
    """Three digits, "–" for None."""
    return "–" if x is None else f"{x:.3g}" if x < 1000 else f"{float(f'{x:.3g}'):.0f}"


def duration(x):
    if x is None:
        return "–"
    for size, unit in ((1e-6, "ns"), (1e-3, "µs"), (1, "ms")):
        if x < size:
            return f"{three(x / size * 1000)} {unit}"
    return f"{three(x)} s"


def billions(x):
    return "–" if x is None else f"{x * 1e-9:.1f}"


def number(x):
    return POWERS.get(x, str(x)) if x else "–"


def part_of(x, size):
    return None if x is None else x / size


def met(x, limit):
    return "met" if x <= limit else "missed"


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head)] + [f"| {' | '.join(row)} |" for row in rows])


class Bench:
    """The benchmark's rows."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.about = json.load(file)
        self.rows = self.about["rows"]
        self._value = {(row["section"], row["name"], row["d"], row["n"]): row["value"] for row in self.rows}

    def get(self, section, name, d=0, n=0):
        return self._value.get((section, name, d, n))

    def names(self, section):
        return list(dict.fromkeys(row["name"] for row in self.rows if row["section"] == section))

    def kernel(self, name, d=0):
        return self.get("kernel", f"{self.about['simd']}, {name}", d)


def goals(bench):
    def oracle(name, d, n):
        return bench.get("oracle", name, d, n)

    def decoder(name, d, n):
        return bench.get("decoder", name, d, n)

    def sketch(name, d):
        return bench.get("sketch", name, d, 10 ** 6)
    near_1024 = [row["value"] for row in bench.rows if row["section"] == "decoder"
                 and row["name"] in ("pgr decode q=3 t=7", "pgr decode q=4 t=6", "pgr decode q=53 t=3")]
    times = [
        ("one repetition by counts, base, all ten methods, full domain; d = 1024, n = 10⁶", "0.08 ms", 8e-5,
         bench.get("repetition", TEN, 1024, 10 ** 6)),
        ("the same with every method", "0.5 ms", 5e-4, bench.get("repetition", ALL, 1024, 10 ** 6)),
        ("ten methods, size of Kosarak: d = 41,270, n = 8,019,015", "20 ms", 0.02, bench.get("repetition", TEN, *KOSARAK)),
        ("a collection of ss by counts, d = 1000, n = 10⁶", "1 ms", 1e-3, oracle("ss counts", 1000, 10 ** 6)),
        ("the same at the size of Kosarak", "50 ms", 0.05, oracle("ss counts", *KOSARAK)),
        ("a collection of flh by counts, d = 1000, n = 10⁶", "3 ms", 3e-3, oracle("flh counts", 1000, 10 ** 6)),
        ("a decoder of pgr near d = 1024, up to ε = 4", "0.1 ms", 1e-4, max(near_1024, default=None)),
        ("pgr by counts, ε = 1, d = 1024, n = 10⁶", "1 ms", 1e-3, decoder("pgr counts epsilon=1", 1024, 10 ** 6)),
        ("the same, n = 10⁸", "2 ms", 2e-3, decoder("pgr counts epsilon=1", 1024, 10 ** 8)),
        ("pgr by reports, ε = 1, d = 1024, a user", "40 ns", 4e-8,
         part_of(decoder("pgr reports epsilon=1", 1024, 10 ** 6), 10 ** 6)),
        ("a decoder of pgr, q = 151, t = 4", "0.2 s", 0.2, decoder("pgr decode q=151 t=4", 3465904, 10 ** 6)),
        *((f"the server of hm with words of {t}, a report", f"{most} ns", most * 1e-9,
           part_of(decoder(f"hm joint server t={t}", 2048, 4096), 4096)) for t, most in ((2, 3), (3, 5), (4, 10))),
        ("count_min by counts, 32 x 1024, rows of oue, d = 10⁵, n = 10⁶", "10 ms", 0.01, sketch("counts mean 32x1024 oue", 10 ** 5)),
        ("the same with rows of hm", "10 ms", 0.01, sketch("counts mean 32x1024 hm", 10 ** 5)),
        ("by reports with rows of hm, a user", "30 ns", 3e-8, sketch("reports mean 32x1024 hm, a user", 10 ** 5)),
        ("its decoder, a row and value", "5 ns", 5e-9, sketch("decode mean 32x1024 hm, a row and value", 10 ** 5)),
        ("count_min by counts, 1024 x 2048, d = 10⁶, n = 10⁶", "2 s", 2, sketch("counts mean 1024x2048 oue", 10 ** 6)),
        ("bloom by counts, d = 10⁵, n = 10⁶", "1 s", 1, sketch("counts bloom", 10 ** 5)),
    ]
    rows = [[what, f"< {limit}", duration(x), met(x, most)] for what, limit, most, x in times if x is not None]
    peak = bench.kernel("peak of the operations")
    if peak:
        share = bench.kernel("g = 4", 1024) / peak
        rows.append(["support counting of olh, d = 1024, of the measured peak", "≥ 40 %", f"{100 * share:.0f} %", met(-share, -0.4)])
    growth = bench.get("repetition", f"{TEN}, growth in d", 0, 10 ** 7)
    if growth:
        rows.append(["cost grows as d to the power", "≤ 1, times log d", f"{growth:.2f}", met(growth, 1.1)])
    return table(["what", "goal", "measured", ""], rows)


def repetition(bench):
    rows = []
    for d, n in [(d, 10 ** 7) for d in SIZES] + [KOSARAK] + [(1024, 10 ** k) for k in range(4, 13, 2)]:
        ten, every = (bench.get("repetition", name, d, n) for name in (TEN, ALL))
        if ten is not None:
            rows.append([number(d), number(n), duration(ten), duration(ten / d), duration(every), duration(every / d)])
    return table(["d", "n", "ten methods", "a value", "every method", "a value"], rows)


def memory(bench):
    rows = []
    for d, n in ((1024, 10 ** 6), KOSARAK, (10 ** 6, 10 ** 9), (10 ** 7, 10 ** 12)):
        peak = bench.get("memory", "all methods, peak", d, n)
        if peak is not None:
            rows.append([number(d), number(n), duration(bench.get("memory", "all methods, with set-up", d, n)), f"{peak * 1e-6:.0f} MB"])
    return table(["d", "n", "with set-up", "peak"], rows)


def methods(bench):
    rows = []
    for name in bench.names("method"):
        times = [bench.get("method", name, d, 10 ** 6) for d in SIZES]
        rows.append([name, *map(duration, times), duration(part_of(times[3], 10 ** 5))])
    return table(["method", "d = 100", "10³", "10⁴", "10⁵", "10⁶", "a value at 10⁵"], rows)


def oracles(bench):
    rows = []
    for name in bench.names("oracle"):
        times = [bench.get("oracle", name, d, 10 ** 6) for d in SIZES]
        rows.append([name, *map(duration, times),
                     duration(times[1] / 10 ** 6) if "reports" in name and times[1] is not None else ""])
    return table(["simulation", "d = 100", "10³", "10⁴", "10⁵", "10⁶", "a report at 10³"], rows)


def users(bench):
    rows = [[name, *(duration(bench.get("oracle", name, 1000, 10 ** k)) for k in range(4, 10)),
             duration(bench.get("oracle", name, *KOSARAK))] for name in bench.names("oracle") if name.endswith(" counts")]
    return table(["oracle", *(f"{'n = ' if k == 4 else ''}{number(10 ** k)}" for k in range(4, 10)), "Kosarak"], rows)


def listed(bench, section, size):
    rows = [[row["name"], number(row["d"]), number(row["n"]),
             f"{three(row['value'] * 1e-6)} MB" if row["unit"] == "bytes" else duration(row["value"])]
            for row in bench.rows if row["section"] == section]
    return table(["what", size, "n", "measured"], rows)


def hashing(bench):
    rows = []
    for level in LEVELS:
        def rate(name, d=0, level=level):
            return bench.get("kernel", f"{level}, {name}", d)
        if rate("g = 4", 1024):
            rows.append([level, *(billions(rate("g = 4", d)) for d in (64, 1024, 1573, 8192, 41270, 10 ** 6)),
                         billions(rate("g = 150", 1024)), billions(rate("g = 60000", 1024)), duration(part_of(1, rate("clients")))])
    return table(["level", "d = 64", "1024", "1573", "8192", "41,270", "10⁶", "d = 1024, g = 150", "g = 60,000", "clients, a user"], rows)


def values(bench):
    """Numbers in sentences of the page."""
    rate, peak = bench.kernel("g = 4", 1024), bench.kernel("peak of the operations")
    others = ["base", "base_pos", "post_pos", "base_cut", "norm", "norm_mul", "norm_cut", "norm_sub", "mle_apx"]
    found = {
        "peak": billions(peak),
        "share": f"{100 * rate / peak:.0f} %", "share_large": f"{100 * bench.kernel('g = 4', 8192) / peak:.0f} %",
        "share_residues": f"{100 * bench.kernel('g = 21', 1024) / peak:.0f} %",
        "level": bench.about["simd"], "flh_server": billions(bench.kernel("flh's server, g = 21", 1024)),
        "tables": duration(64 / bench.kernel("g = 4", 64)), "report": duration(1024 / rate),
        "binomials": duration(bench.get("oracle", "olh counts", 1000, 10 ** 6)),
        "power": duration(bench.get("method", "power", 1000, 10 ** 6)),
        "others": duration(math.fsum(bench.get("method", name, 1000, 10 ** 6) for name in others)),
        "pgr_million": duration(bench.get("decoder", "pgr counts epsilon=3", 1024, 10 ** 6)),
        "pgr_most": duration(bench.get("decoder", "pgr counts epsilon=3", 1024, 10 ** 8)),
    }
    return "\n".join(f"{name}\t{text}" for name, text in found.items())


def curves(bench, folder):
    """Columns d, value, name."""
    def write(name, rows):
        with open(os.path.join(folder, f"{name}.dat"), "w", encoding="utf-8") as file:
            file.writelines(f"{row['d']} {row['value']} {row['name']}\n" for row in rows)
    rows = bench.rows
    write("method", [row for row in rows if row["section"] == "method"])
    write("repetition", [row for row in rows if row["section"] == "repetition" and row["unit"] == "s" and row["n"] == 10 ** 7])
    write("oracle", [row for row in rows if row["section"] == "oracle" and row["n"] == 10 ** 6])
    write("kernel", [{**row, "name": row["name"].split(",")[0]} for row in rows
                     if row["section"] == "kernel" and row["name"].endswith(", g = 4")])


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: performance.py BENCH.json FOLDER")
    bench, folder = Bench(sys.argv[1]), sys.argv[2]
    made = {"goals": goals(bench), "repetition": repetition(bench), "memory": memory(bench),
            "methods": methods(bench), "oracles": oracles(bench), "users": users(bench), "decoders": listed(bench, "decoder", "d"),
            "sketches": listed(bench, "sketch", "d"), "marginals": listed(bench, "marginals", "attributes"),
            "searches": listed(bench, "search", "strings"), "hashing": hashing(bench)}
    for name, text in made.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text + "\n")
    with open(os.path.join(folder, "values"), "a", encoding="utf-8") as file:
        file.write(values(bench) + "\n")
    curves(bench, folder)


if __name__ == "__main__":
    main()
