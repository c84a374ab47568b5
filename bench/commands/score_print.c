/* score_print.c - a score as sentences and tables; see score.h. */
#include "commands/score.h"
#include "search.h"
#include "support/memory.h"
#include "support/sheet.h"
#include "support/text.h"
#include "synopsis.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* More groups are not named in a sentence. */
enum { NAMED_MAX = 4 };

/* The name of a subject as people write it, malloc'd. */
static char *shown(const struct score *score, const struct style *style, size_t subject)
{
    const char *const name = score->subject[subject], *const last = score_method_of(name);

    if (last == name)
        return style_name(style, name);
    char *const first = xformat("%.*s", (int)(last - name - (ptrdiff_t)strlen(PAIRED)), name),
                *const oracle = style_name(style, first), *const method = style_name(style, last),
                *const both = xformat("%s" PAIRED "%s", oracle, method);
    free(first);
    free(oracle);
    free(method);
    return both;
}

static const struct score_group *all_of(const struct score *score)
{
    return score->group; /* the first kind */
}

/* ---- sentences ---- */

/* Whether a subject is surely better than every other one. */
static bool leads(const struct score *score, const struct score_group *group, size_t subject)
{
    const size_t k = score->field.subjects;

    for (size_t s = 0; s < k; s++)
        if (s != subject && group->order[subject * k + s] >= 0)
            return false;
    return true;
}

/* The best of those that are surely better; the subject itself: none is. */
static size_t beaten_by(const struct score *score, const struct score_group *group, size_t subject)
{
    const size_t k = score->field.subjects;
    size_t best = subject;

    for (size_t s = 0; s < k; s++)
        if (group->order[subject * k + s] > 0 && group->rating[s].score < group->rating[best].score)
            best = s;
    return best;
}

static const char *preposition(enum group_kind kind)
{
    return kind == GROUP_DATA ? "on " : kind == GROUP_REGIME ? "with " : "for ";
}

static void add_group(struct buffer *text, const struct score_group *group, size_t named)
{
    buffer_format(text, "%s%s%s", named == 0 ? "" : "; ", preposition(group->kind), group->name);
}

static void say_where(const struct score *score, const struct style *style, struct sheet *sheet)
{
    struct buffer best = {0}, worse = {0};
    size_t nbest = 0, nworse = 0;

    for (size_t g = 0; g < score->ngroups; g++) {
        const struct score_group *const group = &score->group[g];
        const size_t rival = beaten_by(score, group, score->mine);
        if (group->kind == GROUP_ALL)
            continue;
        if (leads(score, group, score->mine) && nbest++ < NAMED_MAX)
            add_group(&best, group, nbest - 1);
        if (rival != score->mine && nworse++ < NAMED_MAX) {
            char *const name = shown(score, style, rival);
            buffer_format(&worse, "%sto %s ", nworse > 1 ? "; " : "", name);
            add_group(&worse, group, 0);
            free(name);
        }
    }
    if (nbest > 0)
        sheet_say(sheet, "Best %s%s.", best.text, nbest > NAMED_MAX ? "; and more (below)" : "");
    if (nworse > 0)
        sheet_say(sheet, "Loses %s%s.", worse.text, nworse > NAMED_MAX ? "; and more (below)" : "");
    buffer_clear(&best);
    buffer_clear(&worse);
}

static void say_score(const struct score *score, const struct suite *suite, const struct submission *submission,
                      const struct style *style, const struct score_request *request, struct sheet *sheet)
{
    sheet_facts(sheet, "suite=%zu track=%s fingerprint=%s algorithm_version=%zu seed=%llu name=%s submission=%s",
                (size_t)1, suite->track, suite->fingerprint, (size_t)LDP_ALGORITHM_VERSION,
                (unsigned long long)request->seed, submission->name, submission->fingerprint);
    if (score->mine != SIZE_MAX) {
        const struct rating *const rating = &all_of(score)->rating[score->mine];
        sheet_facts(sheet, "score=%g low=%g high=%g rank=%zu rank_low=%zu rank_high=%zu worst=%g", rating->score,
                    rating->low, rating->high, rating->rank, rating->rank_low, rating->rank_high, rating->worst);
        sheet_answer(sheet, "Score %.3g (%.3g to %.3g): rank %zu of %zu (%zu to %zu).", rating->score, rating->low,
                     rating->high, rating->rank, score->field.subjects, rating->rank_low, rating->rank_high);
        say_where(score, style, sheet);
        sheet_say(sheet, "Worst: %.3g times the error of the best reference at %s.", rating->worst,
                  score->contest[rating->worst_contest]);
    }
    sheet_say(sheet, "Suite 1, track %s (%.16s), seed %llu, algorithm version %d: %zu contests on %zu populations.",
              suite->track, suite->fingerprint, (unsigned long long)request->seed, LDP_ALGORITHM_VERSION,
              score->field.contests, score->field.populations);
}

