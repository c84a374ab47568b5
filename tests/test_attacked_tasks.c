/* test_attacked_tasks.c - malicious users of frequencies, searches and marginals: what is injected is found, and
 * everybody else's collection is the same as without them. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEARCH                                                                                                                \
    "{\"name\": \"s\", \"task\": \"search\", \"repetitions\": 8, \"oracles\": [\"olh\", \"oue\", \"grr\"], \"epsilon\": 2,\n" \
    " \"datasets\": [{\"type\": \"zipf_strings\", \"d\": 256, \"n\": 20000, \"s\": 1.3}], \"protocols\": [\"pem\"],\n"        \
    " \"targets\": {\"top\": 8}"
#define MARGINALS                                                                                                      \
    "{\"name\": \"m\", \"task\": \"marginals\", \"repetitions\": 8, \"oracles\": [\"adaptive\"], \"epsilon\": 1,\n"    \
    " \"datasets\": [{\"type\": \"chain\", \"d\": 6, \"n\": 20000}], \"synopses\": [\"calm\"],\n"                      \
    " \"marginals\": {\"k\": 2, \"count\": 4}"
#define ATTACKS ", \"attacks\": [{\"type\": \"mga\", \"fraction\": [0.001, 0.3], \"targets\": {\"random\": 2}}]"

/* Runs a config with attacks and without; what both have is the same. */
static const char *run_both(const char *config, const char *table)
{
    const char *const folder = temporary_folder();
    char text[2048];

    snprintf(text, sizeof text, "%s}\n", config);
    write_text(folder, "clean.json", text);
    snprintf(text, sizeof text, "%s%s}\n", config, ATTACKS);
    write_text(folder, "attacked.json", text);
    run_in(folder,
           "ldpbench run clean.json -o clean --quiet && ldpbench run attacked.json -o attacked --quiet &&"
           " cmp clean/%s attacked/%s",
           table, table);
    return folder;
}

/* A number of each row of a table. */
static size_t column(const char *folder, const char *file, const char *name, double *out, size_t room)
{
    char *const text = read_text(folder, file);
    size_t rows = 0, index = 0, at = 0;
    bool known = false;

    cr_assert(text);
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) && *line; at++) {
        char *field;
        for (size_t i = 0; (field = strsep(&line, ",")); i++)
            if (at == 0 && strcmp(field, name) == 0) {
                known = true;
                index = i;
            } else if (at > 0 && i == index && rows < room) {
                out[rows++] = strtod(field, NULL);
                break;
            }
    }
    cr_assert(known, "%s", name);
    free(text);
    return rows;
}

/* OLH, OUE and GRR by two fractions: three in ten plant all; a thousandth of the users injects some through GRR alone,
 * whose reports count for most among many candidates. */
Test(attacked_tasks, planted_strings_are_found, SLOW)
{
    const char *const folder = run_both(SEARCH, "search.csv");
    double injected[6], clean[6], fraction[6];

    cr_assert_eq(column(folder, "attacked/search_attacks.csv", "planted", injected, 6), 6);
    cr_assert_eq(column(folder, "attacked/search_attacks.csv", "planted_clean", clean, 6), 6);
    cr_assert_eq(column(folder, "attacked/search_attacks.csv", "fraction", fraction, 6), 6);
    for (size_t i = 0; i < 6; i++) {
        cr_expect_eq(clean[i], 0);
        cr_expect(fraction[i] > 0.1 ? injected[i] > 0.9
                  : i == 4          ? injected[i] > 0.25
                                    : injected[i] < 0.25,
                  "row %zu: %g", i, injected[i]);
    }
}

Test(attacked_tasks, planted_records_raise_marginals)
{
    const char *const folder = run_both(MARGINALS, "marginals.csv");
    double gain[2], sse[2], clean[2];

    cr_assert_eq(column(folder, "attacked/marginal_attacks.csv", "gain", gain, 2), 2);
    cr_assert_eq(column(folder, "attacked/marginal_attacks.csv", "sse", sse, 2), 2);
    cr_assert_eq(column(folder, "attacked/marginal_attacks.csv", "sse_clean", clean, 2), 2);
    cr_expect_eq(clean[0], clean[1]);
    cr_expect(gain[1] > 0.2 && gain[1] > 20 * gain[0], "%g, %g", gain[0], gain[1]);
    cr_expect(sse[1] > 10 * clean[1], "%g, %g", sse[1], clean[1]);
}

/* Each pair of attributes has a table of its own, collected from its own users and not processed: its injected cell
 * rises by beta (A - F), A = (e + 3)/(e - 1) with olh and 1 + 3/(e - 1) with grr. All 16 records are as frequent, F =
 * 1/4. */
