/* wave.h - the channel of oracles whose outputs are in the order of the values (LDP_ORACLE_WINDOWS), and its inversion
 * by expectation maximisation. Internal to the core.
 *
 * The support counts outputs j = 0 .. support_size - 1. A user of v sends each of the L = support_size - d + 1 outputs
 * v .. v + L - 1 with probability p and each other with q, L at most d; or outputs are buckets of such. */
#ifndef LDPBENCH_WAVE_H
#define LDPBENCH_WAVE_H

#include "protocol/pure.h"

/* The channel M of a protocol: M[j,v] = p for v <= j < v + L, else q.
 *
 * With buckets a value has S points x, uniformly drawn, a point of d S + L - 1 = N is sent by these odds, and reports
 * count m = outputs buckets of N / m points, a whole number. Without, S = 1 and m = N. N / S is below 2^53 / S, S a
 * power of 2: the ends of values and buckets are whole multiples of 1 / S without rounding. */
struct ldp_wave {
    size_t d, outputs;
    uint64_t window, points; /* L, S */
    double p, q, gap;        /* of a point; p - q */
    bool in_buckets;
};

/* The private state of such a protocol. */
struct ldp_wave_own {
    struct ldp_retention retention; /* the report is near the value */
    struct ldp_wave wave;
};

/* Half of the published width of the window, of the range of the values: (epsilon e - e + 1) / (2 e (e - 1 -
 * epsilon)). */
double ldp_wave_published(double epsilon);

struct ldp_wave ldp_wave_of(const struct ldp_protocol *protocol);

/* The points of all buckets, and of each. */
static inline uint64_t ldp_wave_points(const struct ldp_wave *wave)
{
    return wave->d * wave->points + wave->window - 1;
}
static inline uint64_t ldp_wave_bucket(const struct ldp_wave *wave)
{
    return ldp_wave_points(wave) / wave->outputs;
}

/* The most outputs of d values. */
enum { LDP_WAVE_BUCKETS = 4 };
static inline size_t ldp_wave_most(size_t d)
{
    return LDP_WAVE_BUCKETS * d;
}

/* g[outputs] = M f for f[d] that sums to 1; run[outputs + 1] is overwritten, run[v + 1] by f_0 + .. + f_v. O(d). Not in
 * buckets (buckets.h). */
void ldp_wave_forward(const struct ldp_wave *wave, const double *f, double *run, double *g);

/* back[d] = M^T r for r[outputs]; run[outputs + 1] is overwritten. O(d). Not in buckets. */
void ldp_wave_backward(const struct ldp_wave *wave, const double *r, double *run, double *back);

/* Weights of a value and of those 1 .. reach away on either side; at the ends of the domain they are divided by the sum
 * of those within. */
enum { LDP_WAVE_REACH = 36 };
struct ldp_kernel {
    size_t reach;
    double weight[LDP_WAVE_REACH + 1];
};

/* (1 - share) of the value and `share` of (1, 2, 1) / 4. */
struct ldp_kernel ldp_kernel_binomial(double share);

/* When expectation maximisation stops: once a round changes the log likelihood by less than tau, which is not looked at
 * in the first two rounds, or after this many rounds. */
enum { LDP_WAVE_ROUNDS = 10000 };

/* The tau of em, by which the oracle itself estimates: 1e-3 e^epsilon. */
double ldp_wave_em_tau(const struct ldp_protocol *protocol);

/* Bytes of scratch of ldp_wave_fit. */
size_t ldp_wave_scratch(size_t d);

/* From f = 1/d in rounds
 *
 *     f_i <- f_i sum_j M[j,i] c_j / (n (M f)_j),
 *
 * each of which is followed by the kernel, unless that is NULL. The sum of f is kept at 1. Returns the number of
 * rounds. Cost: O(d reach) per round. */
unsigned ldp_wave_fit(const struct ldp_protocol *protocol, const double *support, double tau,
                      const struct ldp_kernel *kernel, void *scratch, double *f);

/* sum_j c_j log (M f)_j for other counts c of the same outputs, with the same scratch. */
double ldp_wave_likelihood(const struct ldp_protocol *protocol, const double *support, const double *f, void *scratch);

/* Gives each report to one of two halves at random. The generators are seeded by output and count, the same for output
 * j and the j-th from the end: the halves are a function of the support, those of the mirrored one are mirrored. */
void ldp_wave_halve(const double *support, size_t outputs, double *half, double *other);

/* True if the protocol's reports go through such a channel. */
static inline bool ldp_wave_suits(const struct ldp_protocol *protocol)
{
    return (protocol->flags & LDP_ORACLE_WINDOWS) != 0;
}

/* The same without buckets. */
static inline bool ldp_wave_plain(const struct ldp_protocol *protocol)
{
    return ldp_wave_suits(protocol) && !ldp_wave_of(protocol).in_buckets;
}

#endif
