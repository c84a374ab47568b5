/* test_recommend_oracle.c - ldpbench recommend --task oracle: users by hand and by simulation, limits, bad input. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>

/* d = 4, e^epsilon = 3: p = 1/2, q = 1/6, so s1 = q (1 - q) / (p - q)^2 = 5/4 and tf = 1, and an error of 0.01 takes
 * (5/4 + 1/4) / 0.01^2 = 15000 users. The epsilon is rounded up in its 17th digit at most. */
Test(recommend_oracle, users_by_hand)
{
    expect_said(0, "Recommended: grr at epsilon = 1.099: 15,000 users for a standard error of 0.01",
                "ldpbench recommend --d 4 --oracles grr --error 0.01 --epsilon-at-most 1.0986122886681098");
    expect_said(0, "15,000 users for a standard error of 0.01",
                "ldpbench recommend --d 4 --oracles grr --n 15000 --epsilon-at-most 1.0986122886681098");
    /* what is not needed of epsilon is left */
    expect_said(0, "grr at epsilon = 1.098: 15,000 users for a standard error of 0.01",
                "ldpbench recommend --d 4 --oracles grr --n 15000 --error 0.01001 --epsilon-at-most 2");
}

/* The mean squared error of a run with as many users is the square of the error. */
FolderTest(recommend_oracle, users_are_those_of_a_run)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 16, \"n\": 31000}],\n"
               " \"oracles\": [\"olh\"], \"epsilon\": [1], \"methods\": [\"base\"], \"queries\": [\"full_domain\"],\n"
               " \"repetitions\": 300}\n");
    run_in(folder,
           "ldpbench run c.json -o run --quiet && ldpbench recommend --d 16 --oracles olh --n 31000 "
           "--epsilon-at-most 1 --format json > out && python3 -c 'import csv, json; "
           "mse = float(next(csv.DictReader(open(\"run/mse.csv\")))[\"mse\"]); "
           "error = json.load(open(\"out\"))[\"ranking\"][0][\"error\"]; assert abs(mse / error**2 - 1) < 0.08, mse'");
}

/* Ranges: e^epsilon = 3, s1 = 3 of oue and tf = 1, so that two of four independent estimates have n Var = 6 + 1/2. */
Test(recommend_oracle, ranges_by_hand)
{
    expect_said(0, "oue at epsilon = 1.099: 65,000 users for a standard error of 0.01 of a range",
                "ldpbench recommend --d 4 --oracles oue --n 65000 --range 50 --epsilon-at-most 1.0986122886681098");
}

/* The mean squared error of ranges of a run is the square of the error that is told, whatever the frequencies. */
FolderTest(recommend_oracle, ranges_are_those_of_a_run)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"ordered\": true, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 64, \"n\": 31000}],\n"
        " \"oracles\": [\"hh\", \"haar\", \"olh\"], \"epsilon\": [1], \"methods\": [\"base\"],\n"
        " \"queries\": [{\"type\": \"range\", \"percent\": [20]}], \"repetitions\": 400}\n");
    run_in(folder,
           "ldpbench run c.json -o run --quiet && ldpbench recommend --d 64 --oracles hh --oracles haar --oracles olh "
           "--n 31000 --range 20 --epsilon-at-most 1 --format json > out && python3 -c 'import csv, json; "
           "mse = {r[\"oracle\"]: float(r[\"mse\"]) for r in csv.DictReader(open(\"run/range.csv\"))}; "
           "told = {r[\"oracle\"]: r[\"error\"] ** 2 for r in json.load(open(\"out\"))[\"ranking\"]}; "
           "assert len(told) == 3 and all(abs(mse[o] / told[o] - 1) < 0.1 for o in told), (mse, told)'");
}

Test(recommend_oracle, ranges_bad_input)
{
    expect_said(0, "Recommended: hh", "ldpbench recommend --d 256 --n 1000 --range 10 --epsilon-at-most 2");
    demand_failure(2, "--range: expected a number above 0 and at most 100",
                   "ldpbench recommend --d 4 --epsilon-at-most 1 --n 9 --range 0");
    demand_failure(2, "expected at most 4096 ranges, got 7921",
                   "ldpbench recommend --d 8000 --epsilon-at-most 1 --n 9 --range 1");
    demand_failure(2, "expected no --fraction with --range",
                   "ldpbench recommend --d 8 --epsilon-at-most 1 --n 9 --range 10 --fraction 0.1");
    demand_failure(2, "hh uses the order of the values",
                   "ldpbench recommend --d 8 --epsilon-at-most 1 --n 9 --oracles hh");
}

/* Each limit takes out those that are beyond it, and the answer says what that costs. */
Test(recommend_oracle, limits)
{
    const char *const few = "ldpbench recommend --d 1024 --oracles oue --oracles olh --oracles hr --error 0.001 "
                            "--epsilon-at-most 2";
    expect_said(0, "Recommended: oue", "%s", few);
    expect_said(0, "Recommended: olh", "%s --bits 100", few);
    expect_said(0, "more users than oue needs, which is beyond them", "%s --bits 100", few);
    expect_said(0, "Recommended: hr", "%s --bits 100 --server-seconds 0.5", few);
    expect_said(0, "Recommended: olh", "%s --bits 100 --server-seconds 0.5 --speed 1e10", few);
    expect_said(0, "None of 3 oracles keeps to the limits", "%s --bits 2", few);
    expect_said(0, "beyond its limit: users", "%s --n 1000", few);
    expect_said(0, "\"best\":\tnull", "%s --bits 2 --format json", few);
    expect_said(0, "| olh | ", "%s --bits 100 --format md", few);
}

