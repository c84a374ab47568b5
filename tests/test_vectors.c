/* Post-processing against numbers that were computed independently from the definitions: postprocess.json in
 * LDPBENCH_VECTORS (default ../shared/vectors). */
#include "ldp.h"
#include "setup.h"
#include "vectors.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cJSON *vectors_read(const char *name)
{
    const char *const folder = getenv("LDPBENCH_VECTORS");
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", folder ? folder : "../shared/vectors", name);
    FILE *const file = fopen(path, "rb");
    if (!file)
        cr_skip_test("%s is missing; set LDPBENCH_VECTORS", path);
    cr_assert_eq(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    cr_assert_gt(size, 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    cr_assert_not_null(text);
    cr_assert_eq(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = 0;
    cJSON *const json = cJSON_Parse(text);
    cr_assert_not_null(json, "%s is not JSON", path);
    free(text);
    fclose(file);
    return json;
}

double vectors_number(const cJSON *object, const char *key)
{
    const cJSON *const item = cJSON_GetObjectItem(object, key);

    cr_assert(cJSON_IsNumber(item), "no number %s", key);
    return item->valuedouble;
}

void vectors_numbers(const cJSON *array, double *out, size_t d)
{
    const cJSON *item = NULL;
    size_t v = 0;

    cr_assert_eq((size_t)cJSON_GetArraySize(array), d);
    cJSON_ArrayForEach(item, array) out[v++] = item->valuedouble;
}

Test(vectors, postprocess)
{
    cJSON *const json = vectors_read("postprocess.json");
    const cJSON *entry = NULL, *expected = NULL;
    size_t compared = 0;

    cJSON_ArrayForEach(entry, json)
    {
        struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find(cJSON_GetObjectItem(entry, "oracle")->valuestring)};
        const size_t d = (size_t)vectors_number(entry, "d");
        const uint64_t n = (uint64_t)vectors_number(entry, "n");
        double *support = calloc(d, sizeof *support), *est = calloc(d, sizeof *est);
        double *out = calloc(d, sizeof *out), *want = calloc(d, sizeof *want);

        cr_assert_not_null(oracle.oracle);
        ldp_params_default(oracle.oracle->params, oracle.param);
        struct ldp_protocol protocol = make_protocol(&oracle, d, vectors_number(entry, "epsilon"));
        cr_expect(fabs(protocol.p - vectors_number(entry, "p")) < 1e-14);
        cr_expect(fabs(protocol.q - vectors_number(entry, "q")) < 1e-14);
        cr_expect(fabs(ldp_sigma(&protocol, n) / vectors_number(entry, "sigma") - 1) < 1e-12);
        vectors_numbers(cJSON_GetObjectItem(entry, "support"), support, d);
        ldp_estimate(&protocol, n, support, NULL, est);
        cJSON_ArrayForEach(expected, cJSON_GetObjectItem(entry, "methods"))
        {
            struct ldp_method_spec spec = {.method = ldp_method_find(expected->string)};

            cr_assert_not_null(spec.method, "no method %s", expected->string);
            ldp_params_default(spec.method->params, spec.param);
            void *const scratch = malloc(ldp_postprocess_scratch(&spec, d) + 1);
            vectors_numbers(expected, want, d);
            ldp_postprocess(&spec, &(struct ldp_collection){&protocol, n, NULL, est}, scratch, out);
            for (size_t v = 0; v < d; v++)
                cr_expect(fabs(out[v] - want[v]) <= 1e-9 * fabs(want[v]) + 1e-12, "%s %s value %zu: %.17g, not %.17g",
                          oracle.oracle->name, expected->string, v, out[v], want[v]);
            compared += d;
            free(scratch);
        }
        free(support);
        free(est);
        free(out);
        free(want);
    }
    cr_assert_gt(compared, 0);
    cJSON_Delete(json);
}
