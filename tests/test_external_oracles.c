/* Oracles outside the program: commands whose collections all methods are applied to, and what
 * goes wrong. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A program of tests/programs as ./own there. */
static void build_own(const char *folder, const char *name)
{
    run_well("${CC:-cc} -O1 -Wall -Wextra -Werror tests/programs/%s.c -o %s/own -lm", name, folder);
}

static const char own[] = "{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"./own\"]}";

static void write_config(const char *folder, const char *oracles, const char *more)
{
    char text[2048];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 200, \"epsilon\": [1, 2],\n"
             " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
             " \"oracles\": [%s], \"methods\": [\"base\", \"norm_sub\"], \"queries\": [\"full_domain\"]%s}\n",
             oracles, more);
    write_text(folder, "c.json", text);
}

/* The mean squared error of base is that of randomised response, within 4.5 standard errors:
 * n Var = s1 + tf f, p = e^epsilon / (e^epsilon + 31), q = 1 / (e^epsilon + 31). */
static void demand_randomised_response(const char *folder, const char *label)
{
    run_in(folder,
           "awk -F, -v label=%s '$5 == label && $7 == \"base\" { e = exp($6); p = e / (e + 31); q = 1 / (e + 31);"
           " v = (q * (1 - q) / (p - q)^2 + (1 - p - q) / (p - q) / 32) / 4000; z = ($11 - v) / $13; rows++;"
           " if (z * z > 20) exit 1 } END { exit rows != 2 }' out/mse.csv",
           label);
}

FolderTest(external_oracles, commands_are_simulated_by_reports_and_by_counts, SLOW)
{
    static const char *const modes[] = {"", ", \"simulation\": \"reports\""};

    build_own(folder, "oracle");
    for (size_t i = 0; i < 2; i++) {
        char oracles[200];

        snprintf(oracles, sizeof oracles, "\"grr\", %s", own);
        write_config(folder, oracles, modes[i]);
        run_in(folder, "ldpbench run c.json -o out --fresh --quiet --allow-external");
        demand_randomised_response(folder, "grr");
        demand_randomised_response(folder, "mine");
        run_in(folder, "grep -q '^c,.*,mine,1,base,200,,$' out/n_equivalent.csv && ldpbench report out >said.txt");
    }
}

/* Not more time than passes. */
FolderTest(external_oracles, a_command_is_timed)
{
    build_own(folder, "oracle");
    write_config(folder, own, ", \"outputs\": [\"times\"]");
    run_in(
        folder,
        "start=$(date +%%s.%%N) && ldpbench run c.json -o out --quiet --allow-external -j1 && end=$(date +%%s.%%N) && "
        "awk -F, -v passed=\"$end $start\" 'NR > 1 { rows++; sum += $8 * $15; least = least || !($15 > 0) }"
        " END { split(passed, t, \" \"); exit !(rows == 2 && !least && sum < t[1] - t[2]) }' out/times.csv");
}

FolderTest(external_oracles, the_truth_has_no_error)
{
    build_own(folder, "oracle");
    write_config(folder, "{\"name\": \"external\", \"command\": [\"./own\", \"truth\"]}", "");
    run_in(folder, "ldpbench run c.json -o out --quiet --allow-external && "
                   "[ $(grep -c ',external,[12],base,full_domain,,200,0,0,0$' out/mse.csv) = 2 ]");
}

FolderTest(external_oracles, results_do_not_depend_on_threads_and_are_kept_until_the_file_changes)
{
    build_own(folder, "oracle");
    write_config(folder, own, "");
    run_in(folder, "ldpbench run c.json -o a --quiet --allow-external -j1 && "
                   "ldpbench run c.json -o b --quiet --allow-external -j4 && cmp a/mse.csv b/mse.csv && "
                   "ldpbench run c.json -o a --allow-external 2>&1 | grep -q '0 repetitions in.*400 reused' && "
                   "printf x >>own && "
                   "! ldpbench run c.json -o a --allow-external 2>said.txt && "
                   "grep -q 'holds no cell of this config: a file that it names has changed' said.txt && "
                   "ldpbench run c.json -o a --allow-external --fresh 2>&1 | grep -q '400 repetitions in'");
}

/* The method beside base_pos, whose numbers it gives; over a sketch, whose inner oracle is named in the question or
 * not, and over an oracle that is itself outside. */
