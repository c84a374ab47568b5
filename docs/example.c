/* example.c - a survey of 10^6 users, whose reports two servers count and one adds up.
 *
 *   cc -std=c99 example.c $(pkg-config --cflags --libs ldpbench) -o example
 *   ./example count first & ./example count second; wait
 *   ./example answer first second */
#include <ldpbench.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 5, USERS = 500000, BATCH = 10000, BYTES = 4096 };
static const double TRUE_SHARES[D] = {.4, .3, .2, .09, .01};

static struct ldpbench_error error;

static void must(int status)
{
    if (status != LDPBENCH_OK) {
        fprintf(stderr, "example: %s\n", error.text);
        exit(EXIT_FAILURE);
    }
}

static struct ldpbench_protocol *make_protocol(void)
{
    struct ldpbench_spec *olh;
    struct ldpbench_protocol *protocol;
    must(ldpbench_spec_new("oracle", "olh", &olh, &error));
    must(ldpbench_protocol_new(olh, D, 1.0, 0, &protocol, &error));
    ldpbench_spec_free(olh);
    return protocol;
}

/* The answer of a user. */
static uint32_t answer_of(int user)
{
    uint32_t value = 0;
    double below = TRUE_SHARES[0];
    while (value + 1 < D && user >= below * USERS)
        below += TRUE_SHARES[++value];
    return value;
}

/* Phones report, and a server counts. */
static void count(struct ldpbench_aggregate *aggregate, const struct ldpbench_protocol *protocol)
{
    static uint32_t answers[BATCH];
    static uint64_t reports[2 * BATCH]; /* of two words, "report_words" */
    int user, i;
    for (user = 0; user < USERS; user += BATCH) {
        for (i = 0; i < BATCH; i++)
            answers[i] = answer_of(user + i);
        must(ldpbench_client(protocol, ldpbench_system_source(), answers, BATCH, reports, &error));
        must(ldpbench_aggregate_add(aggregate, reports, BATCH, &error));
    }
}

static void need(int well, const char *path)
{
    if (!well) {
        perror(path);
        exit(EXIT_FAILURE);
    }
}

static void save(const struct ldpbench_aggregate *aggregate, const char *path)
{
    static unsigned char bytes[BYTES];
    size_t size;
    FILE *file = fopen(path, "wb");
    must(ldpbench_aggregate_write(aggregate, bytes, sizeof bytes, &size, &error));
    need(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, path);
}

static void add_file(struct ldpbench_aggregate *aggregate, const struct ldpbench_protocol *protocol, const char *path)
{
    static unsigned char bytes[BYTES];
    struct ldpbench_aggregate *other;
    FILE *file = fopen(path, "rb");
    size_t size;
    need(file != NULL, path);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    must(ldpbench_aggregate_read(protocol, bytes, size, &other, &error));
    must(ldpbench_aggregate_merge(aggregate, other, &error));
    ldpbench_aggregate_free(other);
}

static void print(const struct ldpbench_aggregate *aggregate)
{
    struct ldpbench_collection *collection;
    struct ldpbench_spec *score, *norm_sub;
    double est[D], consistent[D], low[D], high[D];
    int v;
    must(ldpbench_aggregate_finish(aggregate, &collection, &error));
    must(ldpbench_spec_new("interval", "score", &score, &error));
    must(ldpbench_spec_new("method", "norm_sub", &norm_sub, &error));
    must(ldpbench_collection_estimate(collection, est, &error));
    must(ldpbench_collection_interval(collection, score, 0.95, low, high, &error));
    must(ldpbench_collection_method(collection, norm_sub, consistent, &error));
    printf("value\ttrue\testimate\tlow\thigh\tnorm_sub\n");
    for (v = 0; v < D; v++)
        printf("%d\t%.3f\t%.4f\t%.4f\t%.4f\t%.4f\n", v, TRUE_SHARES[v], est[v], low[v], high[v], consistent[v]);
    ldpbench_spec_free(score);
    ldpbench_spec_free(norm_sub);
    ldpbench_collection_free(collection);
}

int main(int argc, char **argv)
{
    struct ldpbench_protocol *protocol = make_protocol();
    struct ldpbench_aggregate *aggregate;
    int i;
    must(ldpbench_aggregate_new(protocol, &aggregate, &error));
    if (argc == 3 && strcmp(argv[1], "count") == 0) {
        count(aggregate, protocol);
        save(aggregate, argv[2]);
    } else if (argc > 2 && strcmp(argv[1], "answer") == 0) {
        for (i = 2; i < argc; i++)
            add_file(aggregate, protocol, argv[i]);
        print(aggregate);
    } else {
        fprintf(stderr, "usage: example count FILE | answer FILE...\n");
        return EXIT_FAILURE;
    }
    ldpbench_aggregate_free(aggregate);
    ldpbench_protocol_free(protocol);
    return EXIT_SUCCESS;
}
