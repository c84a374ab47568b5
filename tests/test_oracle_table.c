/* test_oracle_table.c - ldpbench oracles: users by hand and by simulation, data, limits, bad input. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>

/* d = 4, e^epsilon = 3: p = 1/2, q = 1/6, so s1 = q (1 - q) / (p - q)^2 = 5/4 and tf = 1, and an error of 0.01 takes
 * (5/4 + 1/4) / 0.01^2 = 15000 users. The epsilon is rounded up in its 17th digit at most. */
Test(oracle_table, users_by_hand)
{
    expect_said(0, "grr at epsilon = 1.099: 15,000 users for a standard error of 0.01",
                "ldpbench oracles --d 4 --oracle grr --error 0.01 --epsilon 1.0986122886681098");
    expect_said(0, "15,000 users for a standard error of 0.01",
                "ldpbench oracles --d 4 --oracle grr --n 15000 --epsilon 1.0986122886681098");
    /* what is not needed of epsilon is left */
    expect_said(0, "grr at epsilon = 1.098: 15,000 users for a standard error of 0.01",
                "ldpbench oracles --d 4 --oracle grr --n 15000 --error 0.01001 --epsilon 2");
}

/* The mean squared error of a run with as many users is the square of the error. */
FolderTest(oracle_table, users_are_those_of_a_run)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 16, \"n\": 31000}],\n"
               " \"oracles\": [\"olh\"], \"epsilon\": [1], \"methods\": [\"base\"], \"queries\": [\"full_domain\"],\n"
               " \"repetitions\": 300}\n");
    run_in(folder,
           "ldpbench run c.json -o run --quiet && ldpbench oracles --d 16 --oracle olh --n 31000 "
           "--epsilon 1 --format json > out && python3 -c 'import csv, json; "
           "mse = float(next(csv.DictReader(open(\"run/mse.csv\")))[\"mse\"]); "
           "error = json.load(open(\"out\"))[\"oracles\"][0][\"error\"]; assert abs(mse / error**2 - 1) < 0.08, mse'");
}

/* Ranges: e^epsilon = 3, s1 = 3 of oue and tf = 1, so that two of four independent estimates have n Var = 6 + 1/2. */
Test(oracle_table, ranges_by_hand)
{
    expect_said(0, "oue at epsilon = 1.099: 65,000 users for a standard error of 0.01 of a range",
                "ldpbench oracles --d 4 --oracle oue --n 65000 --range 50 --epsilon 1.0986122886681098");
}

/* The mean squared error of ranges of a run is the square of the error that is told, whatever the frequencies. */
FolderTest(oracle_table, ranges_are_those_of_a_run)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"ordered\": true, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 64, \"n\": 31000}],\n"
        " \"oracles\": [\"hh\", \"haar\", \"olh\"], \"epsilon\": [1], \"methods\": [\"base\"],\n"
        " \"queries\": [{\"type\": \"range\", \"percent\": [20]}], \"repetitions\": 400}\n");
    run_in(folder,
           "ldpbench run c.json -o run --quiet && ldpbench oracles --d 64 --oracle hh --oracle haar --oracle olh "
           "--n 31000 --range 20 --epsilon 1 --format json > out && python3 -c 'import csv, json; "
           "mse = {r[\"oracle\"]: float(r[\"mse\"]) for r in csv.DictReader(open(\"run/range.csv\"))}; "
           "told = {r[\"oracle\"].split(\"(\")[0]: r[\"error\"] ** 2 for r in json.load(open(\"out\"))[\"oracles\"]}; "
           "assert len(told) == 3 and all(abs(mse[o] / told[o] - 1) < 0.1 for o in told), (mse, told)'");
}

