/* agreement.c - see agreement.h. */
#include "agreement/agreement.h"

#include "support/memory.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const results[] = {
    [AGREES] = "agrees", [EQUAL] = "equal", [INCONCLUSIVE] = "inconclusive", [DIFFERS] = "differs"};

/* The note under a row, numbered in order of first use. */
static void find_note(struct agreement *agreement, struct agreement_row *row)
{
    const cJSON *note;

    cJSON_ArrayForEach(note, cJSON_GetObjectItemCaseSensitive(agreement->statements->root, "notes"))
    {
        const char *const when = statement_text(note, "when", "always");

        if (!pattern_matches(statement_text(note, "claim", ""), row->claim->id) ||
            !pattern_matches(statement_text(note, "data", "*"), row->data) ||
            (strcmp(when, "always") != 0 && strcmp(when, agreement_result(row)) != 0))
            continue;
        for (row->note = 1; row->note <= agreement->nnotes; row->note++)
            if (agreement->note[row->note - 1] == note)
                return;
        *ARRAY_ADD(agreement->note, agreement->nnotes, agreement->note_room) = note;
        return;
    }
}

/* A row of a claim; dataset "": its run has no results. */
static int judge_row(struct agreement *agreement, const struct claim *claim, const char *dataset,
                     struct failure *failure)
{
    struct agreement_row *const row = ARRAY_ADD(agreement->row, agreement->nrows, agreement->row_room);

    *row = (struct agreement_row){.claim = claim, .data = dataset, .answer = {.z = NAN}};
    if (!*dataset)
        return 0;
    row->is_run = claim_judge(agreement, claim, dataset, &row->answer, failure) == 0;
    if (!row->is_run && failure->status != EXIT_BAD_INPUT)
        return -1;
    if (!row->is_run) /* the results lack numbers that the claim asks for */
        row->answer.measured = xstrdup(failure->text);
    find_note(agreement, row);
    return 0;
}

/* The first of a sentence's own patterns that a row of it has; NULL: it is about every dataset. */
static const cJSON *own_pattern(const struct agreement *agreement, size_t sentence)
{
    const cJSON *pattern;

    cJSON_ArrayForEach(pattern, agreement->statements->sentence[sentence].own_data)
    {
        for (size_t i = 0; i < agreement->nrows; i++)
            if (agreement->row[i].claim->sentence == sentence && data_matches(pattern, agreement->row[i].data))
                return pattern;
    }
    return NULL;
}

/* A sentence by its rows: those of other settings than the paper's (variants, data that the paper does not have) do not
 * count. */
static struct sentence_answer judge_sentence(struct agreement *agreement, size_t sentence)
{
    struct sentence_answer answer = {.result = "not run"};
    const cJSON *const own = own_pattern(agreement, sentence);
    const struct agreement_row *of[DIFFERS + 1] = {NULL};
    struct tally tally = {0};

    for (size_t i = 0; i < agreement->nrows; i++) {
        struct agreement_row *const row = &agreement->row[i];
        const enum claim_result result = row->answer.result;

        if (row->claim->sentence != sentence)
            continue;
        row->is_aside = row->claim->is_aside || !data_matches(own, row->data);
        if (row->is_aside)
            continue;
        answer.rows++;
        if (!row->is_run) {
            answer.hardest = row;
            continue;
        }
        tally.n[result]++;
        answer.is_unexplained |= result == DIFFERS && row->note == 0;
        of[result] = of[result] ? of[result] : row;
    }
    answer.agreeing = tally.n[AGREES];
    if (answer.rows > 0 && (!answer.hardest || tally.n[DIFFERS] > 0)) {
        answer.hardest = of[tally_result(&tally)];
        answer.result = results[tally_result(&tally)];
    }
    return answer;
}

int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure)
{
    *out = (struct agreement){.statements = statements,
                              .evidence = evidence,
                              .sentence = xcalloc(statements->nsentences, sizeof *out->sentence)};
    for (size_t i = 0; i < statements->nclaims; i++) {
        const struct claim *const claim = &statements->claim[i];
        const struct evidence_run *const run = evidence_run(evidence, claim->run, failure);

        if (!run)
            return -1;
        if (run->datasets.count == 0)
            judge_row(out, claim, "", failure);
        for (size_t j = 0; j < run->datasets.count; j++)
            if (data_matches(cJSON_GetObjectItemCaseSensitive(claim->node, "data"), run->datasets.text[j]) &&
                judge_row(out, claim, run->datasets.text[j], failure) != 0)
                return -1;
    }
    for (size_t s = 0; s < statements->nsentences; s++) {
        out->sentence[s] = judge_sentence(out, s);
        out->unexplained += !statements->sentence[s].is_evidence && out->sentence[s].is_unexplained;
    }
    return 0;
}

void agreement_clear(struct agreement *agreement)
{
    for (size_t i = 0; i < agreement->nrows; i++)
        free(agreement->row[i].answer.measured);
    free(agreement->row);
    free(agreement->note);
    free(agreement->sentence);
    *agreement = (struct agreement){0};
}

const char *agreement_result(const struct agreement_row *row)
{
    return row->is_run ? results[row->answer.result] : "not run";
}
