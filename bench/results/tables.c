/* tables.c - see tables.h. */
#include "results/tables.h"

#include "support/files.h"

#include <math.h>
#include <stdlib.h>

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