Test(oracle_table, ranges_bad_input)
{
    expect_said(0, "hh at epsilon", "ldpbench oracles --d 256 --n 1000 --range 10 --epsilon 2");
    demand_failure(2, "--range: expected a number > 0 and <= 100",
                   "ldpbench oracles --d 4 --epsilon 1 --n 9 --range 0");
    demand_failure(2, "expected at most 4096 ranges, got 7921",
                   "ldpbench oracles --d 8000 --epsilon 1 --n 9 --range 1");
    demand_failure(2, "expected no --fraction with --range",
                   "ldpbench oracles --d 8 --epsilon 1 --n 9 --range 10 --fraction 0.1");
}

/* d = 4, e^epsilon = 3: grr keeps the value with 1/2, the best guess; of frequencies .7, .1, .1, .1 the best guess is
 * the first value whatever is reported, as 3 * .1 < .7. */
FolderTest(oracle_table, attack_success)
{
    const char *const grr = "ldpbench oracles --oracle grr --epsilon 1.0986122886681098 --format csv";
    write_text(folder, "skew.counts", "a\t700\nb\t100\nc\t100\nd\t100\n");
    run_in(folder,
           "%s --d 4 > even && %s skew.counts > skew && python3 -c 'import csv; "
           "even, skew = (next(csv.DictReader(open(name))) for name in (\"even\", \"skew\")); "
           "assert abs(float(even[\"attack_success\"]) - 0.5) < 1e-9, even; "
           "assert abs(float(skew[\"attack_success\"]) - 0.7) < 1e-9 and abs(float(skew[\"advantage\"])) < 1e-9, skew'",
           grr, grr);
    expect_said(0, "blh at epsilon",
                "ldpbench oracles --d 1024 --epsilon 4 --oracle grr,ss,blh --attack-at-most 0.005");
    expect_said(0, "ss has the lowest error, but exceeds its limit: attack",
                "ldpbench oracles --d 1024 --epsilon 4 --oracle grr,ss --attack-at-most 0.005");
    run_in(
        folder,
        "ldpbench oracles --d 100 --epsilon 1 --n 1e6 --frontier --format json --oracle grr,ss,oue,olh,sue,mss,pgr,she "
        "> out && python3 -c 'import json; rows = {r[\"oracle\"]: r for r in json.load(open(\"out\"))[\"oracles\"]}; "
        "by = {o: r[\"dominated_by\"] for o, r in rows.items()}; "
        "assert by[\"oue\"] == \"ss\" and not by[\"ss\"] and not by[\"mss\"] and not by[\"grr\"], by; "
        "assert all(r[\"frontier\"] == (not by[o]) for o, r in rows.items()), by'");
    demand_failure(2, "--attack-at-most: expected a number", "ldpbench oracles --d 4 --epsilon 1 --attack-at-most 2");
}

/* No parameter has less error and 1 % less attack success than the rows of the frontier (2 % for real numbers, which go
 * in other steps here), and no row is beaten by another oracle or parameter. */
