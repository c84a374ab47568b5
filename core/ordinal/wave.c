/* wave.c - expectation maximisation for a channel of windows. M f and its transpose are differences of running sums.
 *
 * A round is a step of length 1 of df/dt = round(f) - f. Gains fall slowly, and what still moves of f does so over many
 * rounds: from 56 rounds on, a seventh of the rounds so far less 4 is taken in one extrapolation, an explicit step of
 * order 2, stable for h rounds with 1.4 sqrt(h) of them (Sommeijer, Shampine, Verwer, RKC, J. Comput. Appl. Math. 88,
 * 1998). Then the gain of a round is looked at; once that finds that the stop, or a change of sign, was passed, the
 * extrapolation is taken again to just before it, and rounds follow. 3,000 rounds need about 500. The answer is that of
 * all rounds within a few hundredths of its standard error, its number of rounds within a hundredth
 * (tests/test_wave.c).
 *
 * Sums are taken in an order that does not depend on the vectors of the processor. */
#include "ordinal/wave.h"

#include "ordinal/buckets.h"
#include "simd/simd.h"

#include <assert.h>

enum { LANES = 8, STAGES = 64, LEAST = 4, NEAR = 16 };
static const double LIVELY = 1.25, DAMPING = 2.0 / 13, NEAR_ONE = 0.0295;
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Arrays of the outputs: counts, M f and that of the round after, c / (M f); running sums of the longer of both.
 * Arrays of the values: M^T r, f after the round, log f and what a round adds to it before an extrapolation, three of
 * its stages; what the kernel's sums are multiplied by, f between zeros. */
struct state {
    struct ldp_wave wave;
    struct ldp_buckets buckets; /* of a wave in buckets */
    const struct ldp_kernel *kernel;
    const double *c;
    double *g, *after, *r, *run, *back, *next, *from, *rise, *stage[2], *scale, *padded;
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
    return (4 * ldp_wave_most(d) + 1 + 8 * d + 2 * LDP_WAVE_REACH) * sizeof(double) + ldp_buckets_bytes(d);
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
                          .after = room + m,
                          .r = room + 2 * m,
                          .run = room + 3 * m,
                          .back = of_values,
                          .next = of_values + d,
                          .from = of_values + 2 * d,
                          .rise = of_values + 3 * d,
                          .stage = {of_values + 4 * d, of_values + 5 * d},
                          .scale = of_values + 6 * d,
                          .padded = of_values + 7 * d};
    if (wave.in_buckets)
        state.buckets = ldp_buckets_make(&wave, state.padded + d + 2 * LDP_WAVE_REACH);
    return state;
}

/* run[i] = x[0] + .. + x[i-1], eight at a time: sums of two, of four and of eight, then what is before them. */
LDP_INLINE void run_over(const double *x, size_t size, double *run)
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
        const double whole = sum[LANES - 1];
        sum += before;
        memcpy(run + i + 1, &sum, sizeof sum);
        before += whole;
    }
    for (; i < size; i++)
        run[i + 1] = before += x[i];
}

/* The values j - L + 1 .. j reach output j. */
LDP_INLINE void forward(const struct ldp_wave *wave, const double *restrict f, double *restrict run, double *restrict g)
{
    const size_t d = wave->d, L = (size_t)wave->window;
    const double range = wave->gap, q = wave->q;
    run_over(f, d, run);
    for (size_t j = 0; j < L; j++)
        g[j] = q + range * run[j + 1];
    for (size_t j = L; j < d; j++)
        g[j] = q + range * (run[j + 1] - run[j + 1 - L]);
    for (size_t j = d; j < wave->outputs; j++)
        g[j] = q + range * (run[d] - run[j + 1 - L]);
}

/* The outputs i .. i + L - 1 are reached from value i. */
LDP_INLINE void backward(const struct ldp_wave *wave, const double *restrict r, double *restrict run,
                         double *restrict back)
{
    const size_t L = (size_t)wave->window;
    const double range = wave->gap;
    run_over(r, wave->outputs, run);
    const double noise = wave->q * run[wave->outputs];
    for (size_t i = 0; i < wave->d; i++)
        back[i] = noise + range * (run[i + L] - run[i]);
}

