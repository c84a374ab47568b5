/* bins.c - ordered values in bins of equal width, any oracle for the bins.
 *
 * Bins of w = ceil(d / bins) values each, the last one shorter, as many as have values. A user reports the bin of their
 * value by the row oracle, and the estimate of a value is that of its bin over the bin's width. It is biased: within a
 * bin all values are alike.
 *
 *     MSE of a value = s1/n (c/d)^2 + the mean variance of f within bins,
 *     Wasserstein distance ~ 0.53 sqrt(c s1/n) + slope / (12 c^2)    (after norm_sub, of the range of the values)
 *
 * for c bins; slope is the mean |slope| of the density on [0, 1]. The default c is the least of the second,
 *
 *     c = (slope sqrt(n / s1) / 1.59)^(2/5),
 *
 * at the given users and slope: 2 is that of a triangle, 3 about that of Beta(5, 2). norm_sub of the values is that of
 * the bins, where they have one width.
 *
 * Source: Li et al., SIGMOD 2020 (CFO with binning, 16 to 64 bins); the formulas are ours. s1 is that of the row oracle
 * with 16 bins. Cost: that of the row oracle for c values. */
#include "laws/interval.h"
#include "numerics/arena.h"
#include "protocol/craft.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "protocol/tally.h"

struct own {
    struct ldp_inner row;
    uint32_t width;
};
LDP_OWN(struct own);

enum { BINS, USERS, SLOPE };

/* The most targets of malicious users. */
enum { CRAFT_MAX = 1024 };

static const struct ldp_param params[] = {
    [BINS] = LDP_PARAM_INTEGER("bins", NAN, 2, UINT32_MAX,
                               "at most d; default: the smallest Wasserstein distance at these users and this slope"),
    [USERS] = LDP_PARAM_REAL("users", 1e5, 1, 0x1p53, "expected users, for the default of bins"),
    [SLOPE] =
        LDP_PARAM_REAL("slope", 2, 0, 1e6, "expected mean slope of the density on [0, 1], for the default of bins"),
    {0},
};

static struct ldp_protocol row_of(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return ldp_inner_protocol(&own.row, protocol->public_seed);
}

static enum ldp_status choose_bins(const struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                   const struct ldp_oracle_spec *row, double *bins, struct ldp_reason *reason)
{
    static const size_t pilot = 16;
    const double d = (double)protocol->d;
    struct ldp_protocol of_row;
    *bins = spec->param[BINS];
    if (*bins > d)
        return ldp_refuse(reason, "bins = %.0f: expected at most as many as values, d = %.0f", *bins, d);
    if (!isnan(*bins))
        return LDP_OK;
    const enum ldp_status status =
        ldp_protocol_init(&of_row, row, protocol->d < pilot ? protocol->d : pilot, protocol->epsilon, reason);
    if (status != LDP_OK)
        return status;
    const double s1 = fmax(of_row.s1, 1e-300);
    *bins = rint(ldp_pow(spec->param[SLOPE] * sqrt(spec->param[USERS] / s1) / 1.59, 0.4));
    *bins = fmin(fmax(*bins, 2), d);
    return LDP_OK;
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    struct ldp_oracle_spec row;
    const size_t d = protocol->d;
    struct own own = {.width = 1};
    double bins;
    enum ldp_status status = ldp_row_spec(spec->inner, "adaptive", &row, reason);
    if (status == LDP_OK)
        status = choose_bins(protocol, spec, &row, &bins, reason);
    if (status != LDP_OK)
        return status;
    own.width = (uint32_t)((d + (size_t)bins - 1) / (size_t)bins);
    status = ldp_inner_init(&own.row, &row, (d + own.width - 1) / own.width, protocol->epsilon, reason);
    if (status != LDP_OK)
        return status;
    const struct ldp_protocol of_row = ldp_inner_protocol(&own.row, 0);
    const double scale = (double)own.width * own.width;
    own_set(protocol, own);
    protocol->param[BINS] = (double)of_row.d;
    protocol->flags |= of_row.flags & (LDP_ORACLE_NOT_PRIVATE | LDP_ORACLE_PREDICTED | LDP_ORACLE_JOINT |
                                       LDP_ORACLE_PUBLIC | LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_UNEVEN);
    protocol->p = of_row.p;
    protocol->q = of_row.q;
    protocol->gap = of_row.gap;
    protocol->s1 = of_row.s1 / scale;
    protocol->tf = of_row.tf / scale;
    protocol->report_words = of_row.report_words;
    protocol->report_limit = of_row.report_limit;
    protocol->state_bytes = of_row.state_bytes;
    protocol->support_size = of_row.support_size;
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct ldp_protocol row = row_of(protocol);
    const uint32_t width = own_of(protocol).width;
    struct ldp_chunk chunk = {.d = m};
    while (ldp_chunk_next(&chunk)) {
        for (size_t i = 0; i < chunk.size; i++)
            chunk.value[i] = values[chunk.first + i] / width;
        row.oracle->client(&row, chunk.value, chunk.size, rng, reports + chunk.first * row.report_words);
    }
}

static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const struct ldp_protocol row = row_of(protocol);
    return ldp_report_check(&row, report, reason);
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    const struct ldp_protocol row = row_of(protocol);
    row.oracle->server(&row, reports, m, state);
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct ldp_protocol row = row_of(protocol);
    row.oracle->support(&row, state, n, support);
}

static void tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    const struct ldp_protocol row = row_of(protocol);
    ldp_tally(&row, state, n, tally);
}

static double support_unit(const struct ldp_protocol *protocol)
{
    const struct ldp_protocol row = row_of(protocol);
    return row.flags & LDP_ORACLE_REAL ? 0 : row.oracle->support_unit ? row.oracle->support_unit(&row) : 1;
}

