/* answer.c - see answer.h. Points are the rows that differ in their subject alone; each is a contest (stats/contest.h),
 * and all of them are one family. */
#include "results/answer.h"

#include "config/outside.h"
#include "results/answer_points.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger tables are not summed up, and more winners, queries and outside methods are not named. */
enum { ROWS_MAX = 1000000, WINNERS_MAX = 3, QUERIES_MAX = 4, OUTSIDE_MAX = 2 };

/* ---- which is best ---- */

/* A subject and the queries of which it wins the most points. */
struct winner {
    const char *subject;
    const char *query[QUERIES_MAX];
    size_t nqueries, more; /* more: queries that are not named */
};

struct winners {
    struct winner *winner;
    size_t count, room;
};

/* How often a subject is best at the points of a query. */
struct tally {
    const char *query, *subject;
    size_t wins;
};

static void list_tallies(const struct answer *answer, struct tally **tally, size_t *count)
{
    size_t room = 0;

    for (size_t i = 0; i < answer->npoints; i++) {
        const struct point *const point = &answer->point[i];
        const char *const query = answer_query(answer, point), *const subject =
                                                                   answer_subject(answer, point, point->verdict.best);
        size_t t = 0;
        while (t < *count && (strcmp((*tally)[t].query, query) != 0 || strcmp((*tally)[t].subject, subject) != 0))
            t++;
        if (t == *count)
            *ARRAY_ADD(*tally, *count, room) = (struct tally){query, subject, 0};
        (*tally)[t].wins++;
    }
}

static bool is_of(const struct answer *answer, const struct winner *winner, const struct point *point)
{
    for (size_t q = 0; q < winner->nqueries; q++)
        if (strcmp(winner->query[q], answer_query(answer, point)) == 0)
            return true;
    return false;
}

static void add_query(struct winners *winners, const char *query, const char *subject)
{
    size_t w = 0;

    while (w < winners->count && strcmp(winners->winner[w].subject, subject) != 0)
        w++;
    if (w == winners->count)
        *ARRAY_ADD(winners->winner, winners->count, winners->room) = (struct winner){.subject = subject};
    struct winner *const winner = &winners->winner[w];
    if (winner->nqueries < QUERIES_MAX)
        winner->query[winner->nqueries++] = query;
    else
        winner->more++;
}

/* Finds for each query, in the order of the table, the subject that is best at the most points, decided or not. */
static void list_winners(const struct answer *answer, struct winners *winners)
{
    struct tally *tally = NULL;
    size_t count = 0;

    list_tallies(answer, &tally, &count);
    for (size_t i = 0; i < count; i++) {
        const struct tally *most = &tally[i];
        bool first = true;

        for (size_t k = 0; k < i && first; k++)
            first = strcmp(tally[k].query, tally[i].query) != 0;
        for (size_t k = i + 1; first && k < count; k++)
            if (strcmp(tally[k].query, tally[i].query) == 0 && tally[k].wins > most->wins)
                most = &tally[k];
        if (first)
            add_query(winners, most->query, most->subject);
    }
    free(tally);
}

/* The record of a winner at the points of its queries. */
struct record {
    size_t points, best, shared, lost; /* shared: of `best`, where another has the same values */
    const struct point *least, *most, *worst;
    struct margin loss; /* at `worst` */
};

static struct margin loss_at(const struct answer *answer, const struct point *point, const char *subject)
{
    const size_t candidate = answer_candidate(answer, point, subject);
    struct margin margin = {(double)NAN, (double)NAN, (double)NAN};

    if (candidate == SIZE_MAX || !point->verdict.rival[candidate].beaten)
        return margin;
    struct row_contest of =
        result_contest(answer->table, answer->row + point->first, point->count, answer->measure, answer->level);
    margin = contest_margin(&of.contest, point->verdict.best, candidate, true);
    result_contest_clear(&of);
    return margin;
}

static struct record record_of(const struct answer *answer, const struct winner *winner)
{
    struct record record = {0};

