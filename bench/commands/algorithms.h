/* algorithms.h - oracles, methods, protocols and synopses as given on a command line: by names with commas between,
 * "all", NAME(PARAMETER=VALUE), or objects as configs have them; methods also by a FILE. */
#ifndef LDPBENCH_ALGORITHMS_H
#define LDPBENCH_ALGORITHMS_H

#include "commands/commands.h"
#include "config/methods.h"
#include "config/oracle_keys.h"
#include "ldp.h"

struct cJSON;

/* ---- Elements of a config's lists ---- */

/* Adds an element of a list of a kind, unless it is there: a failure. */
int element_add(struct cJSON *list, const char *option, const char *word, const struct algorithm_kind *kind,
                struct failure *failure);

/* The words of an option, several with commas between unless they are objects; *all: one is "all". */
int elements_add(struct cJSON *list, const char *option, const struct texts *words, const struct algorithm_kind *kind,
                 bool *all, struct failure *failure);

/* Reads an element as configs do; to be cleared by algorithm_clear in any case. */
int element_read(const char *option, const struct cJSON *element, const struct algorithm_kind *kind, void *choice,
                 struct failure *failure);

/* Reads a list of them; to be cleared by algorithms_clear in any case. */
int elements_read(const char *option, const struct cJSON *elements, const struct algorithm_kind *kind,
                  struct algorithm_list *out, struct failure *failure);

/* Whether a word is the name of a file with a method of the user's own: it has a dot or a slash. */
bool is_own_method(const char *word);

/* The method of a file as a config has it, labelled by the file's name without folders. FILE.py is a script of Python,
 * any other FILE a program (docs/compare.md). NULL, with a failure, for what cannot be read or run. */
struct cJSON *own_method(const char *option, const char *file, struct failure *failure);

/* ---- What runs without a config ---- */

/* Start from all zero; options add the texts. */
struct algorithms {
    struct texts oracle, method;
    struct oracle_list oracles;
    struct method_list methods;
    bool ordered;     /* the values have an order, which all oracles may use */
    bool one;         /* oracle at most */
    bool all_methods; /* given by "all" */
};

#define ONE_ORACLE .kind = {.read = option_add, .names = oracle_names}, .member = MEMBER(chosen.oracle, struct texts)

/* Reads them: all oracles are those that are private, unbiased and, unless values are ordered, for values without an
 * order, all methods those that act on estimates. To be cleared in any case. */
int algorithms_parse(struct algorithms *algorithms, struct failure *failure);
void algorithms_free(struct algorithms *algorithms);

/* Adds a method of the program, where none was given. */
void algorithms_use(struct algorithms *algorithms, const char *method);

/* Of the methods those that suit a protocol, telling on standard error which are left out; a failure if one was named.
 */
int algorithms_suit(struct algorithms *algorithms, const struct ldp_protocol *protocol, struct failure *failure);

/* Prepares an oracle; the failure says which values it does not suit. */
int protocol_prepare(struct ldp_protocol *protocol, const struct ldp_oracle_spec *oracle, size_t d, double epsilon,
                     struct failure *failure);

#endif
