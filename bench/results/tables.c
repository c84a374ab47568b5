/* tables.c - see tables.h. */
#include "results/tables.h"

#include "support/names.h"
#include "support/output.h"

#include <math.h>
#include <stdlib.h>

size_t grid_size(const struct frequency *frequency)
{
    return frequency->datasets.count * frequency->oracles.count * frequency->epsilon.count;
}

struct grid_point grid_point(const struct frequency *frequency, size_t cell)
{
    size_t iepsilon = cell % frequency->epsilon.count, rest = cell / frequency->epsilon.count;
    size_t ioracle = rest % frequency->oracles.count, idataset = rest / frequency->oracles.count;

    return (struct grid_point){
        .idataset = idataset,
        .dataset = frequency->datasets.dataset[idataset],
        .oracle = &frequency->oracles.choice[ioracle],
        .epsilon = frequency->epsilon.values[iepsilon],
    };
}

size_t grid_kind(const struct frequency *frequency, size_t cell)
{
    return frequency->alike[grid_point(frequency, cell).idataset] * frequency->oracles.count * frequency->epsilon.count;
}

char *grid_key(const struct frequency *frequency, size_t cell)
{
    struct grid_point point = grid_point(frequency, cell);
    const struct ldp_oracle_spec *spec = &point.oracle->spec;
    char *oracle = algorithm_text(spec->oracle->name, spec->oracle->params, spec->param, true);
    char number[NUMBER_TEXT], *key = NULL;

    if (oracle)
        key = text_format("%s|%s|epsilon=%s|%s", point.dataset->key, oracle, format_number(point.epsilon, number),
                          frequency->mode == LDP_COUNTS ? "counts" : "reports");
    free(oracle);
    return key;
}

void write_grid_columns(FILE *out, const char *experiment, const struct grid_point *point, const char *name)
{
    csv_text(out, experiment);
    putc(',', out);
    csv_text(out, point->dataset->name);
    fprintf(out, ",%zu,%llu,", point->dataset->population->d, (unsigned long long)point->dataset->population->n);
    csv_text(out, point->oracle->label);
    putc(',', out);
    csv_number(out, point->epsilon);
    if (name) {
        putc(',', out);
        csv_text(out, name);
    }
}

struct summary summarise(const double *value, size_t n)
{
    struct summary summary = {0};
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i])) {
            sum += value[i];
            summary.n++;
        }
    summary.mean = sum / (double)summary.n;
    for (size_t i = 0; i < n; i++)
        if (!isnan(value[i]))
            squares += (value[i] - summary.mean) * (value[i] - summary.mean);
    summary.sd = summary.n > 1 ? sqrt(squares / (double)(summary.n - 1)) : NAN;
    summary.stderr_ = summary.sd / sqrt((double)summary.n);
    return summary;
}

int write_table(const struct table_writer *writer, const char *folder, const char *name,
                int (*write)(const struct table_writer *, FILE *))
{
    struct whole_file file;
    int result;

    if (whole_file_open(&file, folder, name, writer->failure) != 0)
        return -1;
    store_hold(writer->store);
    result = write(writer, file.stream);
    if (store_release(writer->store, writer->failure) != 0)
        result = -1;
    if (result != 0) {
        whole_file_abandon(&file);
        return -1;
    }
    return whole_file_close(&file, writer->failure);
}

int read_summary(const struct table_writer *writer, size_t cell, size_t series, struct summary *summary)
{
    if (store_series(writer->store, cell, series, writer->value, writer->failure) != 0)
        return -1;
    *summary = summarise(writer->value, writer->experiment->repetitions);
    return 0;
}

static size_t query_size(const struct frequency *frequency, const struct query_choice *query, size_t idataset)
{
    return frequency->methods.count * query->specs[idataset].npoints *
           ldp_measures_count(query->specs[idataset].query->measures);
}

size_t measurement_count(const struct frequency *frequency, size_t idataset)
{
    size_t count = 0;

    for (size_t i = 0; i < frequency->queries.count; i++)
        count += query_size(frequency, &frequency->queries.choice[i], idataset);
    return count;
}

struct measurement measurement_at(const struct frequency *frequency, size_t idataset, size_t index)
{
    const struct query_choice *query = frequency->queries.choice;
    size_t npoints, nmeasures;

    while (index >= query_size(frequency, query, idataset))
        index -= query_size(frequency, query++, idataset);
    npoints = query->specs[idataset].npoints;
    nmeasures = ldp_measures_count(query->specs[idataset].query->measures);
    return (struct measurement){
        .query = query,
        .method = index / (npoints * nmeasures),
        .point = index / nmeasures % npoints,
        .measure = index % nmeasures,
    };
}

char *measurement_key(const struct frequency *frequency, size_t idataset, size_t index)
{
    struct measurement at = measurement_at(frequency, idataset, index);
    const struct ldp_query_spec *spec = &at.query->specs[idataset];
    const struct ldp_method_spec *chosen = &frequency->methods.choice[at.method].spec;
    char *method = algorithm_text(chosen->method->name, chosen->method->params, chosen->param, true);
    char number[NUMBER_TEXT], *key = NULL;

    if (method)
        key = text_format("%s|%s|%s|%s", method, at.query->keys[idataset],
                          spec->points ? format_number(spec->points[at.point], number) : "",
                          spec->query->measures[at.measure].name);
    free(method);
    return key;
}

void write_query_columns(FILE *out, size_t idataset, const struct measurement *at)
{
    const struct ldp_query_spec *spec = &at->query->specs[idataset];

    putc(',', out);
    csv_text(out, at->query->label);
    putc(',', out);
    if (spec->points)
        csv_number(out, spec->points[at->point]);
}