    for (size_t i = 0; i < answer->npoints; i++) {
        const struct point *const point = &answer->point[i];
        const struct verdict *const verdict = &point->verdict;

        if (!is_of(answer, winner, point))
            continue;
        record.points++;
        if (!verdict->decided)
            continue;
        const size_t candidate = answer_candidate(answer, point, winner->subject);
        if (candidate != SIZE_MAX && verdict->rival[candidate].same_as == verdict->best) {
            record.best++;
            for (size_t k = 0, shared = 0; k < verdict->count && shared == 0; k++)
                record.shared += shared = k != verdict->best && verdict->rival[k].same_as == verdict->best;
            if (isfinite(verdict->margin) && (!record.least || verdict->margin < record.least->verdict.margin))
                record.least = point;
            if (isfinite(verdict->margin) && (!record.most || verdict->margin > record.most->verdict.margin))
                record.most = point;
        } else {
            const struct margin loss = loss_at(answer, point, winner->subject);
            record.lost++;
            if (isfinite(loss.ratio) && (!record.worst || loss.ratio > record.loss.ratio)) {
                record.worst = point;
                record.loss = loss;
            }
        }
    }
    return record;
}

static void add_queries(struct answer *answer, const struct winner *winner)
{
    for (size_t q = 0; q < winner->nqueries && *winner->query[0]; q++) {
        buffer_add(&answer->text, q == 0 ? " for " : q + 1 == winner->nqueries && winner->more == 0 ? " and " : ", ");
        answer_add_query(answer, winner->query[q]);
    }
    if (winner->more > 0)
        buffer_format(&answer->text, " and %zu more", winner->more);
}

/* ", ahead of the next by a factor of 1.1 (1.05 to 1.15) (Base, epsilon = 2)" */
static void add_lead(struct answer *answer, const struct record *record, bool with_query)
{
    const struct point *const end[] = {record->least, record->most};

    assert(end[0] && end[1]);
    buffer_add(&answer->text, ", ahead of the next by a factor of ");
    for (size_t i = 0; i < (record->least == record->most ? 1 : 2); i++) {
        const struct verdict *const verdict = &end[i]->verdict;
        buffer_add(&answer->text, i > 0 ? " to " : "");
        answer_add_factor(answer, (struct margin){verdict->margin, verdict->margin_low, verdict->margin_high});
        answer_add_place(answer, end[i], answer_subject(answer, end[i], verdict->next), with_query);
    }
}

static void add_winner(struct answer *answer, const struct winner *winner)
{
    const struct record record = record_of(answer, winner);
    const struct ldp_measure *const measure = &answer->table->table->measures[answer->measure];
    const bool with_query = winner->nqueries > 1;

    answer_add_name(answer, winner->subject);
    buffer_format(&answer->text, " has the %s %.*s", measure->better == LDP_MORE ? "largest" : "least",
                  (int)strcspn(measure->title, ","), measure->title);
    add_queries(answer, winner);
    if (record.best == 0)
        buffer_add(&answer->text, record.points > 1 ? " most often, but nowhere surely" : ", but not surely");
    else if (record.points > 1)
        buffer_format(&answer->text, record.best == record.points ? " at all %zu points" : " at %zu of %zu points",
                      record.best, record.points);
    if (record.least)
        add_lead(answer, &record, with_query);
    if (record.shared > 0)
        buffer_format(&answer->text, "; another has the same values at %zu", record.shared);
    if (record.worst) {
        buffer_format(&answer->text, "; it loses at %zu, %sby a factor of ", record.lost,
                      record.lost > 1 ? "most " : "");
        answer_add_factor(answer, record.loss);
        answer_add_place(answer, record.worst, answer_subject(answer, record.worst, record.worst->verdict.best),
                         with_query);
    }
    buffer_add(&answer->text, ".\n");
}

/* ---- what beats nothing ---- */

static bool ignores_data(const char *label)
{
    const struct ldp_method *const method = ldp_method_find(label);

    return method && (method->guarantees & LDP_IGNORES_ESTIMATE);
}

/* The registry's first method leaves the estimate as it is. */
static bool is_unprocessed(const char *label)
{
    return ldp_method_find(label) == ldp_methods[0];
}

/* About how many users make the best of the others as good as a method that ignores the data: errors of estimates fall
 * as 1 / n, its own does not. NAN: not known. */
