/* test_plots_labels.c - labels in pictures: how they reach gnuplot, whatever bytes they are made of, and how algorithms
 * differ in their styles. */
#include "ldp.h"
#include "marginals/synopsis.h"
#include "privacy/chain.h"
#include "program.h"
#include "quick.h"
#include "results/label.h"
#include "results/style.h"
#include "searches/search.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_field(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

/* A folder whose mse.csv has a method of each label. */
static void write_labels(const char *folder, const char *const *label, size_t count)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    for (size_t i = 0; i < count; i++)
        for (int epsilon = 1; epsilon <= 2; epsilon++) {
            fprintf(out, "t,zipf,8,1000,olh,%d,", epsilon);
            write_field(out, label[i]);
            fprintf(out, ",full_domain,,3,%g,1e-5,1e-6\n", 1e-4 / (double)(i + 1));
        }
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
}

/* The texts that an SVG shows, one a line, without markup. */
static char *shown_texts(const char *svg)
{
    static const struct {
        const char *entity;
        char character;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    char *texts = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&texts, &size);

    for (const char *at = svg; (at = strstr(at, "<text")) != NULL;) {
        const char *const end = strstr(at, "</text>");

        for (at = strchr(at, '>') + 1; at < end;) {
            if (*at == '<') {
                at = strchr(at, '>') + 1;
                continue;
            }
            size_t i = 0;
            while (i < sizeof entities / sizeof *entities &&
                   strncmp(at, entities[i].entity, strlen(entities[i].entity)) != 0)
                i++;
            putc(i < sizeof entities / sizeof *entities ? entities[i].character : *at, out);
            at += i < sizeof entities / sizeof *entities ? strlen(entities[i].entity) : 1;
        }
        putc('\n', out);
    }
    fclose(out);
    return texts;
}

/* Demands that the SVG of a folder shows each of some texts. */
static void demand_shown(const char *folder, const char *const *label, size_t count)
{
    char *const svg = read_text(folder, "full_domain.svg"), *const texts = shown_texts(svg);

    for (size_t i = 0; i < count; i++) {
        char *const line = malloc(strlen(label[i]) + 3);

        sprintf(line, "\n%s\n", label[i]);
        cr_expect(strstr(texts, line), "expected a text \"%s\"", label[i]);
        free(line);
    }
    free(texts);
    free(svg);
}

/* Every pair of printable ASCII characters is drawn literally, and has no other effect. */
FolderTest(plots, every_pair_of_characters_is_drawn, SLOW, .timeout = 200)
{
    enum { FIRST = 32, LAST = 126, SIDE = LAST - FIRST + 1, LENGTH = 24, LABELS = SIDE * SIDE / (LENGTH - 1) + 1 };
    static char all[SIDE * SIDE + LENGTH], label[LABELS][LENGTH + 1];
    static const char *labels[LABELS];

    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");
    char *at = all;
    /* A de Bruijn sequence: each pair of characters occurs once in it, also across its end. */
    for (int a = FIRST; a <= LAST; a++) {
        *at++ = (char)a;
        for (int b = a + 1; b <= LAST; b++) {
            *at++ = (char)a;
            *at++ = (char)b;
        }
    }
    *at = all[0];
    for (size_t i = 0; i < LABELS; i++) {
        memcpy(label[i], all + i * (LENGTH - 1), LENGTH);
        labels[i] = label[i];
    }

    write_labels(folder, labels, LABELS);
    run_in(folder, "ldpbench plot . 2> errors && [ ! -s errors ] && "
                   "[ \"$(echo *)\" = 'errors full_domain.svg mse.csv run.json store.sqlite' ]");
    demand_pictures_well_formed(folder);
    demand_shown(folder, labels, LABELS);
}