/* The sum as ldp_sum takes it, at the level of the caller. */
LDP_INLINE double sum_of(const double *x, size_t size)
{
    double lane[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= size; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += x[i + j];
    for (size_t j = 0; i + j < size; j++)
        lane[j] += x[i + j];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

LDP_INLINE void divide_by_sum(double *f, size_t d)
{
    const double scale = 1 / sum_of(f, d);
    for (size_t i = 0; i < d; i++)
        f[i] *= scale;
}

LDP_INLINE void smooth_over(const struct state *state, double *restrict f)
{
    const struct ldp_kernel *const kernel = state->kernel;
    const size_t d = state->wave.d;
    double *restrict const from = state->padded + kernel->reach, *restrict const scale = state->scale;
    memcpy(from, f, d * sizeof *f);
    const double *const weight = kernel->weight;
    size_t k = 1;
    for (size_t i = 0; i < d; i++)
        f[i] = weight[0] * from[i];
    for (; k + 3 <= kernel->reach; k += 4)
        for (size_t i = 0; i < d; i++)
            f[i] = f[i] + weight[k] * (from[i + k] + (from - k)[i]) +
                   weight[k + 1] * (from[i + k + 1] + (from - k - 1)[i]) +
                   weight[k + 2] * (from[i + k + 2] + (from - k - 2)[i]) +
                   weight[k + 3] * (from[i + k + 3] + (from - k - 3)[i]);
    for (; k <= kernel->reach; k++)
        for (size_t i = 0; i < d; i++)
            f[i] += weight[k] * (from[i + k] + (from - k)[i]);
    for (size_t i = 0; i < d; i++)
        f[i] *= scale[i];
    divide_by_sum(f, d);
}

/* g = M f. */
LDP_INLINE void mix(const struct state *state, const double *f, double *g)
{
    if (state->wave.in_buckets)
        ldp_buckets_forward(&state->buckets, f, state->run, g);
    else
        forward(&state->wave, f, state->run, g);
}

/* next = the round after f, of which state->g is M f. */
LDP_INLINE void round_of(struct state *state, const double *restrict f, double *restrict next)
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
        next[i] = f[i] * back[i];
    divide_by_sum(next, d);
    if (state->kernel)
        smooth_over(state, next);
}

/* Gain of the log likelihood in the round from f to next, summed by itself, as the likelihoods of many users agree in
 * all their digits. state->after is M next. Where no ratio is far from 1, its logarithm needs no exponent. */
LDP_INLINE double gain_of(struct state *state, const double *next)
{
    const double *restrict const c = state->c, *restrict const g = state->g, *restrict const after = state->after;
    const size_t outputs = state->wave.outputs;
    double *restrict const term = state->r;
    unsigned far = 0;
    mix(state, next, state->after);
    for (size_t j = 0; j < outputs; j++) {
        const double s = (after[j] - g[j]) / (after[j] + g[j]), z = s * s;
        term[j] = c[j] * (2 * s + s * numeric_log_tail(z));
        far |= z > NEAR_ONE;
    }
    for (size_t j = 0; far && j < outputs; j++)
        term[j] = c[j] * ldp_log(after[j] / g[j]);
    return sum_of(term, outputs);
}

/* ---- Extrapolations over rounds ---- */

LDP_INLINE double floored(double x, double before)
{
    return x > 1e-3 * before ? x : 1e-3 * before;
}

/* Of an extrapolation in `stages`: Y_1 = Y_0 + first h R_0, then Y_j = (1 - mu_j - nu_j) Y_0 + mu_j Y_{j-1} + nu_j
 * Y_{j-2} + by_j h R_{j-1} + back_j h R_0. */
struct extrapolation {
    unsigned stages;
    double first, mu[STAGES + 1], nu[STAGES + 1], by[STAGES + 1], back[STAGES + 1];
};

/* The least number of stages that is stable for h rounds, whose modes shrink by up to LIVELY a round. The stability
 * bound is 2/3 (stages^2 - 1) (1 - 2/15 damping). */
static unsigned stages_of(double h)
{
    const double square = 1 + 1.5 * LIVELY * h / (1 - 2 * DAMPING / 15);
    unsigned stages = 2;
    while (stages < STAGES && stages * stages < square)
        stages++;
    return stages;
}

static struct extrapolation extrapolation_of(double h)
{
    struct extrapolation step = {.stages = stages_of(h)};
    const unsigned stages = step.stages;
    assert(stages > 1);
    const double w0 = 1 + DAMPING / (stages * stages);
    double T[STAGES + 1] = {1, w0}, dT[STAGES + 1] = {0, 1}, ddT[STAGES + 1] = {0}, b[STAGES + 1];
    for (unsigned j = 2; j <= stages; j++) { /* Chebyshev polynomials and their derivatives */
        T[j] = 2 * w0 * T[j - 1] - T[j - 2];
        dT[j] = 2 * T[j - 1] + 2 * w0 * dT[j - 1] - dT[j - 2];
        ddT[j] = 4 * dT[j - 1] + 2 * w0 * ddT[j - 1] - ddT[j - 2];
        b[j] = ddT[j] / (dT[j] * dT[j]);
    }
    b[0] = b[1] = b[2];
    const double w1 = dT[stages] / ddT[stages];
    step.first = b[1] * w1;
    for (unsigned j = 2; j <= stages; j++) {
        step.mu[j] = 2 * b[j] * w0 / b[j - 1];
        step.nu[j] = -b[j] / b[j - 2];
        step.by[j] = 2 * b[j] * w1 / b[j - 1];
        step.back[j] = -(1 - b[j - 1] * T[j - 1]) * step.by[j];
    }
    return step;
}

/* h rounds from state->from, of which the next adds state->rise. f is the answer, and state->g is M f. No stage is
 * below a thousandth of the f before the extrapolation. */
LDP_INLINE void extrapolate(struct state *state, double h, double *restrict f)
{
    const struct extrapolation step = extrapolation_of(h);
    const size_t d = state->wave.d;
    const double *restrict const from = state->from, *restrict const rise = state->rise;
    double *last = state->stage[0], *now = state->stage[1], *const next = state->next;
    for (size_t i = 0; i < d; i++) {
        last[i] = from[i];
        f[i] = floored(from[i] + step.first * h * rise[i], from[i]);
    }
    for (unsigned j = 2; j <= step.stages; j++) {
        const double mu = step.mu[j], nu = step.nu[j], by = step.by[j] * h, back = step.back[j] * h,
                     first = 1 - mu - nu;
        divide_by_sum(f, d);
        mix(state, f, state->g);
        round_of(state, f, next);
        for (size_t i = 0; i < d; i++) {
            now[i] = f[i];
            f[i] =
                floored(first * from[i] + mu * f[i] + nu * last[i] + by * (next[i] - f[i]) + back * rise[i], from[i]);
        }
        double *const before = last;
        last = now;
        now = before;
    }
    divide_by_sum(f, d);
    mix(state, f, state->g);
}

/* An extrapolation of `length` rounds, over which the gain of a round went from `from` to `to`, cut so that it ends two
 * rounds before the stop; 0: none is left. Gains fall as a power of the number of rounds. */
static double shorter(double round, double length, double from, double to, double tau)
{
    double at = length * (fabs(from) - tau) / fabs(from - to);
    if (from * to > 0 && fabs(from) > fabs(to))
        at = round * (ldp_exp(ldp_log(1 + length / round) * ldp_log(fabs(from) / tau) / ldp_log(from / to)) - 1);
    at = floor(at < length ? at : length) - 2;
    return at >= LEAST ? at : 0;
}

/* From f on: `length` rounds in one extrapolation. */
LDP_INLINE void extrapolate_from(struct state *state, double length, double *f)
{
    for (size_t i = 0; i < state->wave.d; i++) {
        state->from[i] = f[i];
        state->rise[i] = state->next[i] - f[i];
    }
    extrapolate(state, length, f);
}

LDP_INLINE unsigned rounds_of(struct state *state, double tau, double *f)
{
    const size_t size = state->wave.d * sizeof *f;
    double round = 0, length = 0, before = 0; /* length: rounds of the last extrapolation, 0 after a round */
    unsigned plain = 0;                       /* rounds until the next extrapolation */
    mix(state, f, state->g);
    while (round < LDP_WAVE_ROUNDS) {
        round_of(state, f, state->next);
        const double gain = gain_of(state, state->next);
        const bool stops = fabs(gain) < tau && round >= 2;
        if (length > 0 && (stops || gain * before < 0)) {
            round -= length;
            length = shorter(round, length, before, gain, tau);
            if (length > 0) {
                extrapolate(state, length, f);
            } else {
                memcpy(f, state->from, size);
                mix(state, f, state->g);
            }
            round += length;
            plain = NEAR;
            continue;
        }
        length = plain == 0 ? fmin(floor(round / 7) - LEAST, LDP_WAVE_ROUNDS - round) : 0;
        if (stops || length < LEAST) {
            double *const g = state->g;
            state->g = state->after;
            state->after = g;
            memcpy(f, state->next, size);
            round++;
            length = 0;
            plain -= plain > 0;
            if (stops)
                break;
        } else {
            extrapolate_from(state, length, f);
            round += length;
        }
        before = gain;
    }
    return (unsigned)round;
}

LDP_VECTORS(unsigned, rounds, (struct state * state, double tau, double *f), return rounds_of(state, tau, f))
LDP_DISPATCH(ldp_wave_forward, (const struct ldp_wave *wave, const double *f, double *run, double *g), forward,
             (wave, f, run, g))
LDP_DISPATCH(ldp_wave_backward, (const struct ldp_wave *wave, const double *r, double *run, double *back), backward,
             (wave, r, run, back))

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
        const size_t position = j < outputs - 1 - j ? j : outputs - 1 - j;
        const uint64_t reports = (uint64_t)support[j];
        struct ldp_rng rng;
        ldp_rng_stream(&rng, reports, "halves", position);
        half[j] = (double)ldp_binomial(&rng, reports, 0.5);
        other[j] = support[j] - half[j];
    }
}
