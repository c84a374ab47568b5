/* forms_average.c - the form average: a mean over several rows, such as a protocol's over all sketches. */
#include "agreement/forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- average: the mean over all of `of` is below (above) that over the others, which are as many ---- */

/* of minus to, point by point: the mean, and its error. Errors of points of the same collections are added up (an upper
 * bound); those of others are independent. Adds each collection's squared error to squares[of->count]. */
static struct estimate mean_difference(const struct curves *of, const struct curves *to, double *squares)
{
    struct estimate mean = {0};
    double all = 0;

    for (size_t i = 0; i < of->count; i++) {
        const struct point *const a = &of->curve[i].point[0], *const b = &to->curve[i].point[0];
        double error = 0;

        mean.value += (a->sample.mean - b->sample.mean) / (double)of->count;
        squares[i] = 0;
        for (size_t j = 0; j < of->count; j++)
            if (points_alike(a, &of->curve[j].point[0])) {
                if (j < i) {
                    error = 0; /* the first of the collection has it */
                    break;
                }
                const struct point *const other = &of->curve[j].point[0], *const by = &to->curve[j].point[0];
                error += estimate_difference(&other->sample, &by->sample, points_paired(other, by)).error;
            }
        squares[i] = error * error;
        all += squares[i];
    }
    mean.error = sqrt(all) / (double)of->count;
    return mean;
}

/* Asks for more repetitions of the collections that together have nearly all of the squared error. Returns about how
 * many they need. */
static double open_collections(const struct question *question, const struct curves *of, const struct curves *to,
                               double *squares, double growth)
{
    double needed = 0;
    struct failure failure; /* without memory for the note, the claim is undecided all the same */

    keep_largest(squares, of->count);
    for (size_t i = 0; i < of->count; i++) {
        if (!(squares[i] > 0))
            continue;
        const struct point *const point = &of->curve[i].point[0];
        needed = fmax(needed, growth * (double)point->sample.n);
        evidence_open_point(question->evidence, point, &failure);
        evidence_open_point(question->evidence, &to->curve[i].point[0], &failure);
    }
    return needed;
}

static void compare_average(const struct question *question, struct curves *of, struct curves *to,
                            struct answer *answer)
{
    double *const squares = calloc(of->count, sizeof *squares);

    if (!squares || of->count != to->count) {
        answer->verdict = UNDECIDED;
        snprintf(answer->measured, sizeof answer->measured, "as many of both are needed");
        free(squares);
        return;
    }
    const struct estimate difference = mean_difference(of, to, squares);
    const double sign = claim_has(question->claim, "below") ? -1 : 1;
    answer->z = sign * difference.value / difference.error;
    answer->verdict = answer->z > DECIDED ? AGREES : answer->z < -DECIDED ? DIFFERS : UNDECIDED;
    if (answer->verdict == UNDECIDED) {
        const double ratio = DECIDED * difference.error / difference.value;
        answer->needed = open_collections(question, of, to, squares, ratio * ratio);
    }
    measured_estimate(answer, "the difference of the means is ", difference, "");
    free(squares);
}

const struct form form_average = {
    .name = "average",
    .keys = (const char *const[]){"below", "above", NULL},
    .of = {.key = "of"},
    .to = {.key = "below", .instead = "above"},
    .compare = compare_average,
};