FolderTest(external_oracles, a_method_suits_sketches_and_oracles_outside)
{
    build_own(folder, "oracle");
    run_well("mv %s/own %s/oracle", folder, folder);
    build_own(folder, "method");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 4, \"epsilon\": 1,\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
               " \"oracles\": [{\"name\": \"count_min\", \"rows\": 4, \"columns\": 16, \"decode\": \"mean\"}, "
               "{\"name\": \"count_min\", \"label\": \"named\", \"rows\": 4, \"columns\": 16, \"row_oracle\": "
               "{\"name\": \"olh\", \"g\": 2}}, \"adaptive\", {\"name\": \"external\", \"label\": \"own\", "
               "\"command\": [\"./oracle\"]}],\n"
               " \"methods\": [\"base_pos\", {\"name\": \"external\", \"label\": \"mine\", \"command\": "
               "[\"./own\"]}], \"queries\": [\"full_domain\"]}\n");
    run_in(folder, "ldpbench run c.json -o out --quiet --allow-external && "
                   "for m in base_pos mine; do awk -F, -v m=$m '$7 == m { print $5, $11 }' out/mse.csv >$m.rows; "
                   "[ $(wc -l <$m.rows) = 4 ] || exit 1; done && cmp base_pos.rows mine.rows");
}

FolderTest(external_oracles, in_the_task_selection)
{
    build_own(folder, "oracle");
    write_text(folder, "s.json",
               "{\"name\": \"s\", \"task\": \"selection\", \"seed\": 5, \"repetitions\": 3, \"epsilon\": 1,\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 4000, \"s\": 1}],\n"
               " \"oracles\": [{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"./own\"]}], "
               "\"methods\": [\"base_pos\", \"norm_sub\"],\n"
               " \"queries\": [\"full_domain\"], \"trials\": 4, \"surrogates\": [\"truth\", \"norm_sub\"]}\n");
    run_in(folder, "ldpbench run s.json -o out --quiet --allow-external && "
                   "[ $(grep -c ',mine,1,' out/selection.csv) -ge 4 ] && ! grep -qi nan out/selection.csv");
}

FolderTest(external_oracles, what_cannot_take_them_says_so)
{
    static const char mine[] = "{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"touch\", \"started\"]}";
    char command[2 * PATH_ROOM], oracles[300];

    snprintf(command, sizeof command, "cd %s && ldpbench run c.json -o out", folder);
    write_config(folder, mine, "");
    demand_failure(2, "c.json: oracle mine: touch started starts a program; --allow-external permits it", "%s",
                   command);
    run_in(folder, "ldpbench run c.json --dry-run | grep -q 'starts  *oracle mine: touch started' && [ ! -e started ]");
    write_config(folder, mine, ", \"outputs\": [\"mse\", \"noise\"]");
    demand_failure(2, "expected oracles of the program for the outputs noise, oracles and expected, got mine", "%s",
                   command);
    snprintf(oracles, sizeof oracles, "{\"name\": \"count_min\", \"row_oracle\": %s}",
             "{\"name\": \"external\", \"command\": [\"true\"]}");
    write_config(folder, oracles, "");
    demand_failure(2, "oracles[0].row_oracle: expected an oracle of the program inside another", "%s", command);
    write_text(folder, "r.csv", "a,b\n0,1\n1,0\n");
    write_text(folder, "s.txt", "aa\nab\n");
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 1, \"epsilon\": 1, \"datasets\": "
        "[{\"type\": \"records\", \"file\": \"r.csv\"}], \"oracles\": [{\"name\": \"external\", \"command\": "
        "[\"true\"]}], \"synopses\": [\"calm\"], \"marginals\": {\"k\": 2}}\n");
    demand_failure(2, "expected oracles of the program for the task marginals, got external", "%s", command);
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"search\", \"seed\": 1, \"repetitions\": 1, \"epsilon\": 1, \"datasets\": "
               "[{\"type\": \"strings\", \"file\": \"s.txt\", \"length\": 2}], \"oracles\": [{\"name\": \"external\", "
               "\"command\": [\"true\"]}], \"protocols\": [\"pem\"], \"targets\": {\"top\": 2}}\n");
    demand_failure(2, "expected oracles of the program for the task search, got external", "%s", command);
}

/* A shell that answers so. */
static void demand_line(const char *script, const char *fragment)
{
    char oracles[300];

    const char *const folder = temporary_folder();
    write_text(folder, "bad.sh", script);
    snprintf(oracles, sizeof oracles,
             "{\"name\": \"external\", \"label\": \"mine\", \"timeout\": %s, \"command\": [\"sh\", \"bad.sh\"]}",
             strstr(script, "sleep 100") ? "0.2" : "60");
    write_config(folder, oracles, "");
    demand_failure(2, fragment, "cd %s && ldpbench run c.json -o out -j1 --quiet --allow-external", folder);
}

