/* report_answer.c - the first sentences of a report. */
#include "commands/report.h"
#include "results/answer.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

int report_answers(struct report *report, struct failure *failure)
{
    for (size_t i = 0; i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        char *const text = answer_text(folder->results, report->request->level, report->style, failure);

        if (!text)
            return -1;
        if (report->nfolders > 1 && *text)
            doc_paragraph(&report->doc, "%s:", report_name(folder));
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
            doc_paragraph(&report->doc, "%.*s", (int)(end - line), line);
        free(text);
        const char *const protection = provenance_text(folder->made, "protection");
        if (protection)
            doc_paragraph(&report->doc, "%s", protection);
    }
    return 0;
}

int report_answers_json(struct report *report, struct failure *failure)
{
    cJSON *const list = cJSON_CreateArray();

    for (size_t i = 0; i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        cJSON *const object = answer_json(folder->results, report->request->level, report->style, failure);
        if (!object) {
            cJSON_Delete(list);
            return -1;
        }
        json_add(object, "experiment=%s", report_name(folder));
        cJSON_AddItemToArray(list, object);
    }
    json_print(list);
    return 0;
}

int report_answer(const char *folder, FILE *out, struct failure *failure)
{
    const struct request request = {.level = 0.05};
    struct report report = {.request = &request, .doc = {.out = out, .plain = true}};
    char *path = xstrdup(folder);
    int result = report_open(&report, &path, 1, failure);

    if (result == 0)
        result = report_answers(&report, failure);
    report_close(&report);
    free(path);
    return result;
}
