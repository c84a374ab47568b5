# The page of scripts/performance.sh from the benchmark's JSON (one row a line), and the plot's curves.

function si(x, unit) { # three digits
    if (x == "") return "–"
    if (unit == "s") {
        if (x < 1e-6) return sprintf("%.3g ns", x * 1e9)
        if (x < 1e-3) return sprintf("%.3g µs", x * 1e6)
        if (x < 1) return sprintf("%.3g ms", x * 1e3)
        return sprintf("%.3g s", x)
    }
    return sprintf("%.3g", x)
}
function billions(x) { return x == "" ? "–" : sprintf("%.1f", x * 1e-9) }
function verdict(x, limit) { return x == "" ? "–" : x <= limit ? "met" : "missed" }
function power(k) { return k == 10000 ? "10⁴" : k == 100000 ? "10⁵" : k == 1000000 ? "10⁶" : k == 10000000 ? "10⁷" : \
                    k == 100000000 ? "10⁸" : k == 1000000000 ? "10⁹" : k == 10000000000 ? "10¹⁰" : k == 1000000000000 ? "10¹²" : k }
# mawk turns large numbers into 1e+10: keys are made digit by digit.
function get(section, name, d, n) { return value[section, name, sprintf("%.0f", d), sprintf("%.0f", n)] }
function repetition(d, n) {
    if (get("repetition", ten, d, n) != "")
        printf "| %s | %s | %s | %s | %s | %s |\n", power(d), power(n), si(get("repetition", ten, d, n), "s"), \
            si(get("repetition", ten, d, n) / d, "s"), si(get("repetition", all, d, n), "s"), si(get("repetition", all, d, n) / d, "s")
}

{ split($0, f, "\"") }
NR == 1 { version = f[4]; commit = f[8]; compiler = f[12] }
NR == 2 { cpu = f[4]; cpus = f[7]; gsub(/[^0-9]/, "", cpus); simd = f[10] }
f[2] == "section" {
    d = f[11]; n = f[13]; x = f[19]
    gsub(/[^0-9]/, "", d)
    gsub(/[^0-9]/, "", n)
    gsub(/[^0-9.e+-]/, "", x)
    value[f[4], f[8], d, n] = x + 0
    if (!((f[4], f[8]) in seen)) {
        seen[f[4], f[8]] = 1
        names[f[4]] = names[f[4]] (names[f[4]] == "" ? "" : "\t") f[8]
    }
    if (f[4] == "method" || (f[4] == "repetition" && f[16] == "s" && n == 10000000))
        print d, x, f[8] > (curves "/" f[4] ".dat")
    if (f[4] == "commit")
        before_commit = f[8]
    if (f[4] == "decoder")
        decoders = decoders (decoders == "" ? "" : "\n") f[8] "\t" d "\t" n "\t" (x + 0)
    if (f[4] == "sketch")
        sketches = sketches (sketches == "" ? "" : "\n") f[8] "\t" d "\t" n "\t" (x + 0) "\t" f[16]
    if (f[4] == "marginals" || f[4] == "search")
        rows[f[4]] = rows[f[4]] (rows[f[4]] == "" ? "" : "\n") f[8] "\t" d "\t" n "\t" (x + 0)
    if (f[4] == "oracle" && n == 1000000)
        print d, x, f[8] > (curves "/oracle.dat")
    if (f[4] == "kernel" && f[8] ~ /, g = 4$/) {
        level = f[8]
        sub(/,.*/, "", level)
        print d, x, level > (curves "/kernel.dat")
    }
}

