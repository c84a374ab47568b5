/* ldpbench audit: bounds of our oracles are near what they spend and never above; mistakes of published clients are
 * found; the bound of one event; files of reports, and what is wrong with them. */
#include "audit/audit.h"
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Our oracles ---- */

/* What an oracle spends at most: the logarithm of the largest ratio that its coins give a report; epsilon where it has
 * none. */
static double spent(const struct ldp_protocol *protocol)
{
    struct ldp_odds factor[LDP_ODDS_MAX];
    double sum = 0;

    if (!protocol->oracle->odds)
        return protocol->epsilon;
    const size_t count = protocol->oracle->odds(protocol, factor);
    for (size_t i = 0; i < count; i++) {
        const double heads = (double)factor[i].heads_hi * 0x1p-64 + (double)factor[i].heads_lo * 0x1p-128;

        sum += log((factor[i].one ? 1 : 0) + (double)factor[i].times / (double)factor[i].over * heads / (1 - heads));
    }
    return sum;
}

/* The standard deviation of the logarithm of the ratio of an event's shares among the held-out reports, for the event
 * that the stated log ratio is largest. */
static double noise_of_largest_loss(const struct audit_reports *reports)
{
    double largest = 0, in_event[2] = {0, 0};

    for (size_t i = 0; i < reports->n[0]; i++)
        largest = fmax(largest, reports->word[0][i * reports->columns]);
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < reports->n[side]; i++)
            in_event[side] += reports->word[side][i * reports->columns] > largest - 1e-6;
    return 1 / sqrt(in_event[0] / 2) + 1 / sqrt(in_event[1] / 2);
}

/* One in ten thousand bounds of an honest client is above epsilon at most, so that among all of this test one in a
 * hundred runs fails if the seed is changed. */
static void audit_oracle(const struct ldp_oracle *oracle, size_t d, double epsilon)
{
    enum { REPORTS = 40000 };
    struct ldp_oracle_spec spec = {.oracle = oracle};
    struct ldp_protocol protocol;
    struct audit_finding finding;

    ldp_params_default(oracle->params, spec.param);
    if (ldp_protocol_init(&protocol, &spec, d, epsilon, NULL) != LDP_OK || !protocol.oracle->client)
        return;
    protocol.public_seed = 5;
    /* neighbours may share a bin, and then all of their reports; the ends never do */
    const uint32_t value[] = {0, strcmp(oracle->name, "bins") == 0 ? (uint32_t)d - 1 : 1};
    const struct audit_reports reports = audit_pair(&protocol, value, NULL, (size_t[]){REPORTS, REPORTS}, 18);
    audit_bound(&reports, 0.9999, &finding);
    const double most = spent(&protocol);
    cr_expect_leq(finding.epsilon, epsilon, "%s, d = %zu: %g above %g: %s", oracle->name, d, finding.epsilon, epsilon,
                  finding.event);
    /* she spends all of it in rare reports alone. What counts of the event that spends most hide is not missed. */
    const double noise = protocol.oracle->log_likelihood
                             ? noise_of_largest_loss(&reports)
                             : 1 / sqrt((double)finding.held[0]) + 1 / sqrt((double)finding.held[1]),
                 near = (protocol.flags & LDP_ORACLE_REAL ? .75 : .95) * most - 6 * noise;
    cr_expect_geq(finding.epsilon, near, "%s, d = %zu, epsilon = %g: only %g of %g: %s", oracle->name, d, epsilon,
                  finding.epsilon, most, finding.event);
    free(reports.word[0]);
    free(reports.word[1]);
}

Test(audit, our_oracles_are_near_and_never_above, SLOW, .timeout = 300)
{
    for (size_t i = 0; ldp_oracles[i]; i++)
        if (!(ldp_oracles[i]->flags & LDP_ORACLE_NOT_PRIVATE)) {
            audit_oracle(ldp_oracles[i], 8, .5);
            audit_oracle(ldp_oracles[i], 50, 1);
            audit_oracle(ldp_oracles[i], 16, 3);
        }
}

