/* repetitions.c - see repetitions.h. */
#include "config/repetitions.h"

#include "config/shapes.h"
#include "support/limits.h"

static const char *const decisions[] = {"best", NULL};

struct written {
    uint64_t from, to;
    double error;
    size_t decide;
    struct json_at error_at, decide_at;
};

static const struct config_key precision_keys[] = {
    {.name = "from",
     .required = true,
     CONFIG_WHOLE(struct written, from),
     .min = 2,
     .max = REPETITIONS_MAX,
     .help = "the fewest repetitions of a cell",
     .example = "10"},
    {.name = "to",
     .required = true,
     CONFIG_WHOLE(struct written, to),
     .min = 2,
     .max = REPETITIONS_MAX,
     .help = "the most repetitions of a cell",
     .example = "20000"},
    {.name = "error",
     CONFIG_REAL(struct written, error),
     .min = 1e-4,
     .max = 1,
     .fallback = 0,
     .help =
         "a cell stops, after 30 repetitions at least, when each standard error is at most this share of its mean; the "
         "error allows for one repetition more that is as bad as the worst, or of a measure from 0 to 1 off by 1",
     .example = "0.02"},
    {.name = "decide",
     CONFIG_CHOICE(struct written, decide),
     .choices = decisions,
     .fallback = 0,
     .help = "a cell stops when the best of each comparison is shown to be better than each of the others, or at most "
             "1 % above it; fewer than 8 repetitions decide nothing",
     .example = "\"best\""},
    {.name = NULL},
};

static int precision_read(const struct json_at *at, struct repetitions *out, struct failure *failure)
{
    struct written precision = {0};
    struct json_at place;
    const bool error = json_member(at, "error", &place), decide = json_member(at, "decide", &place);

    if (config_check(at, precision_keys, NULL, failure) != 0 ||
        config_read(at, precision_keys, &precision, failure) != 0)
        return -1;
    if (error == decide)
        return json_expected(at, failure, "an \"error\" or a \"decide\", one of them");
    if (precision.from > precision.to)
        return json_expected(at, failure, "\"from\" not above \"to\"");
    *out = (struct repetitions){precision.from, precision.to, error ? precision.error : 0, decide};
    return 0;
}

static int repetitions_read(const struct config_key *key, const struct json_at *at, void *opaque,
                            struct failure *failure)
{
    struct repetitions *const out = opaque;

    if (json_is_object(at))
        return precision_read(at, out, failure);
    if (json_integer(at, (uint64_t)key->min, (uint64_t)key->max, &out->most, failure) != 0)
        return -1;
    out->least = out->most;
    return 0;
}

static void repetitions_absent(const struct config_key *key, void *opaque)
{
    struct repetitions *const out = opaque;

    out->least = out->most = (uint64_t)key->fallback;
}

/* An object with one of the two rules, and not the other. */
static cJSON *rule_schema(const char *rule, const char *other)
{
    cJSON *const schema = config_schema(precision_keys);
    cJSON *const properties = cJSON_GetObjectItem(schema, "properties");

    cJSON_DeleteItemFromObject(properties, other);
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(properties, rule), "default");
    schema_require(schema, rule);
    return schema;
}

static cJSON *error_schema(const struct config_key *key)
{
    (void)key;
    return rule_schema("error", "decide");
}

static cJSON *decide_schema(const struct config_key *key)
{
    (void)key;
    return rule_schema("decide", "error");
}

_Static_assert(REPETITIONS_MAX == 10000000, "the words of config_repetitions");

const struct config_type config_repetitions = {
    CONFIG_ANY_OF(&config_whole, CONFIG_TYPE(.schema = error_schema), CONFIG_TYPE(.schema = decide_schema)),
    CONFIG_STORED(STORED_BY_READER, struct repetitions),
    .read = repetitions_read,
    .absent = repetitions_absent,
    .words = "an integer from 1 to 10000000, or an object with `from`, `to`, and `error` or `decide`",
};