# The title, and what was measured on what.
function write_title() {
    print "# Measured times, and what limits them\n"
    print "How fast is it, and what limits the speed? A repetition of ten methods over 1,024 values takes less than a tenth of a millisecond;"
    print "the tables below say which of the goals are met.\n"
    print "This page is generated from the benchmark's output by\n"
    print "    make bench"
    if (before_commit != "")
        print "    perf/before.py build/release/performance.json " before_commit " BEFORE/ldpbench build/release/ldpbench kosarak.counts"
    if (figures != "")
        print "    sh scripts/time-figures.sh build/release/ldpbench build/release/figures.tsv"
    printf "    sh scripts/performance.sh build/release/performance.json docs%s\n\n", figures != "" ? " build/release/figures.tsv" : ""
    printf "Measured with ldpbench %s (%s), %son %s, %d CPUs, vector level %s. ", version, commit, \
        compiler == "unknown" ? "" : compiler ", ", cpu, cpus, simd
    print "Times are medians of several runs, in processor time of one thread unless stated otherwise. Zipf data, s = 1.5, ε = 1."
    print "The machine was shared: a repeated run may differ by a fifth, or by a factor of two while other programs run.\n"
    print "![time over domain size](performance.svg)\n"
}

# A row: what, its goal and limit in seconds, the measured seconds; none where it was not measured.
function goal(what, text, limit, x) {
    if (x != "")
        printf "| %s | %s | %s | %s |\n", what, text, si(x, "s"), verdict(x, limit)
}

# The row of an oracle's collection by counts.
function goal_of_counts(oracle, text, limit, d, n) {
    goal("a collection of " oracle " by counts, d = " d ", n = " power(n), text, limit, get("oracle", oracle " counts", d, n))
}

# The slowest of the decoders of projective geometry for d near 1024 up to epsilon = 4: q from 3 to 53.
function slowest_decoder(    count, name, i, part, most) {
    count = split(decoders, name, "\n")
    for (i = 1; i <= count; i++) {
        split(name[i], part, "\t")
        if (part[1] ~ /^pgr decode q=(3 t=7|4 t=6|53 t=3)$/ && part[4] > most)
            most = part[4]
    }
    return most
}

# A part of a measured number; "" where there is none.
function part_of(x, size) { return x == "" ? "" : x / size }

# Goals of projective geometry response, of the words of hm and of sketches.
function write_goals_of_collections(    t, most) {
    goal("a decoder of pgr near d = 1024, up to ε = 4", "< 0.1 ms", 1e-4, slowest_decoder())
    goal("pgr by counts, ε = 1, d = 1024, n = 10⁶", "< 1 ms", 1e-3, get("decoder", "pgr counts epsilon=1", 1024, 1000000))
    goal("the same, n = 10⁸", "< 2 ms", 2e-3, get("decoder", "pgr counts epsilon=1", 1024, 100000000))
    goal("pgr by reports, ε = 1, d = 1024, a user", "< 40 ns", 4e-8, part_of(get("decoder", "pgr reports epsilon=1", 1024, 1000000), 1000000))
    goal("a decoder of pgr, q = 151, t = 4", "< 0.2 s", 0.2, get("decoder", "pgr decode q=151 t=4", 3465904, 1000000))
    for (t = 2; t <= 4; t++) {
        most = t == 2 ? 3 : t == 3 ? 5 : 10
        goal("the server of hm with words of " t ", a report", "< " most " ns", most * 1e-9, \
            part_of(get("decoder", "hm joint server t=" t, 2048, 4096), 4096))
    }
    goal("count_min by counts, 32 x 1024, rows of oue, d = 10⁵, n = 10⁶", "< 10 ms", 0.01, get("sketch", "counts mean 32x1024 oue", 100000, 1000000))
    goal("the same with rows of hm", "< 10 ms", 0.01, get("sketch", "counts mean 32x1024 hm", 100000, 1000000))
    goal("by reports with rows of hm, a user", "< 30 ns", 3e-8, get("sketch", "reports mean 32x1024 hm, a user", 100000, 1000000))
    goal("its decoder, a row and value", "< 5 ns", 5e-9, get("sketch", "decode mean 32x1024 hm, a row and value", 100000, 1000000))
    goal("count_min by counts, 1024 x 2048, d = 10⁶, n = 10⁶", "< 2 s", 2, get("sketch", "counts mean 1024x2048 oue", 1000000, 1000000))
    goal("bloom by counts, d = 10⁵, n = 10⁶", "< 1 s", 1, get("sketch", "counts bloom", 100000, 1000000))
}