static void put_groups(const struct score *score, const struct style *style, struct sheet *sheet)
{
    static const char *const kinds[] = {"all", "query", "regime", "data", "query and regime"};
    static const struct sheet_column columns[] = {
        {"kind", NULL, 0, SHEET_NONE},
        {"name", "contests", 0, SHEET_NONE},
        {"contests", "number", 0, SHEET_NONE},
        {"score", "score", 3, SHEET_NONE},
        {"low", "low", 3, SHEET_NONE},
        {"high", "high", 3, SHEET_NONE},
        {"rank", "rank", 0, SHEET_NONE},
        {"best", NULL, 0, SHEET_NONE},
        {"loses_to", "surely better", 0, SHEET_NONE},
    };

    sheet_table(sheet, "groups", "By query, users and data", columns, sizeof columns / sizeof *columns);
    for (size_t g = 0; g < score->ngroups; g++) {
        const struct score_group *const group = &score->group[g];
        const struct rating *const rating = &group->rating[score->mine];
        const size_t other = beaten_by(score, group, score->mine);
        char *const name = other == score->mine ? NULL : shown(score, style, other);
        sheet_text(sheet, kinds[group->kind]);
        sheet_text(sheet, group->name);
        sheet_number(sheet, (double)group->contests);
        sheet_number(sheet, rating->score);
        sheet_number(sheet, rating->low);
        sheet_number(sheet, rating->high);
        sheet_number(sheet, (double)rating->rank);
        sheet_flag(sheet, leads(score, group, score->mine));
        sheet_text(sheet, name);
        free(name);
    }
}

/* Where a subject of that name is from; "" where it is not in the registry of its list. */
static const char *source_of(const struct suite *suite, const char *name)
{
    if (strcmp(suite->list, "methods") == 0) {
        const struct ldp_method *const method = ldp_method_find(score_method_of(name));
        return method ? method->source : "";
    }
    if (strcmp(suite->list, "oracles") == 0) {
        const struct ldp_oracle *const oracle = ldp_oracle_find(name);
        return oracle ? oracle->source : "";
    }
    if (strcmp(suite->list, "protocols") == 0) {
        const struct ldp_search *const search = ldp_search_find(name);
        return search ? search->source : "";
    }
    const struct ldp_synopsis *const synopsis = ldp_synopsis_find(name);
    return synopsis ? synopsis->source : "";
}

/* Subjects from the best on. */
static size_t *by_rank(const struct score *score)
{
    const struct rating *const rating = all_of(score)->rating;
    size_t *const order = xcalloc(score->field.subjects, sizeof *order), count = 0;

    for (size_t rank = 1; rank <= score->field.subjects; rank++)
        for (size_t s = 0; s < score->field.subjects; s++)
            if (rating[s].rank == rank)
                order[count++] = s;
    return order;
}

static void put_subjects(const struct score *score, const struct suite *suite, const struct style *style,
                         struct sheet *sheet)
{
    static const struct sheet_column columns[] = {
        {"rank", "rank", 0, SHEET_NONE},         {"rank_low", "surely from", 0, SHEET_NONE},
        {"rank_high", "to", 0, SHEET_NONE},      {"name", NULL, 0, SHEET_NONE},
        {NULL, "name", 0, SHEET_NONE},           {"score", "score", 3, SHEET_NONE},
        {"low", "low", 3, SHEET_NONE},           {"high", "high", 3, SHEET_NONE},
        {"worst", "worst ratio", 3, SHEET_NONE}, {"source", "source", 0, SHEET_NONE},
    };
    size_t *const order = by_rank(score);

    sheet_table(sheet, "subjects", "All of the track", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < score->field.subjects; i++) {
        const struct rating *const rating = &all_of(score)->rating[order[i]];
        char *const name = shown(score, style, order[i]), *const marked = xformat(
                                                              "%s%s", name, order[i] == score->mine ? " (yours)" : "");
        sheet_number(sheet, (double)rating->rank);
        sheet_number(sheet, (double)rating->rank_low);
        sheet_number(sheet, (double)rating->rank_high);
        sheet_text(sheet, score->subject[order[i]]);
        sheet_text(sheet, marked);
        sheet_number(sheet, rating->score);
        sheet_number(sheet, rating->low);
        sheet_number(sheet, rating->high);
        sheet_number(sheet, rating->worst);
        sheet_text(sheet, source_of(suite, score->subject[order[i]]));
        free(name);
        free(marked);
    }
    free(order);
}

void score_print(const struct score *score, const struct suite *suite, const struct submission *submission,
                 const struct style *style, const struct score_request *request)
{
    struct sheet sheet = sheet_begin(stdout, request->format);

    say_score(score, suite, submission, style, request, &sheet);
    if (score->mine != SIZE_MAX)
        put_groups(score, style, &sheet);
    put_subjects(score, suite, style, &sheet);
    sheet_end(&sheet);
}
