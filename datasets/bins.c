/* bins.c - see bins.h. */
#include "bins.h"

#include "support/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS_MOST = 9 };

static const double WHOLE_MOST = 0x1p53;

/* Whether a number is a multiple of 1 / scale: the double next to one. */
static bool is_multiple(double number, double scale)
{
    const double whole = rint(number * scale);

    return fabs(whole) <= WHOLE_MOST && whole / scale == number;
}

double bins_scale(const double *numbers, size_t count)
{
    double scale = 1;
    int decimals = 0;

    for (size_t i = 0; i < count; i++)
        for (; !is_multiple(numbers[i], scale); scale *= 10)
            if (decimals++ == DECIMALS_MOST)
                return 0;
    return scale;
}

double bins_multiples(double low, double high, double scale)
{
    return rint(high * scale) - rint(low * scale) + 1;
}

struct bins bins_new(double low, double high, double scale, size_t most)
{
    struct bins bins = {.low = low, .scale = scale, .count = most};

    if (scale > 0) {
        const double multiples = bins_multiples(low, high, scale);

        bins.low = rint(low * scale);
        bins.width = ceil(multiples / (double)most);
        bins.count = (size_t)ceil(multiples / bins.width);
    } else {
        bins.width = (high - low) / (double)most;
        bins.count = bins.width > 0 ? most : 0;
    }
    return bins;
}

size_t bins_find(const struct bins *bins, double number)
{
    const double at = bins->scale > 0 ? rint(number * bins->scale) : number;

    return smaller((size_t)((at - bins->low) / bins->width), bins->count - 1);
}

double bins_first(const struct bins *bins, size_t bin)
{
    return (bins->low + (double)bin * bins->width) / (bins->scale > 0 ? bins->scale : 1);
}

double bins_last(const struct bins *bins, size_t bin)
{
    return bins->scale > 0 ? (bins->low + (double)(bin + 1) * bins->width - 1) / bins->scale
                           : bins_first(bins, bin + 1);
}

int bins_digits(const struct bins *bins)
{
    int digits = bins->scale > 0 ? 17 : 10;
    char first[NUMBER_TEXT], last[NUMBER_TEXT];

    for (size_t bin = 0; digits < 17 && bin < bins->count; bin++) {
        snprintf(first, sizeof first, "%.*g", digits, bins_first(bins, bin));
        snprintf(last, sizeof last, "%.*g", digits, bins_last(bins, bin));
        if (strcmp(first, last) == 0) {
            digits++;
            bin = SIZE_MAX; /* again from the first */
        }
    }
    return digits;
}