# Section: goals.
function write_goals() {
    print "## Goals\n"
    print "| what | goal | measured | |\n|---|---|---|---|"
    printf "| one repetition by counts, base, all ten methods, full domain; d = 1024, n = 10⁶ | < 0.08 ms | %s | %s |\n", \
        si(small, "s"), verdict(small, 8e-5)
    every = get("repetition", all, 1024, 1000000)
    printf "| the same with every method | < 0.5 ms | %s | %s |\n", si(every, "s"), verdict(every, 5e-4)
    printf "| ten methods, size of Kosarak: d = 41,270, n = 8,019,015 | < 20 ms | %s | %s |\n", si(kosarak, "s"), verdict(kosarak, 0.02)
    goal_of_counts("ss", "< 1 ms", 1e-3, 1000, 1000000)
    goal_of_counts("ss", "< 50 ms", 0.05, 41270, 8019015)
    goal_of_counts("flh", "< 3 ms", 3e-3, 1000, 1000000)
    write_goals_of_collections()
    peak = get("kernel", simd ", peak of the operations", 0, 0)
    if (peak != "")
        printf "| support counting of olh, d = 1024, of the measured peak | ≥ 40 %% | %.0f %% | %s |\n", 100 * rate / peak, \
            verdict(-rate / peak, -0.4)
    ratio = get("scaling", cpus ": threads over processes", 1024, 0)
    if (ratio != "")
        printf "| %d threads over %d independent processes | ≥ 0.9 | %.2f | %s |\n", cpus, cpus, ratio, verdict(-ratio, -0.9)
    growth = get("repetition", ten ", growth in d", 0, 10000000)
    printf "| cost grows as d to the power | ≤ 1, times log d | %.2f | %s |\n", growth, verdict(growth, 1.1)
    if (figures != "")
        while ((getline line < figures) > 0) {
            split(line, part, "\t")
            printf "| %s: `%s` | < %s s | %.1f s%s | %s |\n", part[1], part[2], part[4], part[3], \
                part[5] == "" ? "" : sprintf(" (%.1f s of processor time)", part[5]), verdict(part[3] + 0, part[4] + 0)
        }
}

# A row of before and after: its name, what it is, what was asked, as a ratio and in seconds (none: not as a time).
function before_row(name, what, asked, limit, seconds,    b, a, ratio) {
    b = get("before", name, 0, 0)
    a = get("after", name, 0, 0)
    ratio = get("ratio", name, 0, 0)
    if (b != "")
        printf "| %s | %s | %s | %.2f | %s | %.2f | %s |\n", what, si(b, "s"), si(a, "s"), ratio, asked, limit, \
            (a <= seconds ? "met" : verdict(ratio, limit))
}

# Section: before and after.
function write_before() {
    if (before_commit == "")
        return
    print "\n## Before and after\n"
    print "The goals of this table were set with numbers of another machine. Here both builds ran in turn on this one, as whole"
    print "programs on one thread (`perf/before.py`): commit " before_commit ", the last before the work on these goals, and this one. The ratio is the"
    print "median over pairs of runs. A goal is met if the time or the ratio reaches its target. A repetition"
    print "includes its queries and the store; the other tables measure the library alone.\n"
    print "| what | before | after | ratio | asked | as a ratio | |\n|---|---|---|---|---|---|---|"
    before_row("ten methods", "one repetition by counts, base and ten methods, d = 1024, n = 10⁶", "0.12 → 0.08 ms", 0.08 / 0.12, 8e-5)
    before_row("every method", "the same with every method", "1.5 → 0.5 ms", 0.5 / 1.5, 5e-4)
    before_row("ss", "a collection of ss by counts, d = 1024, n = 10⁶", "4.9 → 1 ms", 1 / 4.9, 1e-3)
    before_row("ss, Kosarak", "the same for Kosarak", "0.28 → 0.05 s", 0.05 / 0.28, 0.05)
    before_row("flh", "a collection of flh by counts, d = 1024, n = 10⁶", "11.6 → 3 ms", 3 / 11.6, 3e-3)
    before_row("olh by reports", "olh by reports, d = 1024, a user: client and server", "27 → 40 % of the peak", 27 / 40, 0)
    before_row("kept grid", "a second run of a finished grid of 112,000 rows", "1.5 → 0.3 s", 0.3 / 1.5, 0.3)
    before_row("recommend", "`recommend` from supports of Kosarak", "10 → 2 s", 2 / 10, 2)
}