Test(audit, what_is_not_private_is_above_whatever_reports_can_show)
{
    struct outcome outcome = run_shell("ldpbench audit --oracle exact --epsilon 5 --reports 20000 --format json");

    cr_expect_eq(outcome.status, 1);
    cr_expect(strstr(outcome.out, "\"exceeds\":\ttrue"), "%s", outcome.out);
    cr_expect(strstr(outcome.out, "\"estimate\":\tnull"), "%s", outcome.out);
    outcome_free(&outcome);
}

/* Clopper and Pearson's 97.5 % ends of 10 of 10 are .6915 and 1, of 0 of 10 are 0 and .3085 (tables of the method). */
Test(audit, bound_of_one_event)
{
    cr_expect_float_eq(audit_ratio((const size_t[]){10, 0}, (const size_t[]){10, 10}, 0, .95), log(.69150 / .30850),
                       1e-4);
    cr_expect_float_eq(audit_ratio((const size_t[]){0, 10}, (const size_t[]){10, 10}, 1, .95), log(.69150 / .30850),
                       1e-4);
    cr_expect_eq(audit_ratio((const size_t[]){10, 0}, (const size_t[]){10, 10}, 1, .95), 0);
    cr_expect_eq(audit_ratio((const size_t[]){5, 5}, (const size_t[]){10, 10}, 0, .95), 0);
    /* 8 of 20: .1912 to .6395; 1 of 20: .0013 to .2487 */
    cr_expect_eq(audit_ratio((const size_t[]){8, 1}, (const size_t[]){20, 20}, 0, .95), 0);
    cr_expect_float_eq(audit_ratio((const size_t[]){18, 1}, (const size_t[]){20, 20}, 0, .95), log(.68302 / .24873),
                       1e-4);
}

/* ---- Clients of others ---- */

/* The bound of a client of studies/audit/client.py at a stated epsilon of 1, and whether the program says that it is
 * above.
 */
static double audit_client_of(const char *client, int reports, bool *above)
{
    struct outcome outcome =
        run_shell("work=$(mktemp -d) && python3 studies/audit/client.py %s 0 --reports %d > $work/0 && "
                  "python3 studies/audit/client.py %s 1 --reports %d > $work/1 && "
                  "{ ldpbench audit --epsilon 1 --format json $work/0 $work/1; status=$?; "
                  "rm -r $work; exit $status; }",
                  client, reports, client, reports);
    const char *const number = outcome.out ? strstr(outcome.out, "\"epsilon\":") : NULL;

    cr_assert(number && outcome.status <= 1, "%s: status %d, %s", client, outcome.status, outcome.err);
    const double bound = strtod(number + strlen("\"epsilon\":"), NULL);
    *above = outcome.status == 1;
    outcome_free(&outcome);
    return bound;
}

/* What they spend: facts of their formulas, e^1.55 and e^1.68 for an OUE and an SUE bit that is not cleared, e^1.55 for
 * a set that may draw the value. */
Test(audit, mistakes_of_published_clients_are_found, SLOW, .timeout = 600)
{
    static const struct {
        const char *client;
        double least, most;
        bool above;
    } known[] = {
        {"oue", .75, 1, false},       {"oue-uncleared", 1.25, 1.5515, true},
        {"sue", .75, 1, false},       {"sue-uncleared", 1.3, 1.684, true},
        {"subset", .75, 1, false},    {"subset-redraw", 1.2, 1.56, true},
        {"subset-first", 5, 8, true}, {"laplace-half", 1.4, 2, true},
    };

    if (system("python3 -c ''") != 0)
        skip_test("no python3");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool above;
        const double bound = audit_client_of(known[i].client, 20000, &above);

        cr_expect(bound >= known[i].least && bound <= known[i].most, "%s: %g, not from %g to %g", known[i].client,
                  bound, known[i].least, known[i].most);
        cr_expect_eq(above, known[i].above, "%s: %g", known[i].client, bound);
    }
}

