/* list_tables.c - see list_tables.h. */
#include "commands/list_tables.h"

#include "chain.h"
#include "support/sheet.h"

#include <math.h>
#include <stdio.h>

static void put_chain(struct sheet *sheet, const struct place *place, const struct ldp_chain *chain)
{
    struct ldp_chain_spec spec = {.chain = chain};
    struct ldp_protection of;
    struct ldp_rounds rounds;
    struct ldp_reason reason;

    ldp_params_default(chain->params, spec.param);
    sheet_text(sheet, chain->name);
    if (ldp_rounds_init(&rounds, &spec, place->d, place->n, place->rounds, place->epsilon, place->epsilon / 2,
                        &reason) != LDP_OK) {
        for (size_t i = 0; i < 6; i++)
            sheet_number(sheet, (double)NAN);
        sheet_text(sheet, reason.text);
        return;
    }
    ldp_rounds_protection(&rounds, &of);
    sheet_number(sheet, of.report);
    sheet_number(sheet, of.unchanged);
    sheet_number(sheet, of.sequence_low);
    sheet_number(sheet, of.sequence_high);
    sheet_number(sheet, of.accounted);
    sheet_number(sheet, rounds.report.s1 * (double)place->n / (double)ldp_rounds_users_of(&rounds, place->n, 0));
    sheet_text(sheet, isinf(of.sequence_high) ? "not protected" : NULL);
}

void list_protection(const struct place *place, enum format format)
{
    static const struct sheet_column columns[] = {
        {"chain", "chain", .digits = 0},
        {"report", "one report", .digits = 4},
        {"same_value", "same value", .digits = 4},
        {"any_values_low", "any values, at least", .digits = 4},
        {"any_values", "at most", .digits = 4},
        {"most_memos", "most memos", .digits = 4},
        {"variance", "n variance of a round", .digits = 4},
        {"remark", "remark", .digits = 0},
    };
    struct sheet sheet = sheet_begin(stdout, format);

    sheet_say(
        &sheet,
        "d = %zu, %zu rounds; a memo has epsilon = %g, one report half of it. Columns: epsilon of one report, of all "
        "reports of a user whose value stays, of all reports of any two sequences of values, and of the most "
        "memos together",
        place->d, place->rounds, place->epsilon);
    sheet_facts(&sheet, "d=%zu n=%llu rounds=%zu epsilon=%g", place->d, (unsigned long long)place->n, place->rounds,
                place->epsilon);
    sheet_table(&sheet, "chains", NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; ldp_chains[i]; i++)
        put_chain(&sheet, place, ldp_chains[i]);
    sheet_end(&sheet);
}