# Section: one repetition by.
function write_one_repetition_by() {
    print "\n## One repetition by counts: olh and the full domain\n"
    print "With base and the ten methods of NDSS 2020, and with all methods (`ldpbench list methods`, without those for grr only).\n"
    print "| d | n | ten methods | a value | every method | a value |\n|---|---|---|---|---|---|"
    for (d = 100; d <= 1000000; d *= 10)
        repetition(d, 10000000)
    repetition(41270, 8019015)
    for (n = 10000; n <= 1000000000000; n *= 100)
        repetition(1024, n)
    print "\nUsers are not simulated one by one, so n affects the time only by how many values share a binomial law (rare values of"
    print "equal count do), how many true counts the prior of `power` distinguishes, and how fine the grid of `npmle` must be."
}

# A row of peers: what, theirs, ours.
function peer(what, theirs, ours) {
    if (theirs != "" && ours != "")
        printf "| %s | %s | %s | %.3g |\n", what, si(theirs, "s"), si(ours, "s"), theirs / ours
}

# Section: the same work in Python.
function write_peers() {
    if (names["peer"] == "")
        return
    print "\n## The same work in Python\n"
    print "`perf/peers.py`, written for this comparison with NumPy, timed after the rows above in the same run; one thread each.\n"
    print "| what | Python | ldpbench | ratio |\n|---|---|---|---|"
    peer("a repetition by counts: base and the eight methods of NDSS 2020 that fit no power law, d = 1024, n = 10⁶", \
        get("peer", "numpy: olh counts, nine methods", 1024, 1000000), get("repetition", "olh counts, nine methods", 1024, 1000000))
    peer("the same, d = 41,270, n = 8,019,015", \
        get("peer", "numpy: olh counts, nine methods", 41270, 8019015), get("repetition", "olh counts, nine methods", 41270, 8019015))
    peer("a repetition by counts: base and all ten, d = 1024, n = 10⁶ (power over a window of 25,000 counts, as its authors have it)", \
        get("peer", "numpy: olh counts, ten methods", 1024, 1000000), get("repetition", ten, 1024, 1000000))
    x = get("peer", "python: olh, user by user", 1024, 100)
    peer("olh user by user, client and server, a user: a loop over values in Python, d = 1024; ldpbench by reports, d = 1000", \
        x == "" ? "" : x / 100, get("oracle", "olh reports", 1000, 1000000) == "" ? "" : get("oracle", "olh reports", 1000, 1000000) / 1000000)
}

# Section: memory.
function write_memory() {
    print "\n## Memory: a repetition with every method, in a process of its own\n"
    print "| d | n | with set-up | peak |\n|---|---|---|---|"
    split("1024 1000000 41270 8019015 1000000 1000000000 10000000 1000000000000", size, " ")
    for (i = 1; i <= 8; i += 2)
        if (get("memory", "all methods, peak", size[i], size[i + 1]) != "")
            printf "| %s | %s | %s | %.0f MB |\n", power(size[i]), power(size[i + 1]), \
                si(get("memory", "all methods, with set-up", size[i], size[i + 1]), "s"), get("memory", "all methods, peak", size[i], size[i + 1]) * 1e-6
}

