/* estimate.c - ldpbench estimate: reports, supports or noisy tables of a real collection to frequencies.
 *
 * Supports and reports are lines of supports.c, tables the files of estimate_tables.c. */
#include "commands/estimate.h"

#include "dataset.h"
#include "laws/interval.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/sheet.h"
#include "support/text.h"

#include <assert.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char no_interval[] = "none";

static void interval_names(const char *names[NAMES_MAX])
{
    size_t i = 0;

    for (; ldp_intervals[i]; i++)
        names[i] = ldp_intervals[i]->name;
    names[i++] = no_interval;
    names[i] = NULL;
}

static int read_interval(const struct command_option *option, const char *text, void *of, struct failure *failure)
{
    struct estimate_request *const request = of;
    const char *const equals = strchr(text, '=');
    char *const name = xstrndup(text, strcspn(text, "="));
    const char *names[NAMES_MAX];
    const bool none = strcmp(text, no_interval) == 0;
    int result = 0;

    request->interval = ldp_interval_find(name);
    interval_names(names);
    if (!request->interval && !none)
        result = unknown_name("--interval", "an interval", name, names, failure);
    free(name);
    if (result != 0 || none)
        return result;
    assert(request->interval);
    ldp_params_default(request->interval->params, request->interval_param);
    if (!equals)
        return 0;
    if (!request->interval->params)
        return fail(failure, EXIT_BAD_INPUT, "--interval: %s takes no number", request->interval->name);
    if (read_real("--interval: K", equals + 1, &request->interval_param[0], failure) != 0)
        return -1;
    if (!ldp_params_valid(request->interval->params, request->interval_param))
        return fail(failure, EXIT_BAD_INPUT, "--interval: K: expected a number of values, got \"%s\"",
                    SHOWN(equals + 1));
    return 0;
}

static bool asked_interval(void)
{
    return option_given(&command_estimate, "interval") || option_given(&command_estimate, "level");
}

/* Without those that act on answers of queries. */
static void names_of_methods(const char *names[NAMES_MAX])
{
    size_t count = 0;

    method_names(names);
    for (size_t i = 0; names[i]; i++)
        if (!ldp_method_find(names[i])->on_answers)
            names[count++] = names[i];
    names[count] = NULL;
}

#define REQUEST struct estimate_request
static const struct command_option known_options[] = {
    {"oracle", "NAME", ONE_ORACLE,
     "The oracle that made the reports, also with parameters, 'olh(g=4)'. Of tables the default is adaptive."},
    {"epsilon", "E", POSITIVE(epsilon),
     "Its privacy budget. Tables need it where they give their users and not their variances."},
    {"n", "N", USERS(n), "The file has lines value TAB support, of N reports. Without it a line is a report."},
    {"domain", "FILE", FILE_OF(domain),
     "For reports: the values, a line each. In the order of their numbers; what follows a TAB is ignored."},
    {"d", "D", WHOLE(d, 2, UINT32_MAX),
     "The number of values, which are numbers from 0. Of reports in place of --domain; of supports of a "
     "sketch or an ordered oracle, whose lines are not values but cells of the sketch or reports of sw."},
    {"public-seed", "N", WHOLE(public_seed, 0, UINT64_MAX),
     "For reports: the seed of what all users share. That of hash functions, for example. Default 0."},
    {"method", "NAME", SEVERAL(chosen.method, names_of_methods),
     "A method, or all. Default: mix, or where it does not suit pen, norm_sub or base. `ldpbench advise` finds the "
     "best one for a collection."},
    {"level", "LEVEL", LEVEL(level), "Of the intervals. Default 0.95."},
    {"interval", "NAME[=K]", .kind = {.read = read_interval, .names = interval_names}, .member = 0,
     "What the level refers to (ldpbench help estimate). score (default), each value by itself; exact, the same by the "
     "distribution of its count, for few counts; mid_p, the same at about the level; power_split and npmle_split, the "
     "same, shorter for rare values by a fitted prior; bonferroni, all values at once; selected and conditional, the K "
     "values of largest estimate (default 10), with empty columns for the others; power_credible and npmle_credible, a "
     "mean over values that are drawn from a fitted prior, not each value; none."},
    {"sets", "FILE", FILE_OF(sets_file),
     "Print totals of categories, value TAB category lines. Intervals are score intervals of the total, which account "
     "for correlated estimates. The categories must be fixed before looking at the data."},
    {"format", "FORMAT", WORD_OF(format, sheet_words),
     "How to print. text, md and latex have percentages with the digits that the noise allows; csv and json have "
     "frequencies with all digits. Default text."},
    {"marginal", "A+B", SEVERAL(marginals, NULL),
     "For tables: a marginal by its attributes' names. Default: those of the tables."},
    {"negative", NULL, FLAG(negative), "For tables: only make them agree. Cells may be negative."},
    {"output", "FOLDER", FOLDER_OF(output),
     "For tables: folder of a file A+B.csv for each marginal. Default: one marginal, to standard output.", 'o'},
    {.name = NULL},
};

