/* score.c - ldpbench score: a method (oracle, search, synopsis) against all references of a suite, on populations and
 * seeds that nobody could tune to. */
#include "commands/score.h"

#include "commands/own_methods.h"
#include "commands/run.h"
#include "results/label.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"
#include "support/tree.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRACK = 256, SEED, FORMAT };

static const struct command_option known_options[] = {
    {.name = "track",
     .code = TRACK,
     .value = "TRACK",
     .words = score_tracks,
     .help = "What is compared. Default methods."},
    {.name = "seed",
     .code = SEED,
     .value = "N",
     .help =
         "Seed of the collections and of the populations that are drawn. Default: from the SHA-256 of the subject and "
         "of the suite, so that nobody chooses it."},
    {.name = "output",
     .code = 'o',
     .value = "DIR",
     .takes = TAKES_FOLDERS,
     .help = "Folder of the run and its config. Default: results/score-TRACK-NAME-SEED."},
    OPTION_THREADS,
    OPTION_SHEET(FORMAT),
    {.name = NULL},
};

static int take_option(int option, struct score_request *request, struct failure *failure)
{
    switch (option) {
    case TRACK: return read_word("--track", optarg, score_tracks, &request->track, failure);
    case SEED: {
        unsigned long long seed;
        request->has_seed = true;
        const int result = read_seed(optarg, &seed, failure);
        request->seed = seed;
        return result;
    }
    case 'o': return read_output("-o", optarg, &request->folder, failure);
    case 'j': return read_threads(optarg, &request->threads, failure);
    case FORMAT: return read_sheet_format(optarg, &request->format, failure);
    default: return -1;
    }
}

static int read_request(int argc, char **argv, struct score_request *request, struct failure *failure)
{
    int option;

    *request = (struct score_request){.level = 0.05};
    while ((option = next_option(&command_score, argc, argv, failure)) != OPTIONS_END)
        if (take_option(option, request, failure) != 0)
            return -1;
    request->subject = argv + optind;
    request->nsubjects = (size_t)(argc - optind);
    return 0;
}

/* ---- a run ---- */

static int write_text(const char *folder, const char *name, const char *text, struct failure *failure)
{
    struct whole_file file;

    if (whole_file_open(&file, folder, name, failure) != 0)
        return -1;
    fputs(text, file.stream);
    return whole_file_close(&file, failure);
}

static char *folder_of(const struct score_request *request, const struct suite *suite,
                       const struct submission *submission, uint64_t seed)
{
    if (request->folder)
        return xstrdup(request->folder);
    char *const name = label_file_name(submission->name ? submission->name : "all");
    char *const folder = xformat("results/score-%s-%s-%llx", suite->track, name, (unsigned long long)seed);
    free(name);
    return folder;
}

static int measure(struct suite *suite, const struct submission *submission, uint64_t seed, const char *folder,
                   int threads, struct failure *failure)
{
    char *const config = suite_config(suite, submission, seed), *const file = xformat("%s/config.json", folder);
    char *const store = xformat("%s/store.sqlite", folder);
    const bool is_new = access(folder, F_OK) != 0;
    const int result = make_folder(folder, failure) == 0 && write_text(folder, "config.json", config, failure) == 0
                           ? run_file(file, folder, threads, failure)
                           : -1;

    if (result != 0 && is_new && access(store, F_OK) != 0) { /* nothing was measured */
        unlink(file);
        rmdir(folder);
    }
    free(config);
    free(file);
    free(store);
    return result;
}

static int rate_subject(struct score_request *request, struct suite *suite, struct failure *failure)
{
    struct submission submission;
    struct style style = {0};
    char *const share = share_folder();
    int result = submission_read(request->subject, request->nsubjects, suite, &submission, failure);

    if (!request->has_seed)
        request->seed = submission.seed;
    char *const folder = folder_of(request, suite, &submission, request->seed);
    if (result == 0)
        result = style_load(share ? share : ".", &style, failure);
    if (result == 0)
        result = measure(suite, &submission, request->seed, folder, request->threads, failure);
    if (result == 0) {
        struct score score;
        result = score_make(folder, suite, &submission, request, &style, &score, failure);
        if (result == 0)
            score_print(&score, suite, &submission, &style, request);
        score_clear(&score);
    }
    style_clear(&style);
    free(folder);
    free(share);
    submission_clear(&submission);
    return result;
}

static int run(int argc, char **argv)
{
    struct score_request request;
    struct suite suite = {0};
    struct failure failure = NO_REASON;
    int result = read_request(argc, argv, &request, &failure);

    if (result == 0)
        result = suite_load(score_tracks[request.track], &suite, &failure);
    if (result == 0)
        result = rate_subject(&request, &suite, &failure);
    suite_clear(&suite);
    return result == 0 ? EXIT_DONE : say_failure(&failure);
}

const struct command command_score = {
    .name = "score",
    .operands = "[SUBJECT...]",
    .summary = "give a method, oracle, search or synopsis its score and its place among all references",
    .examples = {"score mine.py", "score --track synopses calm"},
    .about =
        "Runs SUBJECT and the references of a suite on the same simulated collections, half of them on populations "
        "that are drawn from the seed, and prints its score: the geometric mean over contests of its error over the "
        "best reference's, with an interval; its rank, bounded by those that are surely better and surely worse; where "
        "it is the best, and where and to what it loses. docs/compare.md says what a score means and what not.\n\n"
        "SUBJECT is a name (norm_sub), an object as in a config ('{\"name\": \"base_cut\", \"alpha\": 3}'), or, of the "
        "track methods, a file: FILE.py, or another program (docs/compare.md). A file is started "
        "as the command line asks for it. Without a SUBJECT: the table of the references.\n\n"
        "An interrupted score goes on where it stopped. The folder is a folder of results: report, plot and check "
        "read it. A score that somebody states is confirmed by another run with its seed: ldpbench check --exact THEIRS "
        "YOURS.",
    .options = known_options,
    .takes = TAKES_FILES,
    .run = run,
};