/* A label that ends in a backslash, and one that would then be a command; and similar ones. */
FolderTest(plots, labels_run_nothing)
{
    static const char *const labels[] = {"x\\",
                                         ". system('touch PWNED') 0) #",
                                         "`touch PWNED`",
                                         "$(touch PWNED)",
                                         "'.system(\"touch PWNED\").'",
                                         "\"; system 'touch PWNED'; #",
                                         "@touch",
                                         "%s%n%d",
                                         "{/=50 big}_a^b",
                                         "\\140touch PWNED\\140",
                                         "]]></text><script>a(1)</script>",
                                         "&amp;&#65;",
                                         "<script>"};

    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_labels(folder, labels, sizeof labels / sizeof *labels);
    write_text(folder, ".gnuplot", "system \"touch PWNED\"\n");
    run_in(folder, "HOME=$PWD && export HOME && ldpbench plot . && [ ! -e PWNED ]");
    demand_pictures_well_formed(folder);
    demand_absent(folder, "full_domain.svg", "<script");
    demand_absent(folder, "full_domain.svg", "]]>");
    demand_shown(folder, labels, sizeof labels / sizeof *labels);

    /* Folders are only names, too. */
    run_in(folder,
           "mkdir \"a=b 'c\\`touch PWNED\\`\" ./-d && cp store.sqlite run.json \"a=b 'c\\`touch PWNED\\`\" && "
           "cp store.sqlite run.json ./-d && ldpbench plot \"a=b 'c\\`touch PWNED\\`\" && ldpbench plot ./-d && "
           "[ ! -e PWNED ]");
    char odd[PATH_ROOM + 40];
    snprintf(odd, sizeof odd, "%s/a=b 'c`touch PWNED`", folder);
    demand_within(odd, "full_domain.svg", "</svg>");
}

/* A folder's name in a message is on one line, and no control character of it reaches the terminal. */
FolderTest(plots, names_of_folders_are_shown_safely)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [\"grr\"], \"epsilon\": {\"from\": 1, \"to\": 9, \"step\": 1}, \"methods\": [\"base\"],"
               " \"queries\": [\"full_domain\"], \"outputs\": [\"values\"]}");
    struct outcome outcome = shell_in(folder, "d=$(printf 'a\\n\\033b') && ldpbench run c.json -o \"$d\" --quiet && "
                                              "ldpbench plot \"$d\" --format tsv");
    cr_expect_eq(outcome.status, 0);
    cr_expect(strstr(outcome.err, "a__b: left out:\n"), "%s", outcome.err);
    outcome_free(&outcome);
}

/* Everything that has a label: experiments, data, oracles, methods, queries. No label hides another's picture. */
FolderTest(plots, all_labels_are_only_text)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_table(folder, "mse.csv", mse_header,
                "`touch ran`,`touch ran`,8,1000,`touch ran`,1,`touch ran`,`touch ran`,,3,1e-4,1e-5,1e-6\n"
                "t,a'b,8,1000,$(touch ran),2,b\\c,`touch ran`,,3,1e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,2,base,a/b,,3,1e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,2,base,a|b,,3,1e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,2,base,..,,3,1e-5,1e-6,1e-7\n");
    run_in(folder, "ldpbench plot . && [ ! -e ran ] && [ ! -e RAN ]");
    demand_pictures_well_formed(folder);
    demand_within(folder, "_touch_ran_.svg", "`touch ran`");
    demand_within(folder, "a_b.svg", "MSE, a/b");
    demand_within(folder, "a_b_.svg", "MSE, a|b");
    demand_within(folder, "_..svg", "MSE, ..");
}

/* Bytes that are no text, and control characters. */
FolderTest(plots, bytes_that_are_no_text, SLOW)
{
#define REPLACED "\357\277\275"
    static const char *const labels[] = {"a\001b\033[31m\177", "a\tb\nc\rd",
                                         "\377\376",           "\300\200x", /* overlong */
                                         "\355\240\200",                    /* a surrogate */
                                         "\364\220\200\200",                /* beyond Unicode */
                                         "a\342\202",                       /* cut off */
                                         "\357\277\276",                    /* U+FFFE, which XML forbids */
                                         "\342\200\256x",                   /* turns the direction */
                                         "\302\205",           "é\360\237\230\200"};
    static const char *const drawn[] = {"a␁b␛[31m␡",
                                        "a␉b␊c␍d",
                                        REPLACED REPLACED,
                                        REPLACED REPLACED "x",
                                        REPLACED REPLACED REPLACED,
                                        REPLACED REPLACED REPLACED REPLACED,
                                        "a" REPLACED REPLACED,
                                        REPLACED,
                                        REPLACED "x",
                                        REPLACED,
                                        "é\360\237\230\200"};
    enum { CASES = sizeof labels / sizeof *labels };

    for (size_t i = 0; i < CASES; i++) {
        char *const clean = label_clean(labels[i], 0);

        cr_expect_str_eq(clean, drawn[i]);
        free(clean);
    }
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_labels(folder, labels, CASES);
    run_in(folder, "ldpbench plot . --format svg --format pdf --format png");
    demand_pictures_well_formed(folder);
    demand_shown(folder, drawn, CASES);
}