static double users_needed(const struct answer *answer, const struct point *point)
{
    const size_t users = result_key_of(answer->table, PART_USERS), m = answer->measure;
    double least = INFINITY;

    for (size_t i = 0; i < point->count; i++)
        if (point->verdict.rival[i].same_as != point->verdict.best)
            least = fmin(least, result_number(answer->table, answer_row(answer, point, i), m)->mean);
    const double own = result_number(answer->table, answer_row(answer, point, point->verdict.best), m)->mean;
    if (users == SIZE_MAX || answer->table->table->measures[m].better != LDP_LESS || !(own > 0) || isinf(least))
        return NAN;
    return strtod(result_key(answer->table, answer_row(answer, point, 0), users), NULL) * least / own;
}

/* Shown is the point where the lead is the largest; with users, that where the fewest more of them are needed. */
static void add_unbeaten(struct answer *answer, bool (*is)(const char *label), const char *what, bool users)
{
    const struct point *at = NULL;
    size_t count = 0;
    double needed = NAN, best = -INFINITY;

    for (size_t i = 0; i < answer->npoints; i++) {
        const struct point *const point = &answer->point[i];
        if (!point->verdict.decided || !is(answer_subject(answer, point, point->verdict.best)))
            continue;
        const double lead = users ? -point->verdict.margin : point->verdict.margin;
        count++;
        if (!at || lead > best) {
            at = point;
            best = lead;
            needed = users ? users_needed(answer, point) : (double)NAN;
        }
    }
    if (count == 0)
        return;
    buffer_format(&answer->text, "Nothing beats %s at %s", what, COUNTED(count, "point"));
    if (isfinite(needed))
        answer_add_about(answer, "; about %s users would change that", needed);
    else if (count > 1)
        buffer_add(&answer->text, ", most clearly");
    answer_add_place(answer, at, NULL, answer->nqueries > 1);
    buffer_add(&answer->text, ".\n");
}

/* ---- what is open ---- */

/* "about 300 repetitions would decide half of them, 5,000 all": needed[open], infinite where it is not known. */
static void add_cost(struct answer *answer, double *needed, size_t open)
{
    qsort(needed, open, sizeof *needed, by_number);
    const double half = needed[(open - 1) / 2], all = needed[open - 1];

    if (isinf(half)) {
        buffer_add(&answer->text, "; how many repetitions would decide is not known");
        return;
    }
    answer_add_about(answer, "; about %s repetitions would decide ", half);
    buffer_add(&answer->text, open == 1 ? "it" : half == all ? "them" : "half of them");
    if (half < all && isfinite(all))
        answer_add_about(answer, ", %s all", all);
}

static void add_open(struct answer *answer)
{
    double *const needed = xcalloc(answer->npoints, sizeof *needed);
    size_t open = 0;

    for (size_t i = 0; i < answer->npoints; i++) {
        const struct verdict *const verdict = &answer->point[i].verdict;
        if (!verdict->decided)
            needed[open++] = verdict->needed > 0 ? (double)verdict->needed : INFINITY;
    }
    if (open > 0 && answer->npoints == 1)
        buffer_add(&answer->text, "It is too close to call");
    else if (open > 0)
        buffer_format(&answer->text, "Too close to call: %zu of %zu points", open, answer->npoints);
    if (open > 0) {
        add_cost(answer, needed, open);
        buffer_add(&answer->text, ".\n");
    }
    free(needed);
}

/* ---- methods from outside ---- */

/* Where an outside method stands: the points where it is the best, and its least and largest distance from the best. */
struct stand {
    size_t points, best;
    const struct point *least, *most;
    struct margin low, high;
};

static struct stand stand_of(const struct answer *answer, const char *label)
{
    struct stand stand = {0};

    for (size_t i = 0; i < answer->npoints; i++) {
        const struct point *const point = &answer->point[i];
        const size_t candidate = answer_candidate(answer, point, label);
        if (candidate == SIZE_MAX)
            continue;
        stand.points++;
        stand.best += point->verdict.decided && candidate == point->verdict.best;
        const struct margin loss = loss_at(answer, point, label);
        if (isfinite(loss.ratio) && (!stand.least || loss.ratio < stand.low.ratio)) {
            stand.least = point;
            stand.low = loss;
        }
        if (isfinite(loss.ratio) && (!stand.most || loss.ratio > stand.high.ratio)) {
            stand.most = point;
            stand.high = loss;
        }
    }
    return stand;
}

