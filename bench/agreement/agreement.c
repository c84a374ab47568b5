/* agreement.c - see agreement.h. */
#include "agreement/agreement.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- judging ---- */

/* Whether the claim is about a dataset: its "data" is a pattern, a list of patterns, or not given. */
static bool is_about(const struct claim *claim, const char *dataset)
{
    const cJSON *const data = cJSON_GetObjectItemCaseSensitive(claim->node, "data");

    if (!data)
        return true;
    if (cJSON_IsString(data))
        return pattern_matches(data->valuestring, dataset);
    const cJSON *item;
    cJSON_ArrayForEach(item, data)
    {
        if (cJSON_IsString(item) && pattern_matches(item->valuestring, dataset))
            return true;
    }
    return false;
}

static struct agreement_row *add_row(struct agreement *agreement, const struct claim *claim, struct failure *failure)
{
    struct agreement_row *more = realloc(agreement->row, (agreement->nrows + 1) * sizeof *more);

    if (!more) {
        fail_memory(failure);
        return NULL;
    }
    agreement->row = more;
    more += agreement->nrows++;
    *more = (struct agreement_row){.claim = claim, .data = "", .answer = {.z = NAN}};
    return more;
}

/* The note under a row, numbered in order of first use. */
static int find_note(struct agreement *agreement, struct agreement_row *row, struct failure *failure)
{
    const struct statements *const statements = agreement->statements;

    for (size_t i = 0; i < statements->nnotes; i++) {
        const struct note *const note = &statements->note[i];

        if (!pattern_matches(note->claim, row->claim->id) || !pattern_matches(note->data, row->data) ||
            (strcmp(note->when, "always") != 0 && strcmp(note->when, agreement_verdict(row)) != 0))
            continue;
        for (row->note = 1; row->note <= agreement->nnotes; row->note++)
            if (agreement->note[row->note - 1] == note)
                return 0;
        const struct note **const more = realloc(agreement->note, (agreement->nnotes + 1) * sizeof *more);
        if (!more)
            return fail_memory(failure);
        agreement->note = more;
        agreement->note[agreement->nnotes++] = note;
        return 0;
    }
    return 0;
}

/* Notes the cells of an open claim: those of the comparisons that are open, or of all that it selects where it is about
 * them together. */
static int want_cells(const struct question *question, size_t noted, const struct answer *answer,
                      struct failure *failure)
{
    static const char *const keys[] = {"of", "below", "above", "with", "to"};
    struct open_cells *const cells = evidence_open_cells(question->evidence);

    if (answer->verdict != UNDECIDED) {
        open_cells_shorten(cells, noted);
        return 0;
    }
    const bool was_asked = cells->was_asked;
    int result = 0;
    for (size_t i = 0; result == 0 && !was_asked && i < sizeof keys / sizeof *keys; i++) {
        if (!claim_has(question->claim, keys[i]))
            continue;
        cJSON *const selections = claim_selections(question->statements, question->claim, keys[i], failure);

        result = selections ? 0 : -1;
        const cJSON *selection;
        cJSON_ArrayForEach(selection, selections)
        {
            if (result == 0)
                result = evidence_open_all(question->evidence, question->claim, question->dataset, selection, failure);
        }
        cJSON_Delete(selections);
    }
    if (answer->needed > 0)
        open_cells_need(cells, noted, answer->needed);
    return result;
}

static int judge_claim(struct agreement *agreement, const struct claim *claim, struct failure *failure)
{
    const char *const *names;
    size_t count;

    if (evidence_datasets(agreement->evidence, claim->run, &names, &count, failure) != 0)
        return -1;
    if (count == 0)
        return add_row(agreement, claim, failure) ? 0 : -1;
    for (size_t i = 0; i < count; i++) {
        const struct question question = {
            .statements = agreement->statements,
            .claim = claim,
            .evidence = agreement->evidence,
            .dataset = names[i],
        };

        if (!is_about(claim, names[i]))
            continue;
        struct agreement_row *const row = add_row(agreement, claim, failure);
        if (!row)
            return -1;
        row->data = names[i];
        struct open_cells *const cells = evidence_open_cells(agreement->evidence);
        const size_t noted = cells->count;
        cells->was_asked = false;
        row->is_run = form_judge(&question, &row->answer, failure) == 0;
        if (!row->is_run && failure->status != EXIT_BAD_INPUT)
            return -1;
        if (!row->is_run) /* the results lack numbers that the claim asks for */
            snprintf(row->answer.measured, sizeof row->answer.measured, "%.*s", ANSWER_TEXT - 1, failure->text);
        else if (want_cells(&question, noted, &row->answer, failure) != 0)
            return -1;
        evidence_forget(agreement->evidence);
        if (find_note(agreement, row, failure) != 0)
            return -1;
    }
    return 0;
}

