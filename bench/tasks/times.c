/* times.c - seconds of a collection: times.csv. */
#include "tasks/frequency.h"

#include <math.h>

/* The timed steps, in the order of the series. By counts there are neither clients nor reports, so only the total is
 * timed. */
static const char *const parts[] = {"total", "client", "server", "decode"};
enum { PARTS = sizeof parts / sizeof *parts };

size_t times_series(enum ldp_mode mode, struct series *series)
{
    const size_t count = mode == LDP_REPORTS ? PARTS : 1;

    for (size_t i = 0; series && i < count; i++)
        series[i] = (struct series){"", "", parts[i], "seconds"};
    return count;
}

void times_measure(const struct ldp_times *times, size_t count, double *series)
{
    const double seconds[PARTS] = {times->total, times->client, times->server, times->decode};

    for (size_t i = 0; i < count; i++)
        series[i] = seconds[i];
}

static size_t rows(const struct table_cell *in)
{
    return 1;
}

static void row(const struct table_cell *in, size_t index, struct table_row *row)
{
    const struct evaluation_setup *const setup = evaluation_of(in->setup);
    const size_t first = frequency_series(setup, in->cell).times;
    const bool reports = setup->grid.mode == LDP_REPORTS;

    row->field[0].text = reports ? "reports" : "counts";
    for (size_t i = 0; i < PARTS; i++)
        row->series[i] = i + 1 == PARTS ? first : reports ? first + 1 + i : SERIES_NONE;
}

static const struct table_column columns[] = {
    GRID_COLUMNS,
    {"simulation", COLUMN_KEY, PART_SIMULATION},
    {"repetitions", COLUMN_REPETITIONS, 0},
    {"client_seconds", COLUMN_MEAN, 0},
    {"client_stderr", COLUMN_STDERR, 0},
    {"server_seconds", COLUMN_MEAN, 1},
    {"server_stderr", COLUMN_STDERR, 1},
    {"decode_seconds", COLUMN_MEAN, 2},
    {"decode_stderr", COLUMN_STDERR, 2},
    {"total_seconds", COLUMN_MEAN, 3},
    {"total_stderr", COLUMN_STDERR, 3},
};

static const struct ldp_measure measures[] = {
    MEASURE("client", "seconds of all clients", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    MEASURE("server", "seconds to count the reports", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    MEASURE("decode", "seconds from the counts to the estimate", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    MEASURE("total", "seconds of a collection", "seconds", LDP_LESS, .high = INFINITY, .timed = true),
    {.name = NULL},
};

const struct task_table times_table = {
    TABLE("times.csv", "seconds of a collection", "oracle", FORM_PLAIN, columns, measures), .rows = rows, .row = row};