/* Randomised response over two words, in awk: the first of four lines sends the other word. */
#define ANSWERS(name, word)                                                                                            \
    "awk -v name='" name "' -v own=" word " 'BEGIN { other = own == \"yes\" ? \"no\" : \"yes\"; "                      \
    "for (i = 0; i < 8000; i++) print name (int(i / 8) %% 4 == 0 ? other : own) }'"

FolderTest(audit, files_and_standard_input_give_the_same)
{
    run_well(ANSWERS("", "yes") " > %s/a; " ANSWERS("", "no") " > %s/b; { " ANSWERS("A ", "yes") "; " ANSWERS(
                 "B\\t", "no") "; } > %s/both",
             folder, folder, folder);
    struct outcome two = run_shell("ldpbench audit --epsilon 1.2 %s/a %s/b", folder, folder),
                   one = run_shell("ldpbench audit --epsilon 1.2 - < %s/both", folder),
                   half = run_shell("ldpbench audit --epsilon 1.2 - %s/b < %s/a", folder, folder);

    cr_expect_eq(two.status, 0, "%s", two.err);
    cr_expect(strstr(two.out, "word 1 = no") || strstr(two.out, "word 1 = yes"), "%s", two.out);
    cr_expect_str_eq(one.out, two.out);
    cr_expect_str_eq(half.out, two.out);
    cr_expect(strstr(two.out, "3,000  0.7500") && strstr(two.out, "1,000  0.2500"), "%s", two.out);
    outcome_free(&two);
    outcome_free(&one);
    outcome_free(&half);
    run_well("! ldpbench audit --epsilon 0.9 %s/a %s/b", folder, folder);
}

/* Reports of the oracle's own client, in files, give what the program finds by itself. */
/* An empty report is a report, as is one that begins with #. */
FolderTest(audit, reports_of_any_bytes_count)
{
    static const char *const reports[] = {"", "#f00", "# f", "x"};

    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++)
        run_in(folder,
               "for f in 90 1; do for i in $(seq 3000); do [ $((i %% 100)) -lt $f ] && echo '%s' || echo y; done >$f; "
               "done; ldpbench audit 90 1 --epsilon 1 >said; test $? = 1 && grep -q 'ABOVE' said",
               reports[i]);
}

FolderTest(audit, bits_are_words, SLOW)
{
    if (system("python3 -c ''") != 0)
        skip_test("no python3");
    run_well(
        "for v in 0 1; do python3 studies/audit/client.py oue $v --reports 3000 > %s/$v; tr -d ' ' < %s/$v > %s/b$v; done",
        folder, folder, folder);
    struct outcome words = run_shell("ldpbench audit --epsilon 1 %s/0 %s/1", folder, folder),
                   bits = run_shell("ldpbench audit --epsilon 1 --bits %s/b0 %s/b1", folder, folder);
    cr_expect_str_eq(words.out, bits.out);
    outcome_free(&words);
    outcome_free(&bits);
}

/* ---- Hidden leaks, several inputs, few reports ---- */

/* Every client hides randomised response of 2 in numbers that say nothing one by one. The share of reports that keep
 * the value is binomial, and the bound of each at confidence .999 lies below 2 by about 3.3 of its standard deviations
 * twice.
 */
Test(audit, what_is_hidden_in_several_numbers_is_found, SLOW, .timeout = 300)
{
    static const char *const clients[] = {"parity", "residue", "exclusive-or", "shares",   "length",
                                          "order",  "repeat",  "digit",        "mantissa", "hexadecimal"};

    if (system("python3 -c ''") != 0)
        skip_test("no python3");
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        bool above;
        const double bound = audit_client_of(clients[i], 4000, &above);

        cr_expect(above && bound <= 2, "%s: %g", clients[i], bound);
    }
    /* It repeats one report in four by value, and each report alone is noise. */
    bool above;
    audit_client_of("again", 4000, &above);
    cr_expect(above);
}

