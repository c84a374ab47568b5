/* agreement_page.c - how an agreement is printed: what the paper states and whether it holds; every comparison where it
 * is asked for, or where programs read. */
#include "agreement/agreement.h"
#include "run/provenance.h"
#include "support/index_map.h"
#include "support/memory.h"
#include "support/sheet.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)
#define TEXT(name, title) ((struct sheet_column){.key = (name), .heading = (title)})

static const cJSON *member(const struct agreement *agreement, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(agreement->statements->root, key);
}

static const char *text_of(const struct agreement *agreement, const char *key)
{
    return statement_text(agreement->statements->root, key, NULL);
}

/* ---- sentences ---- */

/* How many sentences have that result; NULL: any. */
static size_t count_sentences(const struct agreement *agreement, const char *result)
{
    size_t count = 0;

    for (size_t i = 0; i < agreement->statements->nsentences; i++)
        count += !agreement->statements->sentence[i].is_evidence &&
                 (!result || strcmp(agreement->sentence[i].result, result) == 0);
    return count;
}

static void say_tally(const struct agreement *agreement, struct sheet *sheet)
{
    static const char *const others[][3] = {
        {"equal", "is about a difference below 1 %", "are about differences below 1 %"},
        {"inconclusive", "is inconclusive", "are inconclusive"},
        {"not run", "was not run", "were not run"}};
    const size_t all = count_sentences(agreement, NULL), agree = count_sentences(agreement, "agrees"),
                 differ = count_sentences(agreement, "differs");
    struct buffer text = {0};

    buffer_format(&text, "Of %s of the paper %zu agree%s with what is measured here and %zu differ%s",
                  COUNTED(all, "statement"), agree, agree == 1 ? "s" : "", differ, differ == 1 ? "s" : "");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const size_t count = count_sentences(agreement, others[i][0]);

        if (count > 0)
            buffer_format(&text, "; %zu %s", count, others[i][count == 1 ? 1 : 2]);
    }
    buffer_add(&text, ".");
    if (agreement->unexplained > 0)
        buffer_format(&text, " The reason for %zu of the differences is not known.", agreement->unexplained);
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
        for (size_t i = 0; i < statements->nsentences; i++) {
            const struct sentence_answer *const answer = &agreement->sentence[i];

            if (strcmp(statements->sentence[i].id, item->valuestring) != 0 || strcmp(answer->result, "differs") != 0 ||
                ++count > 3)
                continue;
            const size_t note = answer->hardest->note;
            sheet_item(sheet, "Differs: %s (%s). Measured: %s.%s%s", statements->sentence[i].text,
                       statements->sentence[i].place, answer->hardest->answer.measured, note > 0 ? " " : "",
                       note > 0 ? statement_text(agreement->note[note - 1], "text", "") : "");
        }
    }
}

static void say_data(const struct agreement *agreement, struct sheet *sheet)
{
    struct interned data = {0};
    struct buffer text = {0};

    for (size_t i = 0; i < agreement->nrows; i++)
        if (agreement->row[i].data[0])
            intern(&data, agreement->row[i].data);
    for (size_t i = 0; i < data.count; i++)
        buffer_format(&text, "%s%s", i > 0 ? ", " : "", data.text[i]);
    if (data.count > 0)
        sheet_say(sheet, "Data: %s.%s", text.text,
                  strstr(text.text, "-model") ? " Those that end in -model stand in for data files." : "");
    interned_clear(&data);
    buffer_clear(&text);
}

static void put_sentences(const struct agreement *agreement, struct sheet *sheet)
{
    const struct sheet_column columns[] = {
        TEXT("id", NULL),           TEXT("place", "place"),       TEXT("statement", "statement"),
        TEXT("verdict", "verdict"), TEXT("measured", "measured"), TEXT("paper", "the paper"),
        TEXT("ours", "read as"),    TEXT("note", "note")};

    sheet_table(sheet, "statements", "What the paper states", COLUMNS(columns));
    for (size_t i = 0; i < agreement->statements->nsentences; i++) {
        const struct sentence *const sentence = &agreement->statements->sentence[i];
        const struct sentence_answer *const answer = &agreement->sentence[i];
        const struct agreement_row *const hardest = answer->hardest;
        const char *const text = hardest && hardest->answer.measured ? hardest->answer.measured : "";

        if (sentence->is_evidence)
            continue;
        char *const measured = answer->rows > 1 ? xformat("%zu of %zu comparisons agree; the hardest: %s",
                                                          answer->agreeing, answer->rows, text)
                                                : xstrdup(text);
        sheet_row(sheet, "ttttttt", sentence->id, sentence->place, sentence->text, answer->result, measured,
                  hardest ? hardest->claim->paper : sentence->paper,
                  hardest ? statement_text(hardest->claim->node, "ours", "") : "");
        sheet_case(sheet, text_of(agreement, "paper"), sentence->text,
                   answer->is_unexplained                  ? SHEET_FAILED
                   : strcmp(answer->result, "agrees") == 0 ? SHEET_PASSED
                                                           : SHEET_SKIPPED,
                   *measured ? measured : answer->result);
        if (hardest && hardest->note > 0)
            sheet_number(sheet, (double)hardest->note);
        sheet_row_end(sheet);
        free(measured);
    }
}

/* ---- notes, rules ---- */