int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure)
{
    *out = (struct agreement){.statements = statements, .evidence = evidence};
    for (size_t i = 0; i < statements->nclaims; i++)
        if (judge_claim(out, &statements->claim[i], failure) != 0)
            return -1;
    return 0;
}

void agreement_clear(struct agreement *agreement)
{
    free(agreement->row);
    free(agreement->note);
    *agreement = (struct agreement){0};
}

const char *agreement_verdict(const struct agreement_row *row)
{
    static const char *const names[] = {
        [AGREES] = "agrees", [EQUAL] = "equal", [UNDECIDED] = "undecided", [DIFFERS] = "differs"};

    return row->is_run ? names[row->answer.verdict] : "not run";
}

/* ---- the page ---- */

/* A cell of a Markdown table. */
static void write_cell(FILE *out, const char *text)
{
    fputs("| ", out);
    for (; *text; text++) {
        if (strchr("|*_<>[]`\\", *text))
            putc('\\', out);
        putc(*text, out);
    }
    putc(' ', out);
}

static void write_z(FILE *out, double z)
{
    if (isnan(z))
        fputs("|  ", out);
    else if (fabs(z) >= 1000)
        fprintf(out, "| %s1000 ", z > 0 ? "> +" : "< -");
    else
        fprintf(out, "| %+.1f ", z);
}

/* What would decide an open claim: repetitions, rounded up to two digits. */
static void write_needed(const struct answer *answer, FILE *out)
{
    if (answer->verdict != UNDECIDED || !(answer->needed > 0))
        return;
    if (!(answer->needed < 1e9)) {
        fputs("; no number of repetitions would decide it ", out);
        return;
    }
    const double unit = pow(10, fmax(0, floor(log10(answer->needed)) - 1));
    char number[SHORT_TEXT];

    fprintf(out, "; about %s repetitions would decide it ", short_number(unit * ceil(answer->needed / unit), number));
}

static void write_row(const struct agreement_row *row, FILE *out)
{
    const char *const verdict = agreement_verdict(row);
    const bool plain = strcmp(verdict, "agrees") == 0;

    write_cell(out, row->claim->place);
    write_cell(out, row->data);
    write_cell(out, row->claim->text);
    if (row->claim->variant[0])
        fprintf(out, "(%s) ", row->claim->variant);
    write_cell(out, row->claim->paper);
    write_cell(out, row->claim->ours);
    write_cell(out, row->answer.measured);
    write_needed(&row->answer, out);
    write_z(out, row->is_run ? row->answer.z : NAN);
    fprintf(out, "| %s%s%s", plain ? "" : "**", verdict, plain ? "" : "**");
    if (row->note > 0)
        fprintf(out, " [%zu](#note-%zu)", row->note, row->note);
    fputs(" |\n", out);
}

