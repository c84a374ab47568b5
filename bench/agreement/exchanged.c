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
    return form_judge(&question, &answer, &failure) == 0 && answer.verdict != row->answer.verdict;
}

static void set_stem(char stem[128], const char *label)
{
    snprintf(stem, 128, "%.*s", (int)strcspn(label, "("), label);
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

/* Tries pairs of labels, and of the parts before their parameters. Where the claim names neither of the two, an
 * exchange changes nothing. */
static bool find_among(const struct agreement *agreement, const struct agreement_row *row, const char *column,
                       const char *const *label, size_t count, struct exchange *found)
{
    bool *const named = malloc(count * sizeof *named);
    bool changed = false;

    for (size_t i = 0; named && i < count; i++)
        named[i] = names_label(agreement->statements, row->claim->node, label[i]);
    for (int stems = 0; stems < 2; stems++)
        for (size_t i = 0; i < count && !changed; i++)
            for (size_t j = 0; j < i && !changed; j++) {
                if (named && !named[i] && !named[j])
                    continue;
                *found = (struct exchange){.column = column, .stems = stems > 0};
                if (stems > 0) {
                    set_stem(found->a, label[j]);
                    set_stem(found->b, label[i]);
                } else {
                    snprintf(found->a, sizeof found->a, "%s", label[j]);
                    snprintf(found->b, sizeof found->b, "%s", label[i]);
                }
                changed = strcmp(found->a, found->b) != 0 && flips(agreement, row, found);
            }
    free(named);
    return changed;
}

/* An exchange that changes a row's verdict. 1: found; 0: none does; -1: there is nothing to exchange. */
static int find_exchange(const struct agreement *agreement, const struct agreement_row *row, struct exchange *found)
{
    const struct claim_columns *const columns = &agreement->statements->columns;
    static const struct exchange nothing = {.column = ""};
    struct failure failure;
    int result = -1;

    for (size_t c = 0; result <= 0 && c < columns->nselecting; c++) {
        size_t count;
        const char **const label =
            evidence_labels(agreement->evidence, row->claim->run, row->data, columns->name[c], &count, &failure);

        if (count > 1)
            result = find_among(agreement, row, columns->name[c], label, count, found);
        free(label);
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
