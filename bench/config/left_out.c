/* left_out.c - see left_out.h. */
#include "config/left_out.h"

#include "ldpbench.h"
#include "support/memory.h"
#include "support/text.h"

#include <stdbool.h>
#include <string.h>

static bool is_alike(const struct left_out *left_out, size_t a, size_t b)
{
    const size_t n = left_out->noracles;

    return strcmp(ldp_method_needs(left_out->method[a]), ldp_method_needs(left_out->method[b])) == 0 &&
           memcmp(left_out->missing + a * n, left_out->missing + b * n, n * sizeof *left_out->missing) == 0;
}

static void add_oracles(const struct left_out *left_out, const size_t *missing, struct buffer *text)
{
    size_t n = 0, named = 0;

    for (size_t i = 0; i < left_out->noracles; i++)
        n += missing[i] > 0;
    for (size_t i = 0; i < left_out->noracles; i++)
        if (missing[i] > 0)
            buffer_format(text, "%s%s%s", text_joint(named++, n),
                          missing[i] < left_out->cells[i] ? "some cells of " : "", left_out->oracle[i]);
}

char *left_out_sentence(const struct left_out *left_out, size_t method)
{
    const size_t *const missing = left_out->missing + method * left_out->noracles;
    struct buffer text = {0};
    size_t n = 0, named = 0, sum = 0;

    for (size_t i = 0; i < left_out->noracles; i++)
        sum += missing[i];
    for (size_t i = 0; i < method; i++)
        if (is_alike(left_out, i, method))
            return NULL;
    if (sum == 0)
        return NULL;
    for (size_t i = method; i < left_out->nmethods; i++)
        n += is_alike(left_out, method, i);
    for (size_t i = method; i < left_out->nmethods; i++)
        if (is_alike(left_out, method, i))
            buffer_format(&text, "%s%s", text_joint(named++, n), left_out->name[i]);
    buffer_add(&text, n == 1 ? " is left out for " : " are left out for ");
    add_oracles(left_out, missing, &text);
    buffer_format(&text, ": %s %s", n == 1 ? "it needs" : "they need", ldp_method_needs(left_out->method[method]));
    return buffer_take(&text);
}
