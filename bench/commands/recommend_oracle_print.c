/* recommend_oracle_print.c - which oracles keep to limits, as text, Markdown or JSON. */
#include "commands/recommend_oracle.h"

#include "support/document.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/tree.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

/* 1234567 as 1,234,567, malloc'd. */
static char *whole(double number)
{
    char *const digits = xformat("%.0f", number);
    char text[THOUSANDS_TEXT];

    char *const grouped = xstrdup(group_thousands(digits, text));
    free(digits);
    return grouped;
}

/* "bits, time" that are above their limits. */
static char *failing(const struct choice *choice)
{
    struct buffer text = {0};
    const char *const word[] = {choice->too_noisy ? "users" : NULL, choice->too_long ? "bits" : NULL,
                                choice->too_slow ? "time" : NULL};

    for (size_t i = 0; i < 3; i++)
        if (word[i])
            buffer_format(&text, "%s%s", text.length > 0 ? ", " : "", word[i]);
    return text.text ? text.text : xstrdup("");
}

/* "olh with norm_sub"; malloc'd. */
static char *name_of(const struct choice *choice)
{
    return xformat("%s%s%s", choice->spec->oracle->name, choice->method ? " with " : "",
                   choice->method ? choice->method->name : "");
}

/* The oracle that malicious users harm least, and what it costs on clean data. */
static void write_least_harmed(struct document *doc, const struct choices *choices)
{
    const struct limits *const limits = choices->limits;
    const struct choice *const best = &choices->choice[0], *least = best;

    for (size_t i = 0; i < choices->count; i++)
        if (choices->choice[i].variance < least->variance)
            least = &choices->choice[i];
    doc_heading(doc, 1, "Recommended: %s at epsilon = %.4g: a value that %g %% malicious users push is off by %.3g",
                best->spec->oracle->name, best->epsilon, 100 * limits->fraction, sqrt(best->merit));
    doc_item(doc, "they raise it by %.3g: each counts as %.3g genuine users; its standard error is %.3g",
             limits->fraction * best->lift, best->lift, best->error);
    if (least->variance < best->variance * (1 - 1e-9))
        doc_item(doc, "%s has the least standard error, %.3g; there they raise the value by %.3g",
                 least->spec->oracle->name, least->error, limits->fraction * least->lift);
    else
        doc_item(doc, "no oracle has a smaller standard error");
}

static void write_best(struct document *doc, const struct choices *choices)
{
    const struct choice *const best = &choices->choice[0], *const free_one = choices->free;
    const struct limits *const limits = choices->limits;
    const bool spare = best->epsilon < limits->epsilon;
    char *const users = whole(spare ? (double)limits->n : best->users), *const name = name_of(best),
                *const other = name_of(free_one);

    doc_heading(doc, 1, "Recommended: %s at epsilon = %.4g: %s%s users for a standard error of %.3g%s", name,
                best->epsilon, best->method && limits->n == 0 ? "about " : "", users,
                spare ? limits->error : best->error, limits->range > 0 ? " of a range" : "");
    if (spare)
        doc_item(doc, "at epsilon = %.4g, which is allowed, the standard error is %.3g", limits->epsilon,
                 sqrt(best->variance / (double)limits->n));
    if (limits->shuffled)
        doc_item(doc, "shuffled, these clients have central epsilon %g with delta %.3g", limits->epsilon,
                 delta_at(&limits->delta, limits->n));
    if (best->variance > free_one->variance * (1 + 1e-9))
        doc_item(doc, "the limits on bits and time cost %.3g %% more users than %s needs, which is beyond them",
                 100 * (best->variance / free_one->variance - 1), other);
    else
        doc_item(doc, "the limits on bits and time cost nothing: no oracle needs fewer users");
    if (best->method && limits->error > 0)
        doc_item(doc, "without %s %s needs %.3g times as many users", best->method->name, best->spec->oracle->name,
                 best->plain_users / best->users);
    else if (!best->method && !limits->shuffled && limits->range <= 0 && best->over > 1.0005)
        doc_item(doc, "%.3g %% more users than the least that any unbiased oracle can need", 100 * (best->over - 1));
    free(users);
    free(name);
    free(other);
}

static void write_none(struct document *doc, const struct choices *choices)
{
    const struct choice *const nearest = &choices->choice[0];
    char *const why = failing(nearest), *const users = whole(nearest->users);

    doc_heading(doc, 1, "None of %zu oracles keeps to the limits", choices->count);
    doc_item(doc, "%s has the least error; beyond its limit: %s (%s users, %.0f bits, %.3g seconds)",
             nearest->spec->oracle->name, why, users, nearest->cost.report_bits, nearest->seconds);
    free(why);
    free(users);
}