# Section: methods.
function write_methods() {
    print "\n## Methods, one estimate\n\nWith olh, n = 10⁶; with grr for methods that suit no other oracle.\n"
    print "| method | d = 100 | 10³ | 10⁴ | 10⁵ | 10⁶ | a value at 10⁵ |\n|---|---|---|---|---|---|---|"
    count = split(names["method"], name, "\t")
    for (i = 1; i <= count; i++) {
        printf "| %s |", name[i]
        for (d = 100; d <= 1000000; d *= 10)
            printf " %s |", si(get("method", name[i], d, 1000000), "s")
        if (name[i] ~ /^(base|base_pos|post_pos|base_cut|norm|norm_mul|norm_cut|norm_sub|mle_apx)$/)
            others += get("method", name[i], 1000, 1000000)
        x = get("method", name[i], 100000, 1000000)
        printf " %s |\n", si(x == "" ? "" : x / 100000, "s")
    }
}

# Section: oracles.
function write_oracles() {
    print "\n## Oracles, one collection of n = 10⁶ users\n"
    print "| simulation | d = 100 | 10³ | 10⁴ | 10⁵ | 10⁶ | a report at 10³ |\n|---|---|---|---|---|---|---|"
    count = split(names["oracle"], name, "\t")
    for (i = 1; i <= count; i++) {
        printf "| %s |", name[i]
        for (d = 100; d <= 1000000; d *= 10)
            printf " %s |", si(get("oracle", name[i], d, 1000000), "s")
        x = get("oracle", name[i], 1000, 1000000)
        printf " %s |\n", name[i] ~ /reports/ && x != "" ? si(x / 1000000, "s") : ""
    }
    print "\nA dash: a smaller domain already took more than a fifth of a second.\n"
    print "## Oracles by counts, d = 1000, and at the size of Kosarak: d = 41,270, n = 8,019,015\n"
    print "| oracle | n = 10⁴ | 10⁵ | 10⁶ | 10⁷ | 10⁸ | 10⁹ | Kosarak |\n|---|---|---|---|---|---|---|---|"
    for (i = 1; i <= count; i++)
        if (name[i] ~ / counts$/) {
            printf "| %s |", name[i]
            for (n = 10000; n <= 1000000000; n *= 10)
                printf " %s |", si(get("oracle", name[i], 1000, n), "s")
            printf " %s |\n", si(get("oracle", name[i], 41270, 8019015), "s")
        }
}

# Section: decoders and collections of projective geometry response, decoders of the Hadamard mechanism.
function write_decoders(    count, name, i, part) {
    if (names["decoder"] == "")
        return
    print "\n## Projective geometry response, words of the Hadamard mechanism\n"
    print "Decoders by field size q and dimension t (d: all points); hm's server for 4096 reports of t signs; collections at d = 1024.\n"
    print "| what | d | n | time |\n|---|---|---|---|"
    count = split(decoders, name, "\n")
    for (i = 1; i <= count; i++) {
        split(name[i], part, "\t")
        printf "| %s | %s | %s | %s |\n", part[1], power(part[2]), power(part[3]), si(part[4], "s")
    }
}

# Section: sketches: a repetition by counts, decoders, users by reports, Bloom filters.
function write_sketches(    count, name, i, part) {
    if (sketches == "")
        return
    print "\n## Sketches\n"
    print "Rows x columns over a row oracle, Zipf 1.1, epsilon 1. By counts: one collection, its estimate and squared error.\n"
    print "| what | d | n | measured |\n|---|---|---|---|"
    count = split(sketches, name, "\n")
    for (i = 1; i <= count; i++) {
        split(name[i], part, "\t")
        printf "| %s | %s | %s | %s |\n", part[1], power(part[2]), power(part[3]), \
            part[5] == "bytes" ? sprintf("%.3g MB", part[4] * 1e-6) : si(part[4], "s")
    }
}

