/* cmd_run.c - ldpbench run: configs to tables. */
#include "commands.h"
#include "names.h"
#include "output.h"
#include "progress.h"
#include "provenance.h"
#include "runner.h"
#include "tables.h"

#include <errno.h>
#include <getopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    const char *folder;
    struct overrides overrides;
    struct run_options options;
    bool fresh, dry_run, quiet;
};

static int read_arguments(int argc, char **argv, struct arguments *arguments, struct failure *failure)
{
    enum { SEED = 256, REPETITIONS, SIMULATION, FRESH, DRY_RUN, QUIET };
    static const struct option options[] = {
        {"output", required_argument, NULL, 'o'},
        {"threads", required_argument, NULL, 'j'},
        {"seed", required_argument, NULL, SEED},
        {"repetitions", required_argument, NULL, REPETITIONS},
        {"simulation", required_argument, NULL, SIMULATION},
        {"fresh", no_argument, NULL, FRESH},
        {"dry-run", no_argument, NULL, DRY_RUN},
        {"quiet", no_argument, NULL, QUIET},
        {NULL, 0, NULL, 0},
    };
    struct overrides *overrides = &arguments->overrides;
    unsigned long long number;
    int option;

    while ((option = next_option(argc, argv, "o:j:", options, failure)) != OPTIONS_END) {
        switch (option) {
        case 'o':
            if (!*optarg)
                return fail(failure, EXIT_BAD_INPUT, "-o: expected a folder, got an empty name");
            arguments->folder = optarg;
            break;
        case 'j':
            if (read_whole("-j", optarg, 1, 4096, &number, failure) != 0)
                return -1;
            arguments->options.threads = (int)number;
            break;
        case SEED:
            if (read_whole("--seed", optarg, 0, UINT64_C(1) << 53, &number, failure) != 0)
                return -1;
            overrides->has_seed = true;
            overrides->seed = number;
            break;
        case REPETITIONS:
            if (read_whole("--repetitions", optarg, 1, 1000000, &number, failure) != 0)
                return -1;
            overrides->has_repetitions = true;
            overrides->repetitions = (uint32_t)number;
            break;
        case SIMULATION:
            overrides->has_mode = true;
            if (strcmp(optarg, "counts") == 0)
                overrides->mode = LDP_COUNTS;
            else if (strcmp(optarg, "reports") == 0)
                overrides->mode = LDP_REPORTS;
            else
                return fail(failure, EXIT_BAD_INPUT, "--simulation: expected counts or reports, got \"%.40s\"", optarg);
            break;
        case FRESH: arguments->fresh = true; break;
        case DRY_RUN: arguments->dry_run = true; break;
        case QUIET: arguments->quiet = true; break;
        default: return -1;
        }
    }
    if (optind == argc)
        return fail(failure, EXIT_BAD_INPUT, "run: expected a config file, got none");
    if (arguments->folder && optind + 1 < argc)
        return fail(failure, EXIT_BAD_INPUT, "-o: expected one config, got %d", argc - optind);
    return 0;
}

/* ---- --dry-run ---- */

static void print_bytes(const char *what, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;

    while (bytes >= 1000 && unit < 4) {
        bytes /= 1000;
        unit++;
    }
    printf("  %-12s about %.3g %s\n", what, bytes, units[unit]);
}

static void dry_run(const struct experiment *experiment, const struct run_options *options)
{
    const struct task *task = experiment->task;
    size_t cells = task->cells(experiment), series = 0;
    int threads = options->threads > 0 ? options->threads : omp_get_max_threads();
    double nanoseconds = 0, bytes = 0, stored = 0;

    for (size_t cell = 0; cell < cells; cell++) {
        double worker = task->worker_bytes(experiment, cell);
        size_t here = task->series(experiment, cell);

        nanoseconds += task->cost(experiment, cell) * experiment->repetitions;
        bytes = worker > bytes ? worker : bytes;
        series = here > series ? here : series;
        stored += 24.0 * (double)here * experiment->repetitions +
                  8.0 * (double)task->sums(experiment, cell) * (double)task->sums_length(experiment, cell) *
                      ((experiment->repetitions + STORE_BLOCK - 1) / STORE_BLOCK);
    }
    printf("%s: task %s, seed %llu\n", experiment->name, task->name, (unsigned long long)experiment->seed);
    printf("  %-12s %zu, %lu repetitions each, up to %zu measurements a repetition\n", "cells", cells,
           (unsigned long)experiment->repetitions, series);
    for (size_t cell = 0; cell < cells; cell++) {
        char *key = task->cell_key(experiment, cell);

        if (cells > 24 && cell >= 10 && cell < cells - 10) {
            if (cell == 10)
                printf("    ... %zu more\n", cells - 20);
        } else {
            printf("    %s\n", key ? key : "?");
        }
        free(key);
    }
    printf("  %-12s roughly %.2g s on %d thread%s\n", "time", nanoseconds * 1e-9 / threads, threads,
           threads == 1 ? "" : "s");
    print_bytes("memory", bytes * threads + task->shared_bytes(experiment));
    print_bytes("store", stored);
}

/* ---- a run ---- */

static int run_into(const struct experiment *experiment, const char *folder, const struct arguments *arguments,
                    struct failure *failure)
{
    struct run_options options = arguments->options;
    struct run_summary summary;
    struct store *store = NULL;
    struct table_writer writer;
    int result = -1;

    options.progress = !arguments->quiet && isatty(STDERR_FILENO);
    if (make_folder(folder, failure) != 0)
        return -1;
    if (!arguments->fresh && provenance_check(experiment, folder, failure) != 0)
        return -1;
    if (store_open(folder, experiment, arguments->fresh, &store, failure) != 0)
        return -1;
    writer = (struct table_writer){.experiment = experiment, .store = store, .failure = failure};
    if (runner_run(experiment, store, &options, &summary, failure) != 0)
        goto out;
    writer.value = malloc(experiment->repetitions * sizeof *writer.value);
    if (!writer.value) {
        fail_memory(failure);
        goto out;
    }
    if (experiment->task->write(&writer, folder) != 0 || provenance_write(experiment, &summary, folder, failure) != 0)
        goto out;
    if (!arguments->quiet)
        fprintf(stderr, "%s: %zu repetitions run in %.2f s on %d thread%s, %zu kept from before; tables in %s\n",
                experiment->name, summary.repetitions_run, summary.seconds, summary.threads,
                summary.threads == 1 ? "" : "s", summary.repetitions_kept, folder);
    result = 0;
out:
    free(writer.value);
    store_close(store);
    return result;
}

static int run_config(const char *file, const struct arguments *arguments, struct failure *failure)
{
    struct experiment *experiment = NULL;
    char *folder = NULL;
    int result = -1;

    if (experiment_read(file, &arguments->overrides, &experiment, failure) != 0)
        return -1;
    if (arguments->dry_run) {
        dry_run(experiment, &arguments->options);
        result = 0;
        goto out;
    }
    folder = arguments->folder ? strdup(arguments->folder) : text_format("results/%s", experiment->name);
    if (!folder) {
        fail_memory(failure);
        goto out;
    }
    result = run_into(experiment, folder, arguments, failure);
out:
    free(folder);
    experiment_free(experiment);
    return result;
}

int command_run(int argc, char **argv)
{
    struct arguments arguments = {0};
    struct failure failure;

    if (read_arguments(argc, argv, &arguments, &failure) != 0)
        return say_failure(&failure);
    for (int i = optind; i < argc; i++)
        if (run_config(argv[i], &arguments, &failure) != 0)
            return say_failure(&failure);
    return EXIT_DONE;
}
