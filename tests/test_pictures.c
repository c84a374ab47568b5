/* test_pictures.c - many pictures of one folder, which several processes of gnuplot draw at once. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 13 };

/* A folder whose table has more queries than processes are started at once: a picture for each. */
static void write_folder(const char *folder)
{
    char table[8192];
    size_t used = (size_t)snprintf(table, sizeof table, "%s\n",
                                   "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,"
                                   "stderr");

    for (int query = 0; query < QUERIES; query++)
        for (int epsilon = 1; epsilon <= 3; epsilon++)
            used +=
                (size_t)snprintf(table + used, sizeof table - used, "t,zipf,8,1000,olh,%d,base,q%02d,,3,%g,1e-5,1e-6\n",
                                 epsilon, query, 1e-3 / (epsilon + query));
    write_table(folder, "mse.csv", "", table);
}

/* They come in the order of the table, each complete, with its own numbers: those of a picture drawn by itself. */
FolderTest(pictures, many_at_once, SLOW)
{
    write_folder(folder);
    struct outcome all = run_shell("ldpbench plot '%s'", folder);
    cr_assert_eq(all.status, 0, "%s", all.err);
    const char *at = all.out;
    for (int query = 0; query < QUERIES; query++) {
        char name[64];

        snprintf(name, sizeof name, "/q%02d.svg\n", query);
        at = strstr(at, name);
        cr_assert(at, "expected %s in its place in: %s", name, all.out);
    }
    outcome_free(&all);
    run_well("mkdir '%s/one' && head -n 1 '%s/mse.csv' > '%s/one/mse.csv' && grep q11 '%s/mse.csv' >> '%s/one/mse.csv'"
             " && echo '{}' > '%s/one/run.json'",
             folder, folder, folder, folder, folder, folder);
    char one[2 * PATH_ROOM];
    snprintf(one, sizeof one, "%s/one", folder);
    store_tables(one);
    run_in(folder, "ldpbench plot one");
    run_in(folder, "grep -v '<desc>' q11.svg > a && grep -v '<desc>' one/q11.svg > b && cmp a b");
    run_in(folder, "! cmp -s q11.svg q10.svg");
}

/* gnuplot fails for one of them: one line that names it, all others are drawn, and nothing is half-written. */
FolderTest(pictures, one_that_fails, SLOW)
{
    write_folder(folder);
    run_well("mkdir '%s/bin' '%s/started'", folder, folder);
    char script[4 * PATH_ROOM];
    snprintf(script, sizeof script,
             "#!/bin/sh\n"
             "i=1; while ! mkdir '%s/started/'$i 2>/dev/null; do i=$((i + 1)); done\n"
             "[ $i = 5 ] && { echo 'no ink' >&2; exit 1; }\n"
             "PATH=${PATH#*:} exec gnuplot \"$@\"\n",
             folder);
    write_text(folder, "bin/gnuplot", script);
    run_well("chmod +x '%s/bin/gnuplot'", folder);
    struct outcome outcome = run_shell("PATH='%s/bin':\"$PATH\" ldpbench plot '%s'", folder, folder);
    cr_assert_eq(outcome.status, 3, "%s", outcome.err);
    cr_expect(strstr(outcome.err, ": gnuplot failed: no ink\n"), "%s", outcome.err);
    cr_expect_eq(strchr(outcome.err, '\n') + 1, outcome.err + strlen(outcome.err), "%s", outcome.err);
    outcome_free(&outcome);
    run_in(
        folder,
        "[ $(ls *.svg | wc -l) = 12 ] && for f in *.svg; do tail -n 2 $f | grep -q '</svg>' || exit 1; done && "
        "[ -z \"$(ls -A | grep -v -e '^q[0-9]*.svg$' -e '^mse.csv$' -e '^run.json$' -e '^store.sqlite$' -e '^bin$' -e '^started$')\" ]");
}

/* A gnuplot that never ends is ended, with what it started; the next picture is drawn. */
FolderTest(pictures, one_that_never_ends, SLOW)
{
    char script[4 * PATH_ROOM];

    write_table(folder, "mse.csv", mse_header,
                "t,zipf,8,1000,olh,1,base,a,,3,1e-4,1e-5,1e-6\nt,zipf,8,1000,olh,2,base,b,,3,1e-4,1e-5,1e-6\n");
    run_well("mkdir '%s/bin'", folder);
    snprintf(script, sizeof script,
             "#!/bin/sh\nmkdir '%s/started' 2>/dev/null && { sleep 1000 & echo $! >'%s/sleeps'; wait; }\n"
             "PATH=${PATH#*:} exec gnuplot \"$@\"\n",
             folder, folder);
    write_text(folder, "bin/gnuplot", script);
    run_well("chmod +x '%s/bin/gnuplot'", folder);
    struct outcome outcome =
        run_shell("LDPBENCH_GNUPLOT_SECONDS=3 PATH='%s/bin':\"$PATH\" ldpbench plot '%s'", folder, folder);
    cr_assert_eq(outcome.status, 3, "%s", outcome.err);
    cr_expect(strstr(outcome.err, ": gnuplot did not end within 3 seconds"), "%s", outcome.err);
    outcome_free(&outcome);
    /* It may still be listed, ended. */
    run_in(folder, "[ $(ls *.svg | wc -l) = 1 ] && ! grep -q 'State:.[RS]' /proc/$(cat sleeps)/status 2>/dev/null");
}

