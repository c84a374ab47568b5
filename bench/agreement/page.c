/* page.c - the page of agreement: what the paper states and whether it holds; every comparison where it is asked for.
 */
#include "agreement/agreement.h"
#include "run/provenance.h"
#include "support/document.h"
#include "support/memory.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell of a Markdown table. */
static void write_cell(FILE *out, const char *text)
{
    fputs("| ", out);
    markdown_text(out, text, false);
    putc(' ', out);
}

/* The last cell: the verdict, with the number of its note. NULL: no row. */
static void write_verdict(const struct agreement_row *row, FILE *out)
{
    const char *const verdict = row ? agreement_verdict(row) : "not run";
    const bool plain = strcmp(verdict, "agrees") == 0;

    fprintf(out, "| %s%s%s", plain ? "" : "**", verdict, plain ? "" : "**");
    if (row && row->note > 0)
        fprintf(out, " [%zu](#note-%zu)", row->note, row->note);
    fputs(" |\n", out);
}

static void write_z(FILE *out, double z)
{
    if (isnan(z))
        fputs("|  ", out);
    else if (fabs(z) >= 1000)
        fprintf(out, "| %s1000 ", z > 0 ? "> +" : "< -");
    else
        fprintf(out, "| %+.1f ", z);
}

static void write_row(const struct agreement_row *row, FILE *out)
{
    write_cell(out, row->claim->place);
    write_cell(out, row->data);
    fputs(row->is_aside ? "(other setting)" : "", out);
    write_cell(out, row->claim->text);
    if (row->claim->variant[0])
        fprintf(out, "(%s) ", row->claim->variant);
    write_cell(out, row->claim->paper);
    write_cell(out, row->claim->ours);
    write_cell(out, row->answer.measured);
    write_z(out, row->is_run ? row->answer.z : NAN);
    write_verdict(row, out);
}

static void write_table(const struct agreement *agreement, bool evidence, FILE *out)
{
    fputs("| place | data | claim | the paper | read as | measured | z | verdict |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < agreement->nrows; i++)
        if (agreement->row[i].claim->is_evidence == evidence)
            write_row(&agreement->row[i], out);
    putc('\n', out);
}

/* ---- sentences ---- */

static size_t count_sentences(const struct agreement *agreement, const char *verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < agreement->statements->nsentences; i++)
        count += !agreement->statements->sentence[i].is_evidence &&
                 (!verdict || strcmp(agreement_sentence(agreement, i).verdict, verdict) == 0);
    return count;
}

static bool has_evidence(const struct agreement *agreement)
{
    for (size_t i = 0; i < agreement->nrows; i++)
        if (agreement->row[i].claim->is_evidence)
            return true;
    return false;
}

/* Whether a row has no note, or one that says that the reason is not known. */
static bool is_unexplained(const struct agreement *agreement, size_t note)
{
    static const char word[] = "Unexplained";

    return note == 0 || strncmp(agreement->note[note - 1]->text, word, sizeof word - 1) == 0;
}

static void write_tally(const struct agreement *agreement, FILE *out)
{
    const cJSON *const whole = cJSON_GetObjectItemCaseSensitive(agreement->statements->root, "whole");
    const size_t undecided = count_sentences(agreement, "undecided"), equal = count_sentences(agreement, "equal"),
                 missing = count_sentences(agreement, "not run");
    size_t unexplained = 0;

    for (size_t i = 0; i < agreement->statements->nsentences; i++) {
        const struct sentence_answer answer = agreement_sentence(agreement, i);

        unexplained += strcmp(answer.verdict, "differs") == 0 && is_unexplained(agreement, answer.hardest->note) &&
                       !agreement->statements->sentence[i].is_evidence;
    }
    fputs("Do the statements of this paper hold when they are measured again? ", out);
    const size_t all = count_sentences(agreement, NULL), agree = count_sentences(agreement, "agrees"),
                 differ = count_sentences(agreement, "differs");
    fprintf(out, "**Of %zu statement%s of the paper %zu agree%s with what is measured here and %zu differ%s", all,
            all == 1 ? "" : "s", agree, agree == 1 ? "s" : "", differ, differ == 1 ? "s" : "");
    if (equal > 0)
        fprintf(out, "; %zu %s about a difference below 1 %%", equal, equal == 1 ? "is" : "are");
    if (undecided > 0)
        fprintf(out, "; %zu %s undecided", undecided, undecided == 1 ? "is" : "are");
    if (missing > 0)
        fprintf(out, "; %zu %s not run", missing, missing == 1 ? "was" : "were");
    fputs(".**", out);
    if (undecided > 0)
        fputs(" `PATIENCE=1 make agreement` repeats what is undecided until it is decided.", out);
    if (unexplained > 0)
        fprintf(out, " The reason for %zu of the differences is not known.", unexplained);
    fputs("\n\n", out);
    if (cJSON_IsString(whole))
        fprintf(out, "%s\n\n", whole->valuestring);
}

