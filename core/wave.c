/* wave.c - expectation maximisation for a channel of windows. M f and its transpose are differences of running sums.
 * Sums are taken in an order that does not depend on the vectors of the processor. */
#include "wave.h"

#include "numeric.h"
#include "simd.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Arrays of the outputs: counts, M f and that of the round before, c / (M f), terms of what the log likelihood gains;
 * running sums of the longer of both; another vector of
 * values. */
struct state {
    struct ldp_wave wave;
    const double *c;
    double *g, *last, *r, *term, *run, *other;
};

double ldp_wave_em_tau(const struct ldp_protocol *protocol)
{
    return 1e-3 * ldp_exp(protocol->epsilon);
}

size_t ldp_wave_scratch(size_t d)
{
    return (11 * d + 1) * sizeof(double); /* outputs < 2 d: four arrays of them, one of values, running sums */
}

struct ldp_wave ldp_wave_of(const struct ldp_protocol *protocol)
{
    const size_t d = protocol->d, outputs = protocol->support_size;
    assert(outputs >= d && outputs < 2 * d);
    return (struct ldp_wave){d, outputs, outputs - d + 1, protocol->p, protocol->q};
}

static struct state state_in(const struct ldp_protocol *protocol, const double *support, void *scratch)
{
    const size_t d = protocol->d;
    double *const room = scratch;
    return (struct state){.wave = ldp_wave_of(protocol),
                          .c = support,
                          .g = room,
                          .r = room + 2 * d,
                          .term = room + 4 * d,
                          .last = room + 6 * d,
                          .other = room + 8 * d,
                          .run = room + 9 * d};
}

/* run[i] = x[0] + .. + x[i-1]. */
static void run_over(const double *x, size_t size, double *run)
{
    run[0] = 0;
    for (size_t i = 0; i < size; i++)
        run[i + 1] = run[i] + x[i];
}

/* The values j - L + 1 .. j reach output j. */
void ldp_wave_forward(const struct ldp_wave *wave, const double *f, double *run, double *g)
{
    const size_t d = wave->d, L = wave->window;
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
void ldp_wave_backward(const struct ldp_wave *wave, const double *r, double *run, double *back)
{
    const size_t L = wave->window;
    const double range = wave->p - wave->q;
    run_over(r, wave->outputs, run);
    const double noise = wave->q * run[wave->outputs];
    for (size_t i = 0; i < wave->d; i++)
        back[i] = noise + range * (run[i + L] - run[i]);
}

/* c / g and c log (g / last) for all outputs; g becomes the last. The gain is summed by itself, as the likelihoods of
 * many users agree in all their digits. */
static inline __attribute__((always_inline)) void quotients(const struct state *state, double *restrict last,
                                                            double *restrict r, double *restrict term)
{
    const double *const c = state->c, *const g = state->g;
    for (size_t j = 0; j < state->wave.outputs; j++) {
        r[j] = c[j] / g[j];
        term[j] = c[j] * ldp_log(g[j] / last[j]);
        last[j] = g[j];
    }
}

#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name static void quotients_##name(const struct state *state, double *last, double *r, double *term)   \
    {                                                                                                                  \
        quotients(state, last, r, term);                                                                               \
    }
LDP_LEVELS(LEVEL)

/* What the log likelihood has gained since the last f, of which the sum is 1. */
static double gain_of(const struct state *state, const double *f)
{
    ldp_wave_forward(&state->wave, f, state->run, state->g);
    LDP_BEST(quotients)(state, state->last, state->r, state->term);
    return ldp_sum(state->term, state->wave.outputs);
}

static void divide_by_sum(double *f, size_t d)
{
    const double scale = 1 / ldp_sum(f, d);
    for (size_t i = 0; i < d; i++)
        f[i] *= scale;
}

/* f times M^T r. */
static void round_of(const struct state *state, double *f)
{
    const size_t d = state->wave.d;
    ldp_wave_backward(&state->wave, state->r, state->run, state->other);
    for (size_t i = 0; i < d; i++)
        f[i] *= state->other[i];
    divide_by_sum(f, d);
}

static void smooth_over(const struct state *state, double *f)
{
    const size_t d = state->wave.d;
    double *const to = state->other;
    to[0] = (2 * f[0] + f[1]) / 3;
    for (size_t i = 1; i + 1 < d; i++)
        to[i] = (f[i - 1] + 2 * f[i] + f[i + 1]) / 4;
    to[d - 1] = (2 * f[d - 1] + f[d - 2]) / 3;
    memcpy(f, to, d * sizeof *f);
    divide_by_sum(f, d);
}

unsigned ldp_wave_fit(const struct ldp_protocol *protocol, const double *support, double tau, bool smooth,
                      void *scratch, double *f)
{
    const struct state state = state_in(protocol, support, scratch);
    for (size_t i = 0; i < state.wave.d; i++)
        f[i] = 1 / (double)state.wave.d;
    for (size_t j = 0; j < state.wave.outputs; j++)
        state.last[j] = 1;
    (void)gain_of(&state, f);
    for (unsigned round = 1; round <= LDP_WAVE_ROUNDS; round++) {
        round_of(&state, f);
        if (smooth)
            smooth_over(&state, f);
        if (fabs(gain_of(&state, f)) < tau && round > 2)
            return round;
    }
    return LDP_WAVE_ROUNDS;
}
