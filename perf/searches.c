/* searches.c - searches for frequent strings, one repetition by counts. */
#include "bench.h"
#include "searches/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Strings whose counts follow Zipf's law, s = 1.1, with keys in random order. */
struct words {
    struct ldp_strings strings;
    struct ldp_histogram histogram;
    ldp_uint128 *key;
    uint64_t *counts;
};

struct repetition {
    struct ldp_search_state *state;
    struct ldp_rng rng;
};

static int ascending(const void *a, const void *b)
{
    const ldp_uint128 x = *(const ldp_uint128 *)a, y = *(const ldp_uint128 *)b;
    return (x > y) - (x < y);
}

/* d strings of n users; a key that occurs twice is replaced by the next one. */
static void words_init(struct words *words, unsigned length, unsigned symbols, size_t d, uint64_t n)
{
    struct ldp_rng rng;
    uint64_t keys = 1, left = n;
    double total = 0;

    for (unsigned i = 0; i < length; i++)
        keys *= symbols;
    words->key = bench_alloc(d * sizeof *words->key);
    words->counts = bench_alloc(d * sizeof *words->counts);
    ldp_rng_stream(&rng, 1, "strings", d);
    for (size_t i = 0; i < d; i++) {
        words->key[i] = ldp_rng_below(&rng, keys - d);
        total += pow((double)(i + 1), -1.1);
    }
    qsort(words->key, d, sizeof *words->key, ascending);
    for (size_t i = 1; i < d; i++)
        if (words->key[i] <= words->key[i - 1])
            words->key[i] = words->key[i - 1] + 1;
    memset(words->counts, 0, d * sizeof *words->counts);
    for (size_t i = 0; i < d; i++) {
        const uint64_t count = (uint64_t)((double)n * pow((double)(i + 1), -1.1) / total);
        words->counts[i * 7919 % d] += count;
        left -= count;
    }
    words->counts[0] += left;
    words->strings =
        (struct ldp_strings){.d = d, .length = length, .symbols = symbols, .searched = symbols, .key = words->key};
    words->histogram = (struct ldp_histogram){d, n, words->counts};
}

static void repeat(void *context)
{
    struct repetition *const repetition = context;
    const struct ldp_search_result *result;
    if (ldp_search_run(repetition->state, &repetition->rng, &result, NULL) != LDP_OK)
        abort();
}

/* A protocol with its default parameters, except for step and keep where they are not 0. */
static void bench_search(struct bench *bench, const struct words *words, const char *name, double step, double keep,
                         double epsilon)
{
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh")};
    struct ldp_search_spec spec = {.search = ldp_search_find(name)};
    const struct ldp_search_input input = {
        &words->strings, words->histogram, &oracle, epsilon, LDP_COUNTS, NULL, false};
    struct repetition repetition = {0};

    ldp_params_default(oracle.oracle->params, oracle.param);
    ldp_params_default(spec.search->params, spec.param);
    for (size_t i = 0; spec.search->params[i].name; i++) {
        if (step > 0 && strcmp(spec.search->params[i].name, "step") == 0)
            spec.param[i] = step;
        if (keep > 0 && strcmp(spec.search->params[i].name, "keep") == 0)
            spec.param[i] = keep;
    }
    if (ldp_search_new(&spec, &input, &repetition.state, NULL) != LDP_OK)
        abort();
    ldp_rng_stream(&repetition.rng, 1, name, 0);
    char text[sizeof bench->rows->name];
    snprintf(text, sizeof text, "%s, %u symbols of %u", name, words->strings.length, words->strings.symbols);
    if (step > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text), ", step %.0f, keep %.0f", step, keep);
    bench_add(bench, "search", text, words->strings.d, words->histogram.n, "s",
              bench_median(bench, repeat, &repetition));
    ldp_search_free(repetition.state);
}

/* The sizes of PVLDB 2021's Table 2 (words of six letters) and of searches bit by bit. */
void bench_searches(struct bench *bench)
{
    enum { LETTERS_D = 118000, BITS_D = 200000, N = 657427 };
    struct words letters, bits;

    words_init(&letters, 6, 27, LETTERS_D, N);
    for (size_t i = 0; ldp_searches[i]; i++)
        bench_search(bench, &letters, ldp_searches[i]->name, 0, 0, 3);
    words_init(&bits, 48, 2, BITS_D, N);
    static const double step[] = {1, 8}, keep[] = {16, 256};
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++)
            bench_search(bench, &bits, "pem", step[i], keep[k], 3);
    free(letters.key);
    free(letters.counts);
    free(bits.key);
    free(bits.counts);
}
