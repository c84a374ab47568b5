/* pure.c - support counts that are independent over the values, and binomial draws of the users of every value. */
#include "protocol/pure.h"

/* Offsets of the tables of the counts up to LDP_ALIAS_MAX that occur. Returns their cells. */
static size_t tables_of(const struct ldp_population *population, uint32_t *start)
{
    bool occurs[LDP_ALIAS_MAX + 1] = {false};
    for (size_t v = 0; v < population->d; v++)
        if (population->counts[v] <= LDP_ALIAS_MAX)
            occurs[population->counts[v]] = true;
    size_t used = 0;
    for (size_t n = 0; n <= LDP_ALIAS_MAX; n++) {
        start[n] = (uint32_t)used;
        used += n > 0 && occurs[n] ? n + 1 : 0;
    }
    start[LDP_ALIAS_MAX + 1] = (uint32_t)used;
    return used;
}

size_t ldp_kept_plan_bytes(const struct ldp_protocol *protocol, const struct ldp_population *population)
{
    uint32_t start[LDP_ALIAS_MAX + 2];
    return sizeof(struct ldp_few) + tables_of(population, start) * sizeof(uint64_t);
}

static void plan_of(const struct ldp_population *population, double p, struct ldp_few *few)
{
    tables_of(population, few->start);
    for (size_t n = 1; n <= LDP_ALIAS_MAX; n++)
        if (few->start[n + 1] > few->start[n])
            ldp_alias_binomial(n, p, few->cell + few->start[n]);
}

void ldp_kept_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan)
{
    plan_of(population, ldp_retention_of(protocol).kept, plan);
}

void ldp_pure_plan(const struct ldp_protocol *protocol, const struct ldp_population *population, void *plan)
{
    plan_of(population, protocol->p, plan);
}

/* Draws of one block that are done side by side. */
struct pending {
    double n[LDP_BINOMIALS_MAX], p[LDP_BINOMIALS_MAX];
    uint32_t to[LDP_BINOMIALS_MAX];
    size_t m;
};

/* Draws those of counts[m], m <= LDP_BINOMIALS_MAX, that have a table, and adds the others to pending. */
static void draw_few(const struct ldp_few *few, double p, const uint64_t *counts, size_t m, struct ldp_rng *rng,
                     struct pending *pending, double *out)
{
    pending->m = 0;
    for (size_t i = 0; i < m; i++) {
        const uint64_t n = counts[i];
        if (n == 0) {
            out[i] = 0;
        } else if (few && n <= LDP_ALIAS_MAX) {
            out[i] = (double)ldp_alias_draw(few->cell + few->start[n], n, rng);
        } else {
            pending->n[pending->m] = (double)n;
            pending->p[pending->m] = p;
            pending->to[pending->m++] = (uint32_t)i;
        }
    }
}

/* out[i] ~ Binomial(counts[i], p), i < m <= LDP_BINOMIALS_MAX. */
static void draw(const struct ldp_few *few, double p, const uint64_t *counts, size_t m, struct ldp_rng *rng,
                 double *out)
{
    struct pending pending;
    double drawn[LDP_BINOMIALS_MAX];
    draw_few(few, p, counts, m, rng, &pending, out);
    ldp_binomials(rng, pending.m, pending.n, pending.p, drawn);
    for (size_t i = 0; i < pending.m; i++)
        out[pending.to[i]] = drawn[i];
}

bool ldp_kept_next(struct ldp_kept *kept, struct ldp_rng *rng)
{
    const size_t d = kept->histogram->d;
    kept->first += kept->size;
    kept->size = d - kept->first < LDP_BINOMIALS_MAX ? d - kept->first : LDP_BINOMIALS_MAX;
    if (kept->size == 0)
        return false;
    draw(kept->few, kept->kept, kept->histogram->counts + kept->first, kept->size, rng, kept->users);
    for (size_t i = 0; i < kept->size; i++)
        kept->rest -= (uint64_t)kept->users[i];
    return true;
}

/* The table from which the values with zero frequency are drawn, if they are many and the table is small. */
static bool zeros_table(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                        struct ldp_alias_part *part)
{
    static const size_t many = 512;
    static const double most = 160; /* about the largest variance for which a table has room */
    const double q = protocol->q, variance = (double)histogram->n * q * (1 - q);
    size_t zeros = 0;
    if (histogram->d < many || !(variance > 0 && variance < most))
        return false;
    for (size_t v = 0; v < histogram->d; v++)
        zeros += histogram->counts[v] == 0;
    if (zeros < histogram->d / 2)
        return false;
    ldp_alias_part(histogram->n, q, part);
    return part->count > 0;
}

/* The support counts of others' reports, added to support[m]. */
static void add_others(const struct ldp_alias_part *part, uint64_t n, const uint64_t *counts, size_t m, const double *q,
                       struct ldp_rng *rng, double *support)
{
    double others[LDP_BINOMIALS_MAX], drawn[LDP_BINOMIALS_MAX];
    uint32_t to[LDP_BINOMIALS_MAX];
    struct ldp_rng own = *rng;
    size_t size = 0;
    for (size_t i = 0; i < m; i++) {
        if (part && counts[i] == 0) {
            support[i] += (double)(part->first + ldp_alias_draw(part->cell, part->count - 1, &own));
        } else {
            others[size] = (double)(n - counts[i]);
            to[size++] = (uint32_t)i;
        }
    }
    *rng = own;
    ldp_binomials(rng, size, others, q, drawn);
    for (size_t i = 0; i < size; i++)
        support[to[i]] += drawn[i];
}

void ldp_pure_counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                     struct ldp_rng *rng, void *scratch, double *support)
{
    double q[LDP_BINOMIALS_MAX];
    struct ldp_alias_part part;
    const bool table = zeros_table(protocol, histogram, &part);
    for (size_t i = 0; i < LDP_BINOMIALS_MAX; i++)
        q[i] = protocol->q;
    for (size_t first = 0, m; first < histogram->d; first += m) {
        m = histogram->d - first < LDP_BINOMIALS_MAX ? histogram->d - first : LDP_BINOMIALS_MAX;
        draw(plan, protocol->p, histogram->counts + first, m, rng, support + first);
        add_others(table ? &part : NULL, histogram->n, histogram->counts + first, m, q, rng, support + first);
    }
}

size_t ldp_kept_odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    return ldp_retention_odds(protocol, ldp_retention_of(protocol).symbols, factor);
}

void ldp_blocks_observe(const struct ldp_collection *collection, void *scratch, struct ldp_protocol *observed)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double kept = ldp_retention_of(protocol).kept;
    if (protocol->support_size == protocol->d || !collection->support) /* one block, or the blocks were not kept */
        return;
    observed->law = (struct ldp_law){.known = true,
                                     .tf = -1,
                                     .trials = collection->support + protocol->d,
                                     .per_trial = 1 / (kept * kept * (double)collection->n),
                                     .most = INFINITY,
                                     .elsewhere = protocol->q};
}

void ldp_counters_server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    uint64_t *const counter = state;
    for (size_t i = 0; i < m; i++)
        counter[reports[i]]++;
}

void ldp_counters_support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const uint64_t *const count = state;
    for (size_t i = 0; i < protocol->support_size; i++)
        support[i] = (double)count[i];
}

bool ldp_names_one_value(const struct ldp_protocol *protocol)
{
    /* The support counts of one report always have the same sum, and its mean is 1. */
    const double sum = protocol->p + ((double)protocol->d - 1) * protocol->q;
    return (protocol->oracle->flags & LDP_ORACLE_SUMS_TO_ONE) && fabs(sum - 1) < 1e-9;
}
