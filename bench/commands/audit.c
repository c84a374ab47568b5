/* audit.c - ldpbench audit: a lower bound of epsilon from reports of several inputs, compared two by two. */
#include "audit/audit.h"
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/sheet.h"
#include "support/text.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct audit_request {
    struct algorithms chosen; /* at most one oracle */
    double epsilon, confidence;
    uint64_t d, value[AUDIT_INPUTS_MAX], reports, seed, public_seed;
    size_t values;
    struct report_files files;
    enum format format;
};

/* ---- Options ---- */

static int read_values(const struct command_option *option, const char *text, void *of, struct failure *failure)
{
    struct audit_request *const request = of;
    char *const copy = xstrdup(text), *rest = copy;
    int result = 0;

    for (request->values = 0; result == 0 && rest && request->values < AUDIT_INPUTS_MAX; request->values++)
        result = read_whole("--values", strsep(&rest, ","), 0, UINT32_MAX, &request->value[request->values], failure);
    if (result == 0 && (rest || request->values < 2))
        result = fail(failure, EXIT_BAD_INPUT, "--%s: expected two numbers V,W or up to %d, got \"%s\"", option->name,
                      AUDIT_INPUTS_MAX, SHOWN(text));
    free(copy);
    return result;
}

#define REQUEST struct audit_request
static const struct command_option known_options[] = {
    {"epsilon", "E", POSITIVE(epsilon), "The epsilon that the client states. More than that is a failure."},
    {"confidence", "C", LEVEL(confidence),
     "Confidence of the bound. A client that satisfies epsilon-LDP fails with probability 1 - C at most. Default "
     "0.999."},
    {"bits", NULL, FLAG(files.bits), "Each character of a report is a word, as in 0110."},
    {"oracle", "NAME", ONE_ORACLE,
     "Without files: audit the client of this oracle, also with parameters, 'olh(g=4)'. With files: the reports are of this oracle, in the "
     "program's words, and the values that they support are examined, too."},
    {"d", "D", WHOLE(d, 2, UINT32_MAX), "Values of the oracle's domain. Default 16."},
    {"values", "V,W,..", .kind = {.read = read_values}, .member = 0,
     "The inputs of the oracle, numbers below D, at least two. Default 0,1."},
    {"reports", "N", WHOLE(reports, AUDIT_REPORTS_MIN, 1 << 28),
     "Reports of each input that the oracle's client makes. Default 1000000."},
    {"seed", "S", SEED(seed), "Seed of the client's coins. Default 1."},
    {"public-seed", "S", WHOLE(public_seed, 0, UINT64_MAX),
     "With files: the seed of public randomness. Reports of flh, hr, pgr and sketches depend on it. Default 0."},
    OPTION_SHEET,
    {.name = NULL},
};

static int check_values(const struct audit_request *request, struct failure *failure)
{
    for (size_t k = 0; k < request->values; k++)
        for (size_t l = 0; l <= k; l++)
            if (request->value[k] >= request->d || (l < k && request->value[k] == request->value[l]))
                return fail(failure, EXIT_BAD_INPUT,
                            "--values: expected different numbers below d = %" PRIu64 ", got %" PRIu64 " and %" PRIu64,
                            request->d, request->value[k > 0 && l == k ? k - 1 : l], request->value[k]);
    return 0;
}

static int check_files(const struct audit_request *request, struct failure *failure)
{
    const struct report_files *const files = &request->files;
    size_t standard_inputs = 0;

    if (files->count == 0 && request->chosen.oracle.count == 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "audit: expected a file of reports for each input, one file whose lines begin with their input, or "
                    "--oracle, got no file");
    if (files->count > AUDIT_INPUTS_MAX)
        return fail(failure, EXIT_BAD_INPUT, "audit: expected at most %d files, got %zu", AUDIT_INPUTS_MAX,
                    files->count);
    if (files->bits && (files->count == 0 || request->chosen.oracle.count > 0))
        return fail(failure, EXIT_BAD_INPUT, "audit: --bits: expected files of reports, and no --oracle");
    for (size_t k = 0; k < files->count; k++)
        standard_inputs += strcmp(files->file[k], "-") == 0;
    if (standard_inputs > 1)
        return fail(failure, EXIT_BAD_INPUT, "audit: expected standard input, -, for one input at most, got it for %zu",
                    standard_inputs);
    return 0;
}

