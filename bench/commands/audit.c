/* audit.c - ldpbench audit: a lower bound of epsilon from reports of two inputs. */
#include "audit/bound.h"
#include "audit/clients.h"
#include "audit/reports.h"
#include "commands/algorithms.h"
#include "commands/commands.h"
#include "config/registry.h"
#include "support/limits.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EPSILON = 256, CONFIDENCE, ORACLE, PARAM, DOMAIN_SIZE, VALUES, REPORTS, SEED, PUBLIC_SEED, BITS, FORMAT };

static const char *const audit_formats[] = {"text", "json", NULL};

static const struct command_option known_options[] = {
    {.name = "epsilon",
     .code = EPSILON,
     .value = "E",
     .required = true,
     .help = "The epsilon that the client states; more than that is a failure."},
    {.name = "confidence",
     .code = CONFIDENCE,
     .value = "C",
     .help = "How sure the bound is: a client that keeps epsilon fails with probability 1 - C at most. Default 0.999."},
    {.name = "bits",
     .code = BITS,
     .help = "Each character of a report is a word of its own, as in rows of bits: 0110."},
    {.name = "oracle",
     .code = ORACLE,
     .value = "NAME",
     .names = oracle_names,
     .help = "Without files: audit the client of this oracle. With files: they are reports of it, their words as the "
             "program has them, and what they support is looked at."},
    OPTION_PARAM(PARAM, "A parameter of the oracle. row_oracle=NAME: the oracle in the rows of sketches; "
                        "row_oracle.NAME: its parameters."),
    {.name = "d", .code = DOMAIN_SIZE, .value = "D", .help = "Values of the oracle's domain. Default 16."},
    {.name = "values",
     .code = VALUES,
     .value = "V,W",
     .help = "The two inputs of the oracle, numbers below D. Default 0,1."},
    {.name = "reports",
     .code = REPORTS,
     .value = "N",
     .help = "Reports of each input that the oracle's client makes. Default 1000000."},
    {.name = "seed", .code = SEED, .value = "S", .help = "Of the client's coins. Default 1."},
    {.name = "public-seed",
     .code = PUBLIC_SEED,
     .value = "S",
     .help = "With files: the public randomness of the collection that reports of flh, hr, pgr and sketches belong to. "
             "Default 0."},
    {.name = "format",
     .code = FORMAT,
     .value = "FORMAT",
     .words = audit_formats,
     .help = "How to print. Default text."},
    {.name = NULL},
};

struct request {
    struct algorithms chosen; /* at most one oracle */
    double epsilon, confidence;
    unsigned long long d, value[2], reports, seed, public_seed;
    struct report_files files;
    bool json;
    const char *own; /* the last option given that needs --oracle; NULL: none */
};

/* ---- Options ---- */

static int read_values(const char *text, struct request *request, struct failure *failure)
{
    char first[40];
    const size_t length = strcspn(text, ",");

    if (text[length] != ',' || length >= sizeof first)
        return fail(failure, EXIT_BAD_INPUT, "--values: expected two numbers V,W, got \"%s\"", SHOWN(text));
    memcpy(first, text, length);
    first[length] = '\0';
    return read_whole("--values", first, 0, UINT32_MAX, &request->value[0], failure) != 0
               ? -1
               : read_whole("--values", text + length + 1, 0, UINT32_MAX, &request->value[1], failure);
}

