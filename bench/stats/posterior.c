/* posterior.c - see posterior.h.
 *
 * Frequencies are taken as draws from an unknown law G, and estimates as those with normal noise,
 *
 *     z_v = est_v - (sum est - 1) / d,    z_v | f_v ~ N(f_v, (s1 + f_v tf) / n).
 *
 * G is estimated by EM (nonparametric maximum likelihood; Kiefer and Wolfowitz 1956); a draw takes each frequency from
 * its posterior law, P(f_v = x | z_v) ~ G(x) phi(z_v; x). So predictions from draws average over all populations that
 * fit the collection, not over one smoothed estimate.
 *
 * Given sets of values (categories), whose members may have similar frequencies, there are several laws, the classes:
 * every set belongs to one, unknown, and EM goes over both levels. A draw takes each set's class from its posterior
 * first, then the frequencies. Without that the errors of all members of a set of rare values would not add up as they
 * do. Classes that fit better only by chance would be wrong too: a set is drawn from its class's law with a probability
 * that grows with how far the classes' likelihood, less PENALTY, exceeds that of one common law, and is at most
 * most_trust, since sets are less homogeneous than the classes that fit them best. Otherwise a set is drawn from the
 * common law (studies/advising.md).
 *
 * Values beyond LARGE_FROM standard deviations stay as they are: noise is small compared with them (for the law of a
 * class they count as one more atom). The others fall into bins of 1/BINS_PER_SD standard deviations, their frequencies
 * into atoms. At convergence G would consist of a few spikes, which say nothing about the ranks of small values; so EM
 * starts from smooth decreasing laws and stops after ROUNDS rounds.
 *
 * The estimates do not determine how smooth the law is; the other extreme is posterior_atoms.c. */
#include "stats/posterior_private.h"

#include "numerics/numeric.h"
#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gain in log-likelihood at which the classes get half of the largest trust. */
enum { PENALTY = 2 * (CLASSES - 1) };

static const double most_trust = 0.85;

static const double first_large = 0.01; /* share of large values that a law starts with */

/* Exponents of the laws that EM starts from, for one class and for several. */
static const double alone = 2, together[CLASSES] = {1, 1.5, 2, 3, 5, 9};

/* likelihood[b][j]: density of an estimate in bin b, up to a factor, where the frequency is atom j. */
static void fill_likelihood(const struct ldp_protocol *protocol, uint64_t n, double sigma, struct tables *tables)
{
    for (size_t j = 0; j < ATOMS; j++)
        tables->atom[j] = fmin(1, (LARGE_FROM + 2) * sigma) * (double)j / (ATOMS - 1);
    for (size_t b = 0; b < BINS; b++) {
        const double z = tables->middle[b] = (((double)b + 0.5) / BINS_PER_SD - LARGE_FROM) * sigma;

        for (size_t j = 0; j < ATOMS; j++) {
            const double f = tables->atom[j], variance = (protocol->s1 + f * protocol->tf) / (double)n;

            tables->likelihood[b][j] = ldp_exp(-(z - f) * (z - f) / (2 * variance)) / sqrt(variance);
        }
    }
}

static void start_law(double exponent, double law[ATOMS + 1])
{
    double sum = 0;

    for (size_t j = 0; j < ATOMS; j++)
        sum += law[j] = ldp_pow((double)j + 0.5, -exponent);
    for (size_t j = 0; j < ATOMS; j++)
        law[j] *= (1 - first_large) / sum;
    law[ATOMS] = first_large;
}

static void fill_density(const double law[ATOMS + 1], const struct tables *tables, double density[BINS + 1])
{
    for (size_t b = 0; b < BINS; b++) {
        double sum = 0;

        for (size_t j = 0; j < ATOMS; j++)
            sum += law[j] * tables->likelihood[b][j];
        density[b] = sum;
    }
    density[BINS] = law[ATOMS];
}

/* Each group's chances of its class, given the laws; returns the log-likelihood up to a constant. */
static double weigh_classes(struct posterior *posterior, struct tables *tables)
{
    const size_t classes = posterior->nclasses;

    assert(classes > 1);
    for (size_t c = 0; c < classes; c++)
        for (size_t b = 0; b <= BINS; b++)
            tables->number[c][b] = ldp_log(tables->density[c][b]); /* temporarily */
    for (size_t g = 0; g < posterior->ngroups; g++)
        for (size_t c = 0; c < classes; c++)
            posterior->chance[g * classes + c] = ldp_log(tables->share[c]);
    for (size_t v = 0; v < posterior->d; v++)
        for (size_t c = 0; c < classes; c++)
            posterior->chance[posterior->group[v] * classes + c] += tables->number[c][posterior->bin[v]];
    double total = 0;
    for (size_t g = 0; g < posterior->ngroups; g++) {
        double *const chance = posterior->chance + g * classes, most = -INFINITY;

        for (size_t c = 0; c < classes; c++)
            most = fmax(most, chance[c]);
        double sum = 0;
        for (size_t c = 0; c < classes; c++)
            sum += chance[c] = ldp_exp(chance[c] - most);
        for (size_t c = 0; c < classes; c++)
            chance[c] /= sum;
        total += most + ldp_log(sum);
    }
    return total;
}