# A section whose rows are one list.
function write_rows(section, title, words, size,    count, name, i, part) {
    if (rows[section] == "")
        return
    print "\n## " title "\n"
    print words "\n"
    print "| what | " size " | n | measured |\n|---|---|---|---|"
    count = split(rows[section], name, "\n")
    for (i = 1; i <= count; i++) {
        split(name[i], part, "\t")
        printf "| %s | %s | %s | %s |\n", part[1], power(part[2]), (part[3] > 0 ? power(part[3]) : "–"), si(part[4], "s")
    }
}

# Section: reports of local.
function write_reports_of_local() {
    print "\n## Reports of local hashing: support counting\n"
    print "10⁹ evaluations a second on one core; an evaluation decides whether one report supports one value."
    print "The peak is the rate of the five byte operations of an evaluation on registers alone, with no table, load or store.\n"
    print "| level | d = 64 | 1024 | 1573 | 8192 | 41,270 | 10⁶ | d = 1024, g = 150 | g = 60,000 | clients, a user |\n|---|---|---|---|---|---|---|---|---|---|"
    levels_count = split("generic sse4 avx2 avx512 gfni", levels, " ")
    split("64 1024 1573 8192 41270 1000000", size, " ")
    for (i = 1; i <= levels_count; i++) {
        if (get("kernel", levels[i] ", g = 4", 1024, 0) == "")
            continue
        printf "| %s |", levels[i]
        for (k = 1; k <= 6; k++)
            printf " %s |", billions(get("kernel", levels[i] ", g = 4", size[k], 0))
        x = get("kernel", levels[i] ", clients", 0, 0)
        printf " %s | %s | %s |\n", billions(get("kernel", levels[i] ", g = 150", 1024, 0)), billions(get("kernel", levels[i] ", g = 60000", 1024, 0)), \
            si(x == "" ? "" : 1 / x, "s")
    }
    peak = get("kernel", simd ", peak of the operations", 0, 0)
    if (peak != "")
        printf "\nPeak at %s: %s. Support counting reaches %.0f %% of it at d = 1024 and %.0f %% at d = 8192;\nwith g = 21, %.0f %% at d = 1024.\n", simd, billions(peak), \
            100 * rate / peak, 100 * large / peak, 100 * get("kernel", simd ", g = 21", 1024, 0) / peak
    if (simd == "gfni") {
        print "\nAt level gfni (AVX-512 with VBMI, VPOPCNTDQ and GFNI), 64 reports are counted together (core/hash_planes.h): a word of"
        print "64 bits holds one bit of the same table entry of 64 reports. Three operations for each bit of a residue (four if g is not a"
        print "power of two) then make 512 evaluations, where five byte operations make 64, so the peak of those can be passed. The gain"
        print "is largest for small g."
    }
    print "\nThe server of `flh` (a look-up for each hash function and value) does " \
        billions(get("kernel", simd ", flh's server, g = 21", 1024, 0)) "·10⁹ a second.\n"

    if (names["variant"] != "") {
        print "### What was tried\n"
        print "| family | d = 1024 | d = 8192 | quality |\n|---|---|---|---|"
        quality["mixer, 32-bit lanes"] = "full; two multiplications for each evaluation"
        quality["mixer, 16-bit lanes"] = "values that agree in 16 bits always collide; residues off by up to g/2¹⁶"
        quality["aes, 8-bit lanes"] = "two rounds; uniform only where g divides 256, else off by up to g/256; needs VAES"
        quality["aes, 16-bit lanes"] = "two rounds; residues off by up to g/2¹⁶; needs VAES"
        quality["two tables"] = "three-wise independent; of the rectangle 0, 1, 64, 65 any three decide the fourth"
        quality["three tables (kept)"] = "five-wise independent, residues off by less than 2⁻²⁷"
        count = split(names["variant"], name, "\t")
        for (i = 1; i <= count; i++)
            printf "| %s | %s | %s | %s |\n", name[i], billions(get("variant", name[i], 1024, 0)), \
                billions(get("variant", name[i], 8192, 0)), quality[name[i]]
        print "\nThe chosen family (core/hash.c) computes a few hundred random residues for each report and then uses five"
        print "byte operations for 32 values, where a mixer uses eight operations for 8. It needs no instruction beyond SSE2."
        print "AES on bytes is faster near d = 1000, but uniform only for few g; on 16 bits, which most g need, it is not faster, and"
        print "processors without VAES would have to do AES in software to get the same bytes. Carry-less multiplication was"
        print "not pursued: an instruction gives two products, and a product is one evaluation of a linear family, in which triples"
        print "are dependent. Two tables without the third were not faster, and quadruples of values would be dependent.\n"
    }

    if (names["scaling"] != "") {
        print "### Threads and processes, d = 1024\n"
        print "| | processes | threads | threads / processes |\n|---|---|---|---|"
        for (k = 1; k <= cpus; k++) {
            x = get("scaling", k (k > 1 ? " processes" : " process"), 1024, 0)
            if (x != "")
                printf "| %d | %s | %s | %.2f |\n", k, billions(x), billions(get("scaling", k (k > 1 ? " threads" : " thread"), 1024, 0)), \
                    get("scaling", k ": threads over processes", 1024, 0)
        }
    }
}