static void write_table(const struct agreement *agreement, bool evidence, FILE *out)
{
    fputs("| place | data | claim | the paper | ours: how it is read | measured | z | verdict |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < agreement->nrows; i++)
        if (agreement->row[i].claim->is_evidence == evidence)
            write_row(&agreement->row[i], out);
    putc('\n', out);
}

static size_t count_rows(const struct agreement *agreement, const char *verdict)
{
    size_t count = 0;

    for (size_t i = 0; i < agreement->nrows; i++)
        count += !agreement->row[i].claim->is_evidence && strcmp(agreement_verdict(&agreement->row[i]), verdict) == 0;
    return count;
}

static size_t count_evidence(const struct agreement *agreement)
{
    size_t count = 0;

    for (size_t i = 0; i < agreement->nrows; i++)
        count += agreement->row[i].claim->is_evidence;
    return count;
}

static void write_tally(const struct agreement *agreement, FILE *out)
{
    size_t unexplained = 0;

    for (size_t i = 0; i < agreement->nrows; i++)
        unexplained += strcmp(agreement_verdict(&agreement->row[i]), "differs") == 0 && agreement->row[i].note == 0 &&
                       !agreement->row[i].claim->is_evidence;
    fprintf(out, "**%zu rows agree, %zu differ, %zu are equal within 1 %%, %zu are undecided",
            count_rows(agreement, "agrees"), count_rows(agreement, "differs"), count_rows(agreement, "equal"),
            count_rows(agreement, "undecided"));
    if (count_rows(agreement, "not run") > 0)
        fprintf(out, ", %zu were not run", count_rows(agreement, "not run"));
    fputs(".**", out);
    if (count_rows(agreement, "undecided") > 0)
        fputs(" `PATIENCE=1 make agreement` repeats the cells of what is undecided until it is decided.", out);
    if (unexplained > 0)
        fprintf(out, " The reason for %zu of the differences is not known.", unexplained);
    fputs("\n\n", out);
}

static void write_sources(const struct agreement *agreement, FILE *out)
{
    enum { SOURCES = 64 };
    struct source source[SOURCES];
    const size_t count = evidence_sources(agreement->evidence, source, SOURCES);

    fputs("| config | seed | repetitions | version | commit |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < count; i++) {
        char from[40] = "";

        if (source[i].least > 0)
            snprintf(from, sizeof from, "%zu to ", source[i].least);
        fprintf(out, "| [%s](../configs/%s.json) | %llu | %s%zu | %s | %s |\n", source[i].run, source[i].run,
                (unsigned long long)source[i].seed, from, source[i].repetitions, source[i].version, source[i].commit);
    }
    putc('\n', out);
}

static const char rules[] =
    "A *z* is a difference in standard errors, and four of them decide: there are thousands of comparisons. Methods "
    "are\n"
    "compared on the same collections, so differences and ratios are paired over repetitions. Verdicts are\n"
    "**agrees** (the evidence is beyond four standard errors in favour), **differs** (beyond four against), **equal**\n"
    "(the effect is shown to be below 1 %), **undecided** (more repetitions are needed). A claim about several points\n"
    "differs if one point does, and agrees only if every point is decided. The column *the paper* holds what "
    "the\n"
    "paper prints or says, *ours* how we read it.\n\n";

static void write_notes(const struct agreement *agreement, FILE *out)
{
    if (agreement->nnotes > 0)
        fputs("## Notes\n\n", out);
    for (size_t i = 0; i < agreement->nnotes; i++)
        fprintf(out, "<a id=\"note-%zu\"></a>%zu. %s\n\n", i + 1, i + 1, agreement->note[i]->text);
}

void agreement_write_page(const struct agreement *agreement, FILE *out)
{
    const struct statements *const statements = agreement->statements;
    const cJSON *const about = cJSON_GetObjectItemCaseSensitive(statements->root, "about");

    fprintf(out,
            "# Agreement with %s\n\nHow far the figures of %s come out as printed. This page is made "
            "by\n`scripts/agreement.sh` from `papers/`: every measured number and every verdict. What the paper says "
            "and the notes at\nthe end are written by hand.\n\n",
            statements->paper, statements->citation);
    write_tally(agreement, out);
    const cJSON *line;
    cJSON_ArrayForEach(line, about)
    {
        if (cJSON_IsString(line))
            fprintf(out, "- %s\n", line->valuestring);
    }
    fputs("\n## What was run\n\n", out);
    write_sources(agreement, out);
    fputs("## How a verdict is made\n\n", out);
    fputs(rules, out);
    agreement_write_exchanges(agreement, out);
    fputs("## What the paper states\n\n", out);
    write_table(agreement, false, out);
    if (count_evidence(agreement) > 0) {
        fputs("## Other numbers\n\nNo claims of the paper: numbers that the notes refer to, and numbers of an "
              "independent "
              "simulation.\n\n",
              out);
        write_table(agreement, true, out);
    }
    write_notes(agreement, out);
}

void agreement_write_rows(const struct agreement *agreement, FILE *out)
{
    fputs("claim\tdata\tvariant\tverdict\tz\tmeasured\n", out);
    for (size_t i = 0; i < agreement->nrows; i++) {
        const struct agreement_row *const row = &agreement->row[i];

        fprintf(out, "%s\t%s\t%s\t%s\t%.4g\t%s\n", row->claim->id, row->data, row->claim->variant,
                agreement_verdict(row), row->answer.z, row->answer.measured);
    }
}
