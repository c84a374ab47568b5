/* recommend_oracle_methods.c - the users that each oracle needs with its best method, on a pilot. Collections from the
 * pilot's frequencies are simulated; errors fall with the users and with epsilon, so that the least of either is found
 * by halving. Of the methods that are tried first the three best are followed. */
#include "commands/recommend_oracle.h"

#include "stats/ranking.h"

#include <math.h>
#include <string.h>

enum { FOLLOWED = 3, STEPS = 24 };

static const double precision = 0.02; /* of users and epsilon */

/* Methods that are tried with one oracle. */
struct field {
    const struct limits *limits;
    const struct ldp_oracle_spec *spec;
    struct ldp_method_spec methods[NAMES_MAX];
    size_t nmethods;
};

/* The field's errors with so many users, the methods in order of them. */
static int try_methods(struct field *field, double epsilon, double users, double *error, struct failure *failure)
{
    const struct limits *const limits = field->limits;
    const struct ldp_query_spec query = {.query = ldp_query_find("full_domain"), .npoints = 1};
    struct ldp_protocol protocol;
    struct rankings rankings = {0};
    bool suits[NAMES_MAX];

    if (ldp_protocol_init(&protocol, field->spec, limits->d, epsilon, NULL) != LDP_OK) {
        *error = INFINITY;
        return 0;
    }
    for (size_t i = 0; i < field->nmethods; i++)
        suits[i] = ldp_method_suits(field->methods[i].method, &protocol);
    const struct ranking_plan plan = {.fit = &limits->pilot,
                                      .n = (uint64_t)fmin(users, 0x1p53),
                                      .protocols = &protocol,
                                      .nprotocols = 1,
                                      .methods = field->methods,
                                      .nmethods = field->nmethods,
                                      .suits = suits,
                                      .queries = &query,
                                      .nqueries = 1,
                                      .trials = (uint32_t)limits->trials,
                                      .seed = limits->seed,
                                      .threads = limits->threads};
    const int result = rankings_simulate(&plan, &rankings, failure);
    if (result == 0) {
        struct ldp_method_spec sorted[NAMES_MAX];
        const size_t count = rankings.size < FOLLOWED ? rankings.size : FOLLOWED;
        struct ranked *const ranked = rankings.ranking[0].ranked;
        for (size_t i = 0; i < count; i++) {
            size_t least = i;
            for (size_t k = i + 1; k < rankings.size; k++)
                if (ranked[k].error.mean < ranked[least].error.mean)
                    least = k;
            const struct ranked swapped = ranked[i];
            ranked[i] = ranked[least];
            ranked[least] = swapped;
            sorted[i] = field->methods[ranked[i].method];
        }
        *error = sqrt(ranked[0].error.mean);
        memcpy(field->methods, sorted, count * sizeof *sorted);
        field->nmethods = count;
    }
    rankings_clear(&rankings);
    return result;
}

/* The least users, or the least epsilon, that suffice for the error; other: the one that is given. `high` suffices, or,
 * of users, is made larger until it does. */
static int find_least(struct field *field, bool is_epsilon, double other, double high, double *least,
                      struct failure *failure)
{
    double low = 0, at = high, error = 0;
    bool is_enough = is_epsilon;

    for (int step = 0; step < STEPS && !(is_enough && high <= low * (1 + precision)); step++) {
        at = !is_enough ? high : low > 0 ? sqrt(low * high) : high / 4;
        if (!is_epsilon && at < 2)
            break;
        if (try_methods(field, is_epsilon ? at : other, is_epsilon ? other : at, &error, failure) != 0)
            return -1;
        const bool reaches = error <= field->limits->error;
        if (!reaches)
            low = at;
        if (reaches || !is_enough)
            high = reaches ? at : 2 * at;
        is_enough |= reaches;
    }
    *least = high;
    return 0;
}

int choice_error(const struct limits *limits, const struct choice *choice, double epsilon, double users, double *error,
                 struct failure *failure)
{
    struct field field = {.limits = limits, .spec = choice->spec, .nmethods = limits->chosen.nmethods};
    struct ldp_protocol protocol;

    if (limits->pilot_file) {
        memcpy(field.methods, limits->chosen.methods, field.nmethods * sizeof *field.methods);
        for (size_t i = 0; i < field.nmethods; i++)
            if (field.methods[i].method == choice->method)
                field.methods[0] = field.methods[i];
        field.nmethods = 1;
        return try_methods(&field, epsilon, users, error, failure);
    }
    *error = sqrt(oracle_variance(limits, choice->spec, epsilon, &protocol) / users);
    return 0;
}

int choice_with_method(const struct limits *limits, struct choice *choice, struct failure *failure)
{
    struct field field = {.limits = limits, .spec = choice->spec, .nmethods = limits->chosen.nmethods};
    const double available = limits->n > 0 ? (double)limits->n : INFINITY;

    memcpy(field.methods, limits->chosen.methods, field.nmethods * sizeof *field.methods);
    choice->plain_users = choice->users;
    double users = choice->users, error;
    if (limits->error > 0 && find_least(&field, false, limits->epsilon, users, &users, failure) != 0)
        return -1;
    choice->users = limits->error > 0 ? ceil(users) : available;
    choice->too_noisy = choice->users > available;
    users = fmin(choice->users, available);
    if (try_methods(&field, limits->epsilon, users, &error, failure) != 0)
        return -1;
    choice->error = error;
    choice->method = field.methods[0].method;
    choice->variance = error * error * users;
    choice->seconds = choice_seconds(limits, choice, users);
    choice->too_slow = choice->seconds > limits->seconds;
    choice->epsilon = limits->epsilon;
    if (limits->error > 0 && limits->n > 0 && !choice->too_noisy)
        return find_least(&field, true, available, limits->epsilon, &choice->epsilon, failure);
    return 0;
}