/* "Yours, mine, is behind the best by a factor of 1.53 (1.5 to 1.56)." */
static void add_outside(struct answer *answer, const char *label)
{
    const struct stand stand = stand_of(answer, label);

    if (stand.points == 0)
        return;
    buffer_format(&answer->text, "Yours, %s, is", label);
    if (stand.best == stand.points)
        buffer_add(&answer->text, stand.points > 1 ? " the best everywhere" : " the best");
    else if (stand.best > 0)
        buffer_format(&answer->text, " the best at %zu of %zu points", stand.best, stand.points);
    if (stand.least) {
        buffer_format(&answer->text, "%s by a factor of ",
                      stand.best > 0 ? "; elsewhere it is behind" : " behind the best");
        answer_add_factor(answer, stand.low);
        if (stand.least != stand.most) {
            answer_add_place(answer, stand.least, NULL, answer->nqueries > 1);
            buffer_add(&answer->text, " to ");
            answer_add_factor(answer, stand.high);
            answer_add_place(answer, stand.most, NULL, answer->nqueries > 1);
        }
    } else if (stand.best == 0) {
        buffer_add(&answer->text, " nowhere distinguished from the best");
    }
    buffer_add(&answer->text, ".\n");
}

static void add_all_outside(struct answer *answer)
{
    const cJSON *const methods = cJSON_GetObjectItemCaseSensitive(answer->config, "methods"), *item;
    size_t count = 0;

    cJSON_ArrayForEach(item, methods)
    {
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
        const char *const label = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "label"));

        if (name && outside_keys(name) && count++ < OUTSIDE_MAX)
            add_outside(answer, label ? label : name);
    }
}

/* ---- all ---- */

/* The first measure of which less or more is better and that does not depend on the machine; SIZE_MAX: none. */
static size_t first_measure(const struct result_table *table)
{
    for (size_t m = 0; m < table->nmeasures; m++) {
        const struct ldp_measure *const measure = &table->table->measures[m];
        if (!measure->timed && (measure->better == LDP_LESS || measure->better == LDP_MORE))
            return m;
    }
    return SIZE_MAX;
}

static void add_sentences(struct answer *answer)
{
    struct winners winners = {0};

    list_winners(answer, &winners);
    answer->nqueries = 0;
    for (size_t w = 0; w < winners.count; w++)
        answer->nqueries += winners.winner[w].nqueries + winners.winner[w].more;
    for (size_t w = 0; w < winners.count && w < WINNERS_MAX; w++)
        add_winner(answer, &winners.winner[w]);
    add_unbeaten(answer, is_unprocessed, "the unprocessed estimate", false);
    add_unbeaten(answer, ignores_data, "a method that ignores the data", true);
    add_open(answer);
    add_all_outside(answer);
    free(winners.winner);
}

int answer_make(struct results *results, double level, const struct style *style, struct answer *answer,
                struct failure *failure)
{
    const char *const config = results_origin(results)->config;

    *answer = (struct answer){.style = style, .level = level, .config = config ? cJSON_Parse(config) : NULL};
    for (size_t i = 0; answer->npoints == 0 && i < results_count(results); i++) {
        const struct result_table *const table = answer->table = results_table(results, i, failure);
        if (!table)
            return -1;
        answer->measure = first_measure(table);
        answer->subject = table->table->subject ? result_key_index(table, table->table->subject) : SIZE_MAX;
        answer->partner = answer->subject;
        answer->query = result_key_of(table, PART_QUERY);
        if (answer->measure == SIZE_MAX || answer->subject == SIZE_MAX)
            continue;
        if (table->nrows > ROWS_MAX)
            break;
        answer_add_coverage(answer);
        free(answer->row);
        answer_find_points(answer);
        if (answer->npoints > 0)
            add_sentences(answer);
    }
    return 0;
}

void answer_clear(struct answer *answer)
{
    for (size_t p = 0; p < answer->npoints; p++)
        verdict_clear(&answer->point[p].verdict);
    free(answer->point);
    free(answer->row);
    buffer_clear(&answer->text);
    cJSON_Delete(answer->config);
}

char *answer_text(struct results *results, double level, const struct style *style, struct failure *failure)
{
    struct answer answer;
    char *const text = answer_make(results, level, style, &answer, failure) == 0 ? buffer_take(&answer.text) : NULL;

    answer_clear(&answer);
    return text;
}
