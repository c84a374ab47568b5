/* recommend.h - one task of ldpbench recommend: frequencies, searches, marginals.
 *
 * A task is bench/commands/recommend_NAME.c with a `const struct recommender recommender_NAME`, and its line in
 * recommenders.def. It reads its own options, which have a row RECOMMEND_TASK_OPTION among them. */
#ifndef LDPBENCH_RECOMMEND_H
#define LDPBENCH_RECOMMEND_H

#include "commands/commands.h"

struct recommender {
    const char *task;                /* of --task */
    struct command command;          /* named recommend; run does the work and ignores RECOMMEND_TASK */
    bool (*reads)(const char *file); /* whether a file is of the kind that only this task reads; NULL: none is */
};

#define RECOMMENDER(id) extern const struct recommender recommender_##id;
#include "commands/recommenders.def"
#undef RECOMMENDER

/* The values of --task. */
void recommend_task_names(const char *names[NAMES_MAX]);

enum { RECOMMEND_TASK = 1000 };
#define RECOMMEND_TASK_OPTION                                                                                          \
    {                                                                                                                  \
        .name = "task", .code = RECOMMEND_TASK, .value = "TASK", .names = recommend_task_names,                        \
        .help = "The task. Default: by the kind of the file, else frequency. See recommend --task TASK "               \
                "--help."                                                                                              \
    }

#endif
