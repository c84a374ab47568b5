/* agreement_page.c - how an agreement is printed: what the paper states and whether it holds; every comparison where it
 * is asked for, or where programs read. */
#include "agreement/agreement.h"
#include "run/provenance.h"
#include "support/memory.h"
#include "support/sheet.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)

static const cJSON *member(const struct agreement *agreement, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(agreement->statements->root, key);
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

static void say_tally(const struct agreement *agreement, struct sheet *sheet)
{
    static const char *const others[][3] = {
        {"equal", "is about a difference below 1 %", "are about differences below 1 %"},
        {"undecided", "is undecided", "are undecided"},
        {"not run", "was not run", "were not run"}};
    const size_t all = count_sentences(agreement, NULL), agree = count_sentences(agreement, "agrees"),
                 differ = count_sentences(agreement, "differs"), unexplained = agreement_unexplained(agreement);
    struct buffer text = {0};

    buffer_format(&text, "Of %zu statement%s of the paper %zu agree%s with what is measured here and %zu differ%s", all,
                  all == 1 ? "" : "s", agree, agree == 1 ? "s" : "", differ, differ == 1 ? "s" : "");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t count = count_sentences(agreement, others[i][0]);

        if (count > 0)
            buffer_format(&text, "; %zu %s", count, others[i][count == 1 ? 1 : 2]);
    }
    buffer_add(&text, ".");
    if (unexplained > 0)
        buffer_format(&text, " The reason for %zu of the differences is not known.", unexplained);
    sheet_say(sheet, "%s", text.text);
    sheet_facts(sheet, "statements=%zu agree=%zu differ=%zu", all, agree, differ);
    buffer_clear(&text);
}

/* Up to three statements that differ, in the order of the file's key "important". */
static void say_important(const struct agreement *agreement, struct sheet *sheet)
{
    const struct statements *const statements = agreement->statements;
    const cJSON *item;
    int count = 0;

    cJSON_ArrayForEach(item, member(agreement, "important"))
    {
        for (size_t i = 0; count < 3 && i < statements->nsentences; i++) {
            const struct sentence_answer answer = agreement_sentence(agreement, i);
            const size_t note = answer.hardest ? answer.hardest->note : 0;

            if (strcmp(statements->sentence[i].id, cJSON_GetStringValue(item)) != 0 ||
                strcmp(answer.verdict, "differs") != 0)
                continue;
            sheet_item(sheet, "Differs: %s (%s). Measured: %s.%s%s", statements->sentence[i].text,
                       statements->sentence[i].place, answer.hardest->answer.measured, note > 0 ? " " : "",
                       note > 0 ? agreement->note[note - 1]->text : "");
            count++;
        }
    }
}

static void say_data(const struct agreement *agreement, struct sheet *sheet)
{
    struct buffer text = {0};

    for (size_t i = 0; i < agreement->nrows; i++) {
        const char *const data = agreement->row[i].data;
        size_t first = 0;

        while (strcmp(agreement->row[first].data, data) != 0)
            first++;
        if (first == i && data[0])
            buffer_format(&text, "%s%s", text.length > 0 ? ", " : "", data);
    }
    if (text.length > 0)
        sheet_say(sheet, "Data: %s.%s", text.text,
                  strstr(text.text, "-model") ? " Those that end in -model stand in for data files." : "");
    buffer_clear(&text);
}

static void put_sentences(const struct agreement *agreement, struct sheet *sheet)
{
    static const struct sheet_column columns[] = {{"id", NULL, .digits = 0},
                                                  {"place", "place", .digits = 0},
                                                  {"statement", "statement", .digits = 0},
                                                  {"verdict", "verdict", .digits = 0},
                                                  {"measured", "measured", .digits = 0},
                                                  {"paper", "the paper", .digits = 0},
                                                  {"ours", "read as", .digits = 0},
                                                  {"note", "note", .digits = 0}};

    sheet_table(sheet, "statements", "What the paper states", COLUMNS(columns));
    for (size_t i = 0; i < agreement->statements->nsentences; i++) {
        const struct sentence *const sentence = &agreement->statements->sentence[i];
        const struct sentence_answer answer = agreement_sentence(agreement, i);
        const struct agreement_row *const hardest = answer.hardest;
        const char *const text = hardest ? hardest->answer.measured : NULL;
        char *const measured = answer.rows > 1 ? xformat("%zu of %zu comparisons agree; the hardest: %s",
                                                         answer.agreeing, answer.rows, text ? text : "")
                                               : xstrdup(text ? text : "");

        if (!sentence->is_evidence) {
            sheet_row(sheet, "ttttttt", sentence->id, sentence->place, sentence->text, answer.verdict, measured,
                      hardest ? hardest->claim->paper : sentence->paper, hardest ? hardest->claim->ours : "");
            sheet_case(sheet, agreement->statements->paper, sentence->text,
                       answer.is_unexplained                   ? SHEET_FAILED
                       : strcmp(answer.verdict, "agrees") == 0 ? SHEET_PASSED
                                                               : SHEET_SKIPPED,
                       *measured ? measured : answer.verdict);
            if (hardest && hardest->note > 0)
                sheet_number(sheet, (double)hardest->note);
            sheet_row_end(sheet);
        }
        free(measured);
    }
}

