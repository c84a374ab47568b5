/* agreement.c - see agreement.h. */
#include "agreement/agreement.h"

#include "support/memory.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdicts[] = {
    [AGREES] = "agrees", [EQUAL] = "equal", [UNDECIDED] = "undecided", [DIFFERS] = "differs"};

/* ---- judging ---- */

static struct agreement_row *add_row(struct agreement *agreement, const struct claim *claim, const char *data)
{
    struct agreement_row *const row = ARRAY_ADD(agreement->row, agreement->nrows, agreement->row_room);

    *row = (struct agreement_row){.claim = claim, .data = data, .answer = {.z = NAN}};
    return row;
}

/* The note under a row, numbered in order of first use. */
static void find_note(struct agreement *agreement, struct agreement_row *row)
{
    const struct statements *const statements = agreement->statements;

    for (size_t i = 0; i < statements->nnotes; i++) {
        const struct note *const note = &statements->note[i];

        if (!pattern_matches(note->claim, row->claim->id) || !pattern_matches(note->data, row->data) ||
            (strcmp(note->when, "always") != 0 && strcmp(note->when, agreement_verdict(row)) != 0))
            continue;
        for (row->note = 1; row->note <= agreement->nnotes; row->note++)
            if (agreement->note[row->note - 1] == note)
                return;
        *ARRAY_ADD(agreement->note, agreement->nnotes, agreement->note_room) = note;
        return;
    }
}

static int judge_row(struct agreement *agreement, const struct claim *claim, const char *dataset,
                     struct failure *failure)
{
    const struct question question = {agreement->statements, claim, agreement->evidence, dataset};
    struct agreement_row *const row = add_row(agreement, claim, dataset);

    row->is_run = question_judge(&question, &row->answer, failure) == 0;
    if (!row->is_run && failure->status != EXIT_BAD_INPUT)
        return -1;
    if (!row->is_run) /* the results lack numbers that the claim asks for */
        row->answer.measured = xstrdup(failure->text);
    evidence_forget(agreement->evidence);
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

/* Rows of other settings than the paper's: variants, and data that the paper does not have. */
static void mark_asides(struct agreement *agreement)
{
    for (size_t s = 0; s < agreement->statements->nsentences; s++) {
        const cJSON *const own = own_pattern(agreement, s);

        for (size_t i = 0; i < agreement->nrows; i++) {
            struct agreement_row *const row = &agreement->row[i];

            if (row->claim->sentence == s)
                row->is_aside = row->claim->is_aside || !data_matches(own, row->data);
        }
    }
}

int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure)
{
    *out = (struct agreement){.statements = statements, .evidence = evidence};
    for (size_t i = 0; i < statements->nclaims; i++) {
        const struct claim *const claim = &statements->claim[i];
        const struct evidence_run *const run = evidence_run(evidence, claim->run, failure);
        const size_t datasets = run ? run->datasets : 0;

        if (!run)
            return -1;
        if (datasets == 0)
            add_row(out, claim, "");
        for (size_t j = 0; j < datasets; j++) {
            const struct evidence_run *const again =
                evidence_run(evidence, claim->run, failure); /* runs may have moved */

            if (data_matches(cJSON_GetObjectItemCaseSensitive(claim->node, "data"), again->dataset[j].name) &&
                judge_row(out, claim, again->dataset[j].name, failure) != 0)
                return -1;
        }
    }
    mark_asides(out);
    return 0;
}

void agreement_clear(struct agreement *agreement)
{
    for (size_t i = 0; i < agreement->nrows; i++)
        free(agreement->row[i].answer.measured);
    free(agreement->row);
    free(agreement->note);
    *agreement = (struct agreement){0};
}

const char *agreement_verdict(const struct agreement_row *row)
{
    return row->is_run ? verdicts[row->answer.verdict] : "not run";
}

struct sentence_answer agreement_sentence(const struct agreement *agreement, size_t sentence)
{
    struct sentence_answer answer = {.verdict = "not run"};
    const struct agreement_row *of[DIFFERS + 1] = {NULL}, *missing = NULL;
    struct tally tally = {0};

    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];

        if (row->claim->sentence != sentence || row->is_aside)
            continue;
        answer.rows++;
        if (!row->is_run) {
            missing = row;
            continue;
        }
        tally_add(&tally, row->answer.verdict);
        answer.is_unexplained |= row->answer.verdict == DIFFERS && row->note == 0;
        if (!of[row->answer.verdict])
            of[row->answer.verdict] = row;
    }
    answer.agreeing = tally.n[AGREES];
    answer.hardest = missing;
    if (answer.rows > 0 && (!missing || tally.n[DIFFERS] > 0)) {
        const enum claim_verdict verdict = tally_verdict(&tally);

        answer.hardest = of[verdict];
        answer.verdict = verdicts[verdict];
    }
    return answer;
}

size_t agreement_unexplained(const struct agreement *agreement)
{
    size_t count = 0;

    for (size_t i = 0; i < agreement->statements->nsentences; i++)
        count += !agreement->statements->sentence[i].is_evidence && agreement_sentence(agreement, i).is_unexplained;
    return count;
}