/* Whole numbers of 64 bits are not rounded: the input is the lowest bit of one. */
Test(audit, large_whole_numbers_are_exact)
{
    expect_said(1, "bit 0 of word 1",
                "for i in $(seq 1000); do echo a 98765432109876%%05d; echo b 98765432109876%%05d; done "
                "| awk '{ print $1, substr($2, 1, 14) sprintf(\"%%05d\", 2 * (NR * 7919 %% 50000) + ($1 == \"b\")) }' "
                "| ldpbench audit --epsilon 3 -");
}

/* Input c alone is another; it is found in the pair with it, and named. */
FolderTest(audit, all_pairs_of_inputs)
{
    run_well("for name in a b c d; do awk -v name=$name 'BEGIN { srand(3); for (i = 0; i < 2000; i++) "
             "print (name == \"c\") + int(rand() * 2) }' > %s/$name; done",
             folder);
    struct outcome four = shell_in(folder, "ldpbench audit --epsilon 1 a b c d"),
                   three = shell_in(folder, "ldpbench audit --epsilon 1 a b d"),
                   one = shell_in(folder, "for name in a b c d; do sed \"s/^/$name /\" $name; done "
                                          "| ldpbench audit --epsilon 1 -");
    cr_expect_eq(four.status, 1, "%s", four.out);
    cr_expect(strstr(four.out, "inputs: a and c, chosen of 6 pairs") ||
                  strstr(four.out, "inputs: c and d, chosen of 6") || strstr(four.out, "inputs: b and c, chosen of 6"),
              "%s", four.out);
    cr_expect_str_eq(one.out, four.out);
    cr_expect_eq(three.status, 0, "%s", three.out);
    outcome_free(&four);
    outcome_free(&three);
    outcome_free(&one);
    run_well("! ldpbench audit --oracle exact --epsilon 2 --reports 4000 --values 3,0,5 | grep -q 'not above'");
    run_well("ldpbench audit --oracle olh --epsilon 2 --reports 4000 --values 3,0,5");
    demand_failure(2, "--values: expected a value for each of 4 inputs, got 3",
                   "for k in a b c d; do yes \"$k 1\" | head -50; done | "
                   "ldpbench audit --oracle grr --epsilon 1 --values 3,0,5 -");
}

/* The Clopper-Pearson ends of 25 of 25 and of 0 of 25, each at .0005, are .0005^(1/25) and 1 less that. Of 53 reports
 * 25 are held out. */
Test(audit, too_few_reports_decide_nothing)
{
    const double end = pow(.0005, 1. / 25);

    cr_expect_float_eq(audit_most(25, 25, .999), log(end / (1 - end)), 1e-9);
    cr_expect_gt(audit_most(25, 25, .999), 1);
    cr_expect_leq(audit_most(24, 24, .999), 1);
    cr_expect_eq(audit_reports_needed(1, .999), 53);
    struct outcome few = run_shell("for i in $(seq 46); do echo a 1; echo b 2; done | ldpbench audit --epsilon 1 -"),
                   json = run_shell("for i in $(seq 46); do echo a 1; echo b 2; done | ldpbench audit --epsilon 1 "
                                    "--format json -");
    cr_expect_eq(few.status, 4, "%s", few.out);
    cr_expect(strstr(few.out, "INCONCLUSIVE, these reports cannot show more than 0.8851"), "%s", few.out);
    cr_expect(strstr(few.out, "to show more than 1 takes 53 reports"), "%s", few.out);
    cr_expect_eq(json.status, 4);
    cr_expect(strstr(json.out, "\"verdict\":\t\"inconclusive\""), "%s", json.out);
    outcome_free(&few);
    outcome_free(&json);
}

/* Two inputs with the same law: every "above" is wrong, and of 100 at confidence .9 ten are expected at most; 22 are
 * four standard deviations more. All events are looked at, and the reports have enough of them. */
