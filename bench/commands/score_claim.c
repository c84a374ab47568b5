/* score_claim.c - an earlier score, of this subject or somebody's: is it confirmed, has the subject become better or
 * worse? Its file is bad input like any other; see score.h. */
#include "commands/score.h"

#include "config/json.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int member_text(const struct json_at *root, const char *name, char **out, struct failure *failure)
{
    struct json_at at;
    const char *text;

    if (json_require(root, name, &at, failure) != 0 || json_string(&at, &text, failure) != 0)
        return -1;
    *out = xstrdup(text);
    return 0;
}

static int member_number(const struct json_at *root, const char *name, double *out, struct failure *failure)
{
    struct json_at at;

    return json_require(root, name, &at, failure) == 0 ? json_number(&at, 0, 1e300, out, failure) : -1;
}

static int read_contests(const struct json_at *root, struct claim *claim, struct failure *failure)
{
    struct json_at list, at;
    size_t count;

    if (json_require(root, "contests", &list, failure) != 0 ||
        json_list(&list, "a list of contests", &at, &count, failure) != 0)
        return -1;
    claim->error = xcalloc(count, sizeof *claim->error);
    do {
        char *name;
        if (member_text(&at, "contest", &name, failure) != 0)
            return -1;
        texts_keep(&claim->contest, name);
        if (member_number(&at, "error", &claim->error[claim->contest.count - 1], failure) != 0)
            return -1;
    } while (json_next(&at));
    return 0;
}

int claim_read(const char *file, struct claim *claim, struct failure *failure)
{
    struct json_file *json = NULL;

    *claim = (struct claim){0};
    if (json_load(file, &json, failure) != 0)
        return -1;
    const struct json_at root = json_root(json);
    struct json_at at;
    uint64_t version = 0;
    int result = json_distinct(&root, failure);
    if (result == 0)
        result = json_require(&root, "seed", &at, failure);
    if (result == 0)
        result = json_integer(&at, 0, (uint64_t)WHOLE_MAX, &claim->seed, failure);
    if (result == 0)
        result = json_require(&root, "algorithm_version", &at, failure);
    if (result == 0)
        result = json_integer(&at, 0, (uint64_t)WHOLE_MAX, &version, failure);
    claim->version = (long)version;
    if (result == 0 && (member_text(&root, "track", &claim->track, failure) != 0 ||
                        member_text(&root, "fingerprint", &claim->fingerprint, failure) != 0 ||
                        member_text(&root, "submission", &claim->submission, failure) != 0 ||
                        member_number(&root, "score", &claim->score, failure) != 0))
        result = -1;
    if (result == 0)
        result = read_contests(&root, claim, failure);
    json_free(json);
    return result;
}

void claim_clear(struct claim *claim)
{
    free(claim->track);
    free(claim->fingerprint);
    free(claim->submission);
    free(claim->error);
    texts_clear(&claim->contest);
}

/* Its error in a contest of the score; NAN: it has none. */
static double claimed(const struct claim *claim, const char *contest, size_t place)
{
    if (place < claim->contest.count && strcmp(claim->contest.text[place], contest) == 0)
        return claim->error[place];
    for (size_t i = 0; i < claim->contest.count; i++)
        if (strcmp(claim->contest.text[i], contest) == 0)
            return claim->error[i];
    return NAN;
}

static double error_now(const struct score *score, size_t contest)
{
    return score->sample[contest * score->field.subjects + score->mine].mean;
}

/* To the digits that JSON carries. */
static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(a);
}

int claim_verify(const struct claim *claim, const struct score *score, bool *failed, struct failure *failure)
{
    const double found = score->group[0].rating[score->mine].score;
    size_t confirmed = 0;

    if (claim->version != LDP_ALGORITHM_VERSION)
        return fail(failure, EXIT_BAD_INPUT,
                    "score --verify: the claim is of algorithm version %ld, this program has %d", claim->version,
                    LDP_ALGORITHM_VERSION);
    for (size_t c = 0; c < score->field.contests; c++)
        confirmed += same(claimed(claim, score->contest[c], c), error_now(score, c));
    *failed = confirmed != score->field.contests || claim->contest.count != confirmed || !same(claim->score, found);
    printf(*failed ? "NOT CONFIRMED: claimed %.6g, found %.6g; %zu of %zu errors are the same\n"
                   : "Confirmed: score %.6g, found %.6g, %zu of %zu errors are the same.\n",
           claim->score, found, confirmed, score->field.contests);
    return 0;
}

/* Two subjects, one contest a population: the mean logarithm of the error now over that of the claim. */
int claim_compare(const struct claim *claim, const struct score *score, double level, bool *failed,
                  struct failure *failure)
{
    const size_t populations = score->field.populations;
    double *const sum = xcalloc(populations, sizeof *sum), *const zero = xcalloc(populations, sizeof *zero);
    size_t *const count = xcalloc(populations, sizeof *count), present = 0, compared = 0;

    for (size_t c = 0; c < score->field.contests; c++) {
        const double before = claimed(claim, score->contest[c], c), now = error_now(score, c);
        if (before > 0 && now > 0) {
            sum[score->field.population[c]] += log(now / before);
            count[score->field.population[c]]++;
            compared++;
        }
    }
    for (size_t p = 0; p < populations; p++)
        if (count[p] > 0)
            sum[present++] = sum[p] / (double)count[p];
    int result = 0;
    if (present < 2) {
        result = fail(failure, EXIT_BAD_INPUT,
                      "score --against: expected contests of this suite, found %zu that both have", compared);
    } else {
        const struct sample now = sample_of(sum, present), before = sample_of(zero, present);
        struct comparison comparison;
        compare_samples(&before, &now, true, &comparison);
        const double mean = now.mean, change = 100 * expm1(mean);
        const bool differs = comparison.p < level;
        *failed = differs && mean > 0;
        printf("%s: the error is %.3g %% %s than before (p %.2g, %zu contests on %zu populations).\n",
               !differs  ? "Not distinguished"
               : *failed ? "WORSE"
                         : "Better",
               fabs(change), mean > 0 ? "larger" : "less", comparison.p, compared, present);
    }
    free(sum);
    free(zero);
    free(count);
    return result;
}