/* Notes, with the effect of one change: the results of the claims that they name. */
static void put_notes(const struct agreement *agreement, struct sheet *sheet)
{
    const struct sheet_column columns[] = {TEXT("note", "note"), TEXT("text", "text")};

    if (agreement->nnotes > 0)
        sheet_table(sheet, "notes", "Notes", COLUMNS(columns));
    for (size_t n = 0; n < agreement->nnotes; n++) {
        const char *const claims = statement_text(agreement->note[n], "counterfactual", "");
        struct buffer text = {0};

        buffer_add(&text, statement_text(agreement->note[n], "text", ""));
        for (size_t i = 0; i < agreement->nrows; i++) {
            const struct agreement_row *const row = &agreement->row[i];

            if (!row->is_aside && pattern_matches(claims, row->claim->id))
                buffer_format(&text, " With one change, \"%s\" (%s): %s, %s.", row->claim->text, row->data,
                              row->answer.measured ? row->answer.measured : "", agreement_result(row));
        }
        sheet_row(sheet, "ut", n + 1, text.text);
        buffer_clear(&text);
    }
}

/* Statements of the paper that nothing here can be held against, and why. */
static void put_unchecked(const struct agreement *agreement, struct sheet *sheet)
{
    const struct sheet_column columns[] = {TEXT("place", "place"), TEXT("statement", "statement"), TEXT("why", "why")};
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
              text_of(agreement, "citation"));
    sheet_say(sheet,
              "A statement agrees if all comparisons in the paper's own setting agree, and differs if one of them "
              "does. Other settings (other data, variants of an oracle, unclipped estimates) do not count. Methods "
              "are compared on the same collections, in pairs of repetitions. There are thousands of comparisons, so "
              "four standard errors decide: for (agrees) or against (differs). Equal: the effect is shown to be below "
              "1 %%. Inconclusive: more repetitions are needed. A comparison at several points differs if one point "
              "does, and agrees only if every point is decided. \"The paper\" is what it prints or says, \"read as\" "
              "how we interpret it.");
    cJSON_ArrayForEach(line, member(agreement, "about"))
    {
        sheet_item(sheet, "%s", cJSON_GetStringValue(line));
    }
}

/* ---- every comparison ---- */

static void put_claims(const struct agreement *agreement, struct sheet *sheet)
{
    const struct sheet_column columns[] = {
        TEXT("claim", NULL),          TEXT("data", "data"),      TEXT("variant", "variant"), TEXT("verdict", NULL),
        TEXT("setting", "setting"),   TEXT("run", NULL),         TEXT("statement", NULL),    {"z", NULL, .digits = 4},
        TEXT("place", "place"),       TEXT("text", "claim"),     TEXT("paper", "the paper"), TEXT("ours", "read as"),
        TEXT("measured", "measured"), {NULL, "z", .digits = -1}, TEXT(NULL, "verdict")};

    sheet_table(sheet, "claims", "Every comparison", COLUMNS(columns));
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];
        const struct claim *const claim = row->claim;
        const char *const result = agreement_result(row);

        sheet_row(sheet, "tttttttn", claim->id, row->data, claim->variant, result,
                  claim->is_evidence ? "for a note"
                  : row->is_aside    ? "other"
                                     : "own",
                  claim->run, agreement->sentence[claim->sentence].result, row->answer.z);
        sheet_row(sheet, "tttttnt", claim->place, claim->text, claim->paper, statement_text(claim->node, "ours", ""),
                  row->answer.measured, row->answer.z, result);
    }
}

/* ---- runs ---- */

/* Each run, of which those in several folders may differ by their seeds. */
static void put_runs(const struct agreement *agreement, struct sheet *sheet)
{
    const struct sheet_column columns[] = {TEXT("config", "config"), TEXT("seed", "seed"),
                                           TEXT("repetitions", "repetitions"), TEXT("version", "version"),
                                           TEXT("commit", "commit")};

    sheet_table(sheet, "runs", "What was run", COLUMNS(columns));
    for (size_t i = 0; i < agreement->evidence->runs; i++) {
        const struct evidence_run *const run = agreement->evidence->run[i];
        uint64_t least = UINT64_MAX, most = 0, repetitions = 0;

        if (run->nfound == 0)
            continue;
        for (size_t k = 0; k < run->nfound; k++) {
            uint64_t seed = 0;

            provenance_whole(results_origin(run->results[k])->provenance, "seed", &seed);
            least = seed < least ? seed : least;
            most = seed > most ? seed : most;
        }
        const struct results_origin *const origin = results_origin(run->results[0]);
        char *const seeds = run->nfound > 1 ? xformat("%" PRIu64 " to %" PRIu64 ", %zu runs", least, most, run->nfound)
                                            : xformat("%" PRIu64, least);
        provenance_whole(origin->provenance, "repetitions", &repetitions);
        sheet_row(sheet, "ttutt", run->name, seeds, (size_t)repetitions, statement_text(origin->run, "version", ""),
                  statement_text(origin->run, "commit", ""));
        free(seeds);
    }
}

void agreement_print(const struct agreement *agreement, bool whole, enum format format, FILE *out)
{
    struct sheet sheet = sheet_begin(out, format);

    sheet_answer(&sheet, "Agreement with %s", text_of(agreement, "paper"));
    sheet_facts(&sheet, "paper=%s", text_of(agreement, "paper"));
    say_tally(agreement, &sheet);
    if (text_of(agreement, "whole"))
        sheet_say(&sheet, "%s", text_of(agreement, "whole"));
    say_important(agreement, &sheet);
    say_data(agreement, &sheet);
    say_rules(agreement, &sheet);
    if (whole || sheet_has_all(&sheet))
        put_claims(agreement, &sheet);
    put_sentences(agreement, &sheet);
    put_notes(agreement, &sheet);
    put_unchecked(agreement, &sheet);
    put_runs(agreement, &sheet);
    sheet_end(&sheet);
}
