/* Tables as tasks declare them: the store lists every table of a folder, with the columns that the file has. */
#include "program.h"
#include "quick.h"
#include "stores.h"
#include "tasks/task.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, name);

    cr_assert_not_null(item, "%s", name);
    return item;
}

/* Removes one column from a header line; demands that it is there. */
static void take_column(char *header, const cJSON *name, const char *file)
{
    const char *const text = cJSON_GetStringValue(name);
    const size_t length = strlen(text);
    char *at = header;

    while (*at && !(strncmp(at, text, length) == 0 && (at[length] == ',' || !at[length])))
        at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',');
    cr_assert(*at, "%s: no column %s", file, text);
    memmove(at, at + length + (at[length] == ','), strlen(at + length + (at[length] == ',')) + 1);
}

static void take_columns(char *header, const cJSON *table, const char *file)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, member(table, "keys")) take_column(header, item, file);
    cJSON_ArrayForEach(item, member(table, "facts")) take_column(header, item, file);
    if (cJSON_GetObjectItemCaseSensitive(table, "repetitions"))
        take_column(header, member(table, "repetitions"), file);
    const cJSON *measure;
    cJSON_ArrayForEach(measure, member(table, "measures"))
    {
        cr_expect(cJSON_GetStringValue(member(measure, "title"))[0]);
        cr_expect(cJSON_GetStringValue(member(measure, "axis"))[0]);
        member(measure, "low");
        member(measure, "high");
        cr_expect_not_null(strstr("less more target neutral", cJSON_GetStringValue(member(measure, "better"))));
        cJSON_ArrayForEach(item, member(measure, "columns")) take_column(header, item, file);
    }
}

/* All outputs, and every query that has a table of its own. Malloc'd. */
static char *all_outputs(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&text, &size);

    cr_assert_not_null(out);
    fputs(
        "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"oue\"], \"epsilon\": 1, \"methods\": [\"base\", \"norm\"],\n"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": 50}], \"ordered\": true,\n"
        " \"attacks\": [{\"type\": \"ria\", \"fraction\": 0.1, \"targets\": {\"values\": 3}}],\n"
        " \"outputs\": [\"mse\", \"values\", \"noise\", \"times\", \"oracles\", \"expected\", \"detection\"],\n"
        " \"queries\": [\"full_domain\"",
        out);
    for (size_t i = 0; ldp_queries[i]; i++) {
        const struct ldp_query *const query = ldp_queries[i];

        if (query->measures == ldp_squared_error)
            continue;
        fprintf(out, ", {\"type\": \"%s\"", query->name);
        if (query->point.name)
            fprintf(out, ", \"%s\": %d", query->point.name, query->point.kind == LDP_INTEGER ? 2 : 50);
        if (query->takes_sets)
            fputs(", \"file\": \"nowhere.sets\", \"otherwise\": {\"sets\": 2, \"mean_size\": 2}", out);
        putc('}', out);
    }
    fputs("]}\n", out);
    fclose(out);
    return text;
}

static const char selection[] =
    "{\"name\": \"t\", \"task\": \"selection\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1,\n"
    " \"methods\": [\"base\", \"norm\"], \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": 50}],\n"
    " \"queries\": [{\"type\": \"full_domain\"}], \"surrogates\": [\"norm_sub\"], \"trials\": 2}\n";

static const char search[] =
    "{\"name\": \"t\", \"task\": \"search\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1,\n"
    " \"datasets\": [{\"type\": \"strings\", \"file\": \"c.strings\", \"bits\": 8}], \"protocols\": [\"pem\"],\n"
    " \"outputs\": [\"search\", \"times\"],\n"
    " \"attacks\": [{\"type\": \"ria\", \"fraction\": 0.1, \"targets\": {\"random\": 1}}]}\n";

static const char marginals[] =
    "{\"name\": \"t\", \"task\": \"marginals\", \"repetitions\": 2, \"oracles\": [\"adaptive\"], \"epsilon\": 1,\n"
    " \"datasets\": [{\"type\": \"chain\", \"d\": 4, \"n\": 500, \"cardinalities\": \"2 3\"}], \"synopses\": [\"calm\"],\n"
    " \"marginals\": {\"k\": 2, \"count\": 3}, \"outputs\": [\"errors\", \"parts\", \"marginals\", \"times\"],\n"
    " \"attacks\": [{\"type\": \"ria\", \"fraction\": 0.1, \"targets\": {\"random\": 1}}]}\n";

static const char protection[] =
    "{\"name\": \"t\", \"task\": \"marginals\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1,\n"
    " \"datasets\": [{\"type\": \"chain\", \"d\": 2, \"n\": 500}], \"synopses\": [\"each\"],\n"
    " \"marginals\": {\"k\": 1}, \"outputs\": [\"protection\"]}\n";

static const char longitudinal[] =
    "{\"name\": \"t\", \"task\": \"longitudinal\", \"repetitions\": 2, \"chains\": [\"l_sue\"], \"epsilon\": 2, \"first\": 0.5,\n"
    " \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": 50}], \"rounds\": 3, \"methods\": [\"base\"],\n"
    " \"queries\": [\"full_domain\"], \"outputs\": [\"average\", \"budget\"]}\n";

