/* exchanged.c - whether a row's verdict depends on whose results are whose: it is judged again with the results of two
 * methods, oracles, protocols or synopses exchanged. */
#include "agreement/agreement.h"

#include "support/memory.h"
#include "support/registry.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the row has another verdict with an exchange. An exchange with which the claim cannot be judged has none. */
static bool flips(const struct agreement *agreement, const struct agreement_row *row, const struct exchange *exchange)
{
    const struct question question = {agreement->statements, row->claim, agreement->evidence, row->data};
    struct answer answer = {.z = NAN};
    struct failure failure = NO_REASON;

    agreement->evidence->exchange = *exchange;
    const bool judged = question_judge(&question, &answer, &failure) == 0;
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

static bool same_stem(const char *a, const char *b)
{
    return label_stem(a) == label_stem(b) && strncmp(a, b, label_stem(a)) == 0;
}

/* Whether the exchange of the stems (the parts before the parameters) of labels i and j, j < i, is one that was tried
 * before: with earlier labels of these stems, or as the exchange of labels that alone have them. */
static bool was_tried(const struct labels *labels, const bool *named, size_t i, size_t j)
{
    const char *const a = labels->text[i], *const b = labels->text[j];
    size_t with_a = 0, with_b = 0;

    if (same_stem(a, b))
        return true;
    for (size_t k = 0; k < labels->count; k++) {
        with_a += same_stem(labels->text[k], a);
        with_b += same_stem(labels->text[k], b);
        for (size_t l = 0; l < k && (k < i || (k == i && l < j)); l++)
            if ((named[k] || named[l]) && ((same_stem(labels->text[k], a) && same_stem(labels->text[l], b)) ||
                                           (same_stem(labels->text[k], b) && same_stem(labels->text[l], a))))
                return true;
    }
    return with_a == 1 && with_b == 1 && !strchr(a, '(') && !strchr(b, '(');
}

/* Tries pairs of labels, then of their stems. Where the claim names neither of the two, an exchange changes nothing. */
static bool try_pairs(const struct agreement *agreement, const struct agreement_row *row, const struct labels *labels,
                      const bool *named, struct exchange *found)
{
    for (int stems = 0; stems < 2; stems++)
        for (size_t i = 0; i < labels->count; i++)
            for (size_t j = 0; j < i; j++) {
                const char *const a = labels->text[j], *const b = labels->text[i];

                if ((!named[i] && !named[j]) || (stems > 0 && was_tried(labels, named, i, j)))
                    continue;
                *found = (struct exchange){.column = labels->column, .stems = stems > 0};
                snprintf(found->a, sizeof found->a, "%.*s", (int)(stems ? label_stem(a) : strlen(a)), a);
                snprintf(found->b, sizeof found->b, "%.*s", (int)(stems ? label_stem(b) : strlen(b)), b);
                if (flips(agreement, row, found))
                    return true;
            }
    return false;
}

/* An exchange that changes a row's verdict. 1: found; 0: none does; -1: there is nothing to exchange. */
static int find_exchange(const struct agreement *agreement, const struct agreement_row *row, struct exchange *found)
{
    struct evidence *const evidence = agreement->evidence;
    const struct claim_columns *const columns = &agreement->statements->columns;
    struct failure failure = NO_REASON;
    struct found *const results = evidence_found(evidence, row->claim->run, row->data, &failure);
    const size_t noted = evidence->open.count;
    int result = -1;

    for (size_t c = 0; results && result <= 0 && c < columns->nselecting; c++) {
        const struct labels *const labels = found_labels(results, columns->name[c], &failure);

        if (!labels || labels->count < 2)
            continue;
        bool *const named = xcalloc(labels->count, sizeof *named);
        for (size_t i = 0; i < labels->count; i++)
            named[i] = names_label(agreement->statements, row->claim->node, labels->text[i]);
        result = try_pairs(agreement, row, labels, named, found);
        free(named);
    }
    evidence->exchange = (struct exchange){.column = ""};
    evidence->open.count = noted;
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
