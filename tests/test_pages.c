/* test_pages.c - generated pages of studies/ are what this build makes (scripts/pages.sh, studies/pages.tsv). */
#include "program.h"
#include "quick.h"
#include "real_data.h"

#include <criterion/criterion.h>

/* Without real data the pages of it are not made again, which the script says. */
Test(pages, are_what_this_build_makes, SLOW, .timeout = 600)
{
#if defined __SANITIZE_ADDRESS__
    cr_skip_test("the pages that are made here take an instrumented program more than ten minutes");
#endif
    char path[REAL_DATA_ROOM];

    if (find_real_data("kosarak.counts", path))
        run_well("LDPBENCH_DATA=$(dirname '%s') sh scripts/pages.sh --check", path);
    else
        run_well("LDPBENCH_DATA= sh scripts/pages.sh --check");
}

/* Copies what the check reads, two pages as if they were of today, with a change. */
static const char *copy(const char *change)
{
    const char *const folder = temporary_folder();

    run_well(
        "mkdir %s/core && cp -r docs studies scripts configs papers plots %s && cp core/ldp.h %s/core && cd %s && "
        "version=$(sed -n 's/^#define LDP_ALGORITHM_VERSION //p' core/ldp.h) && "
        "sed -i \"s/^\\(marginals\t\\|papers.sw2020\t\\)[^\t]*/\\1$version/\" studies/pages.tsv && %s",
        folder, folder, folder, folder, change);
    return folder;
}

static void demand_noticed(const char *change, const char *page, const char *message)
{
    const char *const folder = copy(change);

    demand_failure(1, message,
                   "cd %s && LDPBENCH_DATA= sh scripts/pages.sh --check %s 2>said; status=$?; "
                   "grep '^pages:' said | head -n 1 >&2; exit $status",
                   folder, page);
}

Test(pages, that_are_of_other_programs_or_edited_are_noticed, SLOW, .timeout = 600)
{
    demand_noticed("sed -i 's/^#define LDP_ALGORITHM_VERSION .*/#define LDP_ALGORITHM_VERSION 1/' core/ldp.h",
                   "marginals", "pages: marginals: made by another algorithm version than 1, or from other scripts");
    demand_noticed("echo '99\tplan sw' > docs/versions.tsv && seq -f '%g\tplan' 2 98 >> docs/versions.tsv && "
                   "sed -i 's/^#define LDP_ALGORITHM_VERSION .*/#define LDP_ALGORITHM_VERSION 99/' core/ldp.h",
                   "papers/sw2020", "pages: papers/sw2020: made by another algorithm version than 99");
    run_in(copy("echo '99\tno_page_has_this' > docs/versions.tsv && seq -f '%g\tnor_this' 2 98 >> docs/versions.tsv && "
                "sed -i 's/^#define LDP_ALGORITHM_VERSION .*/#define LDP_ALGORITHM_VERSION 99/' core/ldp.h"),
           "LDPBENCH_DATA= sh scripts/pages.sh --check papers/sw2020 marginals");
    demand_noticed("sed -i 's/\"seed\": [0-9]*/\"seed\": 7/' configs/calm2018-rivals.json", "marginals",
                   "made by another algorithm version");
    demand_noticed("sed -i 's/[1-9] |$/0 |/' studies/marginals.md", "marginals",
                   "studies/marginals.md: what is made was edited");
    demand_noticed("sed -i 's/\"s\": 1.5/\"s\": 1.4/' configs/oracles.json", "oracles", "is not what this build makes");
    demand_noticed("sed -i /^strings/d studies/pages.tsv", "strings", "studies/pages.tsv does not have it");
    const char *const folder = copy("sed -i 's/^\\(marginals\t\\)[^\t]*/\\1older/' studies/pages.tsv");
    run_in(folder,
           "if grep -q '^.This page is older' studies/marginals.md; then sh scripts/pages.sh --check marginals; "
           "else ! sh scripts/pages.sh --check marginals; fi");
}

/* A page is filled from its own queries; a claim that does not hold is an error. */
Test(pages, are_filled_by_their_queries)
{
    const char *const folder = copy("cp \"$OLDPWD/tests/pages/tiny.md\" studies");

    run_in(
        folder,
        "sh scripts/pages.sh tiny && sed -n '/^There/p; /^|/p' studies/tiny.md | sed 's/<!--[^>]*-->//g' > made && "
        "printf '%%s\\n' 'There are 17 rows, with 10.0 bits.' '| oracle | ε = 0.5 | ε = 1 | most |' '|---|---:|---:|---|' "
        "'| grr | 10 | 10 |  |' '| oue | 1024 | 1024 | 1024 |' '| middle | blank |' '|---:|---|' '| 65 |  |' | diff - made");
    run_in(folder, "sh scripts/pages.sh --check tiny");
    /* A cell of a table, a number of a sentence. */
    demand_failure(1, "studies/tiny.md: what is made was edited",
                   "cd %s && cp studies/tiny.md kept && sed -i 's/^| grr | 10/| grr | 11/' studies/tiny.md && "
                   "sh scripts/pages.sh --check tiny",
                   folder);
    demand_failure(1, "studies/tiny.md: what is made was edited",
                   "cd %s && sed 's/with \\(<!--[^>]*-->\\)10.0/with \\111.0/' kept >studies/tiny.md && ! cmp -s "
                   "kept studies/tiny.md && sh scripts/pages.sh --check tiny",
                   folder);
    run_in(folder, "cp kept studies/tiny.md");
    demand_failure(1, "studies/tiny.md: does not hold: count(*) = 18 from o where epsilon = 1",
                   "cd %s && sed -i 's/= 17/= 18/' studies/tiny.md && sh scripts/pages.sh tiny", folder);
}