FolderTest(oracle_table, frontier_of_all_parameters)
{
    static const char script[] =
        "import json, math, subprocess, sys\n"
        "program, data, epsilon, d = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])\n"
        "def oracles(*more):\n"
        "    return json.loads(subprocess.run([program, 'oracles', data, '--epsilon', epsilon, '--format', 'json', *more],\n"
        "                                     check=True, capture_output=True, text=True).stdout)\n"
        "most, blocks = max(d, round(math.exp(float(epsilon))) + 1), [2 ** i for i in range(6)]\n"
        "every = [f'ss(k={k})' for k in range(1, d)] + [f'olh(g={g})' for g in range(2, most + 1)]\n"
        "every += [f'hm(t={t})' for t in range(1, 6)] + [f'{o}(B={B})' for o in ('hr', 'rhr') for B in blocks]\n"
        "every += [f'pi_rappor(q={q})' for q in range(2, most + 1)] + [f'mss(moduli={L})' for L in range(1, 6)]\n"
        "every += [f'mss(moduli={L} most={m})' for L in (2, 3) for m in range(2, d + 1)]\n"
        "every += [f'pgr(q={q} t={t} h={h})' for q in range(2, most + 1) for t in (2, 3) for h in (1, 2, 4)]\n"
        "every += [f'ue(p={i / 100})' for i in range(50, 100)] + [f'the(theta={i / 50})' for i in range(25, 51)]\n"
        "rows = oracles('--oracle', ','.join(every) + ',all')['oracles']\n"
        "frontier = oracles('--frontier')['frontier']\n"
        "least = lambda r: r['attack_success'] + 2 * r['attack_stderr']\n"
        "assert len(rows) > 150 and len(frontier) > 10\n"
        "for r in rows:\n"
        "    bound = 1.025 if r['oracle'].startswith(('ue', 'the')) else 1.0102\n"
        "    assert r['partial'] or any(f['error'] <= r['error'] * (1 + 1e-9) and least(f) <= bound * least(r)\n"
        "                               for f in frontier), ('missing', r)\n"
        "    for f in frontier:\n"
        "        assert r['partial'] or r['error'] > f['error'] * (1 - 1e-4) or least(r) > least(f) * (1 - 1e-4), (r, f)\n"
        "assert all(g['error'] >= f['error'] and least(g) < 0.99 * least(f) for f, g in zip(frontier, frontier[1:]))\n";
    write_text(folder, "compare.py", script);
    write_text(folder, "skew.counts", "a\t7000\nb\t1500\nc\t500\nd\t400\ne\t300\nf\t200\ng\t60\nh\t40\n");
    run_in(folder, "python3 compare.py %s 'uniform(d=11,n=1e5)' 1.5 11 && python3 compare.py %s skew.counts 3 8",
           program(), program());
}

/* The frontier as an experiment: its config names the rows, and the picture is drawn, with a mark for each oracle if
 * there are more than 24 parameters. */
FolderTest(oracle_table, frontier_as_an_experiment)
{
    run_in(folder, "ldpbench oracles 'uniform(d=12,n=1e5)' --epsilon 1.5 --frontier -o own --format json >out && "
                   "python3 -c 'import csv, json; "
                   "rows = json.load(open(\"out\"))[\"frontier\"]; "
                   "own = list(csv.DictReader(open(\"own/oracles.csv\"))); "
                   "assert all(r[\"state_bytes\"] > 0 and r[\"range_10\"] is None for r in rows); "
                   "assert len(rows) > 24 and [r[\"oracle\"] for r in rows] == [o[\"oracle\"] for o in own]; "
                   "assert all(abs(float(o[\"attack_success\"]) - r[\"attack_success\"]) < 1e-12 "
                   "for r, o in zip(rows, own))'");
    if (has_program("gnuplot")) {
        demand_within(folder, "own/oracles-tradeoff.svg", "how often the best guess");
        run_in(folder, "ldpbench plot own --format tsv >said && cut -f 3 own/oracles-tradeoff.tsv | sort -u >names && "
                       "grep -qx SS names && grep -qx UE names && ! grep -q '(k' names");
    }
    demand_failure(2, "oracles: expected DATA, --epsilon and --frontier with --output",
                   "ldpbench oracles --d 16 --epsilon 2 --frontier -o %s/none", folder);
    demand_failure(2, "--output: no oracle meets the limits",
                   "ldpbench oracles 'uniform(d=12,n=1e5)' --epsilon 2 --frontier --bits 1 -o %s/none", folder);
}

/* More oracles than the registry has. */
Test(oracle_table, many_oracles)
{
    run_well("ldpbench oracles --d 90 --epsilon 1 --oracle \"$(seq -s, -f 'ss(k=%%g)' 1 80)\" --format csv | "
             "test $(grep -c ^ss) = 80");
}

