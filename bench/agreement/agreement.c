/* agreement.c - see agreement.h. */
#include "agreement/agreement.h"

#include "run/provenance.h"
#include "support/memory.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
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

static struct agreement_row *add_row(struct agreement *agreement, const struct claim *claim, const char *data)
{
    struct agreement_row *const row = ARRAY_ADD(agreement->row, agreement->nrows, agreement->row_room);

    *row = (struct agreement_row){.claim = claim, .data = data, .answer = {.z = NAN}};
    return row;
}

/* The note under a row, numbered in order of first use. */
static void find_note(struct agreement *agreement, struct agreement_row *row)
{
    const struct statements *const statements = agreement->statements;

    for (size_t i = 0; i < statements->nnotes; i++) {
        const struct note *const note = &statements->note[i];

        if (!pattern_matches(note->claim, row->claim->id) || !pattern_matches(note->data, row->data) ||
            (strcmp(note->when, "always") != 0 && strcmp(note->when, agreement_verdict(row)) != 0))
            continue;
        for (row->note = 1; row->note <= agreement->nnotes; row->note++)
            if (agreement->note[row->note - 1] == note)
                return;
        *ARRAY_ADD(agreement->note, agreement->nnotes, agreement->note_room) = note;
        return;
    }
}

/* Notes the cells of an open claim: those of the comparisons that are open, or of all that it selects where it is about
 * them together. noted: how many cells there were before. */
static int want_cells(const struct question *question, size_t noted, const struct answer *answer,
                      struct failure *failure)
{
    static const char *const keys[] = {"of", "to"};
    struct open_cells *const open = &question->evidence->open;
    const bool was_asked = open->count > noted;
    int result = 0;

    if (answer->verdict != UNDECIDED)
        open->count = noted;
    for (size_t i = 0; answer->verdict == UNDECIDED && !was_asked && i < 2; i++) {
        cJSON *const selections = claim_has(question->claim, keys[i])
                                      ? claim_selections(question->statements, question->claim, keys[i], failure)
                                      : NULL;
        const cJSON *selection;

        cJSON_ArrayForEach(selection, selections)
        {
            if (result == 0)
                result = evidence_open_all(question->evidence, question->claim, question->dataset, selection, failure);
        }
        cJSON_Delete(selections);
    }
    for (size_t i = noted; answer->needed > 0 && i < open->count; i++)
        open->cell[i].needed = answer->needed;
    return result;
}

static int judge_row(struct agreement *agreement, const struct claim *claim, const char *dataset,
                     struct failure *failure)
{
    const struct question question = {agreement->statements, claim, agreement->evidence, dataset};
    struct agreement_row *const row = add_row(agreement, claim, dataset);
    const size_t noted = agreement->evidence->open.count;

    row->is_run = question_judge(&question, &row->answer, failure) == 0;
    if (!row->is_run && failure->status != EXIT_BAD_INPUT)
        return -1;
    if (!row->is_run) /* the results lack numbers that the claim asks for */
        snprintf(row->answer.measured, sizeof row->answer.measured, "%.*s", ANSWER_TEXT - 1, failure->text);
    else if (want_cells(&question, noted, &row->answer, failure) != 0)
        return -1;
    evidence_forget(agreement->evidence);
    find_note(agreement, row);
    return 0;
}

int agreement_judge(const struct statements *statements, struct evidence *evidence, struct agreement *out,
                    struct failure *failure)
{
    *out = (struct agreement){.statements = statements, .evidence = evidence};
    for (size_t i = 0; i < statements->nclaims; i++) {
        const struct claim *const claim = &statements->claim[i];
        const struct run *const run = evidence_run(evidence, claim->run, failure);
        const size_t datasets = run ? run->datasets : 0;

        if (!run)
            return -1;
        if (datasets == 0)
            add_row(out, claim, "");
        for (size_t j = 0; j < datasets; j++) {
            const struct run *const again = evidence_run(evidence, claim->run, failure); /* runs may have moved */

            if (is_about(claim, again->dataset[j].name) && judge_row(out, claim, again->dataset[j].name, failure) != 0)
                return -1;
        }
    }
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

static bool has_evidence(const struct agreement *agreement)
{
    for (size_t i = 0; i < agreement->nrows; i++)
        if (agreement->row[i].claim->is_evidence)
            return true;
    return false;
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

static const char *origin_text(const struct results_origin *origin, const char *key)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(origin->run, key));

    return text ? text : "";
}

static void write_sources(const struct agreement *agreement, FILE *out)
{
    fputs("| config | seed | repetitions | version | commit |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < agreement->evidence->runs; i++) {
        const struct run *const run = &agreement->evidence->run[i];

        for (size_t j = 0; j < run->nfound; j++) {
            const struct results_origin *const origin = results_origin(run->found[j].results);
            uint64_t seed = 0, most = 0, least = 0; /* repetitions of a cell */
            char from[40] = "";

            provenance_whole(origin->provenance, "seed", &seed);
            provenance_whole(origin->provenance, "repetitions", &most);
            provenance_whole(origin->provenance, "repetitions_least", &least);
            if (least > 0)
                snprintf(from, sizeof from, "%" PRIu64 " to ", least);
            fprintf(out, "| [%s](../configs/%s.json) | %" PRIu64 " | %s%" PRIu64 " | %s | %s |\n", run->name, run->name,
                    seed, from, most, origin_text(origin, "version"), origin_text(origin, "commit"));
        }
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
    if (has_evidence(agreement)) {
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
