/* own_methods.h - methods of the user's own beside the program's: --method FILE of a command. */
#ifndef LDPBENCH_OWN_METHODS_H
#define LDPBENCH_OWN_METHODS_H

#include "commands/algorithms.h"
#include "config/methods.h"
#include "stats/ranking.h"

struct outside_process;

enum { OWN_METHODS_MAX = 16 };

/* Start from all zero. */
struct own_methods {
    struct method_choice choice[OWN_METHODS_MAX];
    size_t place[OWN_METHODS_MAX]; /* among the methods of the algorithms that they were added to */
    size_t count;
    const struct algorithms *algorithms;
    const struct ldp_protocol *protocols; /* of the plan that asks */
    struct outside_process **process;     /* [threads][OWN_METHODS_MAX] */
    int threads;
};

/* Whether the value of --method is a file's name and no method's: it has a dot or a slash. */
bool own_method_is_file(const char *text);

/* The method of a file as a config has it, JSON text; malloc'd. */
char *own_method_config(const char *file);

/* FILE.py is a script of Python, any other FILE a program (docs/compare.md). */
int own_methods_add(struct own_methods *own, const char *file, struct algorithms *algorithms, struct failure *failure);

/* Its file's name without folders; NULL: the method at this place is one of the program's. */
const char *own_method_name(const struct own_methods *own, size_t place);

/* Prepares the processes that a plan asks, one of each method for each thread. */
void own_methods_begin(struct own_methods *own, const struct ldp_protocol *protocols, int threads);

/* A ranking_asker; asked is the struct. */
int own_methods_ask(void *asked, const struct ranking_question *question, double *out, struct failure *failure);

void own_methods_clear(struct own_methods *own);

#endif
