/* test_central.c - equal central privacy in the program: ldpbench oracles --central, epsilon_central. */
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "shuffle.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

Test(central, command)
{
    expect_said(0, "shuffled, 1,000,000 reports of olh are private with central epsilon 0.01023, delta 1e-09",
                "ldpbench oracles --oracle olh --n 1e6 --epsilon 2 --delta 1e-9 --format md");
    expect_said(0, "grr at epsilon = 3.942:",
                "ldpbench oracles --oracle grr --oracle sue --oracle olh --n 1e6 --central 0.01 --delta n^-1.5");
    expect_said(0, "private with central epsilon 0.01, delta 1e-09",
                "ldpbench oracles --d 1000 --central 0.01 --n 1e6 --format md");
    expect_said(0, "\"gaussian_deviation\":\t7", "ldpbench oracles --n 1e6 --central 1 --delta 1e-9 --format json");
    expect_said(0, "n is too small for a shuffler to add",
                "ldpbench oracles --oracle olh --n 3 --epsilon 1 --delta 1e-9");
    expect_said(0, "n is too small for a shuffler to add",
                "ldpbench oracles --oracle olh --n 3 --central 1 --delta 1e-9");
    demand_failure(2, "--central: expected a number > 0, got \"0\"", "ldpbench oracles --n 10 --central 0");
}

/* Every oracle of a cell keeps the same central budget, and its clients the epsilon that the table says: the same
 * errors as of a config with that epsilon, within noise. */
Test(central, equal_central_privacy, SLOW)
{
    const char *const at = temporary_folder();
    static const char config[] =
        "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 200, \"datasets\": [{\"type\": \"uniform\", "
        "\"d\": 64, \"n\": 100000}], \"oracles\": [\"grr\", \"olh\"], \"%s\": 0.2, \"shuffle\": "
        "{\"delta\": 1e-8%s}, \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}";
    char text[sizeof config + 100];
    snprintf(text, sizeof text, config, "epsilon_central", "");
    write_text(at, "c.json", text);
    run_well("cd %s && ldpbench run c.json -o c --quiet", at);
    demand_within(at, "c/mse.csv", "experiment,dataset,d,n,oracle,epsilon_central,method");
    demand_within(at, "c/central.csv", "oracle,epsilon_central,epsilon_local,delta,alpha,mu,eta,count_sd,central");
    const struct ldp_central central = {100000, 0.2, 1e-8};
    char *const errors = read_text(at, "c/mse.csv");
    strtok(errors, "\n");
    for (size_t i = 0; i < 2; i++) {
        const struct ldp_oracle_spec spec = default_oracle(i == 0 ? "grr" : "olh");
        double local, mse, sd, error;
        cr_assert_eq(ldp_shuffle_local(&spec, 64, &central, 20, &local, NULL), LDP_OK);
        const struct ldp_protocol protocol = default_protocol(spec.oracle->name, 64, local);
        char *const line = strtok(NULL, "\n");
        cr_assert_not_null(line);
        cr_assert_eq(sscanf(strstr(line, "full_domain,,200,"), "full_domain,,200,%lf,%lf,%lf", &mse, &sd, &error), 3);
        const double expected = (protocol.s1 + protocol.tf / 64) / 1e5;
        cr_expect(fabs(mse - expected) < 4 * error, "%s: %g, not %g", spec.oracle->name, mse, expected);
    }
    free(errors);
    snprintf(text, sizeof text, config, "epsilon_central", ", \"local_max\": 1.5");
    write_text(at, "m.json", text);
    run_well("cd %s && ldpbench run m.json -o m --quiet && ldpbench report m -o m.html && ldpbench plot m", at);
    demand_within(at, "m/central.csv", "grr,0.2,1.5,1e-08");
    expect_said(0, "all reports, shuffled 0.2.", "ldpbench report %s/c --format text", at);
    /* "equal": "central" says the same of epsilon: the same tables. */
    snprintf(text, sizeof text, config, "equal\": \"central\", \"epsilon", "");
    write_text(at, "e.json", text);
    run_well("cd %s && ldpbench run e.json -o e --quiet", at);
    demand_same_tables(at, "c", "e");
    /* Interrupted or not, on one thread or two: the same bytes. */
    run_well("cd %s && ldpbench run c.json -o d --quiet -j 1", at);
    demand_same_tables(at, "c", "d");
}

/* Where no shuffler helps, the config's key is refused with the reason. */
FolderTest(central, of_one_report_of_every_user_alone)
{
    static const char *const tasks[][2] = {
        {"marginals", "\"synopses\": [\"each\"], \"marginals\": {\"k\": 1}"},
        {"search", "\"protocols\": [\"pem\"]"},
        {"longitudinal", "\"chains\": [\"l_sue\"], \"rounds\": 2"},
    };
    char text[400], why[160];

    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++) {
        snprintf(text, sizeof text, "{\"name\": \"c\", \"task\": \"%s\", \"datasets\": [], \"epsilon_central\": 1, %s}",
                 tasks[i][0], tasks[i][1]);
        write_text(folder, "c.json", text);
        snprintf(why, sizeof why,
                 "epsilon_central: expected none, as it is a key of the task frequency, not of %s, which has no "
                 "collections in which every user sends one report of one oracle",
                 tasks[i][0]);
        demand_failure(2, why, "cd %s && ldpbench run c.json", folder);
        if (i != 1) {
            snprintf(text, sizeof text,
                     "{\"name\": \"c\", \"task\": \"%s\", \"datasets\": [{\"type\": \"%s\", \"d\": 5, \"n\": 99}], "
                     "\"epsilon\": 1, \"equal\": \"central\", %s%s}",
                     tasks[i][0], i == 0 ? "chain" : "uniform",
                     i == 0 ? "\"oracles\": [\"grr\"], " : "\"methods\": [\"base\"], \"queries\": [\"full_domain\"], ",
                     tasks[i][1]);
            write_text(folder, "c.json", text);
            demand_failure(2, "(central: of the task frequency", "cd %s && ldpbench run c.json", folder);
        }
    }
}
