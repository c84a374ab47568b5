/* report_answer.c - the first sentences of a report. */
#include "commands/report.h"
#include "results/answer.h"
#include "results/page.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

static void write_name(FILE *out, const char *name, bool lines)
{
    char *const text = xformat("%s:", name);

    if (lines)
        fprintf(out, "%s\n", text);
    else
        page_paragraph(out, text);
    free(text);
}

int report_answers(const struct report *report, FILE *out, bool lines, struct failure *failure)
{
    for (size_t i = 0; i < report->nfolders; i++) {
        const struct folder *const folder = &report->folder[i];
        char *const text = answer_text(folder->results, report->request->level, report->style, failure);

        if (!text)
            return -1;
        if (report->nfolders > 1 && *text)
            write_name(out, report_name(folder), lines);
        if (lines)
            fputs(text, out);
        for (char *line = text, *end; !lines && (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            page_paragraph(out, line);
        }
        free(text);
    }
    return 0;
}

int report_answer(const char *folder, FILE *out, struct failure *failure)
{
    const struct request request = {.level = 0.05, .text = true};
    struct report report = {.request = &request};
    char *path = xstrdup(folder);
    int result = report_open(&report, &path, 1, failure);

    if (result == 0)
        result = report_answers(&report, out, true, failure);
    report_close(&report);
    free(path);
    return result;
}
