/* test_valid_inputs.c - valid inputs at the edges of their ranges, and what they once found. */
#include "ldp.h"
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a run writes, our readers take. */
static void demand_read_back(const char *folder, const char *config)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv && "
                   "ldpbench report r --no-plots -o r.html && ldpbench check r r");
}

/* A part of tests/valid_inputs.py; make valid-inputs is more of it. */
Test(valid_inputs, generated, SLOW)
{
    struct outcome outcome = run_shell("command -v python3 >/dev/null || exit 77; python3 tests/valid_inputs.py 15");

    if (outcome.status == 77)
        skip_test("python3 is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

/* Also after plot, which writes run.json again. */
FolderTest(valid_inputs, whole_numbers_of_16_digits)
{
    demand_read_back(folder, "{\"name\": \"x\", \"seed\": 9007199254740992, \"repetitions\": 2, \"datasets\": "
                             "[{\"type\": \"zipf\", \"s\": 1.5, \"d\": 4, \"n\": 9007199254740991}], \"oracles\": "
                             "[\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}");
    demand_within(folder, "r/run.json", "\"seed\":\t9007199254740992,");
    demand_within(folder, "r/run.json", "\"n\":\t9007199254740991,");
    demand_within(folder, "r.html", "9007199254740992");
}

/* Noise of 1e-308 beside frequencies has no variance and makes some of them negative. */
FolderTest(valid_inputs, populations_of_estimates_without_variance)
{
    demand_read_back(folder, "{\"name\": \"x\", \"task\": \"selection\", \"repetitions\": 3, \"datasets\": [{\"type\": "
                             "\"zipf\", \"s\": 40, \"d\": 10, \"n\": 40}], \"oracles\": [\"she\"], \"epsilon\": "
                             "8.988465674311579e+307, \"methods\": [\"base\"], \"queries\": [\"full_domain\"], "
                             "\"surrogates\": [\"posterior\"]}");
    demand_within(folder, "r/regret.csv", "she,8.988465674311579e+307,posterior,full_domain,,3,");
}

/* The error of the best choice is 0: the ratio to it is undefined. */
FolderTest(valid_inputs, regret_over_no_error)
{
    demand_read_back(folder, "{\"name\": \"x\", \"task\": \"selection\", \"repetitions\": 3, \"datasets\": [{\"type\": "
                             "\"uniform\", \"d\": 4, \"n\": 100}], \"oracles\": [\"grr\"], \"epsilon\": 3, "
                             "\"methods\": [\"base\", \"uniform\"], \"queries\": [\"full_domain\"], \"surrogates\": "
                             "[\"posterior\"]}");
    demand_within(folder, "r/regret.csv", "x,uniform,4,100,grr,3,posterior,full_domain,,3,,\n");
}

/* 1 - p is rounded, or 0: no variance is below the optimum. */
FolderTest(valid_inputs, large_budgets)
{
    demand_read_back(folder, "{\"name\": \"x\", \"repetitions\": 1, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
                             "\"d\": 2, \"n\": 10}], \"oracles\": [\"grr\"], \"epsilon\": [20, 40], \"methods\": "
                             "[\"base\"], \"queries\": [\"full_domain\"], \"outputs\": [\"oracles\"]}");
    demand_within(folder, "r/oracles.csv", ",20,1,0.7,1,0.9999");
    demand_within(folder, "r/oracles.csv", ",40,1,0.7,,0.9999");
}

/* Numbers that differ in their last bit: an axis with steps below it had no end. */
FolderTest(valid_inputs, axis_of_one_bit, .timeout = 60)
{
    write_table(folder, "mse.csv", mse_header,
                "t,zipf,8,1000,olh,1,base,full_domain,,3,1.3112205449444936e-19,0,0\n"
                "t,zipf,8,1000,olh,1,norm,full_domain,,3,1.3112205449444938e-19,0,0\n");
    run_well("ldpbench plot '%s' --format tsv", folder);
}

/* A small stack and few open files end in one line, wherever they are met. */
FolderTest(valid_inputs, limits_of_the_process)
{
    static const char *const commands[] = {
        "run c.json -o new",
        "plot r --format tsv",
        "report r --no-plots -o new.html",
        "check r r",
        "advise --supports olh --epsilon 1 --n 100 --query full_domain --trials 2 s.tsv",
        "audit --epsilon 3 a.reports a.reports"};

    write_text(folder, "s.tsv", "a\t30\nb\t20\nc\t40\n");
    run_in(folder, "for i in $(seq 200); do echo $((i %% 2)); done > a.reports");
    demand_read_back(folder, "{\"name\": \"x\", \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
                             "\"d\": 4, \"n\": 100}], \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": "
                             "[\"base\"], \"queries\": [\"full_domain\"]}");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {

        demand_failure(3, "expected a stack of at least 256 KiB, got 64 (ulimit -s sets it)",
                       "cd '%s' && ulimit -s 64 && ldpbench %s", folder, commands[i]);
        if (i >= 4) /* these need no fifth file */
            continue;
        if (i == 1) /* a line for each picture */
            expect_said(3, "Too many open files", "cd '%s' && ulimit -n 4 && ldpbench %s", folder, commands[i]);
        else
            demand_failure(3, i == 0 ? "store.sqlite: cannot be opened" : "Too many open files",
                           "cd '%s' && ulimit -n 4 && ldpbench %s", folder, commands[i]);
    }
}

static struct outcome run_large(const char *limit, const char *task, const char *dataset, const char *options)
{
    char config[600];

    const char *const folder = temporary_folder();
    snprintf(config, sizeof config,
             "{\"name\": \"x\", \"oracles\": [\"olh\"], \"epsilon\": 1, %s, \"datasets\": [{%s}]}", task, dataset);
    write_text(folder, "c.json", config);
    return shell_in(folder, "ulimit -v %s && ldpbench run c.json %s", limit, options);
}

/* A run says before what takes long; a dry run does not make such data; nothing is begun for which there is too little
 * memory. Here the first ends for want of memory. */
Test(valid_inputs, large_data_are_announced_or_refused)
{
    static const char counts[] = "\"methods\": [\"base\"], \"queries\": [\"full_domain\"]",
                      law[] = "\"type\": \"zipf\", \"s\": 1.5, \"d\": 134217728, \"n\": 1000",
                      search[] = "\"task\": \"search\", \"protocols\": [\"pem\"]",
                      strings[] = "\"type\": \"zipf_strings\", \"s\": 1.5, \"d\": 2147483648, \"n\": 9, \"length\": 16",
                      marginals[] = "\"task\": \"marginals\", \"synopses\": [\"calm\"], \"marginals\": {\"k\": 2}",
                      chain[] = "\"type\": \"chain\", \"d\": 2, \"n\": 1000000000",
                      longer[] = "\"type\": \"chain\", \"d\": 2, \"n\": 2000000000";
    struct outcome run = run_large("1000000", counts, law, "--quiet -o r"),
                   dry = run_large("unlimited", counts, law, "--dry-run"),
                   spelt = run_large("unlimited", search, strings, "--dry-run"),
                   drawn = run_large("unlimited", marginals, chain, "--dry-run"),
                   beyond = run_large("unlimited", marginals, longer, "--dry-run");

    if (!getenv("LSAN_OPTIONS")) /* instrumented programs need more to begin with */
        cr_expect(strstr(run.err, "ldpbench: 134217728 values of zipf take a while, and 2.15 GB or more\n"), "%s",
                  run.err);
    cr_expect(dry.status == 2 || dry.status == 3, "%s", dry.err);
    cr_expect(strstr(dry.err, "ldpbench: c.json:1: datasets[0]: --dry-run does not make 134217728 values of zipf") ||
                  dry.status == 3,
              "%s", dry.err);
    cr_expect(spelt.status == 2 || spelt.status == 3, "%s", spelt.err);
    cr_expect(strstr(spelt.err, "322 GB of memory"), "%s", spelt.err);
    cr_expect(drawn.status == 2 || drawn.status == 3, "%s", drawn.err);
    cr_expect(strstr(drawn.err, "2000000000 values of chain"), "%s", drawn.err);
    cr_expect_eq(beyond.status, 2);
    cr_expect(strstr(beyond.err, "chain: expected at most 2^31 values of all users"), "%s", beyond.err);
    outcome_free(&run);
    outcome_free(&dry);
    outcome_free(&spelt);
    outcome_free(&drawn);
    outcome_free(&beyond);
}

/* A protocol at any epsilon is refused, or has finite numbers. */
Test(valid_inputs, every_oracle_at_every_scale_of_epsilon)
{
    static const double epsilon[] = {
        0x1p-1074, 0x1p-1073, 0x1p-1022, 1e-300, 1e-153, 1e-17, 1e-16, 1e-8,
        50,        100,       700,       745,    1e10,   1e154, 1e300, 0x1.fffffffffffffp1023};
    static const size_t d[] = {2, 3, 1024};

    for (size_t i = 0; ldp_oracles[i]; i++)
        for (size_t e = 0; e < sizeof epsilon / sizeof *epsilon; e++)
            for (size_t k = 0; k < sizeof d / sizeof *d; k++) {
                struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};
                struct ldp_protocol protocol;

                ldp_params_default(spec.oracle->params, spec.param);
                if (ldp_protocol_init(&protocol, &spec, d[k], epsilon[e], NULL) != LDP_OK)
                    continue;
                cr_expect(isfinite(protocol.p) && isfinite(protocol.q) && isfinite(protocol.s1) &&
                              isfinite(protocol.tf),
                          "%s, d = %zu, epsilon = %g: p = %g, q = %g, s1 = %g, tf = %g", spec.oracle->name, d[k],
                          epsilon[e], protocol.p, protocol.q, protocol.s1, protocol.tf);
            }
}
