/* pricing.c - questions that would lower the expected error of a plan (shares.h).
 *
 * Those of the blocks of largest slope grow by the digit, a further attribute or its parity with the first one, whose
 * further blocks have the largest slopes, and the best on the way joins the list if its d_Q is above the mean. */
#include "marginals/shares.h"

#include <math.h>
#include <string.h>

#define GAIN 1.001 /* of d_Q over the mean, for a question to join */

static bool is_listed(const struct shares *shares, const struct digits *digits)
{
    for (size_t q = 0; q < shares->nquestions; q++)
        if (shares->question[q].digits.size == digits->size &&
            memcmp(shares->question[q].digits.mask, digits->mask, digits->size * sizeof *digits->mask) == 0)
            return true;
    return false;
}

/* The blocks that a question shows, each with a further part; those that may have one more attribute. Returns their
 * number. */
static size_t list_parts(const struct shares *shares, const struct digits *digits, uint64_t further, uint64_t *part)
{
    size_t count = 0;

    for (uint64_t chosen = 0; chosen >> digits->size == 0; chosen++) {
        part[count] = further ^ ldp_digits_block(digits, chosen);
        count += (size_t)__builtin_popcountll(part[count]) < shares->order;
    }
    return count;
}

/* What a question of such noise gains by the blocks that an attribute makes with those parts. */
static double price_with(const struct shares *shares, const uint64_t *part, size_t count, size_t attribute,
                         double noise)
{
    const uint64_t apart = ~shares->near[attribute], own = UINT64_C(1) << attribute;
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const size_t block = part[i] & apart ? CLOSURE_NONE : ldp_closure_find(&shares->closure, part[i] | own);
        sum += block == CLOSURE_NONE ? 0 : shares->slope[block] * ldp_shares_gives(shares, noise, block);
    }
    return sum;
}

/* What digits gain as a question, or as parts of a question of such noise. */
static double price_inside(const struct shares *shares, const struct digits *digits, double noise)
{
    double sum = 0;

    for (uint64_t chosen = 1; chosen >> digits->size == 0; chosen++) {
        const size_t block = ldp_closure_find(&shares->closure, ldp_digits_block(digits, chosen));
        sum += block == CLOSURE_NONE ? 0 : shares->slope[block] * ldp_shares_gives(shares, noise, block);
    }
    return sum;
}

/* The best further digit, by price; 0: there is none. */
static uint64_t next_digit(struct shares *shares, const struct digits *digits, double *price)
{
    const uint64_t attributes = ldp_digits_attributes(digits);
    uint64_t binary = 0; /* of a digit of several; 0: in a table, parities tell as much as attributes */
    uint64_t part[PARITY + 1][1 << GROWN_MAX], found = 0;
    double noise = INFINITY, inside = 0;

    for (size_t i = 0; i < digits->size; i++)
        if (digits->mask[i] & (digits->mask[i] - 1))
            binary = digits->mask[i] & -digits->mask[i];
    const size_t count[] = {list_parts(shares, digits, 0, part[TABLE]),
                            binary ? list_parts(shares, digits, binary, part[PARITY]) : 0};
    *price = 0;
    for (size_t a = 0; a < shares->workload->records->d; a++) {
        const uint64_t own = UINT64_C(1) << a;
        struct digits more = *digits;
        if (attributes & own || !ldp_digits_add(&more, own))
            continue;
        const double with = ldp_shares_question_noise(shares, &more);
        if (isinf(with))
            continue;
        if (with < noise || with > noise)
            inside = price_inside(shares, digits, noise = with);
        for (int form = TABLE; form <= (ldp_shares_binary(shares, own) ? PARITY : TABLE); form++) {
            const double all = inside + price_with(shares, part[form], count[form], a, with);
            if (all > *price) {
                *price = all;
                found = form == TABLE ? own : own | binary;
            }
        }
    }
    return found;
}

static void take_better(const struct shares *shares, const struct digits *digits, double price, struct digits *best,
                        double *best_price)
{
    if (price > *best_price && !is_listed(shares, digits)) {
        *best_price = price;
        *best = *digits;
    }
}

/* The best of the questions on the way from one, by price; adds it if that is above the mean. */
static enum ldp_status grow_from(struct shares *shares, struct digits digits, double mean)
{
    struct digits best = {.size = 0};
    double best_price = GAIN * mean, price;
    const double noise = ldp_shares_question_noise(shares, &digits);

    if (digits.size > 0 && isfinite(noise))
        take_better(shares, &digits, price_inside(shares, &digits, noise), &best, &best_price);
    while (digits.size > 0 && digits.size < GROWN_MAX) {
        const uint64_t digit = next_digit(shares, &digits, &price);
        if (!digit)
            break;
        ldp_digits_add(&digits, digit);
        take_better(shares, &digits, price, &best, &best_price);
    }
    return best.size > 0 ? ldp_shares_add(shares, &best) : LDP_OK;
}

/* Questions that would lower the error, grown from the steepest blocks, with a small share each. */
enum ldp_status ldp_shares_extend(struct shares *shares)
{
    const size_t starts = 3 * shares->workload->records->d, before = shares->nquestions;
    double most, last = INFINITY;
    const double mean = ldp_shares_find_prices(shares, &most);
    enum ldp_status status = LDP_OK;

    for (size_t i = 0; status == LDP_OK && i < starts; i++) {
        size_t steepest = 0; /* of those below the last one: one of those that are alike */
        for (size_t b = 1; b < shares->closure.nblocks; b++)
            if (shares->slope[b] < last && (steepest == 0 || shares->slope[b] > shares->slope[steepest]))
                steepest = b;
        if (steepest == 0 || !(shares->slope[steepest] > 0))
            break;
        last = shares->slope[steepest];
        for (int form = TABLE; status == LDP_OK && form <= PARITY; form++)
            status = grow_from(shares, ldp_shares_digits(shares, steepest, form), mean);
    }
    for (size_t q = before; q < shares->nquestions; q++)
        shares->question[q].share = 0.1 / (double)(shares->nquestions - before);
    ldp_shares_scale(shares);
    return status;
}