/* ---- notes, rules ---- */

/* A note with the effect of one change: the verdicts of the claims that it names. */
static char *note_text(const struct agreement *agreement, const struct note *note)
{
    struct buffer text = {0};

    buffer_add(&text, note->text);
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];

        if (!row->is_aside && pattern_matches(note->counterfactual, row->claim->id))
            buffer_format(&text, " With one change, \"%s\" (%s): %s, %s.", row->claim->text, row->data,
                          row->answer.measured ? row->answer.measured : "", agreement_verdict(row));
    }
    return buffer_take(&text);
}

static void put_notes(const struct agreement *agreement, struct sheet *sheet)
{
    static const struct sheet_column columns[] = {{"note", "note", .digits = 0}, {"text", "text", .digits = 0}};

    if (agreement->nnotes > 0)
        sheet_table(sheet, "notes", "Notes", COLUMNS(columns));
    for (size_t i = 0; i < agreement->nnotes; i++) {
        char *const text = note_text(agreement, agreement->note[i]);

        sheet_number(sheet, (double)i + 1);
        sheet_text(sheet, text);
        free(text);
    }
}

/* Statements of the paper that nothing here can be held against, and why. */
static void put_unchecked(const struct agreement *agreement, struct sheet *sheet)
{
    static const struct sheet_column columns[] = {
        {"place", "place", .digits = 0}, {"statement", "statement", .digits = 0}, {"why", "why", .digits = 0}};
    const cJSON *const unchecked = member(agreement, "unchecked"), *item;

    if (cJSON_GetArraySize(unchecked) > 0)
        sheet_table(sheet, "unchecked", "Statements that are not compared", COLUMNS(columns));
    cJSON_ArrayForEach(item, unchecked)
    {
        for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
            sheet_text(sheet, statement_text(item, columns[i].key, ""));
    }
}

static void say_rules(const struct agreement *agreement, struct sheet *sheet)
{
    const cJSON *line;

    sheet_say(sheet,
              "The paper: %s. Measured numbers and verdicts are computed; what the paper says and the notes are "
              "written by hand.",
              agreement->statements->citation);
    sheet_say(sheet,
              "A statement agrees if all comparisons in the paper's own setting agree, and differs if one of them "
              "does. Other settings (other data, variants of an oracle, unclipped estimates) do not count. Methods "
              "are compared on the same collections, in pairs of repetitions. There are thousands of comparisons, so "
              "four standard errors decide: for (agrees) or against (differs). Equal: the effect is shown to be below "
              "1 %%. Undecided: more repetitions are needed. A comparison at several points differs if one point does, "
              "and agrees only if every point is decided. \"The paper\" is what it prints or says, \"read as\" how we "
              "interpret it.");
    cJSON_ArrayForEach(line, member(agreement, "about"))
    {
        sheet_item(sheet, "%s", cJSON_GetStringValue(line));
    }
}

/* ---- every comparison ---- */