/* Names as printed are those of the registry; what a user wrote is drawn as it is written. */
Test(plots, labels_are_drawn_as_written)
{
    static const struct {
        const char *label, *name;
    } cases[] = {
        {"olh", "OLH"},
        {"olh(g=2)", "OLH (g = 2)"},
        {"base_cut(alpha=0.05)", "Base-Cut (alpha = 0.05)"},
        {"norm_cut(rescale=true)", "Norm-Cut (rescale = true)"},
        {"flh(k=100)", "FLH (k = 100)"},
        {"zipf(s=1.5)", "Zipf (s = 1.5)"},
        {"zipf_mandelbrot(s=1;shift=0.5)", "Zipf–Mandelbrot (s = 1, shift = 0.5)"},
        {"zipf(s=1.1) redraw(change=0.25)", "Zipf (s = 1.1), redrawn (change = 0.25)"},
        {"geometric permuted", "geometric, permuted"},
        {"olh g-four", "olh g-four"},
        {"olh(mine)", "olh(mine)"},
        {"olh(g=2) and more", "olh(g=2) and more"},
        {"olh(", "olh("},
        {"My Method", "My Method"},
        {"", ""},
    };
    struct failure failure;
    struct styles styles;

    cr_assert_eq(style_load(".", &styles, &failure), 0, "%s", failure.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *const name = style_name(&styles, cases[i].label);

        cr_expect_str_eq(name, cases[i].name);
        free(name);
    }
    style_clear(&styles);
}

static bool same_style(const struct style *a, const struct style *b)
{
    return a->point == b->point && a->dash == b->dash && a->colour == b->colour;
}

/* Whether two curves cannot be distinguished in a picture printed without colour. */
static bool alike_in_grey(const struct style *a, const struct style *b)
{
    return a->point == b->point && a->dash == b->dash;
}

static void demand_different(const char *const *label, const struct style *style, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            cr_expect_not(alike_in_grey(&style[i], &style[j]), "%s looks like %s", label[i], label[j]);
}

/* Labels have distinct styles on one page, and the same ones alone. */
static void demand_own_looks(const struct styles *styles, const char *const *label, size_t count)
{
    struct style style[64];

    cr_assert_leq(count, sizeof style / sizeof *style);
    style_choose(styles, label, count, style);
    demand_different(label, style, count);
    for (size_t i = 0; i < count; i++) {
        struct style alone;
        style_choose(styles, &label[i], 1, &alone);
        cr_expect(same_style(&alone, &style[i]), "%s looks different alone", label[i]);
    }
}

/* Every oracle, method, search and synopsis has one style in all pictures, distinct even without colour. */
Test(plots, one_look_for_each_algorithm)
{
    struct failure failure;
    struct styles styles;

    cr_assert_eq(style_load(".", &styles, &failure), 0, "%s", failure.text);
    const char *label[64];
    size_t count = 0;
    for (size_t i = 0; ldp_oracles[i]; i++)
        label[count++] = ldp_oracles[i]->name;
    demand_own_looks(&styles, label, count);
    count = 0;
    for (size_t i = 0; ldp_methods[i]; i++)
        label[count++] = ldp_methods[i]->name;
    demand_own_looks(&styles, label, count);
    count = 0;
    for (size_t i = 0; ldp_searches[i]; i++)
        label[count++] = ldp_searches[i]->name;
    demand_own_looks(&styles, label, count);
    count = 0;
    for (size_t i = 0; ldp_synopses[i]; i++)
        label[count++] = ldp_synopses[i]->name;
    demand_own_looks(&styles, label, count);
    count = 0;
    for (size_t i = 0; ldp_chains[i]; i++)
        label[count++] = ldp_chains[i]->name;
    demand_own_looks(&styles, label, count);
    style_clear(&styles);
}

