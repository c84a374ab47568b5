/* oracles_print.c - the table of ldpbench oracles and the sentences above it. */
#include "commands/oracles.h"

#include "privacy/shuffle.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/sheet.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>

/* 1234567 as 1,234,567. */
static const char *whole(double number, char text[THOUSANDS_TEXT])
{
    char digits[THOUSANDS_TEXT];

    snprintf(digits, sizeof digits, fabs(number) < 1e15 ? "%.0f" : "%.4g", number);
    snprintf(text, THOUSANDS_TEXT, "%s", group_thousands(digits, (char[THOUSANDS_TEXT]){0}));
    return text;
}
#define GROUPED(number) whole((number), (char[THOUSANDS_TEXT]){0})

static double gaussian_deviation(const struct oracles_request *request)
{
    return M_SQRT2 / ldp_shuffle_gaussian(request->central, delta_at(request->delta, request->n));
}

/* ---- sentences ---- */

static void say_attacked(struct sheet *sheet, const struct oracles_request *request, const struct oracle_rows *rows)
{
    const struct oracle_row *const best = rows->row, *least = best;

    for (size_t i = 0; i < rows->count && !rows->row[i].partial; i++)
        if (rows->row[i].variance < least->variance)
            least = &rows->row[i];
    sheet_answer(sheet, "%s at epsilon = %.4g: a value that %g %% malicious users push is off by %.3g", best->name,
                 best->epsilon, 100 * request->fraction, best->attacked);
    sheet_item(sheet, "they raise it by %.3g: each counts as %.3g genuine users; its standard error is %.3g",
               best->gain, best->gain_per_user, best->error);
    if (least->variance < best->variance * (1 - 1e-9))
        sheet_item(sheet, "%s has the lowest standard error, %.3g; there they raise the value by %.3g", least->name,
                   least->error, least->gain);
    else
        sheet_item(sheet, "no oracle has a smaller standard error");
}

static void say_best(struct sheet *sheet, const struct oracles_request *request, const struct oracle_rows *rows)
{
    const struct oracle_row *const best = rows->row;
    const bool spare = request->central <= 0 && best->epsilon < request->epsilon;

    sheet_answer(sheet, "%s at epsilon = %.4g: %s users for a standard error of %.3g%s", best->name, best->epsilon,
                 GROUPED(spare ? (double)request->n : best->users), spare ? request->error : best->error,
                 request->range > 0 ? " of a range" : "");
    if (spare)
        sheet_item(sheet, "at epsilon = %.4g, which is allowed, the standard error is %.3g", request->epsilon,
                   sqrt(best->variance / (double)request->n));
    if (best->variance > rows->unlimited->variance * (1 + 1e-9))
        sheet_item(sheet, "%s needs %.3g %% fewer users, but exceeds the limits", rows->unlimited->name,
                   100 * (1 - rows->unlimited->variance / best->variance));
    else if (isfinite(request->bits) || isfinite(request->seconds) || isfinite(request->attack))
        sheet_item(sheet, "the limits cost nothing: no oracle needs fewer users");
    if (request->central <= 0 && best->over > 1.0005)
        sheet_item(sheet, "%.3g %% more users than any unbiased oracle must have", 100 * (best->over - 1));
}

/* The best, and what a shuffler adds, where that was asked. */
static void say_answer(struct sheet *sheet, const struct oracles_request *request, const struct oracle_rows *rows)
{
    const struct oracle_row *const best = rows->row;

    if (best->partial) {
        sheet_answer(sheet, "No oracle has an error that is known without the data");
    } else if (!oracle_keeps(best)) {
        sheet_answer(sheet, "None of %zu oracles meets the limits", rows->count);
        sheet_item(sheet, "%s has the lowest error, but exceeds its limit: %s (%s users, %.0f bits, %.3g seconds)",
                   best->name, best->broken, GROUPED(best->users), best->bits, best->seconds);
    } else {
        (request->fraction > 0 ? say_attacked : say_best)(sheet, request, rows);
    }
    if (!(request->central > 0 || request->delta > 0) || isnan(best->central))
        return;
    const double users = request->n > 0 ? fmin(best->users, (double)request->n) : best->users;
    sheet_item(sheet, "shuffled, %s reports of %s are private with central epsilon %.4g, delta %.3g", GROUPED(users),
               best->name, best->central, delta_at(request->delta, (uint64_t)users));
    if (request->central > 0)
        sheet_item(sheet, "the standard deviation of a count is %.3g, %.3g times that of the Gaussian mechanism",
                   best->deviation, best->deviation / gaussian_deviation(request));
    if (best->central > 0.999 * best->epsilon)
        sheet_item(sheet, "n is too small for a shuffler to add to what each report protects by itself");
}

