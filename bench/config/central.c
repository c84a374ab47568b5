/* central.c - see central.h. */
#include "config/central.h"

#include "numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const central_equals[] = {[EQUAL_STATED] = "stated", [EQUAL_CENTRAL] = "central", NULL};

static const double POWER = 1.5, POWER_MAX = 10;

bool delta_parse(const char *text, struct delta *delta)
{
    const bool is_power = strncmp(text, "n^-", 3) == 0;
    const char *const number = is_power ? text + 3 : text;
    char *end;
    const double value = strtod(number, &end);
    if (end == number || *end || !(number[0] >= '0' && number[0] <= '9') || strpbrk(number, "xX"))
        return false;
    *delta = is_power ? (struct delta){.power = value} : (struct delta){.value = value};
    return is_power ? value > 0 && value <= POWER_MAX : value > 0 && value < 1;
}

double delta_at(const struct delta *delta, uint64_t n)
{
    return delta->value > 0 ? delta->value : ldp_pow((double)n, -delta->power);
}

static int delta_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    static const char what[] = "a number between 0 and 1, both excluded, or \"n^-P\"";
    struct delta *const delta = out;
    const char *text;

    (void)key;
    if (json_is_number(at)) {
        if (json_number(at, -INFINITY, INFINITY, &delta->value, failure) != 0)
            return -1;
        return delta->value > 0 && delta->value < 1 ? 0 : json_expected(at, failure, what);
    }
    if (!json_is_string(at))
        return json_expected(at, failure, what);
    if (json_string(at, &text, failure) != 0)
        return -1;
    return text[0] == 'n' && delta_parse(text, delta) ? 0 : json_expected(at, failure, what);
}

static void delta_absent(const struct config_key *key, void *out)
{
    (void)key;
    *(struct delta *)out = (struct delta){.power = POWER};
}

static const struct config_type config_delta = {
    CONFIG_ANY_OF(CONFIG_TYPE(.form = FORM_REAL), CONFIG_TYPE(.form = FORM_TEXT, .least = 4, .most = 20)),
    CONFIG_STORED(STORED_BY_READER, struct delta),
    .read = delta_read,
    .absent = delta_absent,
    .words = "a number between 0 and 1, or `\"n^-P\"`",
};

const struct config_key shuffle_keys[] = {
    {.name = "delta",
     .type = &config_delta,
     CONFIG_MEMBER(struct shuffle, delta, struct delta),
     .min = 0x1p-1074,
     .max = 1 - 0x1p-53,
     .fallback = NAN,
     .help = "of the central guarantee, or a power of the number of users; default n^-1.5",
     .example = "1e-9"},
    {.name = "local_max",
     CONFIG_REAL(struct shuffle, local_max),
     .min = 0x1p-1074,
     .max = 50,
     .fallback = LOCAL_MAX,
     .help = "the largest epsilon of clients, whatever the shuffler adds",
     .example = "8"},
    {.name = NULL},
};

static int shuffle_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    struct shuffle *const shuffle = out;

    (void)key;
    shuffle->given = true;
    if (config_check(at, shuffle_keys, NULL, failure) != 0)
        return -1;
    return config_read(at, shuffle_keys, shuffle, failure);
}

static void shuffle_absent(const struct config_key *key, void *out)
{
    struct shuffle *const shuffle = out;

    delta_absent(key, &shuffle->delta);
    shuffle->local_max = LOCAL_MAX;
}

const struct config_type config_shuffle = {
    .form = FORM_OBJECT,
    .keys = shuffle_keys,
    CONFIG_STORED(STORED_BY_READER, struct shuffle),
    .read = shuffle_read,
    .absent = shuffle_absent,
    .words = "an object",
};
