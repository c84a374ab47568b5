/* wave.c - expectation maximisation for a channel of windows. M f and its transpose are differences of running sums.
 *
 * What the log likelihood gains needs a logarithm for each output, the rest of a round a division. As gains fall
 * slowly, it is looked at after each thirty-second of the rounds so far. If a look finds that the stop, or a change of
 * sign, was passed, the rounds since the look before are done again with a look after each: the answer is that of
 * looking always.
 *
 * Sums are taken in an order that does not depend on the vectors of the processor. */
#include "wave.h"

#include "buckets.h"
#include "numeric.h"
#include "rng.h"
#include "simd.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 8 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Arrays of the outputs: counts, M f and that of the round before, c / (M f); running sums of the longer of both.
 * Arrays of the values: M^T r, f of the last look, what the kernel's sums are multiplied by, f between zeros. */
struct state {
    struct ldp_wave wave;
    struct ldp_buckets buckets; /* of a wave in buckets */
    const struct ldp_kernel *kernel;
    const double *c;
    double *g, *last, *r, *run, *back, *kept, *scale, *padded;
};

double ldp_wave_em_tau(const struct ldp_protocol *protocol)
{
    return 1e-3 * ldp_exp(protocol->epsilon);
}

struct ldp_kernel ldp_kernel_binomial(double share)
{
    return (struct ldp_kernel){.reach = 1, .weight = {1 - share / 2, share / 4}};
}

size_t ldp_wave_scratch(size_t d)
{
    return (4 * ldp_wave_most(d) + 1 + 4 * d + 2 * LDP_WAVE_REACH) * sizeof(double) + ldp_buckets_bytes(d);
}

struct ldp_wave ldp_wave_of(const struct ldp_protocol *protocol)
{
    struct ldp_wave_own own;
    memcpy(&own, protocol->own, sizeof own);
    assert(own.wave.outputs <= ldp_wave_most(protocol->d));
    return own.wave;
}

/* Both differences cancel near 0. */
double ldp_wave_published(double epsilon)
{
    const double x = epsilon;
    if (x < 1e-3)
        return (1 - x / 3 + x * x / 12 - x * x * x / 60) / (1 + x / 3 + x * x / 12 + x * x * x / 60) / 2;
    return (x + ldp_expm1(-x)) / (2 * (ldp_expm1(x) - x));
}

static struct state state_in(const struct ldp_protocol *protocol, const double *support,
                             const struct ldp_kernel *kernel, void *scratch)
{
    const struct ldp_wave wave = ldp_wave_of(protocol);
    const size_t d = wave.d, m = wave.outputs > d ? wave.outputs : d;
    double *const room = scratch, *const of_values = room + 4 * m + 1;
    struct state state = {.wave = wave,
                          .kernel = kernel,
                          .c = support,
                          .g = room,
                          .last = room + m,
                          .r = room + 2 * m,
                          .run = room + 3 * m,
                          .back = of_values,
                          .kept = of_values + d,
                          .scale = of_values + 2 * d,
                          .padded = of_values + 3 * d};
    if (wave.in_buckets)
        state.buckets = ldp_buckets_make(&wave, state.padded + d + 2 * LDP_WAVE_REACH);
    return state;
}

/* run[i] = x[0] + .. + x[i-1], eight at a time: sums of two, of four and of eight, then what is before them. */
INLINE void run_over(const double *x, size_t size, double *run)
{
    const lanes zero = {0};
    double before = 0;
    size_t i = 0;
    run[0] = 0;
    for (; i + LANES <= size; i += LANES) {
        lanes sum;
        memcpy(&sum, x + i, sizeof sum);
        sum += __builtin_shufflevector(zero, sum, 0, 8, 9, 10, 11, 12, 13, 14);
        sum += __builtin_shufflevector(zero, sum, 0, 0, 8, 9, 10, 11, 12, 13);
        sum += __builtin_shufflevector(zero, sum, 0, 0, 0, 0, 8, 9, 10, 11);
        sum += before;
        memcpy(run + i + 1, &sum, sizeof sum);
        before = sum[LANES - 1];
    }
    for (; i < size; i++)
        run[i + 1] = before += x[i];
}

