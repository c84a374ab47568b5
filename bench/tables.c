/* tables.c - see tables.h. */
#include "tables.h"

#include "names.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

size_t grid_size(const struct frequency *frequency)
{
    return frequency->ndatasets * frequency->noracles * frequency->nepsilon;
}

struct grid_point grid_point(const struct frequency *frequency, size_t cell)
{
    size_t iepsilon = cell % frequency->nepsilon, rest = cell / frequency->nepsilon;
    size_t ioracle = rest % frequency->noracles, idataset = rest / frequency->noracles;

    return (struct grid_point){
        .idataset = idataset,
        .dataset = frequency->datasets[idataset],
        .oracle = &frequency->oracles[ioracle],
        .epsilon = frequency->epsilon[iepsilon],
    };
}

/* All parameters of an algorithm: "(alpha=2,...)"; a derived default is "auto". */
static void write_params(FILE *out, const struct ldp_param *params, const double *value)
{
    char text[NUMBER_TEXT];

    for (size_t i = 0; params && params[i].name; i++)
        fprintf(out, "%c%s=%s", i == 0 ? '(' : ',', params[i].name,
                isnan(value[i]) ? "auto" : format_number(value[i], text));
    if (params && params[0].name)
        putc(')', out);
}

char *grid_key(const struct frequency *frequency, size_t cell)
{
    struct grid_point point = grid_point(frequency, cell);
    char *text = NULL, number[NUMBER_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "%s|%s", point.dataset->key, point.oracle->spec.oracle->name);
    write_params(out, point.oracle->spec.oracle->params, point.oracle->spec.param);
    fprintf(out, "|epsilon=%s|%s", format_number(point.epsilon, number),
            frequency->mode == LDP_COUNTS ? "counts" : "reports");
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void write_grid_columns(FILE *out, const char *experiment, const struct grid_point *point)
{
    csv_text(out, experiment);
    putc(',', out);
    csv_text(out, point->dataset->name);
    fprintf(out, ",%zu,%llu,", point->dataset->population->d, (unsigned long long)point->dataset->population->n);
    csv_text(out, point->oracle->label);
    putc(',', out);
    csv_number(out, point->epsilon);
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

static size_t query_size(const struct frequency *frequency, const struct query_choice *query, size_t idataset)
{
    return frequency->nmethods * query->specs[idataset].npoints * ldp_query_measures(query->specs[idataset].query);
}

size_t measurement_count(const struct frequency *frequency, size_t idataset)
{
    size_t count = 0;

    for (size_t i = 0; i < frequency->nqueries; i++)
        count += query_size(frequency, &frequency->queries[i], idataset);
    return count;
}

struct measurement measurement_at(const struct frequency *frequency, size_t idataset, size_t index)
{
    const struct query_choice *query = frequency->queries;
    size_t npoints, nmeasures;

    while (index >= query_size(frequency, query, idataset))
        index -= query_size(frequency, query++, idataset);
    npoints = query->specs[idataset].npoints;
    nmeasures = ldp_query_measures(query->specs[idataset].query);
    return (struct measurement){
        .query = query,
        .iquery = (size_t)(query - frequency->queries),
        .method = index / (npoints * nmeasures),
        .point = index / nmeasures % npoints,
        .measure = index % nmeasures,
    };
}

char *measurement_key(const struct frequency *frequency, size_t idataset, size_t index)
{
    struct measurement at = measurement_at(frequency, idataset, index);
    const struct ldp_query_spec *spec = &at.query->specs[idataset];
    const struct ldp_method_spec *method = &frequency->methods[at.method].spec;
    char *text = NULL, number[NUMBER_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(method->method->name, out);
    write_params(out, method->method->params, method->param);
    fprintf(out, "|%s|", at.query->key);
    if (spec->points)
        fprintf(out, "%s=%s", spec->query->point.name, format_number(spec->points[at.point], number));
    fprintf(out, "|%s", spec->query->measures[at.measure]);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

void write_point(FILE *out, const struct frequency *frequency, size_t idataset, const struct measurement *at)
{
    const struct ldp_query_spec *spec = &frequency->queries[at->iquery].specs[idataset];

    if (spec->points)
        csv_number(out, spec->points[at->point]);
}