Test(audit, false_alarms_over_all_events_keep_their_level, SLOW)
{
    size_t alarms = 0;

    for (size_t run = 0; run < 100; run++) {
        enum { N = 400, COLUMNS = 4 };
        struct audit_reports reports = {.n = {N, N}, .columns = COLUMNS};
        struct audit_finding finding;

        struct ldp_rng rng = make_stream(41, "false alarms", run);
        for (size_t side = 0; side < 2; side++) {
            reports.word[side] = malloc(N * COLUMNS * sizeof *reports.word[side]);
            reports.number[side] = malloc(N * COLUMNS * sizeof *reports.number[side]);
            for (size_t i = 0; i < N * COLUMNS; i++) {
                reports.number[side][i] = ldp_rng_next(&rng) >> (run % 2 ? 12 : 62);
                reports.word[side][i] = (double)reports.number[side][i];
            }
        }
        audit_bound(&reports, .9, &finding);
        alarms += finding.epsilon > 0;
        for (size_t side = 0; side < 2; side++) {
            free(reports.word[side]);
            free(reports.number[side]);
        }
    }
    cr_expect_leq(alarms, 22);
}

/* The events of a report are eight times as many as its words, and counted a part at a time: those of 12,000 words took
 * 172 MB at once. */
Test(audit, long_reports_take_little_memory, SLOW)
{
    struct outcome outcome = run_shell("for i in $(seq 40); do echo a $(seq 12000); echo b $(seq 12000); done | { "
                                       "ulimit -v %s && OMP_NUM_THREADS=1 ldpbench audit --epsilon 1 -; }",
                                       getenv("LSAN_OPTIONS") ? "unlimited" : "140000");

    cr_expect_eq(outcome.status, 4, "%s", outcome.err);
    outcome_free(&outcome);
}

Test(audit, bad_input)
{
    demand_failure(2, "audit: missing option --epsilon E", "ldpbench audit --oracle grr");
    demand_failure(2, "expected a file of reports for each input", "ldpbench audit --epsilon 1");
    demand_failure(2, "--values: expected different numbers below d = 16, got 3 and 3",
                   "ldpbench audit --oracle grr --epsilon 1 --values 3,3");
    demand_failure(2, "--values: expected two numbers V,W or up to 64, got \"3\"",
                   "ldpbench audit --oracle grr --epsilon 1 --values 3");
    demand_failure(2, "below d = 4, got 0 and 4", "ldpbench audit --oracle grr --epsilon 1 --d 4 --values 0,4");
    demand_failure(2, "--d needs --oracle", "ldpbench audit --epsilon 1 --d 4 a b");
    demand_failure(2, "--bits: expected files of reports", "ldpbench audit --epsilon 1 --oracle grr --bits");
    demand_failure(2, "for one input at most", "ldpbench audit --epsilon 1 - -");
    demand_failure(2, "oracle ss does not suit d = 2", "ldpbench audit --oracle 'ss(k=2)' --epsilon 1 --d 2");
    demand_failure(2, "--confidence: expected a number > 0 and < 1, got \"1\"",
                   "ldpbench audit --oracle grr --epsilon 1 --confidence 1");
    demand_failure(2, "standard input: expected at least 40 reports of a, got 1",
                   "echo a 1 | ldpbench audit --epsilon 1 -");
    demand_failure(2, "standard input:65: expected lines that begin with one of at most 64 inputs, got \"65\"",
                   "seq 70 | sed 's/$/ 1/' | ldpbench audit --epsilon 1 -");
    demand_failure(2, "standard input:1: expected a whole number below 16, got 16",
                   "echo a 16 | ldpbench audit --epsilon 1 --oracle grr -");
    demand_failure(2, "below 16, got 2147483647 (2 of 3 reports are none that a client of rhr can send)",
                   "printf 'a 1\\na 2147483647\\nb 16\\n' | ldpbench audit --epsilon 1 --oracle rhr --d 8 -");
    demand_failure(2, "standard input:1: expected 1 word of a report of grr, got 2",
                   "echo a 1 2 | ldpbench audit --epsilon 1 --oracle grr -");
    demand_failure(2, "no-such-file", "ldpbench audit --epsilon 1 no-such-file other");
}