/* The next law of a class from the values that belong to it. */
static void improve_law(const double number[BINS + 1], const struct tables *tables, const double density[BINS + 1],
                        double law[ATOMS + 1])
{
    double total = 0;

    for (size_t b = 0; b <= BINS; b++)
        total += number[b];
    if (total == 0)
        return;
    double next[ATOMS] = {0};
    for (size_t b = 0; b < BINS; b++) {
        if (number[b] == 0)
            continue;
        for (size_t j = 0; j < ATOMS; j++)
            next[j] += number[b] / density[b] * law[j] * tables->likelihood[b][j];
    }
    for (size_t j = 0; j < ATOMS; j++)
        law[j] = next[j] / total;
    law[ATOMS] = number[BINS] / total;
}

/* One law for all values: the bins' numbers of values are all that it depends on. Returns the log-likelihood up to a
 * constant. */
static double run_em_alone(struct posterior *posterior, struct tables *tables)
{
    double *const number = tables->number[0], *const density = tables->density[0];

    posterior->nclasses = 1;
    start_law(alone, tables->law[0]);
    memset(number, 0, sizeof tables->number[0]);
    for (size_t v = 0; v < posterior->d; v++)
        number[posterior->bin[v]]++;
    for (int round = 0; round < ROUNDS; round++) {
        fill_density(tables->law[0], tables, density);
        improve_law(number, tables, density, tables->law[0]);
    }
    fill_density(tables->law[0], tables, density);
    double likelihood = 0;
    for (size_t b = 0; b <= BINS; b++)
        likelihood += number[b] > 0 ? number[b] * ldp_log(density[b]) : 0;
    return likelihood;
}

/* Returns the log-likelihood up to a constant. */
static double run_em_together(struct posterior *posterior, struct tables *tables)
{
    const size_t classes = CLASSES;

    posterior->nclasses = classes;
    for (size_t c = 0; c < classes; c++) {
        start_law(together[c], tables->law[c]);
        tables->share[c] = 1 / (double)classes;
    }
    for (int round = 0;; round++) {
        for (size_t c = 0; c < classes; c++)
            fill_density(tables->law[c], tables, tables->density[c]);
        const double likelihood = weigh_classes(posterior, tables);
        if (round == ROUNDS)
            return likelihood;
        memset(tables->number, 0, sizeof tables->number);
        for (size_t v = 0; v < posterior->d; v++)
            for (size_t c = 0; c < classes; c++)
                tables->number[c][posterior->bin[v]] += posterior->chance[posterior->group[v] * classes + c];
        for (size_t c = 0; c < classes; c++) {
            double sum = 0;

            for (size_t g = 0; g < posterior->ngroups; g++)
                sum += posterior->chance[g * classes + c];
            tables->share[c] = sum / (double)posterior->ngroups;
            improve_law(tables->number[c], tables, tables->density[c], tables->law[c]);
        }
    }
}

/* The first atom up to which there is more than a part u, 0 <= u < 1, of the law of a bin; none is before `from`. */
static size_t atom_at(const double cumulative[ATOMS], double u, size_t from)
{
    const double at = u * cumulative[ATOMS - 1];

    while (from < ATOMS - 1 && cumulative[from] <= at)
        from++;
    return from;
}

static void fill_draws(const double law[ATOMS + 1], const struct tables *tables, struct draws *draws)
{
    for (size_t b = 0; b < BINS; b++) {
        double sum = 0;

        for (size_t j = 0; j < ATOMS; j++)
            draws->cumulative[b][j] = sum += law[j] * tables->likelihood[b][j];
        for (size_t i = 0, atom = 0; i < GUIDES; i++)
            draws->first[b][i] = (uint8_t)(atom = atom_at(draws->cumulative[b], (double)i / GUIDES, atom));
    }
}

static void fit_classes(struct posterior *posterior, struct tables *tables, double likelihood)
{
    const double gain = run_em_together(posterior, tables) - likelihood;

    posterior->trust = most_trust / (1 + ldp_exp(PENALTY - gain));
    for (size_t c = 0; c < CLASSES; c++)
        fill_draws(tables->law[c], tables, &tables->draws[c]);
}