/* Eleven methods on a column of a paper: the left and the right panel stand on each other, with one key. */
FolderTest(pictures, many_methods_on_a_column, SLOW)
{
    static const char *const methods[] = {"base",     "base_pos", "post_pos", "norm",     "norm_mul", "norm_sub",
                                          "base_cut", "norm_cut", "power",    "power_ns", "mle_apx"};
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int epsilon = 1; epsilon <= 3; epsilon++)
            fprintf(out, "t,zipf,8,1000,olh,%d,%s,full_domain,,3,%g,1e-9,1e-9\n", epsilon, methods[m],
                    1e-2 * (double)(m + 1) / epsilon);
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
    run_in(folder, "ldpbench plot . --width column --size 8 --keep");
    demand_within(folder, "full_domain.gp", "set multiplot layout 2, 1 ");
    run_in(folder, "[ $(grep -c 'title \"Norm-Sub\"' full_domain.gp) = 1 ]"); /* which is on both sides */
    demand_within(folder, "full_domain.svg", ">PowerNS<");
}

/* plot --keep: the script beside a picture draw it again, whatever its labels say. */
FolderTest(pictures, scripts_that_are_kept_draw_it_again, SLOW)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");
    write_table(folder, "mse.csv", mse_header,
                "t,zipf,8,1000,olh,1,\"a\"\"b\\\",full_domain,,3,1e-4,1e-5,1e-6\n"
                "t,zipf,8,1000,olh,2,\"a\"\"b\\\",full_domain,,3,1e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,1,#07%d,full_domain,,3,2e-4,1e-5,1e-6\n"
                "t,zipf,8,1000,olh,2,#07%d,full_domain,,3,2e-5,1e-6,1e-7\n");
    run_in(
        folder,
        "ldpbench plot . --keep && ldpbench plot . --format png && mv full_domain.png drawn && "
        "rm full_domain.svg && gnuplot full_domain.gp && grep -q '</svg>' full_domain.svg && "
        "gnuplot -e 'format = \"png\"' full_domain.gp && cmp drawn full_domain.png && gnuplot -e 'format = \"pdf\"' full_domain.gp && [ -s full_domain.pdf ]");
    run_in(folder, "grep -q full_domain.gp run.json");
}

/* No word of a picture lies on another: of any two boxes of words, at most a fiftieth of the smaller is shared. */
FolderTest(pictures, words_do_not_lie_on_each_other, SLOW)
{
    char *rows = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&rows, &size);

    if (!has_program("gnuplot") || !has_program("pdftotext"))
        skip_test("gnuplot or pdftotext is not installed");
    for (int method = 1; method <= 3; method++)
        for (int epsilon = 1; epsilon <= 4; epsilon++)
            fprintf(out, "t,zipf,8,1000,olh,%d,m%d,full_domain,,3,%g,1e-9,1e-9\n", epsilon, method,
                    1e-2 * method / (epsilon * epsilon * epsilon));
    fclose(out);
    write_table(folder, "mse.csv", mse_header, rows);
    free(rows);
    run_in(folder,
           "ldpbench plot . --format pdf && pdftotext -bbox full_domain.pdf - | tr '\"' ' ' |"
           " awk '/<word/ { x0[++n] = $3; y0[n] = $5; x1[n] = $7; y1[n] = $9; word[n] = $0 }"
           " function least(a, b) { return a < b ? a : b } function most(a, b) { return a > b ? a : b }"
           " function area(i) { return (x1[i] - x0[i]) * (y1[i] - y0[i]) }"
           " END { for (i = 1; i <= n; i++) for (j = 1; j < i; j++) {"
           " w = least(x1[i], x1[j]) - most(x0[i], x0[j]); h = least(y1[i], y1[j]) - most(y0[i], y0[j]);"
           " if (w > 0 && h > 0 && w * h > 0.02 * least(area(i), area(j))) { print word[i] word[j]; wrong = 1 } }"
           " exit wrong || n < 20 }'");
    /* A PNG has no words to compare: offsets are in letters of the terminal's own type, which has one size in all. */
    run_in(
        folder,
        "ldpbench plot . --keep && "
        "echo 'print 1e4 * GPVAL_TERM_HCHAR / GPVAL_TERM_XSIZE' >> full_domain.gp && "
        "for f in svg pdf png; do gnuplot -d -e \"format = '$f'\" full_domain.gp 2>&1; done | "
        "awk '$1 > most { most = $1 } NR == 1 || $1 < least { least = $1 } END { exit NR != 3 || most > 1.15 * least "
        "}'");
}

/* Pictures of shipped configs with two repetitions on papers of both widths in small and large type, as SVG and PDF: no
 * text lies on another, and none is cut. All configs with LDPBENCH_VERIFY=1. */
