/* energies.c - see energies.h.
 *
 * Interactions of k attributes follow one of these laws: all are 0 (probability 1/2), or each is 0 with probability 1 -
 * p and else has v_b normal coefficients with L_b |r_b|^2 of mean u_b e, for p in SHARES and e in ENERGIES geometric
 * steps (the other half, equally). With f = u e / (u e + v N), N the noise of a coefficient times L_b,
 *
 *     llr_b = |r_b|^2 f / (2 N) + v/2 log(1 - f),      log likelihood of a law = sum_b log(1 - p + p e^llr_b),
 *     w_b = p e^llr / (1 - p + p e^llr),
 *     factor_b = mean over laws of w f,      phi_b = mean over laws of w (f^2 |r_b|^2 + (1 - f) u e).
 *
 * The mean over laws, where shrink.c takes the one of largest likelihood, keeps what is merely possible: it decides
 * which tables are asked next.
 *
 * Source: this project. Cost: laws times blocks. */
#include "marginals/energies.h"

#include "numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHARES = 4, ENERGIES = 14, LAWS = SHARES * ENERGIES };

#define LLR_MAX 300.0 /* beyond it the answer is clear; far from where exp overflows or vanishes */

static const double shares[SHARES] = {0.03, 0.1, 0.3, 1};

struct law {
    double share, energy;
};

/* From 1e-4 to 0.5 in equal ratios. */
static struct law law_of(size_t i)
{
    const double step = ldp_log(5000.0) / (ENERGIES - 1);
    return (struct law){shares[i / ENERGIES], 1e-4 * ldp_exp(step * (double)(i % ENERGIES))};
}

/* An interaction under a law. */
struct seen {
    double kept, odds; /* f; e^llr */
};

static struct seen see(const struct interaction *one, struct law law)
{
    const double signal = one->bound * law.energy, noise = one->size * one->noise, kept = signal / (signal + noise);
    const double llr = (one->square / one->noise * kept - one->size * ldp_log1p(signal / noise)) / 2;

    return (struct seen){kept, ldp_exp(llr > LLR_MAX ? LLR_MAX : llr < -LLR_MAX ? -LLR_MAX : llr)};
}

/* Over that of 0. */
static double likelihood(struct law law, struct seen seen)
{
    return (1 - law.share) + law.share * seen.odds;
}

/* The probability of each law; the last one is that all are 0. */
static void weigh_laws(const struct interaction *list, size_t count, double weight[LAWS + 1])
{
    double most = 0, sum = 0;

    weight[LAWS] = 0;
    for (size_t i = 0; i < LAWS; i++) {
        const struct law law = law_of(i);
        weight[i] = -ldp_log((double)LAWS);
        for (size_t b = 0; b < count; b++)
            weight[i] += ldp_log(likelihood(law, see(&list[b], law)));
        most = weight[i] > most ? weight[i] : most;
    }
    for (size_t i = 0; i <= LAWS; i++)
        sum += weight[i] = ldp_exp(weight[i] - most);
    for (size_t i = 0; i <= LAWS; i++)
        weight[i] /= sum;
}

static double expected_of(const double weight[LAWS + 1])
{
    double sum = 0;

    for (size_t i = 0; i < LAWS; i++)
        sum += weight[i] * law_of(i).share * law_of(i).energy;
    return sum;
}

enum ldp_status ldp_energies_init(struct energies *energies, size_t coefs)
{
    double weight[LAWS + 1];

    weigh_laws(NULL, 0, weight);
    *energies = (struct energies){.block = calloc(coefs, sizeof *energies->block)};
    for (size_t k = 2; k <= LDP_SET_MAX; k++)
        energies->unseen[k] = expected_of(weight);
    return energies->block ? LDP_OK : LDP_ENOMEM;
}

void ldp_energies_clear(struct energies *energies)
{
    free(energies->block);
    energies->block = NULL;
}

static void learn_order(struct energies *energies, struct shrinking *shrinking, size_t count, size_t order)
{
    double weight[LAWS + 1];

    weigh_laws(shrinking->list, count, weight);
    energies->unseen[order] = expected_of(weight);
    for (size_t b = 0; b < count; b++) {
        const struct interaction *const one = &shrinking->list[b];
        double factor = 0, energy = 0;
        for (size_t i = 0; i < LAWS; i++) {
            const struct law law = law_of(i);
            const struct seen seen = see(one, law);
            const double w = law.share * seen.odds / likelihood(law, seen);
            factor += weight[i] * w * seen.kept;
            energy += weight[i] * w * (seen.kept * seen.kept * one->square + (1 - seen.kept) * one->bound * law.energy);
        }
        shrinking->factor[one->block] = factor;
        energies->block[one->block] = energy;
    }
}

void ldp_energies_learn(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                        const double *coefs)
{
    ldp_shrinking_centre(shrinking, tables, coefs);
    for (size_t order = 2; order <= LDP_SET_MAX; order++) {
        const size_t count = ldp_shrinking_list(shrinking, tables, order);
        if (count > 0)
            learn_order(energies, shrinking, count, order);
    }
}
