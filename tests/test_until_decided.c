/* test_until_decided.c - repetitions that are added until it is decided what to take. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>

/* Repetitions are added until it is decided what to take: the folder is that of as many repetitions, says that they
 * were chosen, and a cap that is too low ends with a status of its own. */
FolderTest(until_decided, run)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 3, \"repetitions\": 5, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 16, "
        "\"n\": 2000}], \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [\"full_domain\"]}");
    run_in(folder,
           "ldpbench run c.json -o r --until-decided --quiet && ldpbench report r --format text >said && "
           "! grep -q 'not decided' said && grep -q '\"until_decided\":\ttrue' r/run.json && "
           "n=$(sed -n 's/.*\"repetitions\":\t\\([0-9]*\\),.*/\\1/p' r/run.json | head -n 1) && [ $n -gt 10 ] && "
           "ldpbench run c.json -o same --repetitions $n --quiet && cmp r/mse.csv same/mse.csv && "
           "{ ldpbench run c.json -o few --at-most 11 --quiet 2>said; [ $? = 4 ]; } && "
           "grep -q 'c.json: not decided with 11 repetitions; --at-most allows more' said");
    run_in(
        folder,
        "ldpbench run c.json -o new --until-decided 2>said && n=$(sed -n 's/.*\"repetitions\":\t\\([0-9]*\\),.*/\\1/p' "
        "new/run.json | head -n 1) && tr -d , <said | grep -q \"^c: $((2 * n)) repetitions in .* 0 reused\"");
    demand_failure(2, "--until-decided: expected one process, and none of --repetitions",
                   "cd %s && ldpbench run c.json --until-decided --repetitions 5", folder);
}