/* Malicious users: by hand, A = x / (x - 1) of sue, x^2 = e = 3, and 1 + (d - 1)/(e - 1) of grr, and the error
 * of a value that 1 % of them push is the root of the squared standard error plus (A / 100)^2. */
Test(recommend_oracle, malicious_users, SLOW)
{
    const char *const few = "ldpbench recommend --d 256 --oracles grr --oracles oue --oracles sue --n 1000000 "
                            "--epsilon-at-most 1.0986122886681098 --fraction 0.01";
    expect_said(0, "each counts as 2.37 genuine users", "%s", few);
    expect_said(0, "Recommended: sue at epsilon = 1.099: a value that 1 % malicious users push is off by 0.0237", "%s",
                few);
    expect_said(0, "oue has the least standard error", "%s", few);
    run_well(
        "%s --format json | python3 -c 'import json, sys; "
        "r = {c[\"oracle\"]: c for c in json.load(sys.stdin)[\"ranking\"]}; "
        "assert abs(r[\"grr\"][\"gain\"] - 1.285) < 1e-9 and abs(r[\"oue\"][\"gain\"] - 0.03) < 1e-9; "
        "assert all(abs(c[\"error_under_attack\"]**2 / (c[\"error\"]**2 + c[\"gain\"]**2) - 1) < 1e-6 for c in r.values())'",
        few);
    /* Oracles that become another one: blh is olh with g = 2, A = (e + 1)/(e - 1) = 2, and adaptive is oue here. */
    run_well("ldpbench recommend --d 256 --n 1000 --epsilon-at-most 1.0986122886681098 --fraction 0.01 --format json "
             "--oracles blh --oracles adaptive | python3 -c 'import json, sys; "
             "r = {c[\"oracle\"]: c[\"gain\"] for c in json.load(sys.stdin)[\"ranking\"]}; "
             "assert abs(r[\"blh\"] - 0.02) < 1e-9 and abs(r[\"adaptive\"] - 0.03) < 1e-9'");
    expect_said(2, "expected --n with --fraction",
                "ldpbench recommend --d 8 --epsilon-at-most 1 --error 0.1 --fraction 0.1");
    expect_said(2, "--fraction: expected a number from 1e-9 to 0.9",
                "ldpbench recommend --d 8 --epsilon-at-most 1 --n 10 --fraction 1");
}

/* With a pilot an oracle stands with its best method: on the users that it is said to need a run has that error, and
 * the picture has every oracle of the frontier. */
FolderTest(recommend_oracle, methods_on_a_pilot, SLOW)
{
    write_text(folder, "p.tsv", "a\t700\nb\t150\nc\t50\nd\t40\ne\t30\nf\t20\ng\t6\nh\t4\n");
    run_in(
        folder,
        "ldpbench recommend --pilot p.tsv --oracles oue --oracles grr --method base --method norm_sub "
        "--error 0.01 --epsilon-at-most 1 --trials 400 --picture p.tsv2.tsv --format json >out && "
        "python3 -c 'import json; best = json.load(open(\"out\"))[\"ranking\"][0]; "
        "assert best[\"method\"] == \"norm_sub\"; print(int(best[\"users\"]), best[\"oracle\"])' >users && "
        "read n oracle <users && printf '{\"name\": \"c\", \"datasets\": [{\"type\": \"counts\", \"file\": "
        "\"p.tsv\", \"n\": %%s}], \"oracles\": [\"%%s\"], \"epsilon\": [1], \"methods\": [\"norm_sub\"], "
        "\"queries\": [\"full_domain\"], \"repetitions\": 1000}' $n $oracle >c.json && "
        "ldpbench run c.json -o run --quiet && python3 -c 'import csv; "
        "mse = float(next(csv.DictReader(open(\"run/mse.csv\")))[\"mse\"]); assert abs(mse / 1e-4 - 1) < 0.15, mse' && "
        "grep -q '^3.line.grr' p.tsv2.tsv");
    expect_said(0, "times as many users",
                "cd %s && ldpbench recommend --pilot p.tsv --error 0.01 --epsilon-at-most 1 "
                "--oracles grr",
                folder);
    expect_said(2, "expected 8, the values of p.tsv",
                "cd %s && ldpbench recommend --task oracle --d 4 --pilot p.tsv "
                "--epsilon-at-most 1 --n 9",
                folder);
    demand_failure(2, "expected --pilot with --method",
                   "ldpbench recommend --d 4 --epsilon-at-most 1 --n 9 --method base");
}

Test(recommend_oracle, bad_input)
{
    demand_failure(2, "missing option --d D (the number of values)", "ldpbench recommend --epsilon-at-most 1 --n 9");
    demand_failure(2, "missing option --epsilon-at-most E", "ldpbench recommend --task oracle --d 4 --n 9");
    demand_failure(2, "expected --error or --n, got neither", "ldpbench recommend --d 4 --epsilon-at-most 1");
    demand_failure(2, "--error: expected a number from 1e-8", "ldpbench recommend --d 4 --epsilon-at-most 1 --error 1");
    demand_failure(2, "--bits: expected a number > 0", "ldpbench recommend --d 4 --epsilon-at-most 1 --n 9 --bits 0");
    demand_failure(2, "expected no file", "ldpbench recommend --task oracle --d 4 --epsilon-at-most 1 --n 9 x");
    demand_failure(2, "none of the oracles suits d = 4",
                   "ldpbench recommend --d 4 --epsilon-at-most 1 --n 9 --oracles cms");
}