/* Who dominates whom on five axes, recomputed from the table; limits take out those that are beyond them. */
FolderTest(oracle_table, dominated_on_five_axes)
{
    static const char script[] =
        "import json, sys\n"
        "table = json.load(open(sys.argv[1]))\n"
        "rows = [r for r in table['oracles'] if not r['partial']]\n"
        "assert len(rows) > 12\n"
        "def dominates(x, y):\n"
        "    noise = 2 * (x['attack_stderr'] ** 2 + y['attack_stderr'] ** 2) ** 0.5\n"
        "    pairs = [(x[a] if x[a] is not None else float('inf'), y[a] if y[a] is not None else float('inf'), 0)\n"
        "             for a in ('variance', 'report_bits', 'server_operations', 'lift')]\n"
        "    pairs.append((x['attack_success'], y['attack_success'], noise))\n"
        "    return all(a - e <= b * (1 + 2e-9) for a, b, e in pairs) and any(a + e < b * (1 - 1e-9) for a, b, e in pairs)\n"
        "for y in rows:\n"
        "    by = [x['oracle'] for x in rows if dominates(x, y)]\n"
        "    assert y['dominated_by'] == (by[0] if by else None) and y['frontier'] == (not by), (y, by)\n"
        "limits = {'report_bits': 100, 'server_seconds': 0.05, 'attack_success': 0.1}\n"
        "kept = [r for r in rows if all(r[k] <= most for k, most in limits.items())] if len(sys.argv) > 2 else rows\n"
        "assert {r['oracle'] for r in kept} == {r['oracle'] for r in rows if r['meets_limits']} and kept\n"
        "print(sum(r['dominated_by'] is not None for r in rows))\n";
    write_text(folder, "compare.py", script);
    run_in(folder,
           "ldpbench oracles --d 40 --n 1e6 --epsilon 2 --frontier --format json >a && "
           "test $(python3 compare.py a) -gt 0 && "
           "ldpbench oracles 'zipf(d=40,n=1e6,s=1)' --epsilon 1 --frontier --format json >b && python3 compare.py b && "
           "ldpbench oracles --d 40 --n 1e6 --epsilon 2 --frontier --bits 100 --server-seconds 0.05 "
           "--attack-at-most 0.1 --format json >c && python3 compare.py c limits");
}

/* Each limit takes out those that are beyond it, and the answer says what that costs. */
Test(oracle_table, limits)
{
    const char *const few = "ldpbench oracles --d 1024 --oracle oue --oracle olh --oracle hr --error 0.001 "
                            "--epsilon 2";
    expect_said(0, "oue at epsilon", "%s", few);
    expect_said(0, "olh at epsilon", "%s --bits 100", few);
    expect_said(0, "fewer users, but exceeds the limits", "%s --bits 100", few);
    expect_said(0, "hr at epsilon", "%s --bits 100 --server-seconds 0.5", few);
    expect_said(0, "olh at epsilon", "%s --bits 100 --server-seconds 5", few);
    expect_said(0, "None of 3 oracles meets the limits", "%s --bits 2", few);
    expect_said(0, "but exceeds its limit: users", "%s --n 1000", few);
    expect_said(0, "\"best\":\tnull", "%s --bits 2 --format json", few);
    expect_said(0, "| olh | ", "%s --bits 100 --format md", few);
}

/* Malicious users: by hand, A = x / (x - 1) of sue, x^2 = e = 3, and 1 + (d - 1)/(e - 1) of grr, and the error
 * of a value that 1 % of them push is the root of the squared standard error plus (A / 100)^2. */
