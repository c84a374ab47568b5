/* list_tables.c - see list_tables.h. */
#include "commands/list_tables.h"

#include "chain.h"
#include "config/oracles.h"
#include "stats/range_variance.h"
#include "support/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* n times the mean variance of all ranges of a width, where it is known. */
static void list_range(struct document *doc, const struct ldp_protocol *protocol, double percent)
{
    const double variance = range_variance(protocol, percent);

    if (isnan(variance))
        doc_cell(doc, "-");
    else
        doc_cell(doc, "%.4g", variance);
}

/* The cells that a sketch decoded by amp needs, for a law of counts that is common. */
static void say_need(struct document *doc, const struct ldp_protocol *protocol, const struct place *place)
{
    enum { MOST = 1 << 24 }; /* values that are looked at, which takes a second */
    static const double s = 1.1;
    struct ldp_histogram histogram = {.d = place->d < MOST ? place->d : MOST, .n = place->n};
    uint64_t *const counts = xcalloc(histogram.d, sizeof *counts);
    struct ldp_sketch_need need;
    double total = 0;

    for (size_t v = 0; v < histogram.d; v++)
        total += pow((double)v + 1, -s);
    for (size_t v = 0; v < histogram.d; v++)
        counts[v] = (uint64_t)((double)place->n * pow((double)v + 1, -s) / total);
    histogram.counts = counts;
    if (ldp_sketch_need(protocol, &histogram, &need)) {
        char *const text = sketch_need_text(&need);

        doc_paragraph(doc, "How many cells a sketch needs depends on the data. Of zipf(s=1.1), %s: %s.",
                      protocol->oracle->name, text);
        free(text);
    }
    free(counts);
}

void list_efficiency(const struct place *place, enum format format)
{
    static const struct column columns[] = {
        {"oracle", "oracle", -18, false},
        {"mean variance over the optimum", "over the optimum", -17, true},
        {"bits of a report", "bits of a report", -17, true},
        {"server's operations", "server's operations", -20, true},
        {"bytes of its state", "bytes of its state", -19, true},
        {"n variance of 10 % ranges", "n var: 10 %", -12, true},
        {"of 40 % ranges", "40 % ranges", 0, true},
    };
    struct document doc = {.out = stdout, .format = format, .indent = 2};
    struct ldp_protocol sketch = {.oracle = NULL}; /* the first one */

    doc_paragraph(&doc, "d = %zu, epsilon = %g, n = %llu; a report of least variance has %.0f bits or more", place->d,
                  place->epsilon, (unsigned long long)place->n, ldp_optimum_bits(place->d));
    doc.last = BLOCK_HEADING; /* the table follows at once in text */
    doc_table(&doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; ldp_oracles[i]; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracles[i]};

        ldp_params_default(spec.oracle->params, spec.param);
        struct ldp_protocol protocol;
        struct ldp_reason reason;
        const bool suits = ldp_protocol_init(&protocol, &spec, place->d, place->epsilon, &reason) == LDP_OK;
        if (suits && protocol.oracle->flags & LDP_ORACLE_NOT_PRIVATE)
            continue;
        doc_cell(&doc, "`%s`", spec.oracle->name);
        if (!suits) {
            doc_cell(&doc, "%s", reason.text);
            doc_row_end(&doc);
            continue;
        }
        struct ldp_cost cost = {NAN, NAN, NAN};
        if (protocol.oracle->cost)
            protocol.oracle->cost(&protocol, &cost);
        if (!sketch.oracle && protocol.oracle->flags & LDP_ORACLE_SKETCH)
            sketch = protocol;
        if (protocol.oracle->flags & LDP_ORACLE_ORDINAL && protocol.oracle->flags & LDP_ORACLE_BIASED)
            doc_cell(&doc, "-"); /* bins: values of a bin have one estimate, whose variance is no error of a value */
        else
            doc_cell(&doc, "%.3f", ldp_over_optimum(&protocol));
        doc_cell(&doc, "%.0f", cost.report_bits);
        doc_cell(&doc, "%.3g", (double)place->n * cost.report_operations + cost.collection_operations);
        doc_cell(&doc, "%.3g", (double)protocol.state_bytes);
        list_range(&doc, &protocol, 10);
        list_range(&doc, &protocol, 40);
    }
    doc_paragraph(&doc,
                  "The last columns are of ordered values: n times the mean variance of the totals of all ranges of "
                  "a tenth and of four tenths of them, uniform frequencies; - where it is not known exactly, or d "
                  "is above some thousands.");
    doc_paragraph(&doc, "Not in these variances, as they depend on the data: collisions of users who hold the same "
                        "value (sketches), differences between the values of a bin (bins, whose ratio is not stated).");
    if (sketch.oracle)
        say_need(&doc, &sketch, place);
}

void list_protection(const struct place *place, enum format format)
{
    static const struct column columns[] = {
        {"chain", "chain", -10, false},          {"one report", "one report", -11, true},
        {"same value", "same value", -11, true}, {"any values", "any values", -22, true},
        {"most memos", "most memos", -11, true}, {"variance", "n variance of a round", 0, true},
    };
    struct document doc = {.out = stdout, .format = format, .indent = 2};

    doc_paragraph(
        &doc,
        "d = %zu, %zu rounds; a memo has epsilon = %g, one report half of it. Columns: epsilon of one report, of all "
        "reports of a user whose value stays, of all reports of any two sequences of values, and of the most "
        "memos together",
        place->d, place->rounds, place->epsilon);
    doc.last = BLOCK_HEADING; /* the table follows at once in text */
    doc_table(&doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; ldp_chains[i]; i++) {
        struct ldp_chain_spec spec = {.chain = ldp_chains[i]};
        struct ldp_protection of;
        struct ldp_rounds rounds;
        struct ldp_reason reason;

        ldp_params_default(spec.chain->params, spec.param);
        doc_cell(&doc, "`%s`", spec.chain->name);
        if (ldp_rounds_init(&rounds, &spec, place->d, place->n, place->rounds, place->epsilon, place->epsilon / 2,
                            &reason) != LDP_OK) {
            doc_cell(&doc, "%s", reason.text);
            doc_row_end(&doc);
            continue;
        }
        ldp_rounds_protection(&rounds, &of);
        doc_cell(&doc, "%.4g", of.report);
        doc_cell(&doc, "%.4g", of.unchanged);
        if (isinf(of.sequence_high))
            doc_cell(&doc, "not protected");
        else if (of.sequence_low == of.sequence_high)
            doc_cell(&doc, "%.4g", of.sequence_high);
        else
            doc_cell(&doc, "%.4g to %.4g", of.sequence_low, of.sequence_high);
        doc_cell(&doc, "%.4g", of.accounted);
        doc_cell(&doc, "%.4g", rounds.report.s1 * (double)place->n / (double)ldp_rounds_users_of(&rounds, place->n, 0));
    }
}