/* What reports or supports need. */
static int check_collection(const struct estimate_request *request, struct failure *failure)
{
    if (request->chosen.oracle.count == 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "estimate: missing option --oracle NAME (the oracle that made the reports)");
    if (!(request->epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "estimate: missing option --epsilon E (its privacy budget)");
    if (request->marginals.count > 0 || request->negative || request->output)
        return fail(failure, EXIT_BAD_INPUT,
                    "estimate: expected a folder of tables with --marginal, --negative or --output, got %s",
                    SHOWN_PATH(request->file));
    const struct ldp_oracle *const oracle = request->chosen.oracles.choice[0].spec.oracle;
    const bool lines_are_values = !(oracle->flags & (LDP_ORACLE_SKETCH | LDP_ORACLE_ORDINAL | LDP_ORACLE_LEVELS));
    if (request->n == 0 && (request->d > 0) == (request->domain != NULL))
        return fail(failure, EXIT_BAD_INPUT, "estimate: %s",
                    request->d > 0 ? "expected either --domain or --d, got both"
                                   : "missing option --domain FILE (the values; or --d D), or --n N of supports");
    if (request->n == 0)
        return 0;
    if (request->domain || option_given(&command_estimate, "public-seed"))
        return fail(failure, EXIT_BAD_INPUT, "estimate: expected no %s with --n, which is for support counts",
                    request->domain ? "--domain" : "--public-seed");
    if (!lines_are_values && request->d == 0)
        return fail(failure, EXIT_BAD_INPUT, "estimate: missing option --d, which --oracle %s needs", oracle->name);
    if (lines_are_values && request->d > 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "estimate: --d: expected a sketch or an ordered oracle, got %s, whose values are the lines",
                    oracle->name);
    return 0;
}

static int check_tables(const struct estimate_request *request, struct failure *failure)
{
    if (request->n == 0 && request->d == 0 && !request->domain && !option_given(&command_estimate, "public-seed") &&
        !request->sets_file && !asked_interval() && request->chosen.method.count == 0 && request->format == TEXT)
        return 0;
    return fail(
        failure, EXIT_BAD_INPUT,
        "estimate: of the tables in %s: expected no options but --oracle, --epsilon, --marginal, --negative and "
        "--output",
        SHOWN_PATH(request->file));
}

static int read_request(int argc, char **argv, struct estimate_request *request, struct failure *failure)
{
    request->chosen.one = true;
    request->level = 0.95;
    request->interval = ldp_interval_find("score");
    if (read_options(&command_estimate, argc, argv, request, failure) != 0)
        return -1;
    if (argc - optind != 1)
        return fail(failure, EXIT_BAD_INPUT, "estimate: expected one file, or one folder of tables, got %d",
                    argc - optind);
    request->file = argv[optind];
    if (folder_has(request->file, ".") && request->chosen.oracle.count == 0)
        texts_keep(&request->chosen.oracle, xstrdup("adaptive"));
    if (algorithms_parse(&request->chosen, failure) != 0)
        return -1;
    if (folder_has(request->file, "."))
        return check_tables(request, failure);
    if (check_collection(request, failure) != 0)
        return -1;
    if (request->sets_file && request->interval && strcmp(request->interval->name, "score") != 0)
        return fail(failure, EXIT_BAD_INPUT, "estimate: --sets: expected --interval score, got %s",
                    request->interval->name);
    return 0;
}

/* ---- the collection ---- */

/* Reads supports, or counts reports; *n is their number. */
static int read_collection(const struct estimate_request *request, struct supports *supports,
                           struct ldp_protocol *protocol, uint64_t *n, struct failure *failure)
{
    const struct ldp_oracle_spec *const oracle = &request->chosen.oracles.choice[0].spec;

    *n = request->n;
    if (*n > 0) {
        if (supports_read(request->file, false, supports, failure) != 0)
            return -1;
        return supports_protocol(supports, request->file, oracle, request->epsilon, *n, request->d, protocol, failure);
    }
    if (request->domain && supports_read(request->domain, true, supports, failure) != 0)
        return -1;
    const size_t d = request->domain ? supports->values.count : request->d;
    if (protocol_prepare(protocol, oracle, d, request->epsilon, failure) != 0)
        return -1;
    if (!protocol->oracle->server) /* blh is olh */
        return fail(failure, EXIT_BAD_INPUT, "oracle %s has no server", oracle->oracle->name);
    protocol->public_seed = request->public_seed;
    supports->support = xrealloc(supports->support, protocol->support_size, sizeof *supports->support);
    return reports_count(request->file, protocol, request->domain ? &supports->values : NULL, supports->support, n,
                         failure);
}

/* Where no method was asked for: the first that suits of those that need no choice. */
static int choose_method(struct algorithms *chosen, const struct ldp_protocol *protocol, struct failure *failure)
{
    static const char *const preferred[] = {"mix", "pen", "norm_sub"};
    size_t i = 0;

    if (chosen->methods.count > 0)
        return algorithms_suit(chosen, protocol, failure);
    while (i < sizeof preferred / sizeof *preferred && !ldp_method_suits(ldp_method_find(preferred[i]), protocol))
        i++;
    algorithms_use(chosen, i < sizeof preferred / sizeof *preferred ? preferred[i] : "base");
    return 0;
}

/* Fills low[d] and, after it, high[d], of sets (NULL: of values) at their index, unless none are asked for, or none by
 * name and the oracle has none. */
static int make_intervals(const struct estimate_request *request, const struct ldp_protocol *protocol,
                          const struct ldp_sets *sets, uint64_t n, const double *support, const double *est,
                          void *scratch, double *low, bool *made, struct failure *failure)
{
    const struct ldp_collection input = {protocol, n, support, est};
    struct ldp_reason reason;

    *made = false;
    if (!request->interval)
        return 0;
    switch (sets ? ldp_set_interval_suits(&input, request->level, &reason)
                 : ldp_interval_suits(request->interval, protocol, request->level, &reason)) {
    case LDP_OK: break;
    case LDP_ENOMEM: return fail_memory(failure);
    default:
        if (asked_interval())
            return fail(failure, EXIT_BAD_INPUT, "--interval: expected an oracle with intervals: %s", reason.text);
        print_message("ldpbench: no intervals: %s\n", reason.text);
        return 0;
    }
    *made = true;
    for (size_t i = 0; sets && i < sets->count; i++)
        ldp_set_interval(&input, request->level, sets->member + sets->first[i], sets->first[i + 1] - sets->first[i],
                         scratch, &low[i], &low[protocol->d + i]);
    if (sets)
        return 0;
    request->interval->apply(request->interval_param, &input, request->level, scratch, low, low + protocol->d);
    return 0;
}

static double total(const struct ldp_sets *sets, size_t set, const double *est)
{
    double sum = 0;

    for (size_t i = sets->first[set]; i < sets->first[set + 1]; i++)
        sum += est[sets->member[i]];
    return sum;
}

/* ---- what is printed ---- */

/* est[1 + methods][d] begins with the estimate itself; low[2][d] come after. */
static void print_estimates(const struct estimate_request *request, const struct ldp_protocol *protocol, uint64_t n,
                            const struct dataset_sets *sets, char *const *labels, bool intervals, const double *est)
{
    const size_t d = protocol->d, m = request->chosen.methods.count, rows = sets ? sets->sets.count : d;
    const double *const low = est + (m + 1) * d;
    const bool full = request->format == CSV || request->format == JSON;
    const double sigma = 100 * sqrt(protocol->s1 / (double)n); /* percentages have two digits of their standard error */
    const int digits = sigma > 0 && isfinite(sigma) ? -(int)fmin(fmax(1 - floor(log10(sigma)), 0), 9) : -2;
    struct sheet_column column[SHEET_COLUMNS_MAX] = {
        {.key = sets ? "set" : "value", .heading = sets ? "set" : "value"}};
    struct sheet sheet = sheet_begin(stdout, request->format);
    size_t columns = 1;

    for (size_t i = 0; i < m; i++) {
        const char *const name = request->chosen.methods.choice[i].spec.method->name;
        column[columns++] = (struct sheet_column){name, name, digits, SHEET_NONE};
    }
    if (intervals) {
        column[columns++] = (struct sheet_column){"low", "low", digits, SHEET_NONE};
        column[columns++] = (struct sheet_column){"high", "high", digits, SHEET_NONE};
    }
    sheet_facts(&sheet, "oracle=%s epsilon=%g n=%zu", protocol->oracle->name, protocol->epsilon, (size_t)n);
    char *const kind = intervals ? xformat(", with intervals (%s, %g %%) of the unprocessed estimate",
                                           sets ? "score" : request->interval->name, 100 * request->level)
                                 : xstrdup("");
    sheet_answer(&sheet, "%s of %s, epsilon = %g: %s of users%s", COUNTED((size_t)n, "report"), protocol->oracle->name,
                 protocol->epsilon, full ? "frequencies" : "per cent", kind);
    free(kind);
    sheet_table(&sheet, "estimates", NULL, column, columns);
    for (size_t row = 0; row < rows; row++) {
        char number[WHOLE_TEXT];
        number[format_whole(row, number)] = '\0';
        sheet_text(&sheet, sets ? sets->names[row] : labels ? labels[row] : number);
        for (size_t i = 1; i <= m; i++)
            sheet_number(&sheet, (full ? 1 : 100) * (sets ? total(&sets->sets, row, est + i * d) : est[i * d + row]));
        for (size_t side = 0; intervals && side < 2; side++)
            sheet_number(&sheet, (full ? 1 : 100) * low[side * d + row]);
    }
    sheet_end(&sheet);
}

static int estimate(struct estimate_request *request, const struct ldp_protocol *protocol, uint64_t n,
                    const double *support, char **labels, struct failure *failure)
{
    const size_t d = protocol->d, m = request->chosen.methods.count;
    double *const est = xmalloc(d * (m + 3), sizeof *est);
    size_t most = ldp_set_interval_bytes(d);
    struct dataset_sets *sets = NULL;
    bool intervals;

    for (size_t i = 0; i < m; i++) {
        const size_t bytes = ldp_postprocess_scratch(&request->chosen.methods.choice[i].spec, d);
        most = bytes > most ? bytes : most;
    }
    if (request->interval && request->interval->scratch_bytes && request->interval->scratch_bytes(d) > most)
        most = request->interval->scratch_bytes(d);
    void *const scratch = xmalloc(most, 1), *const decoded = xmalloc(ldp_estimate_scratch(protocol), 1);

    ldp_estimate(protocol, n, support, decoded, est);
    const struct ldp_protocol observed = ldp_observed(&(struct ldp_collection){protocol, n, support, est}, decoded);
    for (size_t i = 0; i < m; i++)
        ldp_postprocess(&request->chosen.methods.choice[i].spec, &(struct ldp_collection){&observed, n, support, est},
                        scratch, est + (i + 1) * d);
    int result = request->sets_file ? dataset_sets_load_values(request->sets_file, d, labels, &sets, failure) : 0;
    if (result == 0)
        result = make_intervals(request, &observed, sets ? &sets->sets : NULL, n, support, est, scratch,
                                est + (m + 1) * d, &intervals, failure);
    if (result == 0)
        print_estimates(request, &observed, n, sets, labels, intervals, est);
    dataset_sets_free(sets);
    free(scratch);
    free(decoded);
    free(est);
    return result;
}

static int run(int argc, char **argv, struct failure *failure)
{
    static struct estimate_request request;
    struct supports supports = {0};
    struct ldp_protocol protocol;
    uint64_t n;
    int result = read_request(argc, argv, &request, failure);

    if (result == 0 && folder_has(request.file, "."))
        result = estimate_tables(&request, failure);
    else if (result == 0 && (result = read_collection(&request, &supports, &protocol, &n, failure)) == 0 &&
             (result = choose_method(&request.chosen, &protocol, failure)) == 0)
        result =
            estimate(&request, &protocol, n, supports.support, request.d > 0 ? NULL : supports.values.word, failure);
    supports_clear(&supports);
    algorithms_free(&request.chosen);
    return result;
}

const struct command command_estimate = {
    .name = "estimate",
    .operands = "FILE",
    .summary = "frequencies with intervals from reports, counts or noisy tables",
    .examples = {"estimate reports.jsonl --oracle grr --epsilon 1 --domain values.txt",
                 "estimate supports.tsv --oracle olh --epsilon 1 --n 20000"},
    .about =
        "FILE has reports, a line each (docs/deployment.md): numbers, also as JSON, or an object with a member report; "
        "of grr values; of unary encodings one 0 or 1 for each value. A line of column names may come first. With --n "
        "it has support counts (lines value TAB support: how many of N reports support each value; lines that begin with \"# "
        "\" are comments). Prints for each value the percentage of users that each method estimates, and an "
        "interval.\n\n"
        "Impossible reports and support counts are refused. A support that is improbably low causes a warning. Intervals are "
        "for the frequencies among these users and are computed from the unprocessed estimate: post-processing "
        "improves the estimate, but gives no shorter interval.\n\n"
        "FILE may be a folder of tables of several attributes, each a file *.csv: a header of attributes and, last, "
        "frequency; then a line for each combination of values. A line # variance V before it may give the variance of "
        "a cell, or # users N the users of the table; either all tables have one or none. The tables are made to agree "
        "on every attribute that they share, by least squares weighted by their variances, to sum to 1 and have no "
        "negative cell. A marginal that no table contains is the one of maximum entropy. Each is written in the form "
        "in which tables are read.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