static void say_settings(struct sheet *sheet, const struct oracles_request *request)
{
    struct buffer text = {0};

    buffer_format(&text, "%s%sd = %zu, ", request->data ? request->data : "", request->data ? ": " : "", request->d);
    if (request->n > 0)
        buffer_format(&text, "n = %s, ", GROUPED((double)request->n));
    buffer_format(&text, "%sepsilon %s%g", request->central > 0 ? "central " : "",
                  request->n > 0 && request->error > 0 ? "at most " : "",
                  request->central > 0 ? request->central : request->epsilon);
    if (request->error > 0)
        buffer_format(&text, ", standard error at most %g", request->error);
    if (isfinite(request->bits))
        buffer_format(&text, ", at most %g bits", request->bits);
    if (isfinite(request->seconds))
        buffer_format(&text, ", at most %g seconds of the server at 1e9 operations a second", request->seconds);
    if (isfinite(request->attack))
        buffer_format(&text, ", attack success at most %g", request->attack);
    if (request->delta > 0)
        buffer_format(&text, ", delta = %g", request->delta);
    else
        buffer_add(&text, ", delta = n^-1.5");
    sheet_say(sheet, "%s; a report of minimum variance has %.0f bits or more", text.text, ldp_optimum_bits(request->d));
    buffer_clear(&text);
}

/* ---- the table ---- */

static void put_row(struct sheet *sheet, const struct oracle_row *row)
{
    const double number[] = {
        row->epsilon,          row->users,        row->error,         row->variance, row->over,     row->bits,
        row->operations,       row->seconds,      row->state,         row->range10,  row->range40,  row->attack.success,
        row->attack.advantage, row->attack.error, row->gain_per_user, row->gain,     row->attacked, row->central,
        row->central_lower,    row->central_any,  row->alpha,         row->mu,       row->deviation};
    char exceeds[sizeof row->broken + sizeof "exceeds "];

    sheet_text(sheet, row->name);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
        sheet_number(sheet, number[i]);
        if (row->partial)
            sheet_mark(sheet, SHEET_UNRANKED);
    }
    sheet_row(sheet, "ffttt", oracle_keeps(row), !row->partial && !row->dominated, row->dominated, row->partial,
              *row->broken ? row->broken : NULL);
    snprintf(exceeds, sizeof exceeds, "exceeds %s", row->broken);
    sheet_text(sheet, *row->broken ? exceeds : row->partial ? row->partial : row->dominated ? NULL : "Pareto-optimal");
}

