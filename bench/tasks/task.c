/* task.c - see task.h. */
#include "tasks/task.h"

#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TASK(id) &task_##id,
const struct task *const tasks[] = {
#include "tasks/tasks.def"
    NULL};

void row_series(struct table_row *row, size_t first, size_t nmeasures)
{
    for (size_t l = 0; l < nmeasures; l++)
        row->series[l] = first + l;
}

static void add_columns(struct task_tables *tables, struct task_table *table)
{
    const size_t nfirst = table->table.ncolumns, nmeasures = ldp_measures_count(table->table.measures);
    struct table_column *const columns = xmalloc(nfirst + 3 * nmeasures, sizeof *columns), *at = columns + nfirst;

    memcpy(columns, table->table.columns, nfirst * sizeof *columns);
    for (size_t m = 0; m < nmeasures; m++) {
        const char *const name = table->table.measures[m].name;

        if (table->each & EACH_MEAN)
            *at++ = (struct table_column){name, COLUMN_MEAN, m};
        if (table->each & EACH_SD)
            *at++ = (struct table_column){texts_keep(&tables->texts, xformat("%s_sd", name)), COLUMN_SD, m};
        if (table->each & EACH_STDERR)
            *at++ = (struct table_column){texts_keep(&tables->texts, xformat("%s_stderr", name)), COLUMN_STDERR, m};
    }
    table->table.columns = table->owned = columns;
    table->table.ncolumns = (size_t)(at - columns);
}

void tables_add(struct task_tables *tables, const struct task_table *table)
{
    struct task_table *const added = ARRAY_ADD(tables->table, tables->count, tables->room);

    *added = *table;
    if (table->each)
        add_columns(tables, added);
}

void tables_add_chosen(struct task_tables *tables, struct task_table table, uint64_t choice)
{
    const size_t nmeasures = measures_chosen(choice);
    struct ldp_measure *const chosen = xcalloc(nmeasures + 1, sizeof *chosen);

    for (size_t m = 0; m < nmeasures; m++)
        chosen[m] = table.table.measures[measure_chosen(choice, m)];
    table.table.measures = table.chosen = chosen;
    tables_add(tables, &table);
}

void tables_clear(struct task_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        free(tables->table[i].owned);
        free(tables->table[i].chosen);
    }
    free(tables->table);
    texts_clear(&tables->texts);
    memset(tables, 0, sizeof *tables);
}

size_t cell_fields(const struct setup *setup, size_t cell, const struct table_column *column[ROW_FIELDS],
                   struct field field[ROW_FIELDS])
{
    const struct table *const table = setup->tables.count > 0 ? &setup->tables.table[0].table : NULL;
    size_t count = 0;

    memset(field, 0, ROW_FIELDS * sizeof *field);
    setup->task->fields(setup, cell, field);
    for (size_t i = 0; table && i < table->ncolumns; i++)
        if (table->columns[i].role == COLUMN_CELL)
            column[count++] = &table->columns[i];
    return count;
}

char *cell_words(const struct experiment *experiment, size_t cell)
{
    const struct table_column *column[ROW_FIELDS];
    struct field field[ROW_FIELDS];
    const size_t count = cell_fields(experiment->setup, cell, column, field);
    struct buffer words = {0};
    char number[NUMBER_TEXT];

    for (size_t i = 0; i < count; i++)
        if (field[i].text || isfinite(field[i].number))
            buffer_format(&words, "%s%s %s", words.length > 0 ? ", " : "", column[i]->name,
                          field[i].text ? field[i].text : format_number(field[i].number, number));
    return buffer_take(&words);
}

const char *cell_label(const struct setup *setup, size_t cell, enum column_part part)
{
    const struct table_column *column[ROW_FIELDS];
    struct field field[ROW_FIELDS];
    const size_t count = cell_fields(setup, cell, column, field);

    for (size_t i = 0; i < count; i++)
        if (column_part(column[i]) == part)
            return field[i].text;
    return NULL;
}

void loss_add(struct privacy_losses *losses, const char *subject, const char *protects, double low, double high)
{
    if (losses->count < PRIVACY_LOSSES)
        losses->line[losses->count++] = (struct privacy_loss){subject, protects, low, high};
}

/* ---- What is protected ---- */