/* Whether a table was seen for the first time. */
static bool is_new(const char *file)
{
    static char seen[64][32];
    static size_t count;

    for (size_t i = 0; i < count; i++)
        if (strcmp(seen[i], file) == 0)
            return false;
    cr_assert_lt(count, sizeof seen / sizeof *seen);
    snprintf(seen[count++], sizeof *seen, "%s", file);
    return true;
}

/* Every table of the tasks; every column of each in one role. */
FolderTest(tables, listed_as_they_are)
{
    char *const frequency = all_outputs();
    const char *const configs[] = {frequency, selection, search, marginals, protection, longitudinal};
    static const struct task *const of_task[] = {&task_frequency, &task_selection, &task_search, &task_marginals,
                                                 &task_longitudinal};

    char out[2 * PATH_ROOM];
    snprintf(out, sizeof out, "%s/out", folder);
    write_text(folder, "c.strings", "a\t40\nb\t60\n");
    size_t listed = 0;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        write_text(folder, "c.json", configs[i]);
        run_in(folder, "rm -rf out && ldpbench run c.json -o out --quiet");
        sqlite3 *const store = open_store(folder);
        char *const list = ask_store(store, "SELECT declaration FROM tables WHERE id > 2");
        size_t tables = 0;
        const char *end;
        for (const char *at = list; *at; at = end + 1, tables++) {
            cJSON *const table = cJSON_ParseWithOpts(at, &end, false);
            const char *const file = cJSON_GetStringValue(member(table, "file"));
            char *const csv = read_text(out, file);

            cr_assert_not_null(csv, "%s", file);
            csv[strcspn(csv, "\n")] = '\0';
            listed += is_new(file);
            take_columns(csv, table, file);
            cr_expect_str_eq(csv, "", "%s: columns in no role: %s", file, csv);
            free(csv);
            cJSON_Delete(table);
        }
        run_well("test $(ls %s/*.csv | wc -l) = %zu", out, tables);
        free(list);
        sqlite3_close(store);
    }
    size_t declared = 0;
    for (size_t i = 0; i < sizeof of_task / sizeof *of_task; i++) {
        struct task_tables all = {0};

        of_task[i]->tables(NULL, &all);
        declared += all.count;
        tables_clear(&all);
    }
    cr_expect_eq(listed, declared);
    free(frequency);
}

/* ---- declarations of another version ---- */

static const char swept[] =
    "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [1, 2], \"methods\": [\"base\", \"norm\"],\n"
    " \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 8, \"n\": [100, 1000]}], \"queries\": [\"full_domain\",\n"
    " {\"type\": \"top_k\", \"k\": [2, 4]}], \"outputs\": [\"mse\", \"values\", \"noise\"]}\n";

/* A declaration in other words is the same table, one with other columns is none that this program knows. */
FolderTest(tables, declared_by_another_version)
{
    static const struct {
        const char *was, *is;
        int status;
    } changes[] = {{"\"title\":\"", "\"title\":\"the ", 0}, {"\"domain size\"", "\"size of the moon\"", 0},
                   {"\"columns\":[", "\"columns\":[3,", 2}, {"\"epsilon\"", "\"e\"", 2},
                   {"\"mse\",\"sd\"", "\"mse\"", 2},        {"{\"file\"", "[{\"file\"", 2}};

    write_text(folder, "c.json", swept);
    run_in(folder, "ldpbench run c.json -o a --quiet");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        run_in(folder, "rm -rf out && cp -r a out");
        sqlite3 *const store = open_store(folder);
        char *const sql = sqlite3_mprintf("SELECT replace(declaration, %Q, %Q) FROM tables WHERE name = 'mse'",
                                          changes[i].was, changes[i].is);
        char *const declaration = ask_store(store, sql);
        declaration[strlen(declaration) - 1] = '\0';
        redeclare(store, "mse", declaration);
        free(declaration);
        sqlite3_free(sql);
        sqlite3_close(store);
        expect_said(changes[i].status, changes[i].status ? "mse: expected a table of this version of ldpbench" : "",
                    "cd %s && ldpbench plot out --format tsv", folder);
    }
}

/* Labels that spreadsheets would run are quoted where the config asks for it, and files follow when it changes. */
FolderTest(tables, labels_that_are_formulas)
{
    static const char *const asked[] = {"", "\"spreadsheet\": true, ", ""};
    static const char *const written[] = {",=1+1,", ",'=1+1,", ",=1+1,"};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char text[600];

        snprintf(
            text, sizeof text,
            "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 3, %s\"oracles\": [\"grr\"], \"epsilon\": 1,\n"
            " \"datasets\": [{\"type\": \"zipf\", \"d\": 4, \"n\": 100, \"s\": 1}],\n"
            " \"methods\": [{\"name\": \"base\", \"label\": \"=1+1\"}, \"norm\"], \"queries\": [\"full_domain\"]}\n",
            asked[i]);
        write_text(folder, "c.json", text);
        run_in(folder, "ldpbench run c.json -o r --quiet && cp r/mse.csv mse%zu.csv", i);
        demand_within(folder, "r/mse.csv", written[i]);
        demand_within(folder, "r/mse.csv", ",norm,");
    }
    run_in(folder, "cmp mse0.csv mse2.csv");
}
