/* check_paper.c - the part of check about papers: their claims compared with results. */
#include "agreement/agreement.h"
#include "commands/check.h"
#include "run/provenance.h"
#include "support/files.h"
#include "support/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *paper_statements(const char *paper)
{
    assert(paper);
    char *const run = xformat("%s/run.json", paper);
    const bool has_results = access(run, F_OK) == 0;
    free(run);
    if (has_results)
        return NULL;
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

static int write_output(const struct agreement *agreement, const struct check_request *request, struct failure *failure)
{
    struct whole_file file;

    if (output_open(&file, request->output ? request->output : "-", failure) != 0)
        return -1;
    agreement_print(agreement, request->all, request->format, file.stream);
    return whole_file_close(&file, failure);
}

static bool has_runs(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->runs; i++)
        if (evidence->run[i].nfound > 0)
            return true;
    return false;
}

int check_paper(const struct check_request *request, const char *path, bool *failed, struct failure *failure)
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
    *failed = result == 0 && agreement_unexplained(&agreement) > 0;
    agreement_clear(&agreement);
    evidence_clear(&evidence);
    statements_clear(&statements);
    return result;
}