/* Adds the lines of subjects that occur first in a cell. */
static void add_first(struct protection *found, const struct privacy_losses *losses)
{
    const size_t before = found->count;

    for (size_t i = 0; i < losses->count; i++) {
        bool known = false;

        for (size_t j = 0; j < before; j++)
            known |= strcmp(found->line[j].subject, losses->line[i].subject) == 0;
        if (!known)
            *ARRAY_ADD(found->line, found->count, found->room) = losses->line[i];
    }
    found->cells += found->count > before;
}

struct protection protection_of(const struct experiment *experiment)
{
    const struct setup *const setup = experiment->setup;
    struct protection found = {0};
    struct texts looked = {0};

    for (size_t cell = 0; experiment->task->privacy_losses && cell < setup->ncells; cell++) {
        const char *const subject = cell_label(setup, cell, PART_ALGORITHM);
        struct privacy_losses losses = {0};
        bool known = false;

        for (size_t i = 0; subject && i < looked.count; i++)
            known |= strcmp(looked.text[i], subject) == 0;
        if (known)
            continue;
        if (subject)
            texts_keep(&looked, xstrdup(subject));
        experiment->task->privacy_losses(setup, cell, &losses);
        add_first(&found, &losses);
    }
    texts_clear(&looked);
    return found;
}

static void print_upper(FILE *out, const struct privacy_loss *line)
{
    if (isinf(line->high))
        fputs("not protected", out);
    else
        fprintf(out, "%.4g", line->high);
}

/* The least and the most of one kind of protection; whether they differ. */
static bool print_range(FILE *out, const struct protection *lines, const char *protects)
{
    const struct privacy_loss *least = NULL, *most = NULL;

    for (size_t i = 0; i < lines->count; i++) {
        const struct privacy_loss *const line = &lines->line[i];

        if (strcmp(line->protects, protects) != 0)
            continue;
        least = !least || line->high < least->high ? line : least;
        most = !most || line->high > most->high ? line : most;
    }
    assert(most);
    if (!(most->high > least->high * (1 + 1e-4))) { /* solved for, to a few digits */
        fprintf(out, "%s ", protects);
        print_upper(out, most);
        return false;
    }
    fprintf(out, "%s ", protects);
    print_upper(out, least);
    fprintf(out, " (%s) to ", least->subject);
    print_upper(out, most);
    fprintf(out, " (%s)", most->subject);
    return true;
}

char *protection_differences(const struct experiment *experiment)
{
    const struct protection lines = protection_of(experiment);
    char *text = NULL;
    size_t size = 0;
    bool differ = false;
    FILE *const out = xmemstream(&text, &size);

    fputs("Protection differs, as epsilon, each where it occurs first: ", out);
    for (size_t i = 0; i < lines.count; i++) {
        if (i > 0 && strcmp(lines.line[i].subject, lines.line[0].subject) != 0)
            break; /* the first has all kinds */
        fputs(i > 0 ? "; " : "", out);
        differ |= print_range(out, &lines, lines.line[i].protects);
    }
    putc('.', out);
    fclose(out);
    free(lines.line);
    if (differ)
        return text;
    free(text);
    return NULL;
}

static cJSON *parameters_json(const struct identity *identity)
{
    cJSON *const object = cJSON_CreateObject();
    const double *value = identity->value;

    for (const struct ldp_param *param = identity->params; param && param->name; param++, value++)
        cJSON_AddItemToObject(object, param->name,
                              isnan(*value)               ? cJSON_CreateNull()
                              : param->kind == LDP_CHOICE ? cJSON_CreateString(param->choices[(size_t)*value])
                              : param->kind == LDP_FLAG   ? cJSON_CreateBool(*value != 0)
                                                          : cJSON_CreateNumber(*value));
    if (identity->inner) {
        const struct identity inner = oracle_identity(identity->inner);
        cJSON *const of_inner = parameters_json(&inner);

        cJSON_AddItemToObject(object, identity->inner_name, of_inner);
        cJSON_AddStringToObject(of_inner, "name", inner.name);
    } else if (identity->inner_name) {
        cJSON_AddNullToObject(object, identity->inner_name);
    }
    if (identity->word)
        cJSON_AddStringToObject(object, identity->word_name, identity->word);
    return object;
}

char *identity_json(const struct identity *identity)
{
    cJSON *const object = parameters_json(identity);
    char *const text = cJSON_PrintUnformatted(object);

    cJSON_Delete(object);
    return text;
}
