/* test_files.c - files that are replaced as a whole: until the last byte is written, the old content stays. */
#include "program.h"
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

Test(files, the_old_stands_until_the_new_is_whole)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
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
