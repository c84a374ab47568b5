/* test_files.c - files that are replaced as a whole: until the last byte is written, the old content stays. */
#include "program.h"
#include "quick.h"
#include "support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static void demand_text(const char *folder, const char *expected)
{
    char *const text = read_text(folder, "table.csv");

    cr_assert_not_null(text);
    cr_expect_str_eq(text, expected);
    free(text);
}

FolderTest(files, the_old_stands_until_the_new_is_whole)
{
    write_text(folder, "table.csv", "old\n");
    struct failure failure;
    struct whole_file file;
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(whole_file_open(&file, folder, "table.csv", &failure), 0);
        fputs("new\n", file.stream);
        fflush(file.stream);
        demand_text(folder, "old\n");
        if (i == 0)
            whole_file_abandon(&file);
        else
            cr_expect_eq(whole_file_close(&file, &failure), 0);
    }
    demand_text(folder, "new\n");
}

/* ---- Result folders of strangers ---- */

/* A folder r with results and pictures below a temporary one, with a file beside it that nothing may change. */
static const char *make_results(void)
{
    const char *const folder = temporary_folder();

    write_text(folder, "c.json",
               "{\"name\": \"r\", \"seed\": 1, \"repetitions\": 5, \"simulation\": \"counts\", \"oracles\": [\"grr\"], "
               "\"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 8, \"n\": 1000}], \"epsilon\": [1, 2], "
               "\"methods\": [\"base\", \"norm_sub\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    write_text(folder, "victim", "mine\n");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    return folder;
}

Test(files, what_is_written_never_goes_through_a_link, SLOW)
{
    const char *const folder = make_results();
    run_in(folder, "for f in mse.csv run.json n_equivalent.csv; do ln -sf ../victim r/$f; done && "
                   "ldpbench run c.json -o r --fresh --quiet 2>said; test $? -le 2; echo mine | cmp - victim");
    run_in(folder, "rm -rf r && ldpbench run c.json -o r --quiet && ldpbench plot r && cp r/full_domain.svg first && "
                   "ln -sf ../victim r/full_domain.svg && ldpbench plot r 2>said && echo mine | cmp - victim && "
                   "test ! -L r/full_domain.svg && cmp first r/full_domain.svg && grep -q 'was a link' said");
    run_in(folder,
           "ln -sf ../victim r/store.sqlite && { ldpbench run c.json -o r --fresh --quiet 2>said; test $? -eq 2; } "
           "&& echo mine | cmp - victim && grep -q 'expected a file, got a link' said");
}

Test(files, pipes_devices_and_folders_are_refused_in_a_result_folder, SLOW, .timeout = 120)
{
    const char *const folder = make_results();
    run_in(
        folder,
        "ldpbench plot r && for f in mse.csv run.json store.sqlite full_domain.svg; do "
        "for kind in pipe device folder; do cp -a r q && rm q/$f && "
        "case $kind in pipe) mkfifo q/$f ;; device) ln -s /dev/zero q/$f ;; folder) mkdir q/$f ;; esac && "
        "for command in 'plot q' 'report q -o page.html' 'check r q' 'run c.json -o q --quiet'; do "
        "timeout -k 1 20 \"$LDPBENCH\" $command >/dev/null 2>said; s=$?; test $s -le 2 || { echo \"$command $f $kind: $s\" "
        ">&2; cat said >&2; exit 1; }; done; rm -rf q; done; done");
    run_in(
        folder,
        "cp -a r q && rm q/store.sqlite && mkdir q/store.sqlite && "
        "{ ldpbench run c.json -o q --quiet 2>said; test $? -eq 2; } && grep -q 'expected a file, got a folder' said");
}

Test(files, an_output_never_lands_on_what_a_result_folder_owns)
{
    const char *const folder = make_results();
    run_in(
        folder,
        "cp -a r kept && for f in store.sqlite mse.csv run.json; do "
        "{ ldpbench report r --format html -o r/$f 2>said; test $? -eq 2; } && grep -q 'belongs to the result folder' said && "
        "cmp r/$f kept/$f || exit 1; done && ldpbench report r -o r/page.html");
}

/* SQLite plays back a journal that it finds, and deletes the super-journal that its end names. */
Test(files, a_journal_names_no_other_file)
{
    const char *const folder = make_results();
    run_in(
        folder,
        "{ printf 'xxxxvictim'; printf '\\331\\325\\005\\371\\040\\241\\143\\327'; } > r/store.sqlite-journal && "
        "for command in 'run c.json -o r --quiet' 'run c.json -o r --fresh --quiet' 'report r -o page.html' 'check r r'; "
        "do ldpbench $command >/dev/null 2>said; test $? -eq 2 && grep -q 'expected a journal of one store' said || exit 1; "
        "done && echo mine | cmp - victim");
}

/* A Markdown page names pictures as they are found from its folder, which may be moved with the results. */
FolderTest(files, pictures_of_a_page_are_relative_to_it)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 2, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
               " \"epsilon\": [1, 2], \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 8, \"n\": 100}],\n"
               " \"queries\": [\"full_domain\"]}");
    run_in(folder, "mkdir -p pages/a 'r x' && ln -s pages/a short && ldpbench run c.json -o 'r x/rows' --quiet && "
                   "ldpbench report 'r x/rows' -o here.md && ldpbench report 'r x/rows' -o pages/a/deep.md && "
                   "ldpbench report 'r x/rows' -o short/link.md && ldpbench report 'r x/rows' -o 'r x/beside.md' && "
                   "ldpbench report 'r x/rows' --format md -o /dev/stdout | cat >said.md");
    static const char *const page[][2] = {{"here.md", "(r%20x/rows/full_domain.svg)"},
                                          {"said.md", "(r%20x/rows/full_domain.svg)"},
                                          {"pages/a/deep.md", "(../../r%20x/rows/full_domain.svg)"},
                                          {"pages/a/link.md", "(../../r%20x/rows/full_domain.svg)"},
                                          {"r x/beside.md", "(rows/full_domain.svg)"}};
    for (size_t i = 0; i < sizeof page / sizeof *page; i++)
        run_in(folder, "grep -qF '%s' '%s'", page[i][1], page[i][0]);
}

/* The ending of a page tells its format, unless --format says another. */
FolderTest(files, endings_of_a_page)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 2, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
               " \"epsilon\": [1], \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, \"d\": 8, \"n\": 100}],\n"
               " \"queries\": [\"full_domain\"]}");
    run_in(folder,
           "ldpbench run c.json -o r --quiet && ldpbench report r --no-plots -o x.md && "
           "head -n 2 x.md | grep -q '^# ' && ! grep -q '<html' x.md && ldpbench report r --no-plots -o x.html && "
           "grep -q '<html' x.html && ldpbench report r --no-plots --format md -o x.txt && ! grep -q '<html' x.txt");
    run_in(folder,
           "{ ldpbench report r --format html -o y.md 2>said; test $? -eq 2; } && grep -q 'expected a file "
           "\\*.html, as --format says' said && { ldpbench report r --format md -o y.html 2>said; test $? -eq 2; } && "
           "grep -q 'expected a file \\*.md, as --format says' said && ! test -e y.md && ! test -e y.html");
    run_in(folder,
           "{ ldpbench report r -o page.pdf 2>said; test $? -eq 2; } && grep -q 'expected a file \\*.html or \\*.md, "
           "got \"page.pdf\"' said && ! test -e page.pdf");
}
