/* search.c - the table of protocols that find strings, one repetition of a protocol, and measures of its answer. */
#include "searches/search.h"

#include "attacks/attack.h"
#include "protocol/registry.h"
#include "searches/planned.h"
#include "searches/round.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LDP_SEARCH(id) extern const struct ldp_search ldp_search_##id;
#include "searches.def"
#undef LDP_SEARCH

#define LDP_SEARCH(id) &ldp_search_##id,
const struct ldp_search *const ldp_searches[] = {
#include "searches.def"
    NULL};

LDP_FIND(search, ldp_searches)

/* Whether the oracle can be asked in every round. A round may have a single candidate, and a domain of 2; where the
 * oracle has parameters for larger domains only, those that the rounds are to have count. */
static enum ldp_status check_oracle(const struct ldp_search *search, const struct ldp_search_input *input,
                                    const double *param, struct ldp_reason *reason)
{
    struct ldp_protocol protocol;
    enum ldp_status status = ldp_protocol_init(&protocol, input->oracle, 2, input->epsilon, reason);
    if (status == LDP_OK || !search->rounds)
        return status;
    struct ldp_search_rounds rounds = {.count = 0};
    search->rounds(search, input, param, &rounds);
    status = LDP_OK;
    for (size_t i = 0; status == LDP_OK && i < rounds.count; i++) {
        const struct ldp_search_round_size *const round = &rounds.round[i];
        status = ldp_protocol_init(&protocol, input->oracle, (size_t)(round->candidates + round->others),
                                   round->epsilon, reason);
    }
    return status;
}

/* Whether malicious users can attack every round; a domain of a few values stands for the rounds'. */
static enum ldp_status check_attackers(const struct ldp_search *search, const struct ldp_search_input *input,
                                       struct ldp_reason *reason)
{
    enum { FEW = 64 };
    struct ldp_protocol protocol;
    if (!search->is_attackable)
        return ldp_refuse(reason, "%s asks about more than prefixes: reports for it cannot be crafted", search->name);
    const enum ldp_status status = ldp_protocol_init(&protocol, input->oracle, FEW, input->epsilon, reason);
    return status == LDP_OK ? ldp_attackers_check(input->attackers, &protocol, reason) : status;
}

enum ldp_status ldp_search_configure(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                     struct ldp_search_spec *out, struct ldp_reason *reason)
{
    if (!spec->search || !input->oracle)
        return ldp_refuse(reason, "expected %s, got none", spec->search ? "an oracle" : "a protocol of searches");
    if (!ldp_params_valid(spec->search->params, spec->param))
        return ldp_refuse(reason, "a parameter is out of its range");
    assert(input->strings->length <= SEARCH_LENGTH_MAX && input->histogram.d == input->strings->d);
    struct ldp_search_spec own = *spec;
    enum ldp_status status = spec->search->configure(spec->search, input, own.param, reason);
    if (status == LDP_OK && input->attackers)
        status = check_attackers(spec->search, input, reason);
    if (status == LDP_OK)
        status = check_oracle(spec->search, input, own.param, reason);
    if (out)
        *out = own;
    return status;
}

enum ldp_status ldp_search_rounds(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                  struct ldp_search_rounds *out, struct ldp_reason *reason)
{
    struct ldp_search_spec own;
    const enum ldp_status status = ldp_search_configure(spec, input, &own, reason);

    out->count = 0;
    if (status == LDP_OK && spec->search->rounds)
        own.search->rounds(own.search, input, own.param, out);
    return status;
}

enum ldp_status ldp_search_expect(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                                  struct ldp_search_forecast *out, struct ldp_reason *reason)
{
    struct ldp_search_spec own;
    const enum ldp_status status = ldp_search_configure(spec, input, &own, reason);

    *out = (struct ldp_search_forecast){NAN, NAN, NAN, NAN};
    if (status == LDP_OK && spec->search->forecast)
        own.search->forecast(input, own.param, out);
    return status;
}

enum ldp_status ldp_search_new(const struct ldp_search_spec *spec, const struct ldp_search_input *input,
                               struct ldp_search_state **out, struct ldp_reason *reason)
{
    struct ldp_search_spec own;
    const enum ldp_status status = ldp_search_configure(spec, input, &own, reason);

    *out = NULL;
    if (status != LDP_OK)
        return status;
    struct ldp_search_state *const state = calloc(1, sizeof *state);
    if (!state)
        return LDP_ENOMEM;
    state->spec = own;
    state->input = *input;
    state->power[0] = 1;
    for (unsigned i = 1; i <= input->strings->length; i++)
        state->power[i] = state->power[i - 1] * input->strings->symbols;
    *out = state;
    return LDP_OK;
}

