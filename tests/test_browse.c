/* test_browse.c - the report's page in a real browser (browser.py), and the tables that it reads. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char one[] =
    "{\"name\": \"one\", \"seed\": 3, \"repetitions\": 6, \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 5000, "
    "\"s\": [1.5, 1.1]}], \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [1, 2, 3, 4], \"methods\": [\"base\", "
    "\"norm_sub\"], \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [2, 4]}]}";
static const char words[] =
    "{\"name\": \"words\", \"task\": \"search\", \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf_strings\", \"d\": "
    "64, \"n\": 20000, \"s\": 1.2}], \"protocols\": [\"pem\", \"treehist\"], \"oracles\": [\"oue\"], \"epsilon\": [2, 4], "
    "\"targets\": {\"top\": [3, 5]}}";
static const char tables[] =
    "{\"name\": \"tables\", \"task\": \"marginals\", \"repetitions\": 2, \"datasets\": [{\"type\": \"chain\", "
    "\"d\": 4, \"n\": 20000}], \"oracles\": [\"oue\"], \"epsilon\": [1, 2], \"synopses\": [\"calm\", "
    "\"uniform\"], \"marginals\": {\"k\": 2, \"count\": 4}}";
static const char odd[] =
    "{\"name\": \"odd\", \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", "
    "\"d\": 8, \"n\": 1000, \"s\": 1, \"label\": \"</script><img src=x onerror=window.stolen=1>\"}, {\"type\": \"uniform\", \"d\": "
    "8, \"n\": 1000, \"label\": \"a;b&]]>\"}], \"oracles\": [\"grr\"], \"epsilon\": [1, 2], \"methods\": "
    "[\"base\", \"norm\"], \"queries\": [\"full_domain\"]}";
static const char many[] =
    "{\"name\": \"many\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"methods\": [\"base\", \"norm_sub\"],\n"
    " \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 4, \"n\": 1000}], \"queries\": [\"full_domain\"],\n"
    " \"epsilon\": {\"from\": 0.1, \"to\": 4, \"points\": 1800}}";

/* 1,040 cells, six points of queries, 26 pictures. */
static const char sweep[] =
    "{\"name\": \"sweep\", \"repetitions\": 3, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 512, \"n\": "
    "{\"from\": 10000, \"to\": 100000000, \"points\": 13, \"scale\": \"log\"}}], \"epsilon\": {\"from\": 0.2, \"to\": 4, "
    "\"step\": 0.2}, \"oracles\": [\"grr\", \"olh\", \"oue\", \"hr\"], \"methods\": [\"base\", \"base_cut\", \"norm_sub\", "
    "\"power_ns\", \"npmle\"], \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [8, 32, 128]}, "
    "{\"type\": \"set_value\", \"percent\": [10, 50]}]}";

/* The folder of the sources, where browser.py is. */
static const char *tests_folder(void)
{
    return access("tests/browser.py", R_OK) == 0 ? "tests" : NULL;
}

static void make(const char *folder, const char *name, const char *config)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o %s --quiet", name);
}

Test(browse, in_a_browser, SLOW, .timeout = 600)
{
    if (!has_program("chromium") || !has_program("chromedriver") ||
        system("/usr/bin/python3 -c 'import selenium' 2>/dev/null") != 0)
        skip_test("no chromium, chromedriver or selenium");
    cr_assert_not_null(tests_folder(), "expected to run in the folder of the sources");
    const char *const folder = temporary_folder();
    make(folder, "one", one);
    make(folder, "words", words);
    make(folder, "tables", tables);
    make(folder, "odd", odd);
    make(folder, "long", many);
    make(folder, "sweep", sweep);
    run_in(folder, "mkdir own && sed 's/,norm_sub,/,mine,/' one/mse.csv >own/mse.csv");
    write_text(
        folder, "own/run.json",
        "{\"config\": \"{\\\"methods\\\": [{\\\"name\\\": \\\"external\\\", \\\"label\\\": \\\"mine\\\"}]}\"}\n");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/own", folder);
    store_tables(path);
    run_in(folder, "ldpbench report own --no-plots -o own.html");
    run_in(folder, "ldpbench report one words tables odd --no-plots -o page.html");
    run_in(folder, "ldpbench report one -o paper.html");
    run_in(folder, "ldpbench report long --no-plots -o long.html");
    run_in(folder, "ldpbench report sweep -o sweep.html");

    expect_said(0, "", "/usr/bin/python3 %s/browser.py %s", tests_folder(), folder);
}

/* All pages as a site: links, search, sizes. */
Test(browse, site, SLOW, .timeout = 300)
{
    if (!has_program("chromium") || !has_program("chromedriver") ||
        system("/usr/bin/python3 -c 'import selenium' 2>/dev/null") != 0)
        skip_test("no chromium, chromedriver or selenium");
    cr_assert_not_null(tests_folder(), "expected to run in the folder of the sources");
    const char *const folder = temporary_folder();
    run_well("/usr/bin/python3 scripts/site.py %s/site configs/smoke.json", folder);
    expect_said(0, "", "/usr/bin/python3 %s/site.py %s/site", tests_folder(), folder);
    struct outcome taken = run_shell("mkdir %s/mine && touch %s/mine/x && /usr/bin/python3 scripts/site.py %s/mine",
                                     folder, folder, folder);
    cr_assert(taken.status != 0 && strstr(taken.err, "expected a new folder, or a site to replace"), "%s", taken.err);
    outcome_free(&taken);
}

/* What the page's script reads stands in HTML and in XML as it is, and its policy names the scripts' hashes. */
FolderTest(browse, data_are_inert)
{
    make(folder, "odd", odd);
    run_in(folder, "ldpbench report odd --no-plots -o page.html");
    char *const page = read_text(folder, "page.html");
    const char *const data = strstr(page, "<script type=\"application/octet-stream\" id=\"tables\">");

    cr_assert_not_null(data);
    const char *const begin = strchr(data, '>') + 1, *const end = strstr(begin, "</script>");
    cr_assert_not_null(end);
    for (const char *c = begin; c < end; c++)
        cr_assert_not(strchr("<>&", *c), "%.60s", c);
    cr_expect_not_null(strstr(page, "default-src 'none'"));
    cr_expect_null(strstr(page, "unsafe-inline"));
    cr_expect_not_null(strstr(page, "Permission is hereby granted"), "the library's licence is in the page");
    free(page);
    if (has_program("xmllint"))
        run_well("sed 1d %s/page.html >%s/page.xml && xmllint --noout %s/page.xml", folder, folder, folder);
}

/* Where the library of charts is missing the build says so. */
FolderTest(browse, library_that_is_missing)
{
    struct outcome outcome = run_shell("sh scripts/page-assets.sh %s/out.h %s/none.js %s/none bench/results/page.css "
                                       "bench/results/page.js bench/results/browse.js",
                                       folder, folder, folder);
    cr_expect_eq(outcome.status, 3);
    cr_expect(strstr(outcome.err, "none.js is missing: install libjs-chart.js"), "%s", outcome.err);
    cr_expect_null(read_text(folder, "out.h"));
    outcome_free(&outcome);
}