static void put_table(struct sheet *sheet, const struct oracles_request *request, const struct oracle_rows *rows,
                      bool frontier)
{
    const bool shuffled = !frontier && (request->central > 0 || request->delta > 0);
    const bool attacked = !frontier && request->fraction > 0, tex = request->format == LATEX;
    const bool epsilons = request->central > 0 || (request->error > 0 && request->n > 0);
    bool ordered = !frontier && request->range > 0;
    for (size_t i = 0; i < rows->count && !frontier; i++)
        ordered |= (rows->row[i].spec->oracle->flags & LDP_ORACLE_ORDINAL) != 0;
#define IF(condition, heading) ((condition) ? (heading) : NULL)
    const struct sheet_column columns[] = {
        {"oracle", "oracle", .digits = 0},
        {"epsilon", IF(epsilons, "epsilon"), .digits = 4},
        {"users", IF(request->error > 0, "users"), .digits = 0},
        {"error", "standard error", .digits = 3, .best = SHEET_LEAST},
        {"variance", NULL, .digits = 4},
        {"variance_over_optimum", IF(request->range <= 0, "over the optimum"), .digits = -3},
        {"report_bits", "bits", .digits = 0},
        {"server_operations", "server work", .digits = 3},
        {"server_seconds", IF(isfinite(request->seconds), "seconds"), .digits = 3},
        {"state_bytes", IF(request->format == MARKDOWN, "bytes of state"), .digits = 3},
        {"range_10", IF(ordered, "n variance of 10 %"), .digits = 4},
        {"range_40", IF(ordered, "of 40 %"), .digits = 4},
        {"attack_success", IF(!(shuffled && tex), "attack success"), .digits = 3},
        {"advantage", NULL, .digits = 4},
        {"attack_stderr", NULL, .digits = 2},
        {"lift", IF(request->frontier && !frontier, "lift"), .digits = 3},
        {"gain", IF(attacked, "gain"), .digits = 3},
        {"error_under_attack", IF(attacked, "error under attack"), .digits = 3, .best = SHEET_LEAST},
        {"central", IF(request->central <= 0 && !request->frontier, "central epsilon"), .digits = 4},
        {"central_lower", IF(shuffled && request->central <= 0, "at least"), .digits = 4},
        {"central_generic", IF(shuffled && !tex, "any client"), .digits = 4},
        {"alpha", IF(shuffled && !tex, "alpha"), .digits = 4},
        {"mu", NULL, .digits = 4},
        {"deviation", IF(shuffled && request->central > 0, "deviation of a count"), .digits = 4},
        {"meets_limits", NULL, .digits = 0},
        {"frontier", NULL, .digits = 0},
        {"dominated_by", IF(request->frontier && !frontier, "dominated by"), .digits = 0},
        {"partial", NULL, .digits = 0},
        {"exceeded", NULL, .digits = 0},
        {NULL, IF(!frontier && !(tex && (attacked || request->error > 0)), "remark"), .digits = 0},
    };
#undef IF
    const struct sheet_column refused[] = {{"oracle", "oracle", .digits = 0}, {"reason", "not used", .digits = 0}};

    sheet_table(sheet, frontier ? "frontier" : "oracles",
                frontier ? "Frontier of error and attack success, over all parameters" : NULL, columns,
                sizeof columns / sizeof *columns);
    for (size_t i = 0; i < rows->count; i++)
        put_row(sheet, &rows->row[i]);
    if (rows->count < rows->listed || (sheet->root && !frontier))
        sheet_table(sheet, "refused", NULL, refused, 2);
    for (size_t i = rows->count; i < rows->listed; i++) {
        sheet_text(sheet, rows->row[i].name);
        sheet_text(sheet, rows->row[i].refused.text);
    }
}

static void put_facts(struct sheet *sheet, const struct oracles_request *request, const struct oracle_rows *rows)
{
    const bool kept = rows->unlimited && oracle_keeps(rows->row);

    sheet_facts(sheet, "d=%zu n=%g epsilon=%g central=%g error=%g bits=%g server_seconds=%g", request->d,
                request->n > 0 ? (double)request->n : (double)NAN,
                request->epsilon > 0 ? request->epsilon : (double)NAN,
                request->central > 0 ? request->central : (double)NAN,
                request->error > 0 ? request->error : (double)NAN, request->bits, request->seconds);
    sheet_facts(sheet, "fraction=%g range=%g delta=%g gaussian_deviation=%g bits_bound=%g best=%s unlimited=%s",
                request->fraction, request->range > 0 ? request->range : (double)NAN,
                request->n > 1 ? delta_at(request->delta, request->n) : (double)NAN,
                request->central > 0 ? gaussian_deviation(request) : (double)NAN, ldp_optimum_bits(request->d),
                kept ? rows->row->name : NULL, rows->unlimited ? rows->unlimited->name : NULL);
}

void oracles_print(const struct oracles_request *request, const struct oracle_rows *rows,
                   const struct oracle_rows *frontier)
{
    struct sheet sheet = sheet_begin(stdout, request->format);

    say_answer(&sheet, request, rows);
    say_settings(&sheet, request);
    put_facts(&sheet, request, rows);
    put_table(&sheet, request, rows, false);
    if (request->frontier)
        put_table(&sheet, request, frontier, true);
    if (request->folder)
        sheet_say(&sheet, "%s: the frontier as an experiment, with its picture", request->folder);
    sheet_say(
        &sheet,
        "error: the root of the mean squared error of a %s, without post-processing; work: in operations; central "
        "epsilon: of all reports shuffled; attack success: how often the best guess of a value from one report is "
        "right (without a report %.3g); Pareto-optimal: no other oracle is better in error, bits, attack success%s and "
        "work at once",
        request->range > 0 ? "range" : "frequency", rows->row->attack.guess,
        request->fraction > 0 || request->frontier ? ", gain" : "");
    sheet_end(&sheet);
}