/* Scratch: users of each bin, then the row oracle's. */
static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct ldp_protocol row = row_of(protocol);
    const struct ldp_histogram of_row = {row.d, histogram->n, NULL};
    return ldp_aligned(row.d * sizeof(uint64_t)) + ldp_collect_scratch(&row, &of_row, LDP_COUNTS);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct ldp_protocol row = row_of(protocol);
    const uint32_t width = own_of(protocol).width;
    uint64_t *const bin = scratch;
    memset(bin, 0, row.d * sizeof *bin);
    for (size_t v = 0; v < histogram->d; v++)
        bin[v / width] += histogram->counts[v];
    ldp_collect(&row, &(struct ldp_histogram){row.d, histogram->n, bin}, LDP_COUNTS, rng,
                (char *)scratch + ldp_aligned(row.d * sizeof *bin), support);
}

static void add(const struct ldp_protocol *protocol, const double *more, double *support)
{
    const struct ldp_protocol row = row_of(protocol);
    ldp_support_add(&row, more, support);
}

/* est holds the bins first; they are spread from the last on. */
static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    const struct ldp_protocol row = row_of(protocol);
    const size_t width = own_of(protocol).width;
    ldp_estimate(&row, n, support, NULL, est);
    for (size_t b = row.d; b-- > 0;) {
        const size_t from = b * width, to = from + width < protocol->d ? from + width : protocol->d;
        const double each = est[b] / (double)(to - from);
        for (size_t v = from; v < to; v++)
            est[v] = each;
    }
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct ldp_protocol row = row_of(protocol);
    if (ldp_report_check(&row, report, NULL) != LDP_OK)
        return -INFINITY;
    return row.oracle->log_likelihood(&row, value / own_of(protocol).width, report);
}

static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct ldp_protocol row = row_of(protocol);
    return row.oracle->odds ? row.oracle->odds(&row, factor) : 0;
}

/* The targets among the bins: those with a target value, each once, written to bin[]. */
static struct ldp_craft craft_of_row(const struct ldp_protocol *protocol, const struct ldp_craft *craft,
                                     uint32_t bin[CRAFT_MAX])
{
    const uint32_t width = own_of(protocol).width;
    struct ldp_craft of_row = *craft;
    of_row.target = bin;
    of_row.r = 0;
    for (size_t i = 0; i < craft->r && i < CRAFT_MAX; i++) {
        const uint32_t requested = craft->target[i] / width;
        size_t k = 0;
        while (k < of_row.r && bin[k] != requested)
            k++;
        if (k == of_row.r)
            bin[of_row.r++] = requested;
    }
    return of_row;
}

static size_t craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    const struct ldp_protocol row = row_of(protocol);
    const size_t of_row = ldp_craft_most(&row, craft), most = of_row < row.d ? of_row : protocol->d;
    return most < CRAFT_MAX ? most : CRAFT_MAX;
}

static void craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports)
{
    const struct ldp_protocol row = row_of(protocol);
    uint32_t bin[CRAFT_MAX];
    const struct ldp_craft of_row = craft_of_row(protocol, craft, bin);
    ldp_craft(&row, &of_row, m, rng, reports);
}

/* ---- Intervals of sets of values ---- */

/* What values of a bin have is not known, so the set has at least the bins within it, at most those that it touches:
 * the interval is from the lower end of the former's to the upper end of the latter's. The end of work holds, of each
 * bin, the estimate, the members and a position in a set. */
static bool set_interval(const struct ldp_collection *collection, double level, const uint32_t *member, size_t size,
                         int64_t *work, double *low, double *high)
{
    const struct ldp_protocol row = row_of(collection->protocol);
    const uint32_t width = own_of(collection->protocol).width;
    const size_t d = collection->protocol->d;
    if (!ldp_set_variance_known(&row) || size == 0)
        return ldp_set_variance_known(&row);
    double *const est = (double *)(void *)((char *)work + ldp_set_interval_bytes(d)) - 4 * d, other;
    uint32_t *const members = (uint32_t *)(void *)(est + d), *const bin = members + d;
    const struct ldp_collection bins = {&row, collection->n, collection->support, est};
    memset(est, 0, 3 * d * sizeof *est);
    for (size_t v = 0; v < d; v++)
        est[v / width] += collection->est[v];
    for (size_t i = 0; i < size; i++)
        members[member[i] / width]++;
    size_t within = 0, touched = 0;
    for (uint32_t b = 0; b < row.d; b++)
        if (members[b] == (b + 1 < row.d ? width : d - b * width))
            bin[within++] = b;
    *low = 0;
    *high = 1;
    if (within > 0)
        ldp_set_interval(&bins, level, bin, within, work, low, &other);
    for (uint32_t b = 0; b < row.d; b++)
        if (members[b] > 0)
            bin[touched++] = b;
    if (touched < row.d)
        ldp_set_interval(&bins, level, bin, touched, work, &other, high);
    return true;
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct ldp_protocol row = row_of(protocol);
    *out = (struct ldp_cost){0};
    if (row.oracle->cost)
        row.oracle->cost(&row, out);
    out->collection_operations += (double)protocol->d;
}

const struct ldp_oracle ldp_oracle_bins = {
    .name = "bins",
    .title = "Bins of equal width over another oracle",
    .source = "SIGMOD 2020",
    .flags = LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL,
    .params = params,
    .inner = "row_oracle",
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = support_of,
    .tally = tally,
    .support_unit = support_unit,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .add = add,
    .estimate = estimate,
    .set_interval = set_interval,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .craft = craft,
    .craft_most = craft_most,
    .cost = cost,
};