#define READY "echo 'ldpbench 2'; read greeting; read question; "

Test(external_oracles, what_goes_wrong_is_one_line_with_cell_and_repetition, SLOW)
{
    demand_line("echo hello; cat", ", epsilon 1, repetition 0: oracle mine: sh bad.sh gave an invalid answer: "
                                   "expected \"ldpbench 2\", got \"hello\"");
    demand_line("echo 'out of luck' >&2; exit 7", "oracle mine: sh bad.sh ended with status 7: out of luck");
    demand_line(READY "kill -SEGV $$", "ended by signal 11");
    demand_line(READY "sleep 100", "repetition 0: oracle mine: sh bad.sh did not answer in time and was killed");
    demand_line(READY "echo 32", "expected \"support 32 p=P q=Q\" or \"estimate 32 s1=V\", got \"32\"");
    demand_line(READY "echo support 31 p=1 q=0", "got \"support 31 p=1 q=0\"");
    demand_line(READY "echo support 32", "expected p=P q=Q with 0 <= Q < P <= 1 after \"support\", got \"support 32\"");
    demand_line(READY "echo support 32 p=0.5 q=0.5", "expected p=P q=Q with 0 <= Q < P <= 1");
    demand_line(READY "echo support 32 p=2 q=0.5", "expected p=P q=Q with 0 <= Q < P <= 1");
    demand_line(READY "echo support 32 p=1e q=0", "expected p=P q=Q with 0 <= Q < P <= 1");
    demand_line(READY "echo estimate 32 s1=nan", "expected s1=V, n times the variance of the estimate of 0");
    demand_line(READY "echo estimate 32 s1=-1", "expected s1=V, n times the variance of the estimate of 0");
    demand_line(READY "echo estimate 32 s1=1 tf=-2", "expected tf=V with s1 + tf >= 0");
    demand_line(READY "echo estimate 32 s1=1 tf=x", "expected tf=V with s1 + tf >= 0");
    demand_line(READY "echo estimate 32 s1=1 s1=2", "expected each key once, got \"estimate 32 s1=1 s1=2");
    demand_line(READY "echo support 32 p=0.5 q=0 p=1", "expected each key once");
    demand_line(READY "echo error no idea", "oracle mine: sh bad.sh failed: no idea");
    demand_line(READY "echo support 32 p=1 q=0 question=1; head -c 100 /dev/zero", "ended with status 0");
    demand_line(READY "echo support 32 p=1 q=0 question=1; head -c 300 /dev/zero; sleep 9",
                "expected 32 numbers, got more bytes after them");
    demand_line(
        READY "echo estimate 32 s1=1 question=1; head -c 248 /dev/zero; printf '\\0\\0\\0\\0\\0\\0\\370\\177'; sleep 9",
        "expected 32 finite numbers, got NaN for value 31");
}

/* 31 zeros and a double whose little-endian bytes are given. */
#define LAST(line, bytes) READY "echo " line " question=1; head -c 248 /dev/zero; printf '" bytes "'; sleep 9"

Test(external_oracles, impossible_supports_and_numbers_whose_squares_overflow_are_refused)
{
    demand_line(LAST("support 32 p=1 q=0", "\\0\\0\\0\\0\\0\\0\\340\\277"),
                "expected support counts that are whole numbers from 0 to n = 4000, got -0.5 for value 31");
    demand_line(LAST("support 32 p=1 q=0", "\\0\\0\\0\\0\\0\\0\\340\\077"), "got 0.5 for value 31");
    demand_line(LAST("support 32 p=1 q=0", "\\0\\0\\0\\0\\0\\0\\360\\277"), "got -1 for value 31");
    demand_line(LAST("support 32 p=1 q=0", "\\0\\0\\0\\0\\0\\0\\360\\100"), "got 65536 for value 31");
    demand_line(LAST("estimate 32 s1=1", "\\0\\0\\0\\0\\0\\0\\0\\140"),
                "repetition 0: base, mse: expected numbers up to 1e150, got ");
}

/* The variance of one estimate is 8 n / epsilon^2: its square overflows, and with it a standard error. */
FolderTest(external_oracles, errors_that_overflow_are_refused_before_they_are_stored)
{

    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 2, \"epsilon\": 1e-77, \"oracles\": [\"she\"],\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}], \"methods\": [\"base\"],\n"
               " \"queries\": [\"full_domain\"]}\n");
    demand_failure(2, "epsilon", "cd %s && ldpbench run c.json -o out -j1 --quiet", folder);
    run_well("[ ! -e %s/out/mse.csv ]", folder);
}