/* The values j - L + 1 .. j reach output j. */
INLINE void forward(const struct ldp_wave *wave, const double *restrict f, double *restrict run, double *restrict g)
{
    const size_t d = wave->d, L = (size_t)wave->window;
    const double range = wave->p - wave->q, q = wave->q;
    run_over(f, d, run);
    for (size_t j = 0; j < L; j++)
        g[j] = q + range * run[j + 1];
    for (size_t j = L; j < d; j++)
        g[j] = q + range * (run[j + 1] - run[j + 1 - L]);
    for (size_t j = d; j < wave->outputs; j++)
        g[j] = q + range * (run[d] - run[j + 1 - L]);
}

/* The outputs i .. i + L - 1 are reached from value i. */
INLINE void backward(const struct ldp_wave *wave, const double *restrict r, double *restrict run, double *restrict back)
{
    const size_t L = (size_t)wave->window;
    const double range = wave->p - wave->q;
    run_over(r, wave->outputs, run);
    const double noise = wave->q * run[wave->outputs];
    for (size_t i = 0; i < wave->d; i++)
        back[i] = noise + range * (run[i + L] - run[i]);
}

INLINE void divide_by_sum(double *f, size_t d)
{
    const double scale = 1 / ldp_sum(f, d);
    for (size_t i = 0; i < d; i++)
        f[i] *= scale;
}

INLINE void smooth_over(const struct state *state, double *restrict f)
{
    const struct ldp_kernel *const kernel = state->kernel;
    const size_t d = state->wave.d;
    double *restrict const from = state->padded + kernel->reach, *restrict const scale = state->scale;
    memcpy(from, f, d * sizeof *f);
    for (size_t i = 0; i < d; i++)
        f[i] = kernel->weight[0] * from[i];
    for (size_t k = 1; k <= kernel->reach; k++)
        for (size_t i = 0; i < d; i++)
            f[i] += kernel->weight[k] * (from[i + k] + (from - k)[i]);
    for (size_t i = 0; i < d; i++)
        f[i] *= scale[i];
    divide_by_sum(f, d);
}

/* state->g = M f. */
INLINE void mix(const struct state *state, const double *f)
{
    if (state->wave.in_buckets)
        ldp_buckets_forward(&state->buckets, f, state->run, state->g);
    else
        forward(&state->wave, f, state->run, state->g);
}

/* One round of f, of which state->g is M f before and after; state->last is that before. */
INLINE void round_of(struct state *state, double *f)
{
    const size_t d = state->wave.d, outputs = state->wave.outputs;
    const double *restrict const c = state->c, *restrict const g = state->g;
    double *restrict const r = state->r, *restrict const back = state->back;
    for (size_t j = 0; j < outputs; j++)
        r[j] = c[j] / g[j];
    if (state->wave.in_buckets)
        ldp_buckets_backward(&state->buckets, r, state->run, back);
    else
        backward(&state->wave, r, state->run, back);
    for (size_t i = 0; i < d; i++)
        f[i] *= back[i];
    divide_by_sum(f, d);
    if (state->kernel)
        smooth_over(state, f);
    double *const before = state->last;
    state->last = state->g;
    state->g = before;
    mix(state, f);
}

/* Gain of the log likelihood in the last round, summed by itself, as the likelihoods of many users agree in all their
 * digits. */
INLINE double gain_of(const struct state *state)
{
    const double *restrict const c = state->c, *restrict const g = state->g, *restrict const last = state->last;
    double *restrict const term = state->r;
    for (size_t j = 0; j < state->wave.outputs; j++)
        term[j] = c[j] * ldp_log(g[j] / last[j]);
    return ldp_sum(term, state->wave.outputs);
}

