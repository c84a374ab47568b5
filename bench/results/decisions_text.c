/* decisions_text.c - blocks as lines of text; see decisions.h. */
#include "results/decisions.h"

#include "support/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_WIDTH = 17, LINE_WIDTH = 78 };

/* ---- numbers ---- */

void put_error(struct buffer *text, double value, double error)
{
    double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;

    if (value > 0 && value / unit < 20)
        unit /= 10;
    while (unit < error / 3 && unit < value)
        unit *= 10;
    const int decimals = (int)fmax(0, -floor(log10(unit) + 1e-9));
    if (value > 0 && decimals > 6)
        buffer_format(text, "%.2g", value);
    else
        buffer_format(text, "%.*f", decimals, unit * floor(value / unit + 0.5));
}

void put_percent(struct buffer *text, double ratio, int direction)
{
    const double percent = 100 * (ratio - 1), unit = percent < 10 ? 0.1 : percent < 1000 ? 1 : 10;
    const double steps = percent / unit;

    if (fabs(steps) < 0.5 && direction <= 0)
        buffer_add(text, "0");
    else
        buffer_format(text, "%.*f", unit < 1 ? 1 : 0,
                      unit * (direction > 0   ? ceil(steps - 1e-6)
                              : direction < 0 ? floor(steps + 1e-6)
                                              : floor(steps + 0.5)));
}

const char *block_unit(const struct decided *block, char text[UNIT_TEXT])
{
    static const char *const words[] = {[LDP_UNIT_POINTS] = "points",
                                        [LDP_UNIT_WRONG] = "% wrong (1 - ",
                                        [LDP_UNIT_USERS] = "% of the users misplaced",
                                        [LDP_UNIT_SCALE] = "% of the scale",
                                        [LDP_UNIT_ABSOLUTE] = "points",
                                        [LDP_UNIT_PLAIN] = ""};
    const enum ldp_unit unit = block->measure->unit;

    snprintf(text, UNIT_TEXT, "%s%s%s", words[unit],
             unit == LDP_UNIT_WRONG || unit == LDP_UNIT_PLAIN ? block->measure->axis : "",
             unit == LDP_UNIT_WRONG ? ")" : "");
    return text;
}

/* ---- lines ---- */

char *block_size(const struct decided *block)
{
    return xformat("%s, %s", COUNTED(block->candidates, "candidate"), COUNTED(block->repetitions, "repetition"));
}

char *fields_text(const char *title, const char *size, const struct texts *fields)
{
    const int gap = LINE_WIDTH - (int)(text_columns(title, SIZE_MAX) + text_columns(size, SIZE_MAX));
    char *text = NULL;
    size_t length = 0;
    FILE *const out = xmemstream(&text, &length);

    fprintf(out, "%s%*s%s\n", title, gap > 2 ? gap : 2, "", size);
    for (size_t i = 0; i + 1 < fields->count; i += 2) {
        const int room = LABEL_WIDTH - (int)text_columns(fields->text[i], SIZE_MAX);
        print_line(out, LINE_WIDTH, "  %s%*s%s\n", fields->text[i], room > 2 ? room : 2, "", fields->text[i + 1]);
    }
    fclose(out);
    return text;
}

char *decisions_text(const struct decisions *decisions)
{
    struct buffer out = {0};

    buffer_add(&out, decisions->notes.text ? decisions->notes.text : "");
    for (size_t b = 0; b < decisions->count; b++) {
        struct texts fields = {0};
        char *const size = block_size(&decisions->block[b]);

        block_rows(&decisions->block[b], &fields);
        char *const text = fields_text(decisions->block[b].title, size, &fields);
        buffer_format(&out, "%s%s", out.length > 0 ? "\n" : "", text);
        texts_clear(&fields);
        free(text);
        free(size);
    }
    return buffer_take(&out);
}