Test(oracle_table, malicious_users, SLOW)
{
    const char *const few = "ldpbench oracles --d 256 --oracle grr --oracle oue --oracle sue --n 1000000 "
                            "--epsilon 1.0986122886681098 --fraction 0.01";
    expect_said(0, "each counts as 2.37 genuine users", "%s", few);
    expect_said(0, "sue at epsilon = 1.099: a value that 1 % malicious users push is off by 0.0237", "%s", few);
    expect_said(0, "oue has the lowest standard error", "%s", few);
    run_well(
        "%s --format json | python3 -c 'import json, sys; "
        "r = {c[\"oracle\"]: c for c in json.load(sys.stdin)[\"oracles\"]}; "
        "assert abs(r[\"grr\"][\"gain\"] - 1.285) < 1e-9 and abs(r[\"oue\"][\"gain\"] - 0.03) < 1e-9; "
        "assert all(abs(c[\"error_under_attack\"]**2 / (c[\"error\"]**2 + c[\"gain\"]**2) - 1) < 1e-6 for c in r.values())'",
        few);
    /* Oracles that become another one: blh is olh with g = 2, A = (e + 1)/(e - 1) = 2, and adaptive is oue here. */
    run_well("ldpbench oracles --d 256 --n 1000 --epsilon 1.0986122886681098 --fraction 0.01 --format json "
             "--oracle blh --oracle adaptive | python3 -c 'import json, sys; "
             "r = {c[\"oracle\"]: c[\"gain\"] for c in json.load(sys.stdin)[\"oracles\"]}; "
             "assert abs(r[\"blh\"] - 0.02) < 1e-9 and abs(r[\"adaptive\"] - 0.03) < 1e-9'");
}

/* Variances that depend on the counts are those of the data: a run of them has these errors. Without them the variance
 * of a sketch has no collisions, and that of bins is not known. */
FolderTest(oracle_table, variances_of_data)
{
    write_text(folder, "c.counts", "a\t7000\nb\t1500\nc\t500\nd\t400\ne\t300\nf\t200\ng\t60\nh\t40\n");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"datasets\": [{\"type\": \"counts\", \"file\": \"c.counts\"}],\n"
               " \"oracles\": [\"olh\", {\"name\": \"count_min\", \"rows\": 3, \"columns\": 4}], \"epsilon\": [2],\n"
               " \"methods\": [\"base\"], \"queries\": [\"full_domain\"], \"repetitions\": 400}\n");
    run_in(
        folder,
        "ldpbench run c.json -o run --quiet && ldpbench oracles c.counts --oracle olh "
        "--oracle 'count_min(rows=3 columns=4)' --epsilon 2 --format json > out && python3 -c 'import csv, json; "
        "mse = [float(r[\"mse\"]) for r in csv.DictReader(open(\"run/mse.csv\"))]; "
        "said = json.load(open(\"out\")); told = {r[\"oracle\"].split(\"(\")[0]: r[\"error\"] ** 2 for r in said[\"oracles\"]}; "
        "assert said[\"d\"] == 8 and said[\"n\"] == 10000; "
        "assert abs(mse[0] / told[\"olh\"] - 1) < 0.1 and abs(mse[1] / told[\"count_min\"] - 1) < 0.15, (mse, told)'");
    expect_said(0, "without", "ldpbench oracles --d 8 --epsilon 2 --oracle count_min");
    expect_said(0, "error not known", "ldpbench oracles --d 100 --epsilon 2 --oracle bins");
    demand_failure(2, "--d: expected 8, the values of c.counts, got 4",
                   "cd %s && ldpbench oracles c.counts --epsilon 2 --d 4", folder);
    write_text(folder, "r.csv", "x,y\n1,2\n3,4\n");
    demand_failure(2, "r.csv holds records: 'DATA(columns=NAME)' chooses one column",
                   "cd %s && ldpbench oracles r.csv --epsilon 2", folder);
}

/* More users than there can be are a number, too. */
Test(oracle_table, numbers_without_bound)
{
    expect_said(0, "e+3", "ldpbench oracles --epsilon 1e-10 --error 1e-8 --oracle grr,oue");
    expect_said(0, "inf", "ldpbench oracles --epsilon 1 --fraction 0.1 --oracle she");
    expect_said(0, "n = 1, epsilon 1", "ldpbench oracles --epsilon 1 --n 1");
}