static int read_option(int option, struct request *request, struct failure *failure)
{
    size_t word;

    switch (option) {
    case EPSILON: return read_epsilon(optarg, &request->epsilon, failure);
    case CONFIDENCE: return read_level("--confidence", optarg, &request->confidence, failure);
    case BITS: request->files.bits = true; return 0;
    case ORACLE: return algorithms_add_oracle(&request->chosen, optarg, false, failure);
    case PARAM: request->own = "--param"; return algorithms_add_param(&request->chosen, optarg, failure);
    case DOMAIN_SIZE: request->own = "--d"; return read_whole("--d", optarg, 2, UINT32_MAX, &request->d, failure);
    case VALUES: request->own = "--values"; return read_values(optarg, request, failure);
    case REPORTS:
        request->own = "--reports";
        return read_whole("--reports", optarg, AUDIT_REPORTS_MIN, 1 << 28, &request->reports, failure);
    case SEED: request->own = "--seed"; return read_seed(optarg, &request->seed, failure);
    case PUBLIC_SEED:
        request->own = "--public-seed";
        return read_whole("--public-seed", optarg, 0, UINT64_MAX, &request->public_seed, failure);
    case FORMAT:
        if (read_word("--format", optarg, audit_formats, &word, failure) != 0)
            return -1;
        request->json = word == 1;
        return 0;
    default: return -1;
    }
}

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    int option;

    while ((option = next_option(&command_audit, argc, argv, failure)) != OPTIONS_END)
        if (option == OPTIONS_WRONG || read_option(option, request, failure) != 0)
            return -1;
    const int files = argc - optind;
    if (!(request->epsilon > 0))
        return fail(failure, EXIT_BAD_INPUT, "audit: expected --epsilon, got none");
    if (files > 2 || (files == 0 && request->chosen.noracles == 0))
        return fail(failure, EXIT_BAD_INPUT,
                    "audit: expected two files of reports, one whose lines begin with their input, or --oracle, got %d "
                    "files",
                    files);
    if (request->own && request->chosen.noracles == 0)
        return fail(failure, EXIT_BAD_INPUT, "audit: %s needs --oracle", request->own);
    if (request->files.bits && (files == 0 || request->chosen.noracles > 0))
        return fail(failure, EXIT_BAD_INPUT, "audit: --bits: expected files of reports, and no --oracle");
    for (int i = 0; i < files; i++)
        request->files.file[i] = argv[optind + i];
    if (files == 2 && strcmp(argv[optind], "-") == 0 && strcmp(argv[optind + 1], "-") == 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "audit: expected standard input, -, for one input at most, got it for both");
    if (request->value[0] == request->value[1] || request->value[0] >= request->d || request->value[1] >= request->d)
        return fail(failure, EXIT_BAD_INPUT, "--values: expected two different numbers below d = %llu, got %llu,%llu",
                    request->d, request->value[0], request->value[1]);
    return algorithms_set_params(&request->chosen, failure);
}

/* ---- Reports ---- */

static int prepare_pair(const struct request *request, struct audit_pair *pair, struct failure *failure)
{
    const struct ldp_oracle_spec *const spec = &request->chosen.oracles[0];
    struct ldp_reason reason;

    if (ldp_protocol_init(&pair->protocol, spec, (size_t)request->d, request->epsilon, &reason) != LDP_OK)
        return fail(failure, EXIT_BAD_INPUT, "oracle %s does not suit d = %llu, epsilon = %g: %s", spec->oracle->name,
                    request->d, request->epsilon, reason.text);
    if (request->files.file[0]) {
        pair->protocol.public_seed = request->public_seed;
    } else {
        struct ldp_rng rng;

        ldp_rng_stream(&rng, request->seed, "audit public", 0);
        pair->protocol.public_seed = ldp_rng_next(&rng);
    }
    for (size_t side = 0; side < 2; side++)
        pair->value[side] = (uint32_t)request->value[side];
    return audit_pair_prepare(pair, failure);
}

static int find_bound(const struct request *request, struct audit_finding *finding, size_t n[2],
                      struct failure *failure)
{
    struct audit_pair pair = {0};
    struct report_lines lines = {0};
    const bool own = request->chosen.noracles > 0;
    int result = own ? prepare_pair(request, &pair, failure) : 0;

    if (result == 0)
        result = request->files.file[0]
                     ? reports_read(&request->files, own ? &pair : NULL, &lines, failure)
                     : audit_pair_clients(&pair, (size_t)request->reports, request->seed, &lines.reports, failure);
    if (result == 0)
        result = audit_bound(&lines.reports, request->confidence, finding, failure);
    n[0] = lines.reports.n[0];
    n[1] = lines.reports.n[1];
    reports_clear(&lines);
    audit_pair_clear(&pair);
    return result;
}

