/* test_report_large.c - pages of large sweeps: points are counted, pictures compressed. */
#include "program.h"
#include "quick.h"
#include "results/html.h"
#include "results/pictures.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static int digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *const at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Bytes of base64 up to a quote; malloc'd. */
static unsigned char *from_base64(const char *text, size_t *length)
{
    unsigned char *const bytes = malloc(strlen(text) + 1);

    cr_assert_not_null(bytes);
    *length = 0;
    unsigned bits = 0;
    int count = 0;
    for (; digit(*text) >= 0; text++) {
        bits = bits << 6 | (unsigned)digit(*text);
        if ((count += 6) >= 8)
            bytes[(*length)++] = (unsigned char)(bits >> (count -= 8));
    }
    return bytes;
}

static char *page_of(struct pictures *pictures)
{
    char *page = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&page, &size);
    struct document doc = {.out = out, .format = HTML};

    cr_assert_not_null(out);
    html_begin(out, "t", pictures_pack(pictures));
    pictures_write(pictures, "f", &doc);
    doc_end(&doc);
    html_end(out, NULL);
    fclose(out);
    return page;
}

/* An SVG of that number of bytes. */
static char *svg_of(size_t bytes)
{
    char *const svg = calloc(bytes + 1, 1);

    cr_assert_not_null(svg);
    for (size_t i = 0; i < bytes; i++)
        svg[i] = "<svg x='0'/>\n 1234"[(i * i + i / 7) % 17];
    return svg;
}

Test(report_large, pictures_are_compressed_where_they_are_many_bytes)
{
    struct picture picture[] = {{{.svg = svg_of(3000001)}, "one", "f", false},
                                {{.svg = svg_of(2000000)}, "two", "f", false}};
    struct pictures pictures = {.picture = picture, .count = 2};
    char *page = page_of(&pictures);
    const char *at = page;

    cr_expect_not_null(strstr(page, "<noscript>"));
    for (size_t i = 0; i < 2; i++) {
        static const char key[] = "data-svg=\"";
        uLongf size = 4000000;
        unsigned char *const plain = malloc(size);

        at = strstr(at, key);
        cr_assert_not_null(at);
        at += strlen(key);
        size_t length;
        unsigned char *const packed = from_base64(at, &length);

        cr_assert_eq(uncompress(plain, &size, packed, (uLong)length), Z_OK);
        cr_expect_eq(size, strlen(picture[i].figure.svg));
        cr_expect_arr_eq(plain, picture[i].figure.svg, size);
        free(packed);
        free(plain);
    }
    cr_expect_null(strstr(page, "data:image"));
    free(page);
    for (size_t i = 0; i < 2; i++) {
        free(picture[i].figure.packed);
        picture[i].figure.packed = NULL;
    }
    picture[0].figure.svg[1000] = '\0';
    picture[1].figure.svg[1000000] = '\0';
    page = page_of(&pictures);
    cr_expect_null(strstr(page, "data-svg=\""));
    cr_expect_null(strstr(page, "<noscript>"));
    free(page);
    free(picture[0].figure.svg);
    free(picture[1].figure.svg);
}

/* 3200 points in a block: what is listed of few points is summed up. */
FolderTest(report_large, many_points_are_summed_up, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"many\", \"repetitions\": 10, \"oracles\": [\"grr\"], \"methods\": [\"base\", \"norm_sub\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 4, \"n\": 1000}], \"queries\": [\"full_domain\"],\n"
        " \"epsilon\": {\"from\": 0.1, \"to\": 4, \"points\": 3200}}\n");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --no-plots --format md");
    char *const page = read_text(folder, "report.md");
    cr_assert_not_null(page);
    cr_expect_not_null(strstr(page, "| all frequencies | 2 candidates, 10 repetitions |"));
    cr_expect_not_null(strstr(page, "| take | norm\\_sub at every ε"), "%.1000s", page);
    cr_expect_not_null(strstr(page, " to 4) |"), "%.1000s", page);
    cr_expect_lt(strlen(page), 20000);
    free(page);
}

/* A sweep of 1,040 points: the page counts who is best and leaves long tables to its browser, so that it is small. */
FolderTest(report, a_sweep_makes_a_small_page)
{
    char *rows = NULL;
    size_t size = 0, elements = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (int epsilon = 1; epsilon <= 40; epsilon++)
        for (int n = 1; n <= 26; n++)
            for (int method = 0; method < 3; method++)
                fprintf(out, "t,zipf,8,%d000,olh,%g,m%d,full_domain,,3,%g,1e-5,1e-6\n", n, 0.1 * epsilon, method,
                        1e-3 * (method + 1) / (epsilon * n));
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
    run_in(folder, "ldpbench report . --no-plots -o page.html");
    char *const page = read_text(folder, "page.html");
    for (const char *at = page; (at = strchr(at, '<')) != NULL; at++)
        elements++;
    cr_expect_lt(strlen(page), 2000000);
    cr_expect_lt(elements, 5000, "%zu tags", elements);
    free(page);
}
