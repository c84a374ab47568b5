/* pooled - the mean of pen, ems and em, weighted by how likely each makes reports that it has not seen.
 *
 *     f = sum_k w_k f_k / sum_k w_k,   w_k = exp((l_k + favour_k) / 2),
 *
 * l_k the log likelihood of each half of the reports under k's fit to the other half, both added. pen, which is the
 * best of them on most data, is favoured by 3; em, which is the best where most users have a few values, gains more
 * there.
 *
 * Source: ours; weights of this kind are known as stacking or exponential weights. Cost: three fits of each,
 * of which the one to all reports is shared with the other methods. */
#include "numerics/arena.h"
#include "ordinal/wave.h"

enum { CANDIDATES = 3 };

static const char *const candidates[CANDIDATES + 1] = {"pen", "ems", "em", NULL};
static const double favour[CANDIDATES] = {3, 0, 0};

/* Two halves of the reports, and what a candidate or a likelihood needs. */
static size_t arrays(size_t d, struct ldp_arena *arena, double *half[2], void **rest)
{
    size_t most = ldp_wave_scratch(d);
    for (size_t k = 0; k < CANDIDATES; k++) {
        const struct ldp_method *const method = ldp_method_find(candidates[k]);
        const size_t own = method->scratch_bytes(d);
        most = own > most ? own : most;
    }
    for (size_t i = 0; i < 2; i++)
        half[i] = ldp_take(arena, 2 * d * sizeof(double));
    *rest = ldp_take(arena, most);
    return arena->bytes;
}

static size_t scratch_bytes(size_t d)
{
    struct ldp_arena arena = {0};
    double *half[2];
    void *rest;
    return arrays(d, &arena, half, &rest);
}

static void fit(const struct ldp_protocol *protocol, size_t k, const double *support, void *rest, double *out)
{
    const struct ldp_method *const method = ldp_method_find(candidates[k]);
    const double users = ldp_sum(support, protocol->support_size);
    method->apply(NULL, &(struct ldp_collection){protocol, (uint64_t)users, support, NULL}, rest, out);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const size_t d = protocol->d, outputs = protocol->support_size;
    const double *const answer = collection->est;
    double *half[2], score[CANDIDATES], sum = 0;
    void *rest;
    arrays(d, &(struct ldp_arena){.block = scratch}, half, &rest);
    ldp_wave_halve(collection->support, outputs, half[0], half[1]);
    const bool both = ldp_sum(half[0], outputs) > 0 && ldp_sum(half[1], outputs) > 0;
    for (size_t k = 0; k < CANDIDATES; k++) {
        score[k] = favour[k];
        for (size_t i = 0; i < 2 && both; i++) {
            fit(protocol, k, half[i], rest, out);
            score[k] += ldp_wave_likelihood(protocol, half[1 - i], out, rest);
        }
    }
    const double most = ldp_largest(score, CANDIDATES);
    memset(out, 0, d * sizeof *out);
    for (size_t k = 0; k < CANDIDATES; k++)
        sum += score[k] = ldp_exp((score[k] - most) / 2);
    for (size_t k = 0; k < CANDIDATES; k++)
        for (size_t v = 0; v < d; v++)
            out[v] += score[k] / sum * answer[k * d + v];
}

const struct ldp_method ldp_method_pooled = {
    .name = "pooled",
    .title = "Mean of pen, ems and em, weighted by the likelihood of reports held out",
    .source = "stacking",
    .parts = candidates,
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_wave_plain,
    .needs = "an oracle whose reports are values near the value, such as sw without buckets",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
