/* score_print.c - a score as sentences and tables, as JSON, and as a picture; see score.h. */
#include "commands/picture.h"
#include "commands/score.h"
#include "search.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include "support/tree.h"
#include "synopsis.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* More groups are not named in a sentence. */
enum { NAMED_MAX = 4 };

/* Subjects of the picture, the best ones. */
enum { DRAWN_MAX = 8 };

/* "0.931", with the digits that its interval justifies; "0.93 (0.92 to 0.95)". */
static const char *digits(const struct rating *rating)
{
    const double width = rating->high - rating->low;
    return rating->score >= 100           ? "%.0f"
           : rating->score >= 10          ? "%.1f"
           : width < 0.02 * rating->score ? "%.3f"
                                          : "%.2f";
}

static void add_number(struct buffer *text, const char *format, double value)
{
    if (strcmp(format, "%.0f") == 0)
        buffer_format(text, "%.0f", value);
    else
        buffer_format(text, "%.*f", format[2] - '0', value);
}

static char *score_words(const struct rating *rating)
{
    const char *const format = digits(rating);
    struct buffer text = {0};

    add_number(&text, format, rating->score);
    buffer_add(&text, " (");
    add_number(&text, format, rating->low);
    buffer_add(&text, " to ");
    add_number(&text, format, rating->high);
    buffer_add(&text, ")");
    return buffer_take(&text);
}

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

static void say_where(const struct score *score, const struct style *style, struct document *doc)
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
        doc_line(doc, "Best %s%s.", best.text, nbest > NAMED_MAX ? "; and more (below)" : "");
    if (nworse > 0)
        doc_line(doc, "Loses %s%s.", worse.text, nworse > NAMED_MAX ? "; and more (below)" : "");
    buffer_clear(&best);
    buffer_clear(&worse);
}

static void say_score(const struct score *score, const struct style *style, struct document *doc)
{
    const struct rating *const rating = &all_of(score)->rating[score->mine];
    char *const words = score_words(rating);

    doc_paragraph(doc, "Score %s: rank %zu of %zu (%zu to %zu).", words, rating->rank, score->field.subjects,
                  rating->rank_low, rating->rank_high);
    say_where(score, style, doc);
    doc_line(doc, "Worst: %.3g times the error of the best reference at %s.", rating->worst,
             score->contest[rating->worst_contest]);
    free(words);
}

/* ---- tables ---- */

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

static void print_groups(const struct score *score, const struct style *style, struct document *doc)
{
    static const struct column columns[] = {{"contests", "contests", -56, false},
                                            {"number", "number", 8, true},
                                            {"score", "score", 24, true},
                                            {"rank", "rank", 6, true},
                                            {"surely better", "  surely better", 0, false}};

    doc_part(doc, "By query, users and data");
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t g = 0; g < score->ngroups; g++) {
        const struct score_group *const group = &score->group[g];
        const size_t rival = beaten_by(score, group, score->mine);
        char *const words = score_words(&group->rating[score->mine]), *const name = rival == score->mine
                                                                                        ? xstrdup("")
                                                                                        : shown(score, style, rival);
        doc_cell(doc, "%s", group->name);
        doc_cell(doc, "%zu", group->contests);
        doc_cell(doc, "%s", words);
        doc_cell(doc, "%zu", group->rating[score->mine].rank);
        doc_cell(doc, "%s%s", *name && doc->format == TEXT ? "  " : "", name);
        free(words);
        free(name);
    }
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

static void print_subjects(const struct score *score, const struct suite *suite, const struct style *style,
                           struct document *doc)
{
    static const struct column columns[] = {{"rank", "rank", 4, true},    {"surely from", "  from", 6, true},
                                            {"to", "to", 4, true},        {"name", "  name", -34, false},
                                            {"score", "score", 24, true}, {"worst ratio", "worst", 10, true},
                                            {"source", NULL, 0, false}};
    size_t *const order = by_rank(score);

    doc_part(doc, "All of the track");
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < score->field.subjects; i++) {
        const struct rating *const rating = &all_of(score)->rating[order[i]];
        char *const words = score_words(rating), *const name = shown(score, style, order[i]);
        doc_cell(doc, "%zu", rating->rank);
        doc_cell(doc, "%zu", rating->rank_low);
        doc_cell(doc, "%zu", rating->rank_high);
        doc_cell(doc, "%s%s%s", doc->format == TEXT ? "  " : "", name, order[i] == score->mine ? " (yours)" : "");
        doc_cell(doc, "%s", words);
        doc_cell(doc, "%.3g", rating->worst);
        doc_cell(doc, "%s", source_of(suite, score->subject[order[i]]));
        free(words);
        free(name);
    }
    free(order);
}

void score_print(const struct score *score, const struct suite *suite, const struct style *style,
                 const struct score_request *request, uint64_t seed)
{
    struct document doc = {.out = stdout, .format = request->format};

    if (score->mine != SIZE_MAX)
        say_score(score, style, &doc);
    doc_remark(&doc, "Suite 1, track %s (%.16s), seed %llu, algorithm version %d: %zu contests on %zu populations.",
               suite->track, suite->fingerprint, (unsigned long long)seed, LDP_ALGORITHM_VERSION, score->field.contests,
               score->field.populations);
    if (score->mine != SIZE_MAX)
        print_groups(score, style, &doc);
    print_subjects(score, suite, style, &doc);
    doc_end(&doc);
}

/* ---- JSON ---- */