void ldp_search_free(struct ldp_search_state *state)
{
    if (!state)
        return;
    free(state->kept.key);
    free(state->kept.est);
    free(state->other.key);
    free(state->other.est);
    free(state->next.key);
    free(state->next.est);
    free(state->answers.list);
    laws_free(state->laws);
    search_drop_all(state);
    free(state);
}

void ldp_search_exchange_memory(struct ldp_search_state *a, struct ldp_search_state *b)
{
    const struct ldp_search_state first = *a;

    assert(a->input.strings == b->input.strings);
    *a = *b;
    *b = first;
    b->spec = a->spec;
    b->input = a->input;
    a->spec = first.spec;
    a->input = first.input;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum ldp_status ldp_search_run(struct ldp_search_state *state, struct ldp_rng *rng,
                               const struct ldp_search_result **result, struct ldp_reason *reason)
{
    const double start = seconds();

    state->rng = rng;
    state->reason = reason;
    if (reason)
        reason->text[0] = '\0';
    state->result = (struct ldp_search_result){.false_stated = NAN};
    const enum ldp_status status = state->spec.search->run(state, state->spec.param);
    state->result.times.total = seconds() - start;
    *result = &state->result;
    return status;
}

/* ---- Measures ---- */

size_t ldp_target_size(const struct ldp_target *target, const struct ldp_population *population)
{
    const size_t most = target->top > 0 && target->top < population->d ? target->top : population->d;
    const double least = target->top > 0 ? 0 : target->threshold;
    size_t count = 0;

    for (; count < most; count++) {
        const uint32_t string = population->rank[count];
        if (population->counts[string] == 0 || population->f[string] < least)
            break;
    }
    return count;
}

/* The string of a key, or SIZE_MAX. */
static size_t string_of(const struct ldp_strings *strings, ldp_uint128 key)
{
    size_t low = 0, high = strings->d;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strings->key[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < strings->d && strings->key[low] == key ? low : SIZE_MAX;
}

/* The index of a string among the first `count` by rank, or count. Ranks are by decreasing count, then by string. */
static size_t index_of(const struct ldp_population *population, size_t string, size_t count)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2, other = population->rank[middle];
        const uint64_t here = population->counts[other], own = population->counts[string];

        if (here > own || (here == own && other < string))
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && population->rank[low] == string ? low : count;
}

static double ratio(double over, double under)
{
    return under > 0 ? over / under : 0;
}

size_t ldp_search_measure(const struct ldp_strings *strings, const struct ldp_population *population,
                          const struct ldp_search_result *result, const struct ldp_target *target,
                          double measure[LDP_SEARCH_MEASURES])
{
    const size_t size = ldp_target_size(target, population);
    double right = 0, absent = 0, quality = 0, squares = 0;
    size_t found = 0;

    for (size_t i = 0; i < result->nfound; i++) {
        const struct ldp_found *const one = &result->found[i];
        const size_t string = string_of(strings, one->key);
        const bool present = string != SIZE_MAX && population->counts[string] > 0;

        if (target->top == 0 && one->est < target->threshold)
            continue;
        found++;
        absent += !present;

        const size_t index = present ? index_of(population, string, size) : size;

        if (index < size) {
            const double error = one->est - population->f[string];

            right++;
            quality += (double)(size - index);
            squares += error * error;
        }
    }
    const double all = (double)size;
    const double recall = ratio(right, all), precision = ratio(right, (double)found);
    const double vldb = ratio(right, right + absent);

    measure[LDP_PRECISION_VLDB] = vldb;
    measure[LDP_RECALL] = recall;
    measure[LDP_F1_VLDB] = ratio(2 * vldb * recall, vldb + recall);
    measure[LDP_PRECISION] = precision;
    measure[LDP_F1] = ratio(2 * precision * recall, precision + recall);
    measure[LDP_NCR] = ratio(quality, all * (all + 1) / 2);
    measure[LDP_MSE_FOUND] = right > 0 ? squares / right : (double)NAN;
    measure[LDP_FALSE] = ratio(absent, (double)found);
    return found;
}

void ldp_search_coverage(const struct ldp_strings *strings, const struct ldp_population *population,
                         const struct ldp_search_result *result, double *coverage, double *width)
{
    double count = 0, covered = 0, sum = 0;

    for (size_t i = 0; i < result->nfound; i++) {
        const struct ldp_found *const one = &result->found[i];
        const size_t string = string_of(strings, one->key);
        const double f = string != SIZE_MAX ? population->f[string] : 0;

        if (isnan(one->low))
            continue;
        count++;
        covered += one->low <= f && f <= one->high;
        sum += one->high - one->low;
    }
    *coverage = count > 0 ? covered / count : (double)NAN;
    *width = count > 0 ? sum / count : (double)NAN;
}