/* ---- What is printed ---- */

static const char *const input_words[2] = {"first", "second"};

static void print_text(const struct request *request, const struct audit_finding *finding, const size_t n[2])
{
    printf("epsilon >= %.4f with confidence %g: %s the stated %g\n", finding->epsilon, request->confidence,
           finding->epsilon > request->epsilon ? "ABOVE" : "not above", request->epsilon);
    printf("event: %s\n", finding->event);
    for (size_t side = 0; side < 2; side++)
        printf("  %s input: %zu of %zu held-out reports, a share of %.6g\n", input_words[side], finding->held[side],
               finding->of[side], (double)finding->held[side] / (double)finding->of[side]);
    printf("log of the ratio of the shares: %.4f\n", fabs(finding->estimate));
    printf("%zu and %zu reports can show an epsilon of at most %.4f\n", n[0], n[1], finding->most);
}

static int print_json(const struct request *request, const struct audit_finding *finding, const size_t n[2],
                      struct failure *failure)
{
    cJSON *const root = cJSON_CreateObject();
    const double reports[2] = {(double)n[0], (double)n[1]}, of[2] = {(double)finding->of[0], (double)finding->of[1]},
                 held[2] = {(double)finding->held[0], (double)finding->held[1]};

    cJSON_AddNumberToObject(root, "epsilon", finding->epsilon);
    cJSON_AddNumberToObject(root, "stated", request->epsilon);
    cJSON_AddBoolToObject(root, "exceeds", finding->epsilon > request->epsilon);
    cJSON_AddNumberToObject(root, "confidence", request->confidence);
    cJSON_AddNumberToObject(root, "estimate", finding->estimate); /* null where it is infinite */
    cJSON_AddNumberToObject(root, "most", finding->most);
    cJSON_AddStringToObject(root, "event", finding->event);
    cJSON_AddStringToObject(root, "likelier", input_words[finding->likelier]);
    cJSON_AddItemToObject(root, "reports", cJSON_CreateDoubleArray(reports, 2));
    cJSON_AddItemToObject(root, "held_out", cJSON_CreateDoubleArray(of, 2));
    cJSON_AddItemToObject(root, "in_event", cJSON_CreateDoubleArray(held, 2));
    return print_tree(root, failure);
}

static int run(int argc, char **argv)
{
    static struct request request = {.confidence = 0.999, .d = 16, .value = {0, 1}, .reports = 1000000, .seed = 1};
    struct failure failure;
    int result = read_request(argc, argv, &request, &failure);
    struct audit_finding finding;
    size_t n[2];

    if (result == 0)
        result = find_bound(&request, &finding, n, &failure);
    if (result == 0 && request.json)
        result = print_json(&request, &finding, n, &failure);
    else if (result == 0)
        print_text(&request, &finding, n);
    if (result != 0)
        return say_failure(&failure);
    return finding.epsilon > request.epsilon ? EXIT_CHECK_FAILED : EXIT_DONE;
}

const struct command command_audit = {
    .name = "audit",
    .operands = "[FIRST [SECOND]]",
    .summary = "a lower bound of epsilon from reports of two inputs: of any client's, or of an oracle's",
    .about =
        "If a client is epsilon-private, no event of its report is more than e^epsilon times as likely for one "
        "input as "
        "for another. Half of the reports are used to find the event of largest ratio, the other half to bound its "
        "probabilities (Clopper and Pearson). The bound holds with the given confidence if reports are independent; it "
        "proves a loss, never that there is none.\n\n"
        "FIRST and SECOND are files of reports that one client made of two different inputs, a report a line: words "
        "between blanks, TABs or commas, numbers or not; # starts a comment. A single file has lines that begin with "
        "the name of their input. The client must be run again for each report. - is standard input. Events are "
        "values "
        "of a word, thresholds of a number, words anywhere in a report, whole reports, thresholds of learned "
        "scores, and "
        "any two of these together. Where a report has to be read with a hash function, print what it says of the two "
        "inputs, as a bit each.\n\n"
        "Exit status 1 if the bound is above the stated epsilon.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