static void add_rating(cJSON *object, const struct rating *rating)
{
    json_add(object, "score=%g low=%g high=%g rank=%zu rank_low=%zu rank_high=%zu worst=%g", rating->score, rating->low,
             rating->high, rating->rank, rating->rank_low, rating->rank_high, rating->worst);
}

static void add_groups(cJSON *root, const struct score *score)
{
    static const char *const kinds[] = {"all", "query", "regime", "data", "query and regime"};
    cJSON *const list = cJSON_AddArrayToObject(root, "groups");

    for (size_t g = 0; g < score->ngroups; g++) {
        const struct score_group *const group = &score->group[g];
        const size_t rival = beaten_by(score, group, score->mine);
        cJSON *const object = json_append(list);
        json_add(object, "kind=%s name=%s contests=%zu best=%d loses_to=%s", kinds[group->kind], group->name,
                 group->contests, leads(score, group, score->mine),
                 rival == score->mine ? NULL : score->subject[rival]);
        add_rating(object, &group->rating[score->mine]);
    }
}

struct cJSON *score_json(const struct score *score, const struct suite *suite, const struct submission *submission,
                         uint64_t seed)
{
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "suite=%zu track=%s fingerprint=%s algorithm_version=%zu seed=%llu name=%s submission=%s", (size_t)1,
             suite->track, suite->fingerprint, (size_t)LDP_ALGORITHM_VERSION, (unsigned long long)seed,
             submission->name, submission->fingerprint);
    if (score->mine != SIZE_MAX) {
        add_rating(root, &all_of(score)->rating[score->mine]);
        add_groups(root, score);
    }
    cJSON *const table = cJSON_AddArrayToObject(root, "subjects");
    for (size_t s = 0; s < score->field.subjects; s++) {
        cJSON *const object = json_append(table);
        json_add(object, "name=%s", score->subject[s]);
        add_rating(object, &all_of(score)->rating[s]);
    }
    cJSON *const contests = cJSON_AddArrayToObject(root, "contests");
    for (size_t c = 0; score->mine != SIZE_MAX && c < score->field.contests; c++) {
        const size_t best = rate_best(&score->field, c), k = score->field.subjects;
        json_add(json_append(contests), "contest=%s population=%zu error=%g reference=%s least=%g", score->contest[c],
                 score->population[c], score->sample[c * k + score->mine].mean, score->subject[best],
                 score->sample[c * k + best].mean);
    }
    return root;
}

/* ---- a picture: scores by users and data, the best subjects ---- */

static bool is_drawn(const struct score_group *group)
{
    return group->kind == GROUP_ALL || group->kind == GROUP_REGIME || group->kind == GROUP_DATA;
}

static void draw_layer(const struct score *score, size_t subject, enum layer_kind kind, struct layer *layer)
{
    double x = 0;

    for (size_t g = 0; g < score->ngroups; g++) {
        const struct rating *const rating = &score->group[g].rating[subject];
        if (is_drawn(&score->group[g]))
            page_row(layer, ++x, kind == LAYER_BARS ? rating->low : rating->score, rating->high, 0, 0);
    }
}

static void draw_subject(const struct score *score, size_t subject, struct look look, double shift, const char *name,
                         struct page *page, struct panel *panel, struct span *span)
{
    static const enum layer_kind kinds[] = {LAYER_BARS, LAYER_POINTS};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct layer *const layer = page_layer(panel, kinds[i], look, name);
        layer->shift = shift;
        draw_layer(score, subject, kinds[i], layer);
    }
    for (size_t g = 0; g < score->ngroups; g++)
        if (is_drawn(&score->group[g])) {
            span_add(span, score->group[g].rating[subject].low);
            span_add(span, score->group[g].rating[subject].high);
        }
    page_entry(page, name, look, false, true, false, 0);
}

int score_picture(const struct score *score, const struct style *style, const char *file, struct failure *failure)
{
    size_t *const order = by_rank(score), count = smaller(score->field.subjects, DRAWN_MAX), names = 0;
    const char *label[DRAWN_MAX];
    struct look look[DRAWN_MAX];
    struct page page;

    for (size_t i = 0; i < count; i++)
        label[i] = score->subject[order[i]];
    if (score->mine != SIZE_MAX && all_of(score)->rating[score->mine].rank > count)
        label[count - 1] = score->subject[order[count - 1] = score->mine];
    int result = picture_looks(label, count, look, failure);
    page_init(&page, "curves", "score");
    page.width = PAPER_PAGE;
    struct panel *const panel = page_panel(&page);
    struct span span = {1, 1};
    for (size_t i = 0; result == 0 && i < count; i++) {
        char *const name = shown(score, style, order[i]);
        draw_subject(score, order[i], look[i], 0.009 * ((double)i - 0.5 * (double)(count - 1)), name, &page, panel,
                     &span);
        free(name);
    }
    for (size_t g = 0; g < score->ngroups; g++)
        names += is_drawn(&score->group[g]);
    axis_names(&panel->x, names);
    for (size_t g = 0; g < score->ngroups; g++)
        if (is_drawn(&score->group[g]))
            page_name(panel, score->group[g].name);
    axis_log(&panel->y, span);
    page_text(&panel->xtitle, "contests");
    page_text(&panel->ytitle, "error / best reference's");
    page_text(&page.caption, "Scores: geometric means of the error over the best reference's, with 95 % intervals. "
                             "Below 1: less error than the best reference of each contest.");
    if (result == 0)
        result = picture_draw(&page, file, failure);
    page_clear(&page);
    free(order);
    return result;
}