/* So have the curves of the papers' pictures. */
Test(plots, one_look_for_each_curve_of_the_papers)
{
    static const char *const picture[][10] = {
        {"oue", "oue_zero", "oue_calibrate", "oue_calibrate_mean"},
        {"blh", "olh", "flh(k=100)", "flh(k=500)", "flh(k=1000)", "flh(k=5000)", "flh(k=10000)"},
        {"hm(t=1)", "hm(t=2)", "hm(t=3)", "hm(t=4)", "hm(t=5)", "hr"},
        {"oue", "olh", "flh", "hm(t=1)", "hm(t=3)", "hr"},
        {"m = 32", "m = 64", "m = 128", "m = 32 without a penalty", "m = 64 without a penalty",
         "m = 128 without a penalty"},
        {"Bloom", "CM-Min", "CM-Median", "CM-Mean", "CS-Min", "CS-Median", "CS-Mean", "CS-Min as published",
         "CS-Median as published", "CS-Mean as published"},
        {"CM-Median FLH", "CM-Median HR", "CM-Median HM3", "CM-Mean OUE", "CM-Mean HM1", "CM-Mean HM3", "CM-Mean FLH",
         "CM-Mean HM"},
    };
    struct failure failure;
    struct styles styles;

    cr_assert_eq(style_load(".", &styles, &failure), 0, "%s", failure.text);
    for (size_t i = 0; i < sizeof picture / sizeof *picture; i++) {
        size_t count = 0;

        while (count < 10 && picture[i][count])
            count++;
        demand_own_looks(&styles, picture[i], count);
    }
    style_clear(&styles);
}

/* Labels that nobody listed differ too, even if there are more of them than spare styles. */
Test(plots, many_curves_look_different)
{
    struct failure failure;
    struct styles styles;
    char text[40][24];
    const char *label[40];

    cr_assert_eq(style_load(".", &styles, &failure), 0, "%s", failure.text);
    for (size_t i = 0; i < 40; i++) {
        snprintf(text[i], sizeof text[i], i % 2 ? "calm(l=%zu;m=20)" : "mine %zu", i);
        label[i] = text[i];
    }
    struct style style[40];
    style_choose(&styles, label, 40, style);
    demand_different(label, style, 40);
    style_clear(&styles);
}

/* A label of the config is drawn as it is written, even if it is the id of another algorithm; one that is the id of its
 * own has its name. */
FolderTest(plots, labels_of_the_config_are_drawn_as_written)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
               " \"oracles\": [{\"name\": \"hr\", \"label\": \"adaptive\"}, {\"name\": \"flh\", \"k\": 50, \"label\":"
               " \"1000\"}, {\"name\": \"olh\", \"g\": 3, \"label\": \"olh\"}, {\"name\": \"oue\", \"label\":"
               " \"CMS 32x1024\"}], \"epsilon\": [1, 2], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "\tadaptive\t");
    demand_within(folder, "r/full_domain.tsv", "\t1000\t");
    demand_within(folder, "r/full_domain.tsv", "\tOLH\t");
    demand_within(folder, "r/full_domain.tsv", "\tCMS 32x1024\t");
    run_in(folder, "ldpbench report r --no-plots --format md && grep -q adaptive report.md && "
                   "! grep -q Adaptive report.md");
}

/* As long as there are colours that no other curve has, a label that nobody listed has one of these. */
Test(plots, spare_colours_differ)
{
    static const char *const sketches[] = {
        "oue",           "8 x 256 mean",   "8 x 256 median",   "8 x 256 signs and median",
        "8 x 256 nnls",  "32 x 1024 mean", "32 x 1024 median", "32 x 1024 signs and median",
        "32 x 1024 nnls"};
    enum { COUNT = sizeof sketches / sizeof *sketches };
    struct failure failure;
    struct styles styles;
    struct style style[COUNT];

    cr_assert_eq(style_load(".", &styles, &failure), 0, "%s", failure.text);
    style_choose(&styles, sketches, COUNT, style);
    demand_different(sketches, style, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < i; j++)
            cr_expect_neq(style[i].colour, style[j].colour, "%s has the colour of %s", sketches[i], sketches[j]);
    style_clear(&styles);
}

/* Exact errors have no repetitions and no bars; what else is to be said of the picture is said. */
FolderTest(plots, exact_errors_have_no_repetitions)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
        " \"oracles\": [\"oue\", \"grr\", {\"name\": \"hm\", \"t\": 1, \"label\": \"HM of one sign\"}], \"epsilon\": [1, 2], \"methods\": [\"base\"],"
        " \"queries\": [\"full_domain\"], \"outputs\": [\"mse\", \"expected\"], \"pictures\": [{\"picture\":"
        " \"expected\", \"names\": {\"grr\": \"DE\", \"HM of one sign\": \"HM\"}}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --format tsv");
    demand_within(folder, "r/full_domain.tsv", "2 repetitions; bars: one standard error");
    demand_absent(folder, "r/expected.tsv", "repetition");
    demand_absent(folder, "r/expected.tsv", "standard error");
    demand_within(folder, "r/expected.tsv", "; DE is GRR.");
}
