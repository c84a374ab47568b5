/* test_times.c - the output "times": seconds in addition to errors, and errors that do not change because of it. */
#include "ldp.h"
#include "program.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_config(const char *folder, const char *name, const char *simulation, const char *outputs)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 5, \"simulation\": \"%s\",\n"
             " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],\n"
             " \"oracles\": [\"oue\", \"flh\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
             " \"queries\": [{\"type\": \"full_domain\"}], \"outputs\": [%s]}\n",
             simulation, outputs);
    write_text(folder, name, text);
}

FolderTest(times, do_not_change_errors)
{
    static const char *const simulations[] = {"counts", "reports"};

    for (int i = 0; i < 2; i++) {
        write_config(folder, "timed.json", simulations[i], "\"times\", \"mse\", \"values\", \"noise\"");
        write_config(folder, "plain.json", simulations[i], "\"mse\", \"values\", \"noise\"");
        run_in(folder, "ldpbench run timed.json -o timed-%d --quiet", i);
        run_in(folder, "ldpbench run plain.json -o plain-%d --quiet", i);
        char timed[2 * PATH_ROOM];
        snprintf(timed, sizeof timed, "%s/timed-%d", folder, i);
        char plain[2 * PATH_ROOM];
        snprintf(plain, sizeof plain, "%s/plain-%d", folder, i);
        demand_same(timed, plain, "mse.csv");
        demand_same(timed, plain, "values.csv");
        demand_same(timed, plain, "noise.csv");
        cr_expect_null(read_text(plain, "times.csv"));
    }
}

/* One row for each oracle: the parts add up to the total by reports; by counts there is only the total. */
FolderTest(times, table)
{
    static const char header[] =
        "experiment,dataset,d,n,oracle,epsilon,simulation,repetitions,client_seconds,client_stderr,server_seconds,"
        "server_stderr,decode_seconds,decode_stderr,total_seconds,total_stderr\n";

    write_config(folder, "reports.json", "reports", "\"times\"");
    write_config(folder, "counts.json", "counts", "\"times\"");
    run_in(folder, "ldpbench run reports.json -o reports --quiet -j 1");
    run_in(folder, "ldpbench run counts.json -o counts --quiet -j 1");

    char *table = read_text(folder, "reports/times.csv");
    cr_assert_not_null(table);
    cr_assert_eq(strncmp(table, header, sizeof header - 1), 0);
    char *line = table;
    for (int row = 0; row < 2; row++) {
        line = strchr(line, '\n') + 1;
        double x[8];
        char oracle[8];
        cr_assert_eq(sscanf(line, "t,zipf(s=1.3),64,20000,%3[a-z],1,reports,5,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf\n",
                            oracle, &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], &x[6], &x[7]),
                     9, "%s", line);
        cr_expect_str_eq(oracle, row ? "flh" : "oue");
        for (int i = 0; i < 8; i++)
            cr_expect(x[i] >= 0 && x[i] < 60);
        cr_expect_float_eq(x[0] + x[2] + x[4], x[6], 1e-6 * x[6]);
        cr_expect_gt(x[0], 0);
        cr_expect_gt(x[2], 0);
    }
    cr_expect_null(strstr(strchr(line, '\n'), "t,"));
    free(table);

    table = read_text(folder, "counts/times.csv");
    cr_assert_not_null(table);
    cr_expect_not_null(strstr(table, ",oue,1,counts,5,,,,,,,"));
    cr_expect_not_null(strstr(table, ",flh,1,counts,5,,,,,,,"));
    free(table);
}

Test(times, same_support)
{
    static const uint64_t counts[] = {4000, 900, 77, 0, 23};

    struct ldp_population *const population = make_population(counts, 5);
    for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
        struct ldp_protocol protocol = default_protocol("hm", 5, 1);
        struct ldp_simulation simulation = make_simulation(&protocol, population, (enum ldp_mode)mode);
        void *const scratch = malloc(simulation.scratch_bytes);
        struct ldp_rng a = make_stream(1, "times", 0);
        struct ldp_rng b = a;
        double plain[5];
        ldp_simulate(&simulation, &a, scratch, plain);
        struct ldp_times times;
        double timed[5];
        ldp_simulate_timed(&simulation, &b, scratch, timed, &times);
        cr_expect_arr_eq(plain, timed, sizeof plain);
        cr_expect_geq(times.total, 0);
        cr_expect(mode == LDP_REPORTS ? times.client > 0 && times.server >= 0 && times.decode >= 0
                                      : isnan(times.client) && isnan(times.server) && isnan(times.decode));
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    ldp_population_free(population);
}
