/* recentre.c - injected values, which stand at one height and are too much for a sum of 1, are lowered by that height;
 * the rest is npmle_ns's.
 *
 * Malicious users lift each of r targets to about the same height h, and the others by a common level, which is 0 or
 * less. With sigma^2 = s1 / n and m the median of the estimates:
 *
 *     level  = m if m < -4 sd(m), else 0                                      sd(m) = sqrt(pi/2) sigma / sqrt(d)
 *     excess = sum_v (est_v - level) - 1                                      sd = sqrt(d) sigma, or sqrt(pi/2) times
 * that
 *
 * If the excess is above four of its standard deviations, the window of width 8 sigma above 4 sigma is sought that
 * holds the most values, at least two, whose mean height times their number is the excess, within four standard
 * deviations. They are lowered by that mean. Else nothing is. So data without attack are answered as by npmle_ns, but
 * for one collection in ten thousand; a single target is not seen, and neither are targets where reports have as many
 * other values as genuine ones (padded unary encodings). Targets of grr and ss are, by the level: others than targets
 * get no support.
 *
 * A frequent value in the window is lowered as well. The least height is that at which noise does not reach the window.
 *
 * Source: ours; with h and the targets known it is (N est - m a) / n (studies/poisoning.md). Cost: npmle's, and
 * sorting.
 */
#include "numerics/arena.h"
#include "numerics/simplex.h"

enum { LIMIT = 4 };

static const double median_factor = 1.2533141373155003; /* sqrt(pi / 2) */

/* Where the injected values are; size 0: there are none. */
struct window {
    double low, high, mean;
    size_t size;
};

/* Misfit: by how much the estimates above the level of all sum to more than 1, and its standard deviation. */
struct excess {
    double level, total, sd;
};

static struct excess excess_of(const struct ldp_collection *collection, const double *sorted)
{
    const size_t d = collection->protocol->d;
    const double sd = ldp_sigma(collection->protocol, collection->n) * sqrt((double)d), median = sorted[d / 2];
    struct excess excess = {.sd = sd};
    if (median < -LIMIT * median_factor * sd / (double)d)
        excess = (struct excess){.level = median, .sd = median_factor * sd};
    excess.total = ldp_sum(collection->est, d) - excess.level * (double)d - 1;
    return excess;
}

/* The fullest window of sorted[d], from the least, that the excess explains. */
static struct window find_window(const struct ldp_collection *collection, const double *sorted,
                                 const struct excess *excess)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double n = (double)collection->n, least = LIMIT * ldp_sigma(protocol, collection->n);
    struct window best = {.size = 0};
    double sum = 0;
    for (size_t from = protocol->d, to = from; from-- > 0 && sorted[from] - excess->level > least;) {
        const double height = sorted[from] - excess->level, sd = sqrt((protocol->s1 + height / protocol->gap) / n);
        sum += height;
        while (sorted[to - 1] - sorted[from] > 2 * LIMIT * sd)
            sum -= sorted[--to] - excess->level;
        const size_t size = to - from;
        if (size > best.size && (size > 1 || sum > 1) && sum >= excess->total - LIMIT * excess->sd &&
            sum <= excess->total + 1 + LIMIT * excess->sd)
            best = (struct window){sorted[from], sorted[to - 1], sum / (double)size, size};
    }
    return best;
}

static struct window find_injected(const struct ldp_collection *collection, double *sorted, double *work)
{
    if (!(collection->protocol->flags & (LDP_ORACLE_INDEPENDENT | LDP_ORACLE_SUMS_TO_ONE)))
        return (struct window){.size = 0};
    memcpy(sorted, collection->est, collection->protocol->d * sizeof *sorted);
    ldp_sort(sorted, collection->protocol->d, work);
    const struct excess excess = excess_of(collection, sorted);
    return excess.total > LIMIT * excess.sd ? find_window(collection, sorted, &excess) : (struct window){.size = 0};
}

static size_t scratch_bytes(size_t d)
{
    const struct ldp_method_spec smooth = {.method = ldp_method_find("npmle")};
    const size_t own = d * sizeof(double), other = ldp_postprocess_scratch(&smooth, d);
    return 2 * ldp_aligned(d * sizeof(double)) + (own > other ? own : other);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_method_spec smooth = {.method = ldp_method_find("npmle")};
    const size_t d = collection->protocol->d;
    const double *const est = collection->est, large = LIMIT * ldp_sigma(collection->protocol, collection->n);
    struct ldp_arena arena = {scratch, 0};
    double *const lowered = ldp_take(&arena, d * sizeof *lowered), *const other = ldp_take(&arena, d * sizeof *other);
    void *const work = arena.block + arena.bytes;
    const struct window injected = find_injected(collection, other, work);
    for (size_t v = 0; v < d; v++)
        lowered[v] =
            injected.size > 0 && est[v] >= injected.low && est[v] <= injected.high ? est[v] - injected.mean : est[v];
    struct ldp_collection left = *collection;
    left.est = lowered;
    ldp_simplex_project(lowered, d, work, other);
    ldp_postprocess(&smooth, &left, work, out);
    for (size_t v = 0; v < d; v++)
        lowered[v] = lowered[v] > large && other[v] < out[v] ? other[v] : out[v];
    ldp_simplex_project(lowered, d, work, out);
}

const struct ldp_method ldp_method_recentre = {
    .name = "recentre",
    .title = "Injected values lowered, then npmle_ns",
    .source = "ours",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_COUNTERMEASURE,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