FolderTest(pictures, no_text_is_cut_or_covered, SLOW, .timeout = 20000)
{
    const bool all = getenv("LDPBENCH_VERIFY") != NULL;

    if (!has_program("gnuplot") || !has_program("pdftotext") || !has_program("python3"))
        skip_test("gnuplot, pdftotext or python3 is not installed");
    run_in(
        folder,
        "for c in %s; do case $c in */schema.json) continue ;; esac; rm -rf r; "
        "ldpbench run $c -o r --repetitions 2 --quiet --allow-external 2>/dev/null || continue; "
        "for s in %s; do ldpbench plot r --width ${s%%%%-*} --size ${s#*-} --format svg --format pdf >drawn 2>/dev/null && "
        "if [ -s drawn ]; then python3 \"$OLDPWD/tests/picture_boxes.py\" $(cat drawn) >&2 || exit 1; fi; done; done",
        all ? "$OLDPWD/configs/*.json" : "$OLDPWD/configs/ndss2020-fig6.json",
        all ? "column-6 column-8 column-10 page-6 page-8 page-10" : "column-6 column-10 page-10");
}

/* --width and --size: the paper is that wide in every format, and larger type leaves fewer columns of panels. */
FolderTest(pictures, width_and_size, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 3, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": "
        "8, \"n\": [100, 1000, 9000]}], \"oracles\": [\"olh\"], \"epsilon\": [0.5, 1, 2, 4], \"methods\": "
        "[\"base\", \"norm\"], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    run_in(folder, "ldpbench plot r --width column --size 9 --format svg --format png --format pdf --keep");
    run_well(
        "cd '%s/r' && grep -q 'width=\"455\" height=' full_domain.svg && grep -q 'viewBox=\"0 0 455 ' full_domain.svg",
        folder);
    run_well("cd '%s/r' && head -c 20 full_domain.png | tail -c 4 | od -An -tu1 | grep -q ' 0 *0 *2 *188'", folder);
    run_well("cd '%s/r' && pdfinfo full_domain.pdf | grep -q 'Page size: *252 x '", folder);
    demand_within(folder, "r/full_domain.gp", "zoom = 1.2\n");
    demand_within(folder, "r/full_domain.gp", "set multiplot layout 3, 1 ");
    run_in(folder, "ldpbench plot r --width page --keep && grep -q 'viewBox=\"0 0 93[01] ' r/full_domain.svg");
    demand_within(folder, "r/full_domain.gp", "zoom = 1\n");
    demand_within(folder, "r/full_domain.gp", "set multiplot layout 1, 3 ");
    struct outcome wide = run_shell("ldpbench plot '%s/r' --width wide", folder),
                   small = run_shell("ldpbench plot '%s/r' --size 1", folder);
    cr_assert(wide.status == 2 &&
                  strcmp(wide.err, "ldpbench: --width: expected column, page, or a number of inches, got \"wide\"\n") ==
                      0,
              "%s", wide.err);
    cr_assert(small.status == 2 && strstr(small.err, "--size: expected a number from 4 to 30, got \"1\""), "%s",
              small.err);
    outcome_free(&wide);
    outcome_free(&small);
}

/* A method of one's own is first in the key, drawn last, thick. */
FolderTest(pictures, ones_own_comes_first)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");
    write_table(folder, "mse.csv", mse_header,
                "t,zipf,8,1000,olh,1,base,full_domain,,3,1e-4,1e-5,1e-6\n"
                "t,zipf,8,1000,olh,2,base,full_domain,,3,1e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,1,mine,full_domain,,3,2e-4,1e-5,1e-6\n"
                "t,zipf,8,1000,olh,2,mine,full_domain,,3,2e-5,1e-6,1e-7\n"
                "t,zipf,8,1000,olh,1,norm,full_domain,,3,3e-4,1e-5,1e-6\n"
                "t,zipf,8,1000,olh,2,norm,full_domain,,3,3e-5,1e-6,1e-7\n");
    write_text(
        folder, "run.json",
        "{\"config\": \"{\\\"methods\\\": [\\\"base\\\", {\\\"name\\\": \\\"external\\\", \\\"label\\\": \\\"mine\\\", "
        "\\\"command\\\": [\\\"./mine\\\"]}, \\\"norm\\\"]}\"}\n");
    run_in(folder, "ldpbench plot . --keep");
    run_in(
        folder,
        "[ \"$(sed -n 's/.*keyentry.* lw \\([0-9.]*\\).* title \"\\(.*\\)\".*/\\2 \\1/p' full_domain.gp | tr '\\n' ,)\" = "
        "'mine 2.16,Base 0.9,Norm 0.9,' ]");
    run_in(
        folder,
        "sed -n 's/.* @\\(line\\|point\\) .* lw \\([0-9.]*\\).*/\\1 \\2/p' full_domain.gp | tail -n 2 | tr '\\n' , | "
        "grep -qx 'line 2.16,point 2.16,'");
}
