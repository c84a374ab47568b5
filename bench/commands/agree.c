/* agree.c - ldpbench agree: a paper's claims compared with results. */
#include "agreement/agreement.h"
#include "commands/agree_new.h"
#include "commands/commands.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FORMAT_PAGE, FORMAT_ALL, FORMAT_ROWS };
static const char *const formats[] = {"md", "all", "rows", NULL};

struct request {
    size_t format;
    const char *output, *new_paper;
    char *paper;
    char *const *folders;
    size_t nfolders;
};

/* The statements of a paper: a file, its folder, or the name of a folder in papers/. */
static char *statements_path(const char *paper)
{
    assert(paper);
    char *const share = share_folder();
    char *const paths[] = {
        strstr(paper, ".json") ? xformat("%s", paper) : NULL,
        xformat("%s/statements.json", paper),
        xformat("papers/%s/statements.json", paper),
        share ? xformat("%s/papers/%s/statements.json", share, paper) : NULL,
    };
    char *found = NULL;

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (!found && paths[i] && access(paths[i], R_OK) == 0)
            found = paths[i];
        else
            free(paths[i]);
    }
    free(share);
    return found;
}

/* configs/ beside papers/, seen from a file of statements. Malloc'd. */
static char *configs_path(const char *statements)
{
    const char *const slash = strrchr(statements, '/');

    return xformat("%.*s../../configs", slash ? (int)(slash - statements + 1) : 0, statements);
}

static void write_format(const struct agreement *agreement, size_t format, FILE *out)
{
    if (format == FORMAT_ROWS)
        agreement_write_rows(agreement, out);
    else
        agreement_write_page(agreement, format == FORMAT_ALL, out);
}

static int write_output(const struct agreement *agreement, const struct request *request, struct failure *failure)
{
    struct whole_file file;

    if (!request->output) {
        write_format(agreement, request->format, stdout);
        return 0;
    }
    if (output_open(&file, request->output, failure) != 0)
        return -1;
    write_format(agreement, request->format, file.stream);
    return whole_file_close(&file, failure);
}

enum { OUTPUT = 'o', AGREE_FORMAT = 256, AGREE_NEW };

static const struct command_option known_options[] = {
    {.name = "format",
     .code = AGREE_FORMAT,
     .value = "FORMAT",
     .words = formats,
     .help = "md: the page. all: the page with every comparison. rows: one line a claim, tabs between. Default md."},
    {.name = "new",
     .code = AGREE_NEW,
     .value = "NAME",
     .help = "Write papers/NAME/statements.json and configs/NAME-fig1.json to begin a new paper with, and end."},
    {.name = "output",
     .code = OUTPUT,
     .value = "FILE",
     .takes = TAKES_FILES,
     .help = "Where to write. Default: standard output."},
    {.name = NULL},
};

static int read_request(int argc, char **argv, struct request *request, struct failure *failure)
{
    int option, result = 0;

    while (result == 0 && (option = next_option(&command_agree, argc, argv, failure)) != OPTIONS_END) {
        switch (option) {
        case AGREE_FORMAT: result = read_word("--format", optarg, formats, &request->format, failure); break;
        case AGREE_NEW: request->new_paper = optarg; break;
        case OUTPUT: result = read_output("--output", optarg, &request->output, failure); break;
        default: result = -1;
        }
    }
    if (result != 0)
        return -1;
    if (request->new_paper && argc > optind)
        return fail(failure, EXIT_BAD_INPUT, "agree --new: expected no other arguments, got %d", argc - optind);
    if (request->new_paper)
        return 0;
    if (argc - optind < 2)
        return fail(failure, EXIT_BAD_INPUT, "agree: expected a paper and folders of results, got %d", argc - optind);
    request->paper = argv[optind];
    request->folders = argv + optind + 1;
    request->nfolders = (size_t)(argc - optind - 1);
    return 0;
}

static bool has_runs(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->runs; i++)
        if (evidence->run[i].nfound > 0)
            return true;
    return false;
}

static int judge_paper(const struct request *request, const char *path, struct failure *failure)
{
    struct statements statements;
    struct evidence evidence = {0};
    struct agreement agreement = {0};
    int result = statements_load(path, &statements, failure);

    if (result == 0)
        result = evidence_open(&evidence, configs_path(path), request->folders, request->nfolders, failure);
    if (result == 0)
        result = agreement_judge(&statements, &evidence, &agreement, failure);
    if (result == 0 && !has_runs(&evidence))
        result = fail(failure, EXIT_BAD_INPUT,
                      "%s: expected result folders of configs that %s names, by the names of the configs, got none",
                      SHOWN_PATH(request->folders[0]), SHOWN_PATH(path));
    if (result == 0)
        result = write_output(&agreement, request, failure);
    agreement_clear(&agreement);
    evidence_clear(&evidence);
    statements_clear(&statements);
    return result;
}

static int run(int argc, char **argv)
{
    struct request request = {0};
    struct failure failure = NO_REASON;
    char *path = NULL;
    int result = read_request(argc, argv, &request, &failure);

    if (result == 0 && request.new_paper)
        result = agree_new(request.new_paper, &failure);
    else if (result == 0) {
        path = statements_path(request.paper);
        result = path ? judge_paper(&request, path, &failure)
                      : fail(&failure, EXIT_BAD_INPUT,
                             "%s: expected a paper's folder with statements.json, or one of papers/", request.paper);
    }
    free(path);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_agree = {
    .name = "agree",
    .operands = "PAPER DIR...",
    .summary = "compare a paper's statements with results: agrees, differs, equal, or undecided",
    .examples = {"agree ndss2020 results", "agree --new sw2020"},
    .about =
        "PAPER is a folder of papers/, such as ndss2020, or another folder with a statements.json, or such a "
        "file. Each DIR holds the result folders of the paper's configs, by their names; if two DIRs have the same "
        "data, the first counts. Orderings and ratios are paired over repetitions where the folder has its "
        "store, and four standard errors decide; papers/README.md explains how claims are decided.",
    .options = known_options,
    .takes = TAKES_FOLDERS,
    .run = run,
};
