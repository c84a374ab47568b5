/* bench.c - how long everything takes on this machine: `make bench`.
 *
 * Every number is the median of several runs, in the thread's CPU time (except where threads or processes run
 * side by side), so that waiting for a busy machine does not count; sharing its caches and memory does. Rows are
 * printed as they are measured; --json keeps them, --compare compares them with rows of another build. Nothing here
 * is a test: numbers depend on the machine and on who else uses it. */
#include "bench.h"

#include <cjson/cJSON.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "hashing/hash.h"
#include "ldp.h"
#include "simd/simd.h"
#include "version.h"

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void *bench_alloc(size_t bytes)
{
    void *const memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "ldpbench-bench: out of memory (%zu bytes)\n", bytes);
        exit(3);
    }
    return memory;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_middle(double *x, size_t count)
{
    qsort(x, count, sizeof *x, ascending);
    return (x[(count - 1) / 2] + x[count / 2]) / 2;
}

double bench_median(const struct bench *bench, void (*run)(void *context), void *context)
{
    enum { SAMPLES = 15 };
    const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    run(context);
    const double first = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
    if (first > bench->budget)
        return first;
    const unsigned inner = first < 1e-3 ? (unsigned)(1e-3 / (first + 1e-9)) + 1 : 1;
    size_t count = 0;
    double sample[SAMPLES];
    while (count < SAMPLES && (count < 3 || seconds_of(CLOCK_THREAD_CPUTIME_ID) - start < bench->budget)) {
        const double from = seconds_of(CLOCK_THREAD_CPUTIME_ID);
        for (unsigned i = 0; i < inner; i++)
            run(context);
        sample[count++] = (seconds_of(CLOCK_THREAD_CPUTIME_ID) - from) / inner;
    }
    return bench_middle(sample, count);
}

static void print_value(const char *unit, double value)
{
    if (strcmp(unit, "s") == 0 && value < 1e-6)
        printf("%9.3g ns", value * 1e9);
    else if (strcmp(unit, "s") == 0 && value < 1e-3)
        printf("%9.3g us", value * 1e6);
    else if (strcmp(unit, "s") == 0 && value < 1)
        printf("%9.3g ms", value * 1e3);
    else if (strcmp(unit, "bytes") == 0)
        printf("%9.4g MB", value * 1e-6);
    else
        printf("%9.3g %s", value, unit);
}

void bench_add(struct bench *bench, const char *section, const char *name, size_t d, uint64_t n, const char *unit,
               double value)
{
    struct row *const rows = realloc(bench->rows, (bench->count + 1) * sizeof *rows);
    if (!rows) {
        fprintf(stderr, "ldpbench-bench: out of memory\n");
        exit(3);
    }
    bench->rows = rows;
    struct row *const row = &rows[bench->count++];
    *row = (struct row){.d = d, .n = n, .unit = unit, .value = value};
    snprintf(row->section, sizeof row->section, "%s", section);
    snprintf(row->name, sizeof row->name, "%s", name);
    printf("%-10s %-34s ", section, name);
    if (d)
        printf("d %-9zu", d);
    else
        printf("%11s", "");
    if (n)
        printf("n %-14llu", (unsigned long long)n);
    else
        printf("%16s", "");
    print_value(unit, value);
    if (strcmp(unit, "s") == 0 && d)
        printf("  %9.3g ns/value", value * 1e9 / (double)d);
    if (strcmp(unit, "s") == 0 && n && strstr(name, "reports"))
        printf("  %9.3g ns/report", value * 1e9 / (double)n);
    putchar('\n');
    fflush(stdout);
}

double bench_find(const struct bench *bench, const char *section, const char *name, size_t d, uint64_t n)
{
    for (size_t i = 0; i < bench->count; i++) {
        const struct row *const row = &bench->rows[i];
        if (strcmp(row->section, section) == 0 && strcmp(row->name, name) == 0 && row->d == d && row->n == n)
            return row->value;
    }
    return NAN;
}

/* The processor's name as Linux reports it. */
static void processor(char *name, size_t size)
{
    snprintf(name, size, "unknown");
    FILE *const file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[512];
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0) {
            const char *const colon = strchr(line, ':');
            if (colon)
                snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    fclose(file);
}

