/* provenance.c - see provenance.h. */
#include "run/provenance.h"

#include "results/declared.h"
#include "support/files.h"
#include "support/text.h"
#include "version.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void config_hash(const struct experiment *experiment, char text[33])
{
    struct ldp_fingerprint hash = ldp_fingerprint(experiment->config_text, strlen(experiment->config_text));

    snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.hi, (unsigned long long)hash.lo);
}

static char *run_text(const struct experiment *experiment, const struct run_summary *summary)
{
    cJSON *root = cJSON_CreateObject();
    char hash[33], host[256] = "", now[32] = "", *text = NULL;
    time_t seconds = time(NULL);
    struct tm utc;

    if (!root)
        return NULL;
    config_hash(experiment, hash);
    gethostname(host, sizeof host - 1);
    if (gmtime_r(&seconds, &utc))
        strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (cJSON_AddStringToObject(root, "experiment", experiment->name) &&
        cJSON_AddStringToObject(root, "task", experiment->task->name) &&
        cJSON_AddNumberToObject(root, "seed", (double)experiment->seed) &&
        cJSON_AddNumberToObject(root, "repetitions", experiment->repetitions) &&
        cJSON_AddStringToObject(root, "config_file", experiment->file) &&
        cJSON_AddStringToObject(root, "config_hash", hash) &&
        cJSON_AddStringToObject(root, "config", experiment->config_text) &&
        cJSON_AddStringToObject(root, "version", LDPBENCH_VERSION) &&
        cJSON_AddNumberToObject(root, "algorithm_version", LDP_ALGORITHM_VERSION) &&
        cJSON_AddStringToObject(root, "commit", LDPBENCH_COMMIT) &&
        cJSON_AddStringToObject(root, "compiler", LDPBENCH_COMPILER) && cJSON_AddStringToObject(root, "host", host) &&
        cJSON_AddNumberToObject(root, "threads", summary->threads) &&
        cJSON_AddNumberToObject(root, "repetitions_run", (double)summary->repetitions_run) &&
        cJSON_AddNumberToObject(root, "repetitions_kept", (double)summary->repetitions_kept) &&
        cJSON_AddNumberToObject(root, "seconds", summary->seconds) && cJSON_AddStringToObject(root, "time", now) &&
        tables_to_json(experiment, root))
        text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

int provenance_write(const struct experiment *experiment, const struct run_summary *summary, const char *folder,
                     struct failure *failure)
{
    char *text = run_text(experiment, summary);
    struct whole_file file;
    int result = -1;

    if (!text)
        return fail_memory(failure);
    if (whole_file_open(&file, folder, "run.json", failure) == 0) {
        fputs(text, file.stream);
        putc('\n', file.stream);
        result = whole_file_close(&file, failure);
    }
    cJSON_free(text);
    return result;
}

static bool has_file(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    bool there = path && access(path, F_OK) == 0;

    free(path);
    return there;
}

/* Whether run.json, if it can be read, names this config. */
static bool names_config(const struct experiment *experiment, const char *folder)
{
    char *path = text_format("%s/run.json", folder), hash[33], *text = NULL;
    FILE *in = path ? fopen(path, "rb") : NULL;
    size_t size = 0;
    cJSON *root = NULL;
    bool same = false;

    config_hash(experiment, hash);
    if (in && getdelim(&text, &size, '\0', in) > 0 && (root = cJSON_Parse(text)) != NULL) {
        const char *made_by = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(root, "config_hash"));
        const cJSON *seed = cJSON_GetObjectItemCaseSensitive(root, "seed");
        same = made_by && strcmp(made_by, hash) == 0 && cJSON_IsNumber(seed) &&
               seed->valuedouble == (double)experiment->seed;
    }
    cJSON_Delete(root);
    free(text);
    if (in)
        fclose(in);
    free(path);
    return same;
}

int provenance_check(const struct experiment *experiment, const char *folder, struct failure *failure)
{
    static const char *const tables[] = {"run.json",      "mse.csv",    "values.csv",   "n_equivalent.csv",
                                         "selection.csv", "regret.csv", "bias_sums.csv"};

    if (has_file(folder, "store.sqlite"))
        return 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (has_file(folder, tables[i]) && !names_config(experiment, folder))
            return fail(failure, EXIT_BAD_INPUT,
                        "%s: holds %s of another config; use another folder (-o) or --fresh to overwrite it", folder,
                        tables[i]);
    return 0;
}
