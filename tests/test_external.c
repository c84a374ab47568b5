/* Methods outside the program: commands are paired with all others, kept and found again, and what they do
 * wrong is one line that says where. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* ./own there: base_pos, scaled by a number; 0 / 0 where that is 0. */
static void build_own(const char *folder)
{
    run_well("${CC:-cc} -O1 -Wall -Wextra -Werror tests/programs/method.c -o %s/own", folder);
}

static void write_config(const char *folder, const char *methods)
{
    char text[2048];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 6, \"epsilon\": [1, 2],\n"
             " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
             " \"oracles\": [\"olh\", \"hr\"], \"methods\": [\"base_pos\", %s], \"queries\": [\"full_domain\"]}\n",
             methods);
    write_text(folder, "c.json", text);
}

/* The program runs there; what the table says of each method, in the order of rows. */
static void demand_equal_errors(const char *folder, const char *a, const char *b)
{
    run_in(folder,
           "for m in '%s' '%s'; do awk -F, -v m=\"$m\" '$7 == m { print $5, $6, $11 }' out/mse.csv >$m.rows; "
           "[ $(wc -l <$m.rows) = 4 ] || exit 1; done && cmp '%s.rows' '%s.rows'",
           a, b, a, b);
}

FolderTest(external, commands_are_paired_with_the_others)
{
    build_own(folder);
    write_config(folder, "{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"./own\"]},"
                         "{\"name\": \"external\", \"label\": \"other\", \"command\": [\"sh\", \"-c\","
                         " \"exec ./own 1\"]}");
    run_in(folder, "ldpbench run c.json -o out --quiet --allow-external");
    demand_equal_errors(folder, "base_pos", "mine");
    demand_equal_errors(folder, "base_pos", "other");
}

FolderTest(external, results_do_not_depend_on_threads_and_are_kept_until_the_file_changes)
{
    build_own(folder);
    write_config(folder, "{\"name\": \"external\", \"command\": [\"./own\"]}");
    run_in(folder, "ldpbench run c.json -o a --quiet --allow-external -j1 && "
                   "ldpbench run c.json -o b --quiet --allow-external -j4 && cmp a/mse.csv b/mse.csv && "
                   "ldpbench run c.json -o a --allow-external 2>&1 | grep -q '0 repetitions in.*24 reused' && "
                   "printf x >>own && "
                   "ldpbench run c.json -o a --allow-external 2>&1 | grep -q '24 repetitions in'");
}

FolderTest(external, programs_are_started_only_where_it_is_allowed)
{
    write_config(folder, "{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"touch\", \"started\"]}");
    demand_failure(2, "c.json: method mine: touch started starts a program; --allow-external permits it",
                   "cd %s && ldpbench run c.json -o out", folder);
    run_in(folder, "ldpbench run c.json --dry-run | grep -q 'starts  *method mine: touch started' && "
                   "[ ! -e started ]");
}

/* The command answers as a method of the program does, on the collection and on those of synthetic populations. */
/* All but how often each is chosen: of two that are equal it is the first. */
FolderTest(external, a_command_in_the_task_selection)
{
    build_own(folder);
    write_text(folder, "s.json",
               "{\"name\": \"s\", \"task\": \"selection\", \"seed\": 5, \"repetitions\": 3, \"epsilon\": 1,\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 4000, \"s\": 1}],\n"
               " \"oracles\": [\"olh\"], \"methods\": [\"base_pos\", \"norm_sub\", {\"name\": \"external\", \"label\": "
               "\"mine\", \"command\": [\"./own\"]}],\n"
               " \"queries\": [\"full_domain\"], \"trials\": 4, \"surrogates\": [\"truth\", \"norm_sub\"]}\n");
    run_in(folder,
           "ldpbench run s.json -o out --quiet --allow-external && "
           "for m in base_pos mine; do grep \",$m,\" out/selection.csv | sed \"s/,$m,/,,/; s/,[0-9]*$//\" >$m.rows; "
           "[ -s $m.rows ] || exit 1; done && cmp base_pos.rows mine.rows");
}

/* Before the first repetition, whatever stands before it among the methods. */
FolderTest(external, an_unknown_program_is_refused_before_anything_is_measured)
{
    static const char *const words[] = {"no-such-program", "./no-such-program", "./c.json"};
    char methods[200], expected[200];

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(methods, sizeof methods, "{\"name\": \"external\", \"label\": \"mine\", \"command\": [\"%s\"]}",
                 words[i]);
        snprintf(expected, sizeof expected, "c.json: method mine: %s: cannot find the program ", words[i]);
        write_config(folder, methods);
        demand_failure(2, expected, "cd %s && ldpbench run c.json -o out --allow-external", folder);
        run_well("[ ! -e %s/out ] && cd %s && ldpbench run c.json --dry-run >dry.txt", folder, folder);
    }
}