static int write_json(const struct bench *bench, const char *path)
{
    char cpu[256];
    processor(cpu, sizeof cpu);
    FILE *const file = fopen(path, "w");
    if (!file) {
        perror(path);
        return -1;
    }
    /* One row a line, keys in this order: scripts read it with awk. */
    fprintf(file, "{\"version\": \"%s\", \"commit\": \"%s\", \"compiler\": \"%s\",\n \"cpu\": \"%s\", \"cpus\": %ld, ",
            LDPBENCH_VERSION, LDPBENCH_COMMIT, LDPBENCH_COMPILER, cpu, sysconf(_SC_NPROCESSORS_ONLN));
    fprintf(file, "\"simd\": \"%s\", \"quick\": %s,\n \"rows\": [\n", ldp_simd_name(ldp_simd_level()),
            bench->quick ? "true" : "false");
    for (size_t i = 0; i < bench->count; i++) {
        const struct row *const row = &bench->rows[i];
        fprintf(
            file,
            "  {\"section\": \"%s\", \"name\": \"%s\", \"d\": %zu, \"n\": %llu, \"unit\": \"%s\", \"value\": %.6g}%s\n",
            row->section, row->name, row->d, (unsigned long long)row->n, row->unit, row->value,
            i + 1 < bench->count ? "," : "");
    }
    fprintf(file, " ]}\n");
    if (fclose(file)) {
        perror(path);
        return -1;
    }
    return 0;
}

static cJSON *read_json(const char *path)
{
    FILE *const file = fopen(path, "r");
    if (!file) {
        perror(path);
        return NULL;
    }
    enum { SIZE = 1 << 22 };
    char *const text = bench_alloc(SIZE);
    text[fread(text, 1, SIZE - 1, file)] = '\0';
    fclose(file);
    cJSON *const json = cJSON_Parse(text);
    if (!cJSON_GetObjectItem(json, "rows"))
        fprintf(stderr, "%s: not the JSON of this program\n", path);
    free(text);
    return json;
}

/* New over old, row by row: below 1 is faster where the unit is seconds. */
static int compare(const struct bench *bench, const char *path)
{
    cJSON *const old = read_json(path), *const rows = cJSON_GetObjectItem(old, "rows");
    if (!rows) {
        cJSON_Delete(old);
        return -1;
    }
    printf("\nnew / old (%s)\n", path);
    cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        const char *const section = cJSON_GetStringValue(cJSON_GetObjectItem(row, "section"));
        const char *const name = cJSON_GetStringValue(cJSON_GetObjectItem(row, "name"));
        const double d = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "d"));
        const double n = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "n"));
        if (!section || !name || !(d >= 0) || !(n >= 0))
            continue;
        const double now = bench_find(bench, section, name, (size_t)d, (uint64_t)n);
        const double before = cJSON_GetNumberValue(cJSON_GetObjectItem(row, "value"));
        if (!isnan(now) && before > 0)
            printf("%-10s %-34s d %-9.0f n %-14.0f %8.3f\n", section, name, d, n, now / before);
    }
    cJSON_Delete(old);
    return 0;
}

static const struct {
    const char *name;
    void (*run)(struct bench *bench);
} sections[] = {
    {"repetition", bench_repetitions}, {"method", bench_methods},  {"oracle", bench_oracles},
    {"kernel", bench_kernel},          {"memory", bench_memory},   {"decoder", bench_decoders},
    {"marginals", bench_marginals},    {"sketch", bench_sketches}, {"search", bench_searches},
};

static int usage(FILE *file, int status)
{
    fprintf(file, "usage: ldpbench-bench [--quick] [--json FILE] [--compare OLD.json] [SECTION...]\nsections:");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        fprintf(file, " %s", sections[i].name);
    fprintf(file, "\n");
    return status;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"quick", no_argument, NULL, 'q'},
                                            {"json", required_argument, NULL, 'j'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    struct bench bench = {.budget = 0.15, .limit = 2};
    const char *json = NULL, *old = NULL;
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 'q': bench.quick = true; break;
        case 'j': json = optarg; break;
        case 'c': old = optarg; break;
        case 'h': return usage(stdout, 0);
        default: return usage(stderr, 2);
        }
    if (bench.quick) {
        bench.budget = 0.02;
        bench.limit = 0.1;
    }
    for (int i = optind; i < argc; i++) {
        size_t s = 0;
        while (s < sizeof sections / sizeof *sections && strcmp(argv[i], sections[s].name) != 0)
            s++;
        if (s == sizeof sections / sizeof *sections)
            return usage(stderr, 2);
    }
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        bool asked = optind == argc;
        for (int i = optind; i < argc; i++)
            asked |= strcmp(argv[i], sections[s].name) == 0;
        if (asked)
            sections[s].run(&bench);
    }
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    bench_add(&bench, "memory", "this benchmark, peak", 0, 0, "bytes", (double)used.ru_maxrss * 1024);
    int status = 0;
    if (json && write_json(&bench, json))
        status = 3;
    if (old && compare(&bench, old))
        status = 2;
    free(bench.rows);
    return status;
}