# Section: where the limit.
function write_where_the_limit() {
    print "\n## What limits the speed\n"
    print "- **Counting, large d**: the vector units. Up to level avx512 nearly all time is spent on the five operations; at level gfni"
    print "  tables and counting take about as long as each other."
    tables = 64 / get("kernel", simd ", g = 4", 64, 0)
    printf "- **Counting, d near 1000**: a report takes %s at d = 64, nearly all for its tables, and %s at d = 1024. Its tables\n", \
        si(tables, "s"), si(1024 / rate, "s")
    print "  are 64 + d/64 + (d/64 + 63) residues, with three multiplications for two of them."
    print "- **Words of hm**: t signs are 2^t - 1 increments of counters in memory, and a processor does one such increment in a cycle."
    print "- **Two CPUs of one physical core** share its vector units: the second adds only what the first leaves idle."
    sampling = get("oracle", "olh counts", 1000, 1000000)
    printf "- **A repetition by counts**: at d = 1000 the binomials take %s and power %s; the other nine together %s.\n", \
        si(sampling, "s"), si(get("method", "power", 1000, 1000000), "s"), si(others, "s")
    print "- **Subset selection by counts** needs dozens of binomials per value at d = 1024 for its exact joint law, where"
    print "  the oracles with independent supports need two."
    x = get("decoder", "pgr counts epsilon=3", 1024, 1000000)
    if (x != "") {
        print "- **pgr by counts** splits users among the q points of each line, so the time depends on the number of points more than on"
        printf "  that of users: at ε = 3, where the default field has 19 elements and the space 7,240 points, %s with 10⁶ users and %s\n", \
            si(x, "s"), si(get("decoder", "pgr counts epsilon=3", 1024, 100000000), "s")
        print "  with 10⁸; at ε = 1, 2 and 4 less (see above)."
    }
    print "- **Beyond d = 10⁷**: memory. Each method keeps an estimate of 8 d bytes."
}

END {
    ten = "olh counts, ten methods"
    all = "olh counts, all methods"
    small = get("repetition", ten, 1024, 1000000)
    kosarak = get("repetition", ten, 41270, 8019015)
    rate = get("kernel", simd ", g = 4", 1024, 0)
    large = get("kernel", simd ", g = 4", 8192, 0)
    write_title()
    write_goals()
    write_before()
    write_one_repetition_by()
    write_peers()
    write_memory()
    write_methods()
    write_oracles()
    write_decoders()
    write_sketches()
    write_rows("marginals", "Marginals", "One repetition of a synopsis with adaptive, epsilon 1: it answers 50 marginals of 3 and 50 of 6 attributes, all binary.", "attributes")
    write_rows("search", "Searches", "One repetition by counts with olh, epsilon 3, over strings of random symbols held by Zipf's law, s = 1.1.", "strings")
    write_reports_of_local()
    write_where_the_limit()
}