static void write_settings(struct document *doc, const struct limits *limits)
{
    struct buffer text = {0};

    buffer_format(&text, "d = %zu, %sepsilon at most %g", limits->d, limits->shuffled ? "central " : "",
                  limits->epsilon);
    if (limits->shuffled)
        buffer_format(&text, " with delta %.3g", delta_at(&limits->delta, limits->n));
    if (limits->error > 0)
        buffer_format(&text, ", standard error at most %g", limits->error);
    if (limits->n > 0)
        buffer_format(&text, ", %llu users", (unsigned long long)limits->n);
    if (isfinite(limits->bits))
        buffer_format(&text, ", at most %g bits", limits->bits);
    if (isfinite(limits->seconds))
        buffer_format(&text, ", at most %g seconds of the server", limits->seconds);
    doc_part(doc, "Settings");
    doc_paragraph(doc, "%s; %g operations a second", text.text, limits->speed);
    if (limits->pilot_file)
        doc_paragraph(doc,
                      "users and errors: of the best method of each oracle in %llu collections from the frequencies of "
                      "%s, to about 2 %% and the noise of so many; the method's own time does not count",
                      limits->trials, limits->pilot_file);
    else if (limits->range > 0)
        doc_paragraph(doc,
                      "users: the mean variance of all ranges of %g %% of the values, of uniform frequencies, over "
                      "error^2, exactly, of estimates that are not post-processed",
                      limits->range);
    else
        doc_paragraph(doc, "users: (s1 + tf / d) / error^2, exactly, of estimates that are not post-processed");
    if (limits->fraction > 0)
        doc_paragraph(
            doc,
            "%g of all users are malicious and push one value (attack mga); gain: what their reports raise it "
            "by; error under attack: the root of squared error and squared gain; inf: nothing bounds a report, "
            "or reports are decoded together",
            limits->fraction);
    doc_paragraph(doc, "frontier: no other oracle is better in users, bits%s and seconds at once",
                  limits->fraction > 0 ? ", gain" : "");
    buffer_clear(&text);
}

static void write_table(struct document *doc, const struct choices *choices)
{
    const struct limits *const limits = choices->limits;
    const struct column columns[] = {{"oracle", "oracle", -16, false},
                                     {"method", choices->choice[0].method ? "method" : NULL, -16, false},
                                     {"users", "users", 14, true},
                                     {"standard error", "error", 9, true},
                                     {"gain", limits->fraction > 0 ? "gain" : NULL, 9, true},
                                     {"error under attack", limits->fraction > 0 ? "attacked" : NULL, 9, true},
                                     {limits->shuffled ? "epsilon of clients" : "variance over the optimum",
                                      limits->shuffled    ? "epsilon"
                                      : limits->range > 0 ? NULL
                                                          : "optimum",
                                      8, true},
                                     {"bits a report", "bits", 8, true},
                                     {"server's seconds", "seconds", 9, true},
                                     {"frontier", "frontier", 10, false},
                                     {"beyond the limits", "  beyond the limits", 0, false}};

    doc_heading(doc, 2, "Oracles");
    doc_table(doc, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice *const choice = &choices->choice[i];
        char *const users = whole(choice->users), *const beyond = failing(choice);
        doc_cell(doc, "%s", choice->spec->oracle->name);
        doc_cell(doc, "%s", choice->method ? choice->method->name : "");
        doc_cell(doc, "%s", users);
        doc_cell(doc, "%.3g", choice->error);
        doc_cell(doc, "%.3g", limits->fraction * choice->lift);
        doc_cell(doc, "%.3g", sqrt(choice->merit));
        doc_cell(doc, limits->shuffled ? "%.4g" : "%.3f", limits->shuffled ? choice->epsilon : choice->over);
        doc_cell(doc, "%.0f", choice->cost.report_bits);
        doc_cell(doc, "%.3g", choice->seconds);
        doc_cell(doc, choice->frontier ? "yes" : "no");
        doc_cell(doc, doc->format == TEXT && *beyond ? "  %s" : "%s", beyond);
        free(users);
        free(beyond);
    }
}

static void print_tree(const struct choices *choices)
{
    const struct limits *const limits = choices->limits;
    cJSON *const root = cJSON_CreateObject();

    json_add(root, "d=%zu epsilon_at_most=%g error=%g n=%llu bits=%g server_seconds=%g operations_per_second=%g",
             limits->d, limits->epsilon, limits->error > 0 ? limits->error : (double)NAN, (unsigned long long)limits->n,
             limits->bits, limits->seconds, limits->speed);
    if (limits->fraction > 0)
        json_add(root, "fraction=%g", limits->fraction);
    if (limits->range > 0)
        json_add(root, "range=%g", limits->range);
    if (limits->shuffled)
        json_add(root, "delta=%g", delta_at(&limits->delta, limits->n));
    json_add(root, "best=%s unlimited=%s", choices->meeting > 0 ? choices->choice[0].spec->oracle->name : NULL,
             choices->free->spec->oracle->name);
    cJSON *const list = cJSON_AddArrayToObject(root, "ranking");
    for (size_t i = 0; i < choices->count; i++) {
        const struct choice *const choice = &choices->choice[i];
        cJSON *const one = json_append(list);
        json_add(
            one,
            "oracle=%s meets_limits=%d users=%g error=%g epsilon=%g variance=%g variance_over_optimum=%g report_bits=%g "
            "server_seconds=%g frontier=%d",
            choice->spec->oracle->name, choice->meets, choice->users, choice->error, choice->epsilon, choice->variance,
            limits->range > 0 ? (double)NAN : choice->over, choice->cost.report_bits, choice->seconds,
            choice->frontier);
        if (choice->method)
            json_add(one, "method=%s", choice->method->name);
        if (limits->fraction > 0)
            json_add(one, "gain=%g error_under_attack=%g", limits->fraction * choice->lift, sqrt(choice->merit));
    }
    json_print(root);
}

void print_choices(const struct choices *choices)
{
    struct document doc = {.out = stdout, .format = choices->limits->format, .indent = 2};

    if (doc.format == JSON) {
        print_tree(choices);
        return;
    }
    if (choices->meeting > 0 && choices->limits->fraction > 0)
        write_least_harmed(&doc, choices);
    else if (choices->meeting > 0)
        write_best(&doc, choices);
    else
        write_none(&doc, choices);
    write_settings(&doc, choices->limits);
    write_table(&doc, choices);
}
