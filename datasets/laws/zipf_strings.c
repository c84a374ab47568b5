/* zipf_strings.c - strings that share prefixes as words do, with Zipf's law: p(r) proportional to r^-s for the r-th
 * string.
 *
 * The strings are drawn from a Markov chain of order 2 with the transitions of English words (trigrams.def), and are
 * the same for any s and n; the r-th different string has rank r. A symbol of the alphabet that is a letter a-z behaves
 * as that letter; the others behave as the remaining letters, the frequent ones first, and symbols beyond those are
 * rare. Every symbol may follow any two. With bits, the symbols are the bits of the letters.
 *
 * Source: none; a substitute for real strings. */
#include "dataset.h"
#include "labels.h"
#include "numerics/numeric.h"
#include "strings.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { LETTERS = 27, COMMON = 64 }; /* COMMON: how many times as likely a counted transition is as an unseen one */
enum { EXPONENT, LENGTH, BITS };

static const uint16_t follows[LETTERS * LETTERS][LETTERS] = {
#include "trigrams.def"
};

static const struct ldp_param params[] = {
    [EXPONENT] = {"s", LDP_REAL, NAN, 0x1p-1022, 1e3, NULL, "exponent, > 0; must be given"},
    [LENGTH] = {"length", LDP_INTEGER, 6, 1, 16, NULL, "letters of a string"},
    [BITS] = {"bits", LDP_FLAG, 0, 0, 1, NULL, "the symbols of the strings are the bits of the letters"},
    {.name = NULL},
};

static const struct dataset_text alphabet = {"alphabet", "symbols of the strings; default: a-z", "\"a-z.\"",
                                             ALPHABET_PATTERN(" ")};

static void weights(const double *param, size_t d, double *weight)
{
    for (size_t v = 0; v < d; v++)
        weight[v] = ldp_pow((double)(v + 1), -param[EXPONENT]);
}

/* The symbols of an alphabet, and the letters as which they behave; 0: none. */
enum { SYMBOLS_MAX = 256 };
struct chain {
    unsigned count;
    uint32_t symbol[SYMBOLS_MAX];
    unsigned letter[SYMBOLS_MAX];
};

static void chain_of(const char *text, struct chain *chain)
{
    static const char by_frequency[] = "esianrtolcdugpmhbyfvkwzxjq";
    const char *next = by_frequency;
    bool in[128] = {false};
    struct alphabet symbols;

    alphabet_read(text ? text : "a-z", &symbols, NULL);
    chain->count = (unsigned)symbols.count;
    for (unsigned i = 0; i < chain->count; i++) {
        const uint32_t c = chain->symbol[i] = symbols.character[i];

        chain->letter[i] = c >= 'a' && c <= 'z' ? c - 'a' + 1 : 0;
        in[c & 127] |= c < 128;
    }
    alphabet_clear(&symbols);
    for (unsigned i = 0; i < chain->count; i++) {
        if (chain->letter[i] > 0)
            continue;
        while (*next && in[(unsigned char)*next])
            next++;
        chain->letter[i] = *next ? (unsigned)(*next++ - 'a') + 1 : 0;
    }
}

/* Returns the number of bytes. */
static size_t draw_string(const struct chain *chain, unsigned length, struct ldp_rng *rng, char *string)
{
    unsigned before = 0, last = 0;
    char *end = string;

    for (unsigned k = 0; k < length; k++) {
        const uint16_t *const row = follows[LETTERS * before + last];
        uint64_t weight[SYMBOLS_MAX], total = 0;
        unsigned next = 0;

        for (unsigned i = 0; i < chain->count; i++)
            total += weight[i] = 1 + (chain->letter[i] > 0 ? (uint64_t)COMMON * row[chain->letter[i]] : 0);
        for (uint64_t u = ldp_rng_below(rng, total); next + 1 < chain->count && u >= weight[next]; next++)
            u -= weight[next];
        end += character_put(chain->symbol[next], end); /* NOLINT(clang-analyzer-core.*) */
        before = last;
        last = chain->letter[next];
    }
    *end = '\0';
    return (size_t)(end - string);
}

/* Different strings in the order in which they are drawn, with their ranks from 1 as counts. */
static void draw_strings(const struct chain *chain, unsigned length, size_t d, char **drawn,
                         struct strings_builder *builder)
{
    struct label_index index = {0};
    struct ldp_rng rng;

    ldp_rng_stream(&rng, length, "zipf_strings", 0);
    for (size_t count = 0; count < d;) {
        char string[16 * CHARACTER_BYTES + 1];
        const size_t bytes = draw_string(chain, length, &rng, string);

        if (label_index_find(&index, drawn, string, bytes) != LABEL_NONE)
            continue;
        drawn[count] = xstrdup(string);
        label_index_add(&index, drawn, count);
        strings_add(builder, string, bytes, ++count);
    }
    label_index_clear(&index);
}

static int spell(const struct dataset_request *request, struct dataset_strings **out, uint32_t **rank,
                 struct failure *failure)
{
    const unsigned length = (unsigned)request->param[LENGTH];
    const size_t d = request->d;
    struct strings_builder builder = {.length = length, .alphabet = request->text ? request->text : "a-z"};
    char **const drawn = xcalloc(d, sizeof *drawn);
    uint64_t *ranks = NULL;

    struct chain chain;
    chain_of(request->text, &chain);
    if (request->param[BITS] != 0)
        builder = (struct strings_builder){.bits = 8 * length};
    int result = 0;
    if (pow(chain.count, length) < 2 * (double)d)
        result = fail(failure, EXIT_BAD_INPUT,
                      "zipf_strings: expected at most half as many strings as there are of %u letters out of %u, got "
                      "d = %zu",
                      length, chain.count, d);
    else
        draw_strings(&chain, length, d, drawn, &builder);
    if (result == 0)
        result = strings_build(&builder, "zipf_strings", out, &ranks, failure);
    labels_free(drawn, d);
    strings_builder_clear(&builder);
    if (result != 0)
        return -1;
    *rank = xmalloc(d, sizeof **rank);
    for (size_t v = 0; v < d; v++)
        (*rank)[v] = (uint32_t)(ranks[v] - 1);
    free(ranks);
    return 0;
}

static enum ldp_status check(const double *param, const char *text, struct ldp_reason *reason)
{
    struct alphabet symbols;

    if (alphabet_read(text ? text : "a-z", &symbols, reason) != LDP_OK)
        return LDP_EINVAL;
    const bool blank = symbols.character[0] == ' ', wide = symbols.character[symbols.count - 1] > '~';
    const bool many = symbols.count > SYMBOLS_MAX;
    alphabet_clear(&symbols);
    if (many)
        return ldp_refuse(reason, "alphabet: expected at most %d symbols", SYMBOLS_MAX);
    if (wide && param[BITS] != 0)
        return ldp_refuse(reason, "alphabet: expected ASCII where the symbols are bits");
    return blank ? ldp_refuse(reason, "alphabet: expected no blank, which pads short strings") : LDP_OK;
}

const struct dataset_type dataset_type_zipf_strings = {
    .name = "zipf_strings",
    .title = "strings like words, Zipf's law",
    .source = "none; trigrams of English words",
    .kind = DATASET_STRINGS,
    .params = params,
    .text = &alphabet,
    .check = check,
    .weights = weights,
    .spell = spell,
};