static int read_request(int argc, char **argv, struct audit_request *request, struct failure *failure)
{
    static const char *const of_oracles[] = {"d", "values", "reports", "public-seed"};

    if (read_options(&command_audit, argc, argv, request, failure) != 0)
        return -1;
    if (!(request->epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "audit: missing option --epsilon E (the epsilon that the client states)");
    request->files.file = argv + optind;
    request->files.count = (size_t)(argc - optind);
    for (size_t i = 0; request->chosen.oracle.count == 0 && i < sizeof of_oracles / sizeof *of_oracles; i++)
        if (option_given(&command_audit, of_oracles[i]))
            return fail(failure, EXIT_BAD_INPUT, "audit: --%s needs --oracle", of_oracles[i]);
    return check_files(request, failure) != 0 || check_values(request, failure) != 0
               ? -1
               : algorithms_parse(&request->chosen, failure);
}

/* ---- Pairs of inputs ---- */

/* The pair of inputs that was chosen, and what its held-out reports show. */
struct result {
    struct audit_finding finding;
    double most;    /* the least over all pairs of what their reports can show */
    size_t pairs;   /* that were compared */
    size_t pair[2]; /* numbers of the inputs, from 0 */
    size_t n[2];    /* reports of each */
    size_t inputs;
    char *name[2]; /* of the inputs */
};

enum answer { ABOVE, NOT_ABOVE, UNCLEAR };
static const char *const answers[] = {"above", "not above", "inconclusive"};

static enum answer answer_of(const struct audit_request *request, const struct result *result)
{
    return result->finding.epsilon > request->epsilon ? ABOVE : result->most > request->epsilon ? NOT_ABOVE : UNCLEAR;
}

/* Audits a pair. The pair with the largest bound on its choosing part is the one whose held-out part counts. */
static void compare(const struct audit_request *request, const struct audit_reports *reports, size_t first,
                    size_t second, struct result *result)
{
    struct audit_finding finding;

    audit_bound(reports, request->confidence, &finding);
    result->most = result->pairs == 0 ? finding.most : fmin(result->most, finding.most);
    if (result->pairs++ > 0 && !(finding.chosen > result->finding.chosen))
        return;
    result->finding = finding;
    result->pair[0] = first;
    result->pair[1] = second;
    result->n[0] = reports->n[0];
    result->n[1] = reports->n[1];
}

/* Compares every two inputs: reports of any client; with a protocol, of its server, or made by its client. */
static int find_bound(const struct audit_request *request, struct result *result, struct failure *failure)
{
    const bool own = request->chosen.oracle.count > 0, read = request->files.count > 0;
    struct report_lines lines = {0};
    struct ldp_protocol protocol;
    struct ldp_rng rng;

    if (own && protocol_prepare(&protocol, &request->chosen.oracles.choice[0].spec, request->d, request->epsilon,
                                failure) != 0)
        return -1;
    ldp_rng_stream(&rng, request->seed, "audit public", 0);
    protocol.public_seed = read ? request->public_seed : ldp_rng_next(&rng);
    int status = read ? reports_read(&request->files, own ? &protocol : NULL, &lines, failure) : 0;
    if (status == 0 && own && read && lines.inputs != request->values)
        status = fail(failure, EXIT_BAD_INPUT, "--values: expected a value for each of %zu inputs, got %zu",
                      lines.inputs, request->values);
    result->inputs = read ? lines.inputs : request->values;
    for (size_t b = 1; status == 0 && b < result->inputs; b++)
        for (size_t a = 0; a < b; a++) {
            if (!own) {
                const struct audit_reports two = reports_of_two(&lines, a, b);
                compare(request, &two, a, b, result);
                continue;
            }
            const struct report_input *const of = lines.input;
            const uint32_t value[] = {(uint32_t)request->value[a], (uint32_t)request->value[b]};
            const struct audit_reports two =
                read
                    ? audit_pair(&protocol, value, (uint64_t *[]){of[a].own, of[b].own}, (size_t[]){of[a].n, of[b].n},
                                 0)
                    : audit_pair(&protocol, value, NULL, (size_t[]){request->reports, request->reports}, request->seed);
            compare(request, &two, a, b, result);
            free(two.word[0]);
            free(two.word[1]);
        }
    for (size_t side = 0; status == 0 && side < 2; side++)
        result->name[side] = read ? xstrdup(lines.input[result->pair[side]].name)
                                  : xformat("%" PRIu64, request->value[result->pair[side]]);
    reports_clear(&lines);
    return status;
}

/* ---- Output ---- */

static void print(const struct audit_request *request, const struct result *result)
{
    static const char *const ordinal[] = {"first", "second"};
    static const struct sheet_column columns[] = {{NULL, "input", 0, SHEET_NONE},
                                                  {"input", NULL, 0, SHEET_NONE},
                                                  {"reports", "reports", 0, SHEET_NONE},
                                                  {"held_out", "held out", 0, SHEET_NONE},
                                                  {"in_event", "in the event", 0, SHEET_NONE},
                                                  {"share", "share", 4, SHEET_NONE}};
    const struct audit_finding *const finding = &result->finding;
    const enum answer answer = answer_of(request, result);
    const size_t needed = audit_reports_needed(request->epsilon, request->confidence);
    const double shown = needed < SIZE_MAX ? (double)needed : (double)NAN;
    struct sheet sheet = sheet_begin(stdout, request->format);

    sheet_facts(&sheet, "verdict=%s epsilon=%g stated=%g exceeds=%d confidence=%g estimate=%g most=%g event=%s",
                answers[answer], finding->epsilon, request->epsilon, answer == ABOVE, request->confidence,
                finding->estimate, result->most, finding->event);
    sheet_facts(&sheet, "likelier=%s pairs=%zu reports_needed=%g", ordinal[finding->likelier], result->pairs, shown);
    if (answer == ABOVE)
        sheet_answer(&sheet, "epsilon >= %.4f with confidence %g: ABOVE the stated %g", finding->epsilon,
                     request->confidence, request->epsilon);
    else if (answer == NOT_ABOVE)
        sheet_answer(&sheet,
                     "epsilon >= %.4f with confidence %g: no violation of the stated %g is found; these reports can "
                     "show at most %.4f",
                     finding->epsilon, request->confidence, request->epsilon, result->most);
    else
        sheet_answer(&sheet,
                     "INCONCLUSIVE, these reports cannot show more than %.4f, and the stated epsilon is %g (epsilon >= "
                     "%.4f with confidence %g)",
                     result->most, request->epsilon, finding->epsilon, request->confidence);
    if (answer == UNCLEAR && needed < SIZE_MAX)
        sheet_say(&sheet, "to show more than %g takes %zu reports of each input", request->epsilon, needed);
    if (result->inputs > 2)
        sheet_say(&sheet, "inputs: %s and %s, chosen of %zu pairs", SHOWN(result->name[0]), SHOWN(result->name[1]),
                  result->pairs);
    sheet_say(&sheet, "event: %s", finding->event);
    sheet_say(&sheet, "log of the ratio of the shares: %.4f; so many reports can show an epsilon of at most %.4f",
              fabs(finding->estimate), finding->most);
    sheet_table(&sheet, "inputs", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t side = 0; side < 2; side++) {
        const double held[] = {(double)result->n[side], (double)finding->of[side], (double)finding->held[side],
                               (double)finding->held[side] / (double)finding->of[side]};

        sheet_text(&sheet, ordinal[side]);
        sheet_text(&sheet, result->name[side]);
        for (size_t i = 0; i < sizeof held / sizeof *held; i++)
            sheet_number(&sheet, held[i]);
    }
    sheet_end(&sheet);
}

static int run(int argc, char **argv, struct failure *failure)
{
    static const enum exit_status status_of[] = {
        [ABOVE] = EXIT_CHECK_FAILED, [NOT_ABOVE] = EXIT_DONE, [UNCLEAR] = EXIT_INCONCLUSIVE};
    static struct audit_request request = {
        .chosen.one = true, .confidence = 0.999, .d = 16, .value = {0, 1}, .values = 2, .reports = 1000000, .seed = 1};
    struct result result = {0};
    int status = read_request(argc, argv, &request, failure);

    if (status == 0)
        status = find_bound(&request, &result, failure);
    if (status == 0)
        print(&request, &result);
    free(result.name[0]);
    free(result.name[1]);
    algorithms_free(&request.chosen);
    return status != 0 ? -1 : (int)status_of[answer_of(&request, &result)];
}

const struct command command_audit = {
    .name = "audit",
    .operands = "--epsilon E [FILE...]",
    .summary = "a lower bound of a client's epsilon, from its reports",
    .examples = {"audit --epsilon 1 first.reports second.reports", "audit --oracle grr --epsilon 1 --d 64"},
    .about =
        "If a client is epsilon-private, no event of its report is more than e^epsilon times as likely for one "
        "input as for another. Half of the reports are used to find the two inputs and the event of largest ratio, the "
        "other half to bound its probabilities (Clopper and Pearson). The bound holds with the given confidence, "
        "whatever the number of events and of pairs of inputs, if reports are independent; it proves a loss, never "
        "that there is none.\n\n"
        "Each FILE has the reports that one client made of one input, a report a line: words between blanks, TABs or "
        "commas, numbers or not; an empty line is an empty report. A single FILE has lines that begin with the name of "
        "their input. The client must be run again for each report. - is standard input. Every two inputs are "
        "compared. Events are values of a word, its bits and residues, thresholds of a number, words anywhere in a "
        "report, whole reports, exclusive-ors, sums and differences of words, their order and repetition, lengths, "
        "repeated reports, thresholds of learned scores, and any two of those of words together. Of hashed reports "
        "print one bit for each input: whether the report supports it.\n\n"
        "Exit status 1: the bound is above the stated epsilon. 0: it is not, and there are enough reports to show a "
        "larger epsilon. 4: there are too few reports to decide; the number that it takes is printed.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