INLINE unsigned rounds_of(struct state *state, double tau, double *f)
{
    const size_t size = state->wave.d * sizeof *f;
    unsigned round = 0, looked = 0, close = 3; /* every round is looked at up to `close` */
    double before = 0;
    mix(state, f);
    while (round < LDP_WAVE_ROUNDS) {
        const unsigned next = round + 1 + (round < close ? 0 : round / 32);
        while (round < next && round < LDP_WAVE_ROUNDS) {
            round_of(state, f);
            round++;
        }
        const double gain = gain_of(state);
        const bool stops = fabs(gain) < tau && round > 2;
        if ((stops || gain * before < 0) && round > looked + 1) {
            close = round;
            round = looked;
            memcpy(f, state->kept, size);
            mix(state, f);
            continue;
        }
        if (stops)
            break;
        memcpy(state->kept, f, size);
        looked = round;
        before = gain;
    }
    return round;
}

#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name static unsigned rounds_##name(struct state *state, double tau, double *f)                        \
    {                                                                                                                  \
        return rounds_of(state, tau, f);                                                                               \
    }                                                                                                                  \
    LDP_TARGET_##name static void forward_##name(const struct ldp_wave *wave, const double *f, double *run, double *g) \
    {                                                                                                                  \
        forward(wave, f, run, g);                                                                                      \
    }                                                                                                                  \
    LDP_TARGET_##name static void backward_##name(const struct ldp_wave *wave, const double *r, double *run,           \
                                                  double *back)                                                        \
    {                                                                                                                  \
        backward(wave, r, run, back);                                                                                  \
    }
LDP_LEVELS(LEVEL)

void ldp_wave_forward(const struct ldp_wave *wave, const double *f, double *run, double *g)
{
    LDP_BEST(forward)(wave, f, run, g);
}

void ldp_wave_backward(const struct ldp_wave *wave, const double *r, double *run, double *back)
{
    LDP_BEST(backward)(wave, r, run, back);
}

/* The kernel's sums at the ends are divided by the weights that are within the domain. */
static void prepare(const struct state *state)
{
    const struct ldp_kernel *const kernel = state->kernel;
    const size_t d = state->wave.d;
    memset(state->padded, 0, (d + 2 * kernel->reach) * sizeof *state->padded);
    for (size_t i = 0; i < d; i++) {
        double within = kernel->weight[0];
        for (size_t k = 1; k <= kernel->reach; k++)
            within += kernel->weight[k] * ((i >= k ? 1 : 0) + (i + k < d ? 1 : 0));
        state->scale[i] = 1 / within;
    }
}

unsigned ldp_wave_fit(const struct ldp_protocol *protocol, const double *support, double tau,
                      const struct ldp_kernel *kernel, void *scratch, double *f)
{
    struct state state = state_in(protocol, support, kernel, scratch);
    if (kernel)
        prepare(&state);
    for (size_t i = 0; i < state.wave.d; i++)
        f[i] = 1 / (double)state.wave.d;
    return LDP_BEST(rounds)(&state, tau, f);
}

double ldp_wave_likelihood(const struct ldp_protocol *protocol, const double *support, const double *f, void *scratch)
{
    const struct state state = state_in(protocol, support, NULL, scratch);
    if (state.wave.in_buckets)
        ldp_buckets_forward(&state.buckets, f, state.run, state.g);
    else
        ldp_wave_forward(&state.wave, f, state.run, state.g);
    for (size_t j = 0; j < state.wave.outputs; j++)
        state.r[j] = support[j] * ldp_log(state.g[j]);
    return ldp_sum(state.r, state.wave.outputs);
}

void ldp_wave_halve(const double *support, size_t outputs, double *half, double *other)
{
    for (size_t j = 0; j < outputs; j++) {
        const size_t place = j < outputs - 1 - j ? j : outputs - 1 - j;
        const uint64_t reports = (uint64_t)support[j];
        struct ldp_rng rng;
        ldp_rng_stream(&rng, reports, "halves", place);
        half[j] = (double)ldp_binomial(&rng, reports, 0.5);
        other[j] = support[j] - half[j];
    }
}