/* Up to three statements that differ, in the order of the file's key "important". */
static void write_important(const struct agreement *agreement, FILE *out)
{
    const struct statements *const statements = agreement->statements;
    const cJSON *item;
    int count = 0;

    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(statements->root, "important"))
    {
        for (size_t i = 0; count < 3 && i < statements->nsentences; i++) {
            const struct sentence_answer answer = agreement_sentence(agreement, i);
            const size_t note = answer.hardest ? answer.hardest->note : 0;

            if (strcmp(statements->sentence[i].id, cJSON_GetStringValue(item)) != 0 ||
                strcmp(answer.verdict, "differs") != 0)
                continue;
            fprintf(out, "%sDiffers: *%s* (%s).", count++ > 0 ? "\n" : "", statements->sentence[i].text,
                    statements->sentence[i].place);
            fprintf(out, " Measured: %s.%s%s\n", answer.hardest->answer.measured, note > 0 ? " " : "",
                    note > 0 ? agreement->note[note - 1]->text : "");
        }
    }
    if (count > 0)
        putc('\n', out);
}

/* A law by its parameters, or one that stands in for a file. */
static bool is_law(const char *data)
{
    return strpbrk(data, "(-") != NULL || strcmp(data, "uniform") == 0;
}

/* The datasets of the rows, each once: those of files, or laws. none: what to say where there are none. */
static void write_datasets(const struct agreement *agreement, bool laws, const char *begin, const char *none, FILE *out)
{
    const char *separator = begin;

    for (size_t i = 0; i < agreement->nrows; i++) {
        const char *const data = agreement->row[i].data;
        size_t first = 0;

        while (strcmp(agreement->row[first].data, data) != 0)
            first++;
        if (first < i || !data[0] || is_law(data) != laws)
            continue;
        fprintf(out, "%s%s", separator, data);
        separator = ", ";
    }
    fputs(separator[0] == ',' ? "." : none, out);
}

static void write_data(const struct agreement *agreement, FILE *out)
{
    bool has_model = false;

    for (size_t i = 0; i < agreement->nrows; i++)
        has_model = has_model || strstr(agreement->row[i].data, "-model") != NULL;
    write_datasets(agreement, false, "This page was made with the data files of ",
                   "This page was made without data files.", out);
    write_datasets(agreement, true, " Laws: ", "", out);
    fputs(has_model ? " Those that end in -model stand in for data files, with which other rows are judged.\n\n"
                    : "\n\n",
          out);
}

static void write_sentence(const struct agreement *agreement, size_t index, FILE *out)
{
    const struct sentence *const sentence = &agreement->statements->sentence[index];
    const struct sentence_answer answer = agreement_sentence(agreement, index);

    write_cell(out, sentence->place);
    write_cell(out, sentence->text);
    write_cell(out, answer.hardest ? answer.hardest->claim->paper : sentence->paper);
    write_cell(out, answer.hardest ? answer.hardest->claim->ours : "");
    if (answer.rows > 1)
        fprintf(out, "| %zu of %zu comparisons agree; the hardest: ", answer.agreeing, answer.rows);
    else
        fputs("| ", out);
    if (answer.hardest)
        markdown_text(out, answer.hardest->answer.measured, false);
    putc(' ', out);
    write_verdict(answer.hardest, out);
}

static void write_sentences(const struct agreement *agreement, FILE *out)
{
    fputs("| place | statement | the paper | read as | measured | verdict |\n|---|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < agreement->statements->nsentences; i++)
        if (!agreement->statements->sentence[i].is_evidence)
            write_sentence(agreement, i, out);
    putc('\n', out);
}

static const char *origin_text(const struct results_origin *origin, const char *key)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(origin->run, key));

    return text ? text : "";
}

/* Repetitions of a cell, version and commit of a result folder. */
static char *origin_made(const struct results_origin *origin)
{
    uint64_t repetitions = 0;

    provenance_whole(origin->provenance, "repetitions", &repetitions);
    return xformat("%" PRIu64 " | %s | %s", repetitions, origin_text(origin, "version"), origin_text(origin, "commit"));
}

/* A line for results[j] and those after it that differ from it by their seeds alone, whose texts are taken away. */
static void write_source(const struct run *run, char **made, size_t j, FILE *out)
{
    uint64_t seed = 0, first = UINT64_MAX, last = 0;
    size_t alike = 0;

    for (size_t k = run->nfound; k-- > j;) {
        if (!made[k] || strcmp(made[k], made[j]) != 0)
            continue;
        provenance_whole(results_origin(run->found[k].results)->provenance, "seed", &seed);
        first = seed < first ? seed : first;
        last = seed > last ? seed : last;
        alike++;
        if (k > j) {
            free(made[k]);
            made[k] = NULL;
        }
    }
    fprintf(out, "| [%s](../configs/%s.json) | %" PRIu64, run->name, run->name, first);
    if (alike > 1)
        fprintf(out, " to %" PRIu64 ", %zu runs", last, alike);
    fprintf(out, " | %s |\n", made[j]);
}

