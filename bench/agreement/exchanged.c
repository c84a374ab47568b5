/* exchanged.c - whether a row's verdict depends on whose results are whose: it is judged again with the results of two
 * methods, oracles, protocols or synopses exchanged. */
#include "agreement/agreement.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Whether the row has another verdict with an exchange. An exchange with which the claim cannot be judged has none. */
static bool flips(const struct agreement *agreement, const struct agreement_row *row, const struct exchange *exchange)
{
    const struct question question = {
        .statements = agreement->statements,
        .claim = row->claim,
        .evidence = agreement->evidence,
        .dataset = row->data,
    };
    struct answer answer = {.z = 0};
    struct failure failure;

    evidence_exchange(agreement->evidence, exchange);
    const bool judged = form_judge(&question, &answer, &failure) == 0;
    evidence_forget(agreement->evidence);
    return judged && answer.verdict != row->answer.verdict;
}

/* Whether some text of a claim, or of a set that it names, selects a label. */
static bool names_label(const struct statements *statements, const cJSON *node, const char *label)
{
    const cJSON *const sets = cJSON_GetObjectItemCaseSensitive(statements->root, "sets");
    const cJSON *item;

    if (cJSON_IsString(node)) {
        const cJSON *const set = cJSON_GetObjectItemCaseSensitive(sets, node->valuestring);

        return pattern_matches(node->valuestring, label) || (set && names_label(statements, set, label));
    }
    cJSON_ArrayForEach(item, node)
    {
        if (names_label(statements, item, label))
            return true;
    }
    return false;
}

/* The labels that a claim names, and the exchanges that were tried for it. */
struct trial {
    const struct labels *labels;
    bool *named;      /* [count] */
    size_t *of_stem;  /* [nstems]: how many labels have it */
    bool *stems_done; /* [nstems][nstems]: pairs of stems that were tried */
};

/* Whether the exchange of two labels' stems is one that was tried before: as stems, or as labels where these are all
 * that have them. */
static bool was_tried(const struct trial *trial, size_t i, size_t j)
{
    const struct labels *const labels = trial->labels;
    const size_t a = labels->stem[i], b = labels->stem[j];

    if (a == b || trial->stems_done[a * labels->nstems + b])
        return true;
    trial->stems_done[a * labels->nstems + b] = trial->stems_done[b * labels->nstems + a] = true;
    return trial->of_stem[a] == 1 && trial->of_stem[b] == 1 && !strchr(labels->text[i], '(') &&
           !strchr(labels->text[j], '(');
}

/* Tries pairs of labels, then of their parts before the parameters. Where the claim names neither of the two, an
 * exchange changes nothing. */
static bool try_pairs(const struct agreement *agreement, const struct agreement_row *row, const struct trial *trial,
                      struct exchange *found)
{
    const struct labels *const labels = trial->labels;

    for (int stems = 0; stems < 2; stems++)
        for (size_t i = 0; i < labels->count; i++)
            for (size_t j = 0; j < i; j++) {
                if ((!trial->named[i] && !trial->named[j]) || (stems > 0 && was_tried(trial, i, j)))
                    continue;
                *found = (struct exchange){.column = labels->column, .stems = stems > 0};
                if (stems > 0) {
                    label_stem(found->a, labels->text[j]);
                    label_stem(found->b, labels->text[i]);
                } else {
                    snprintf(found->a, sizeof found->a, "%s", labels->text[j]);
                    snprintf(found->b, sizeof found->b, "%s", labels->text[i]);
                }
                if (flips(agreement, row, found))
                    return true;
            }
    return false;
}

static int find_among(const struct agreement *agreement, const struct agreement_row *row, const struct labels *labels,
                      struct exchange *found, struct failure *failure)
{
    const size_t nstems = labels->nstems;
    const struct trial trial = {
        .labels = labels,
        .named = calloc(labels->count, sizeof *trial.named),
        .of_stem = calloc(nstems, sizeof *trial.of_stem),
        .stems_done = calloc(nstems * nstems, sizeof *trial.stems_done),
    };
    const bool room = trial.named && trial.of_stem && trial.stems_done;

    for (size_t i = 0; room && i < labels->count; i++) {
        trial.named[i] = names_label(agreement->statements, row->claim->node, labels->text[i]);
        trial.of_stem[labels->stem[i]]++;
    }
    const int result = room ? try_pairs(agreement, row, &trial, found) : fail_memory(failure);
    free(trial.named);
    free(trial.of_stem);
    free(trial.stems_done);
    return result;
}

/* An exchange that changes a row's verdict. 1: found; 0: none does; -1: there is nothing to exchange. */
static int find_exchange(const struct agreement *agreement, const struct agreement_row *row, struct exchange *found)
{
    const struct claim_columns *const columns = &agreement->statements->columns;
    static const struct exchange nothing = {.column = ""};
    struct failure failure;
    int result = -1;

    for (size_t c = 0; result <= 0 && c < columns->nselecting; c++) {
        const struct labels *const labels =
            evidence_labels(agreement->evidence, row->claim->run, row->data, columns->name[c], &failure);

        if (labels && labels->count > 1)
            result = find_among(agreement, row, labels, found, &failure);
    }
    evidence_exchange(agreement->evidence, &nothing);
    return result;
}

void agreement_write_exchanges(const struct agreement *agreement, FILE *out)
{
    size_t decided = 0, changed = 0, alone = 0;

    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];
        struct exchange exchange;

        if (!row->is_run || row->claim->is_evidence || row->answer.verdict == UNDECIDED)
            continue;
        const int result = find_exchange(agreement, row, &exchange);
        decided++;
        changed += result > 0;
        alone += result < 0;
    }
    fprintf(out,
            "The verdicts depend on whose results are whose: with the results of two methods, oracles, protocols or "
            "synopses\nexchanged %zu of the %zu decided rows have another one.",
            changed, decided);
    if (alone > 0)
        fprintf(out, " In %zu there is nothing to exchange.", alone);
    if (changed + alone < decided)
        fprintf(out,
                " The other %zu hold, or\nfail, whichever two are exchanged (`ldpbench agree --format exchanged`).",
                decided - changed - alone);
    fputs("\n\n", out);
}

void agreement_write_exchanged(const struct agreement *agreement, FILE *out)
{
    fputs("claim\tdata\tvariant\tverdict\tchanges with\n", out);
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];
        struct exchange exchange;

        if (!row->is_run || row->answer.verdict == UNDECIDED)
            continue;
        fprintf(out, "%s\t%s\t%s\t%s\t", row->claim->id, row->data, row->claim->variant, agreement_verdict(row));
        switch (find_exchange(agreement, row, &exchange)) {
        case 1: fprintf(out, "%s and %s\n", exchange.a, exchange.b); break;
        case 0: fputs("no exchange\n", out); break;
        default: fputs("nothing to exchange\n", out);
        }
    }
}