FolderTest(attacked_tasks, gains_of_marginals_are_those_of_the_formula)
{
    char records[256] = "a,b,c,d,count\n";
    double gain[2], error[2];

    for (size_t i = 0, used = strlen(records); i < 16; i++)
        used += (size_t)snprintf(records + used, sizeof records - used, "%zu,%zu,%zu,%zu,1000\n", i >> 3, i >> 2 & 1,
                                 i >> 1 & 1, i & 1);
    write_text(folder, "r.csv", records);
    write_text(
        folder, "c.json",
        "{\"name\": \"m\", \"task\": \"marginals\", \"repetitions\": 40, \"oracles\": [\"olh\", \"grr\"], "
        "\"epsilon\": 1,\n \"datasets\": [{\"type\": \"records\", \"file\": \"r.csv\"}], \"synopses\": [\"am\"],\n"
        " \"marginals\": {\"k\": 2}, \"attacks\": [{\"type\": \"mga\", \"fraction\": 0.2, \"targets\": {\"spread\": 1}}]}\n");
    run_well("cd '%s' && ldpbench run c.json -o out --quiet", folder);
    cr_assert_eq(column(folder, "out/marginal_attacks.csv", "gain", gain, 2), 2);
    cr_assert_eq(column(folder, "out/marginal_attacks.csv", "gain_stderr", error, 2), 2);
    const double e = exp(1), expected[2] = {0.2 * ((e + 3) / (e - 1) - 0.25), 0.2 * (1 + 3 / (e - 1) - 0.25)};
    for (size_t i = 0; i < 2; i++)
        cr_expect(fabs(gain[i] - expected[i]) < 4 * error[i], "%zu: %g +- %g, expected %g", i, gain[i], error[i],
                  expected[i]);
}

/* Attacks that need what is not known in a part of a collection, and targets by rank, of which records have none. */
FolderTest(attacked_tasks, unsuited_attacks_are_refused)
{
    write_text(folder, "a.json",
               SEARCH
               ", \"attacks\": [{\"type\": \"fine_grained\", \"fraction\": 0.1, \"targets\": {\"random\": 2}}]}");
    write_text(folder, "b.json",
               MARGINALS ", \"attacks\": [{\"type\": \"mga\", \"fraction\": 0.1, \"targets\": {\"ranks\": [1]}}]}");
    expect_said(2, "needs the true frequencies", "cd '%s' && ldpbench run a.json -o r", folder);
    expect_said(2, "attacks[0]", "cd '%s' && ldpbench run b.json -o r", folder);
    write_text(folder, "c.json",
               SEARCH ", \"attacks\": [{\"type\": \"range\", \"fraction\": 0.1, \"targets\": {\"range\": [1, 3]}}]}");
    expect_said(2, "range needs values that have an order", "cd '%s' && ldpbench run c.json -o r", folder);
}

/* ---- Frequencies ---- */

static void write_config(const char *folder, const char *file, const char *more)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"name\": \"c\", \"seed\": 3, \"repetitions\": 3, \"epsilon\": [1, 2], \"oracles\": [\"olh\", \"hcms\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 1000, \"s\": 1}],\n"
        " \"methods\": [\"base\", \"norm_sub\", \"post_pos\"], \"queries\": [\"full_domain\"]%s}\n",
        more);
    write_text(folder, file, text);
}

/* An attack's numbers depend neither on the other attacks nor on threads, and those of genuine users not on attacks. */
FolderTest(attacks, change_nothing_else, SLOW)
{
    write_config(folder, "clean.json", "");
    write_config(folder, "one.json", ", \"attacks\": [{\"type\": \"mga\", \"fraction\": 0.05}]");
    write_config(folder, "two.json",
                 ", \"attacks\": [{\"type\": \"ria\", \"fraction\": [0.01, 0.1], \"targets\": {\"random\": 3}}, "
                 "{\"type\": \"mga\", \"fraction\": 0.05}]");
    run_in(folder, "for c in clean one two; do ldpbench run $c.json -o $c --quiet --threads 1; done && "
                   "ldpbench run two.json -o again --quiet --threads 3 && cmp two/attacks.csv again/attacks.csv && "
                   "cmp clean/mse.csv two/mse.csv && test ! -e clean/attacks.csv && "
                   "grep ,mga, two/attacks.csv >left && grep ,mga, one/attacks.csv >right && cmp left right && "
                   "test $(wc -l <two/attacks.csv) = 37");
}

/* Default targets of a dataset do not depend on which others are in the config: d = 8 has 8, d = 1024 ten. */
FolderTest(attacks, other_datasets_change_nothing)
{
    static const char small[] = "{\"label\": \"small\", \"type\": \"zipf\", \"d\": 8, \"n\": 4000, \"s\": 1}",
                      large[] = "{\"label\": \"large\", \"type\": \"zipf\", \"d\": 1024, \"n\": 4000, \"s\": 1}";
    char text[1024];

    for (size_t i = 0; i < 3; i++) {
        snprintf(
            text, sizeof text,
            "{\"name\": \"c\", \"seed\": 3, \"repetitions\": 4, \"epsilon\": 1, \"oracles\": [\"grr\"], \"datasets\": "
            "[%s%s%s], \"methods\": [\"base\"], \"queries\": [\"full_domain\"], \"attacks\": [{\"type\": \"mga\", \"fraction\": 0.05}]}\n",
            i == 1 ? "" : small, i == 0 ? ", " : "",
            i == 0   ? large
            : i == 1 ? large
                     : "");
        write_text(folder, i == 0 ? "both.json" : i == 1 ? "large.json" : "small.json", text);
    }
    run_in(folder, "for c in both large small; do ldpbench run $c.json -o $c --quiet; done && "
                   "for c in large small; do grep ,$c, both/attacks.csv >left && grep ,$c, $c/attacks.csv >right && "
                   "cmp left right; done && grep -q ',small,.*,mga,0.05,8,' both/attacks.csv && "
                   "grep -q ',large,.*,mga,0.05,10,' both/attacks.csv");
}