/* The formats have the same numbers. */
Test(oracle_table, formats)
{
    const char *const one = "ldpbench oracles --d 4 --epsilon 1.0986122886681098 --n 15000 --oracle grr --format";

    expect_said(0, "grr,1.0986122886681098,15000,0.01,1.49999", "%s csv", one);
    expect_said(0, "\ngrr & 0.0100 & 1.000 & 2 & ", "%s latex", one);
    expect_said(0, "| grr | 0.0100 | ", "%s md", one);
    expect_said(0, "\"bits_bound\":\t2", "%s json", one);
}

/* A sample of no items. */
FolderTest(oracle_table, samples_below_one)
{
    write_text(folder, "baskets.dat", "1 2 3\n2 3\n4 1\n");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"datasets\": [{\"type\": \"fimi\", \"file\": \"baskets.dat\", \"sample\": 0}],\n"
               " \"oracles\": [\"olh\"], \"epsilon\": [1], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n");
    for (size_t i = 0; i < 3; i++)
        demand_failure(2, "sample: expected an integer from 1 to 1048576, got 0", "cd %s && ldpbench %s", folder,
                       (const char *[]){"oracles 'baskets.dat(sample=0)' --epsilon 1",
                                        "advise 'baskets.dat(sample=0)' --epsilon 1", "run c.json"}[i]);
}

/* A column of answers, as advise and init take it: as counts of its values. */
FolderTest(oracle_table, a_column_of_answers)
{
    write_text(folder, "s.csv", "often,count\nnever,60\ndaily,30\nalways,10\n");
    write_text(folder, "s.counts", "always\t10\ndaily\t30\nnever\t60\n");
    run_in(folder, "ldpbench oracles s.csv --epsilon 1 --format csv >a && "
                   "ldpbench oracles s.counts --epsilon 1 --format csv >b && cmp a b && grep -q ^grr, a");
    write_text(folder, "t.csv", "often,age\nnever,60\ndaily,30\n");
    demand_failure(2, "t.csv holds records: 'DATA(columns=NAME)' chooses one column",
                   "cd %s && ldpbench oracles t.csv --epsilon 1", folder);
}

Test(oracle_table, bad_input)
{
    static const char *const bad[][2] = {
        {"", "oracles: missing option --epsilon E, or --central E"},
        {"--epsilon 1 --central 1", "expected either --epsilon or --central, got both"},
        {"--central 1 --error 0.1", "expected no --error with --central, got both"},
        {"--epsilon 1 --error 2", "--error: expected a number from 1e-08 to 1, got \"2\""},
        {"--epsilon 1 --bits 0", "--bits: expected a number > 0"},
        {"--epsilon 1 --most -1", "--most: expected a number > 0"},
        {"--epsilon 1 --fraction 1", "--fraction: expected a number from 1e-09 to 0.9"},
        {"--central 1 --n 1", "--n: expected 2 users or more to shuffle, got 1"},
        {"--epsilon 1 --delta 1", "--delta: expected a number > 0 and < 1, got \"1\""},
        {"--epsilon 1 --oracle exact", "expected private oracles, got exact"},
        {"--epsilon 1 --oracle pgr --d 2000000000", "oracle pgr: no q within 2^26 reports"},
        {"--epsilon 1 a.tsv b.tsv", "expected one set of data at most, got b.tsv"},
        {"--epsilon 1 nowhere.tsv", "nowhere.tsv"},
        {"--epsilon 1 --d 100 --oracle 'mss(m1=10 m2=11)'",
         "moduli 10, 11: expected to determine d = 100 frequencies, got 20"},
        {"--epsilon 1 --d 100 --oracle 'mss(m1=10 m2=15)'", "moduli 10 and 15: expected no common factor"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        demand_failure(2, bad[i][1], "ldpbench oracles %s", bad[i][0]);
}