static void assign_groups(struct posterior *posterior)
{
    const struct ldp_sets *const sets = posterior->sets;

    for (size_t v = 0; v < posterior->d; v++)
        posterior->group[v] = (uint32_t)(posterior->ngroups - 1);
    for (size_t s = 0; sets && s < sets->count; s++)
        for (size_t i = sets->first[s]; i < sets->first[s + 1]; i++)
            posterior->group[sets->member[i]] = (uint32_t)s;
}

static void make_room(struct posterior *posterior)
{
    if (!posterior->tables)
        posterior->tables = xmalloc(1, sizeof(struct tables));
    if (posterior->d > posterior->d_room) {
        free(posterior->value);
        free(posterior->bin);
        free(posterior->group);
        posterior->value = xmalloc(posterior->d, sizeof *posterior->value);
        posterior->bin = xmalloc(posterior->d, sizeof *posterior->bin);
        posterior->group = xmalloc(posterior->d, sizeof *posterior->group);
        posterior->d_room = posterior->d;
    }
    if (posterior->ngroups > posterior->groups_room) {
        free(posterior->chance);
        posterior->chance = xmalloc(posterior->ngroups * CLASSES, sizeof *posterior->chance);
        posterior->groups_room = posterior->ngroups;
    }
}

void posterior_fit(struct posterior *posterior, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                   const struct ldp_sets *sets)
{
    const double sigma = ldp_sigma(protocol, n), excess = (ldp_sum(est, protocol->d) - 1) / (double)protocol->d;

    assert(sigma > 0);
    posterior->d = protocol->d;
    posterior->sets = sets;
    posterior->ngroups = sets ? sets->count + 1 : 1;
    make_room(posterior);
    struct tables *const tables = posterior->tables;
    for (size_t v = 0; v < posterior->d; v++) {
        const double z = est[v] - excess, position = (z / sigma + LARGE_FROM) * BINS_PER_SD;

        posterior->value[v] = z;
        posterior->bin[v] = (uint32_t)(position < 0 ? 0 : position < BINS ? position : BINS);
    }
    assign_groups(posterior);
    fill_likelihood(protocol, n, sigma, tables);
    const double likelihood = run_em_alone(posterior, tables);
    if (posterior->is_fewest_atoms)
        posterior_to_atoms(posterior, protocol, n);
    fill_draws(tables->law[0], tables, &tables->draws[COMMON]);
    posterior->trust = 0;
    if (sets && !posterior->is_fewest_atoms)
        fit_classes(posterior, tables, likelihood);
}

static double draw_frequency(const struct posterior *posterior, size_t class, size_t v, struct ldp_rng *rng)
{
    const struct tables *const tables = posterior->tables;
    const size_t bin = posterior->bin[v];

    if (bin == BINS)
        return posterior->value[v];
    const struct draws *const draws = &tables->draws[class];
    const double u = ldp_rng_uniform(rng);

    return tables->atom[atom_at(draws->cumulative[bin], u, draws->first[bin][(size_t)(u * GUIDES)])];
}

/* The law from which a group is drawn. */
static size_t draw_class(const struct posterior *posterior, size_t group, struct ldp_rng *rng)
{
    const double *const chance = posterior->chance + group * posterior->nclasses;
    double at = ldp_rng_uniform(rng);

    if (at >= posterior->trust)
        return COMMON;
    at /= posterior->trust;
    size_t class = 0;
    while (class + 1 < posterior->nclasses && at >= chance[class])
        at -= chance[class ++];
    return class;
}

void posterior_draw(const struct posterior *posterior, struct ldp_rng *rng, double *frequency)
{
    const struct ldp_sets *const sets = posterior->sets;
    const size_t rest = posterior->ngroups - 1, class_of_rest = draw_class(posterior, rest, rng);

    for (size_t v = 0; v < posterior->d; v++)
        if (posterior->group[v] == rest)
            frequency[v] = draw_frequency(posterior, class_of_rest, v, rng);
    for (size_t s = 0; s < rest; s++) {
        const size_t class = draw_class(posterior, s, rng);

        for (size_t i = sets->first[s]; i < sets->first[s + 1]; i++)
            frequency[sets->member[i]] = draw_frequency(posterior, class, sets->member[i], rng);
    }
}

void posterior_clear(struct posterior *posterior)
{
    free(posterior->value);
    free(posterior->bin);
    free(posterior->group);
    free(posterior->chance);
    free(posterior->tables);
    memset(posterior, 0, sizeof *posterior);
}