static void write_sources(const struct agreement *agreement, FILE *out)
{
    fputs("| config | seed | repetitions | version | commit |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < agreement->evidence->runs; i++) {
        const struct run *const run = &agreement->evidence->run[i];
        char **const made = xcalloc(run->nfound + 1, sizeof *made);

        for (size_t j = 0; j < run->nfound; j++)
            made[j] = origin_made(results_origin(run->found[j].results));
        for (size_t j = 0; j < run->nfound; j++)
            if (made[j])
                write_source(run, made, j, out);
        for (size_t j = 0; j < run->nfound; j++)
            free(made[j]);
        free(made);
    }
    putc('\n', out);
}

static const char rules[] =
    "A statement agrees if all comparisons in the paper's own setting agree, and differs if one of them does. Other\n"
    "settings (other data, variants of an oracle, unclipped estimates) do not count.\n\n"
    "Methods are compared on the same collections, so differences and ratios are paired over repetitions. There are\n"
    "thousands of comparisons, so four standard errors decide. Verdicts are **agrees** (beyond four standard errors in\n"
    "favour), **differs** (beyond four against), **equal** (the effect is shown to be below 1 %), **undecided** (more\n"
    "repetitions are needed). A comparison at several points differs if one point does, and agrees only if every point\n"
    "is decided. The column *the paper* holds what the paper prints or says, *read as* how we interpret it.\n\n";

/* The effect of one change: the verdicts of the claims that a note names. */
static void write_counterfactual(const struct agreement *agreement, const char *pattern, FILE *out)
{
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];

        if (row->is_aside || !pattern_matches(pattern, row->claim->id))
            continue;
        fprintf(out, " With one change, *%s* (%s): %s, %s.", row->claim->text, row->data, row->answer.measured,
                agreement_verdict(row));
    }
}

static void write_notes(const struct agreement *agreement, FILE *out)
{
    if (agreement->nnotes > 0)
        fputs("## Notes\n\n", out);
    for (size_t i = 0; i < agreement->nnotes; i++) {
        fprintf(out, "<a id=\"note-%zu\"></a>%zu. %s", i + 1, i + 1, agreement->note[i]->text);
        write_counterfactual(agreement, agreement->note[i]->counterfactual, out);
        fputs("\n\n", out);
    }
}

/* Statements of the paper that nothing here can be held against, and why. */
static void write_unchecked(const struct agreement *agreement, FILE *out)
{
    static const char *const columns[] = {"place", "statement", "why"};
    const cJSON *const unchecked = cJSON_GetObjectItemCaseSensitive(agreement->statements->root, "unchecked"), *item;

    if (cJSON_GetArraySize(unchecked) == 0)
        return;
    fputs("## Statements that are not compared\n\n| place | statement | why |\n|---|---|---|\n", out);
    cJSON_ArrayForEach(item, unchecked)
    {
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
            const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, columns[i]));

            write_cell(out, text ? text : "");
        }
        fputs("|\n", out);
    }
    putc('\n', out);
}

static void write_about(const struct agreement *agreement, FILE *out)
{
    const cJSON *line;

    cJSON_ArrayForEach(line, cJSON_GetObjectItemCaseSensitive(agreement->statements->root, "about"))
    {
        if (cJSON_IsString(line))
            fprintf(out, "- %s\n", line->valuestring);
    }
    putc('\n', out);
}

static void write_comparisons(const struct agreement *agreement, FILE *out)
{
    fputs("## Every comparison\n\nA *z* is a difference in standard errors.\n\n", out);
    write_table(agreement, false, out);
    if (has_evidence(agreement)) {
        fputs(
            "Numbers that the notes refer to, and those of an independent simulation: no statements of the paper.\n\n",
            out);
        write_table(agreement, true, out);
    }
}

void agreement_write_page(const struct agreement *agreement, bool whole, FILE *out)
{
    fprintf(out, "# Agreement with %s\n\n", agreement->statements->paper);
    write_tally(agreement, out);
    write_important(agreement, out);
    write_data(agreement, out);
    fprintf(out,
            "The paper: %s. `scripts/agreement.sh` makes this page from `papers/`: every measured number and\n"
            "every verdict. What the paper says and the notes are written by hand.\n\n## What the paper states\n\n",
            agreement->statements->citation);
    write_sentences(agreement, out);
    write_notes(agreement, out);
    write_unchecked(agreement, out);
    fputs("## How to read this page\n\n", out);
    write_about(agreement, out);
    fputs(rules, out);
    if (!whole)
        fprintf(out,
                "`ldpbench check --all` adds a table of all %zu comparisons, with those in other settings.\n\n",
                agreement->nrows);
    if (whole)
        write_comparisons(agreement, out);
    fputs("## What was run\n\n", out);
    write_sources(agreement, out);
}