/* A shell that answers so. */
static void demand_line(const char *script, const char *fragment)
{
    char methods[1024];

    const char *const folder = temporary_folder();
    write_text(folder, "bad.sh", script);
    snprintf(methods, sizeof methods,
             "{\"name\": \"external\", \"label\": \"mine\", \"timeout\": %s, \"command\": [\"sh\", \"bad.sh\"]}",
             strstr(script, "sleep 100") ? "0.2" : "60");
    write_config(folder, methods);
    demand_failure(2, fragment, "cd %s && ldpbench run c.json -o out -j1 --quiet --allow-external", folder);
}

#define READY "echo 'ldpbench 2'; read greeting; read question; "

Test(external, what_goes_wrong_is_one_line_with_cell_and_repetition, SLOW)
{
    demand_line("echo hello; cat", "oracle olh, epsilon 1, repetition 0: method mine: sh bad.sh gave an invalid "
                                   "answer: expected \"ldpbench 2\", got \"hello\"");
    demand_line("echo 'out of luck' >&2; exit 7", "method mine: sh bad.sh ended with status 7: out of luck");
    demand_line(READY "kill -SEGV $$", "ended by signal 11");
    demand_line(READY "sleep 100", "repetition 0: method mine: sh bad.sh did not answer in time and was killed");
    demand_line(READY "echo 31", "expected 32 numbers, got \"31\"");
    demand_line(READY "echo error no idea", "method mine: sh bad.sh failed: no idea");
    demand_line(READY "printf 'error caf\\351 \\033[31mred\\n'", "sh bad.sh failed: caf_ _[31mred");
    /* A right-to-left override, a C1 control, a line separator. */
    demand_line(READY "printf 'error a\\342\\200\\256b\\302\\233c\\342\\200\\250d caf\\303\\251\\n'",
                "sh bad.sh failed: a___b__c___d caf\303\251");
    demand_line("printf 'out\\033[31m of\\377 luck\\n' >&2; exit 7", "ended with status 7: out_[31m of_ luck");
    demand_line(READY "exec >&-; sleep 50", "sh bad.sh closed its pipes without an answer and was killed");
    demand_line(READY "echo 32 question=1; head -c 100 /dev/zero", "ended with status 0");
    demand_line(READY "echo 32 question=1; head -c 300 /dev/zero; sleep 9",
                "expected 32 numbers, got more bytes after them");
    demand_line(READY "echo 32 question=1; head -c 248 /dev/zero; printf '\\0\\0\\0\\0\\0\\0\\370\\177'; sleep 9",
                "expected 32 finite numbers, got NaN for value 31");
}

/* Answers the first question twice. */
Test(external, an_answer_to_another_question_is_refused)
{
    static const char again[] = READY "head -c 256 >last; echo 32 question=1; head -c 256 /dev/zero; read question; "
                                      "head -c 256 >last; ";
    char script[400];

    snprintf(script, sizeof script, "%s echo 32 question=1; head -c 256 /dev/zero", again);
    demand_line(script,
                "gave an invalid answer: expected question=2, the number of the question, got \"32 question=1\"");
    snprintf(script, sizeof script, "%s echo 32; head -c 256 /dev/zero", again);
    demand_line(script, "gave an invalid answer: expected question=2, the number of the question, got \"32\"");
    demand_line(READY "echo 32 question=1 question=2", "expected each key once");
}

/* Programs with base_pos get its error, and are said to be one's own. */
FolderTest(external, advise_compares_files_with_the_others)
{
    static const char advise[] = "ldpbench advise s --oracle grr --epsilon 1 --query full_domain --trials 8 "
                                 "--method ./own --method ./command";

    build_own(folder);
    write_text(folder, "command", "#!/bin/sh\nexec \"$(dirname \"$0\")\"/own\n");
    write_text(folder, "s", "a\t700\nb\t210\nc\t40\nd\t30\ne\t20\n");
    run_in(folder,
           "chmod +x command && %s --method norm_sub --method base_pos -j 2 --format csv >few && "
           "[ $(grep -cE '^all frequencies,(own|command|norm_sub|base_pos),[0-9.]+$' few) = 4 ] && "
           "[ $(grep -E ',(own|command),' few | cut -d, -f 3 | sort -u | wc -l) = 1 ] && %s | grep -q 'yours  *own'",
           advise, advise);
    static const char *const bad[][2] = {{"./none", "got ./none"},
                                         {"./own --method ./own", "expected each once, got ./own twice"},
                                         {"./s", "a program that can be run, got ./s"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        demand_failure(2, bad[i][1], "cd %s && ldpbench advise s --oracle grr --epsilon 1 --method %s", folder,
                       bad[i][0]);
}

FolderTest(external, a_program_that_crashes_or_divides_by_zero_is_reported)
{
    char command[2 * PATH_ROOM];

    build_own(folder);
    snprintf(command, sizeof command, "cd %s && ldpbench run c.json -o out -j1 --quiet --allow-external", folder);
    write_config(folder, "{\"name\": \"external\", \"command\": [\"./own\", \"-1\"]}");
    demand_failure(2, "repetition 0: method external: ./own -1 was ended by signal", "%s", command);
    write_config(folder, "{\"name\": \"external\", \"command\": [\"./own\", \"0\"]}");
    demand_failure(2, "expected 32 finite numbers, got NaN for value 0", "%s", command);
}