static void put_claims(const struct agreement *agreement, struct sheet *sheet)
{
    static const struct sheet_column columns[] = {
        {"claim", NULL, .digits = 0},          {"data", "data", .digits = 0},
        {"variant", "variant", .digits = 0},   {"verdict", NULL, .digits = 0},
        {"setting", "setting", .digits = 0},   {"run", NULL, .digits = 0},
        {"statement", NULL, .digits = 0},      {"z", NULL, .digits = 4},
        {"place", "place", .digits = 0},       {"text", "claim", .digits = 0},
        {"paper", "the paper", .digits = 0},   {"ours", "read as", .digits = 0},
        {"measured", "measured", .digits = 0}, {NULL, "z", .digits = -1},
        {NULL, "verdict", .digits = 0}};

    sheet_table(sheet, "claims", "Every comparison", COLUMNS(columns));
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];
        const struct claim *const claim = row->claim;

        const char *const verdict = agreement_verdict(row);

        sheet_row(sheet, "tttttttn", claim->id, row->data, claim->variant, verdict,
                  claim->is_evidence ? "for a note"
                  : row->is_aside    ? "other"
                                     : "own",
                  claim->run, agreement_sentence(agreement, claim->sentence).verdict, row->answer.z);
        sheet_row(sheet, "tttttnt", claim->place, claim->text, claim->paper, claim->ours, row->answer.measured,
                  row->answer.z, verdict);
    }
}

/* ---- runs ---- */

static uint64_t whole_of(const struct found *found, const char *key)
{
    uint64_t value = 0;

    provenance_whole(results_origin(found->results)->provenance, key, &value);
    return value;
}

/* Whether two runs differ by their seeds alone. */
static bool same_source(const struct found *a, const struct found *b)
{
    const cJSON *const x = results_origin(a->results)->run, *const y = results_origin(b->results)->run;

    return whole_of(a, "repetitions") == whole_of(b, "repetitions") &&
           strcmp(statement_text(x, "version", ""), statement_text(y, "version", "")) == 0 &&
           strcmp(statement_text(x, "commit", ""), statement_text(y, "commit", "")) == 0;
}

/* A row for found[first] and those that differ from it by their seeds alone; none where one before is alike. */
static void put_source(const struct evidence_run *run, size_t first, struct sheet *sheet)
{
    uint64_t least = UINT64_MAX, most = 0;
    size_t count = 0;

    for (size_t k = 0; k < run->nfound; k++) {
        if (!same_source(&run->found[k], &run->found[first]))
            continue;
        if (k < first)
            return;
        const uint64_t seed = whole_of(&run->found[k], "seed");
        least = seed < least ? seed : least;
        most = seed > most ? seed : most;
        count++;
    }
    char *const seeds =
        count > 1 ? xformat("%" PRIu64 " to %" PRIu64 ", %zu runs", least, most, count) : xformat("%" PRIu64, least);
    const cJSON *const origin = results_origin(run->found[first].results)->run;

    sheet_row(sheet, "ttutt", run->name, seeds, (size_t)whole_of(&run->found[first], "repetitions"),
              statement_text(origin, "version", ""), statement_text(origin, "commit", ""));
    free(seeds);
}

static void put_sources(const struct agreement *agreement, struct sheet *sheet)
{
    static const struct sheet_column columns[] = {{"config", "config", .digits = 0},
                                                  {"seed", "seed", .digits = 0},
                                                  {"repetitions", "repetitions", .digits = 0},
                                                  {"version", "version", .digits = 0},
                                                  {"commit", "commit", .digits = 0}};

    sheet_table(sheet, "runs", "What was run", COLUMNS(columns));
    for (size_t i = 0; i < agreement->evidence->runs; i++)
        for (size_t j = 0; j < agreement->evidence->run[i].nfound; j++)
            put_source(&agreement->evidence->run[i], j, sheet);
}

void agreement_print(const struct agreement *agreement, bool whole, enum format format, FILE *out)
{
    struct sheet sheet = sheet_begin(out, format);
    const char *const claims = cJSON_GetStringValue(member(agreement, "whole"));

    sheet_answer(&sheet, "Agreement with %s", agreement->statements->paper);
    sheet_facts(&sheet, "paper=%s", agreement->statements->paper);
    say_tally(agreement, &sheet);
    if (claims)
        sheet_say(&sheet, "%s", claims);
    say_important(agreement, &sheet);
    say_data(agreement, &sheet);
    say_rules(agreement, &sheet);
    if (whole || sheet_has_all(&sheet))
        put_claims(agreement, &sheet);
    put_sentences(agreement, &sheet);
    put_notes(agreement, &sheet);
    put_unchecked(agreement, &sheet);
    put_sources(agreement, &sheet);
    sheet_end(&sheet);
}
