/* What comes in from outside: compressed and piped files, standard input, odd bytes, long texts, the environment. */
#define _XOPEN_SOURCE 700 /* terminals */

#include "program.h"
#include "quick.h"
#include "support/text.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

Test(input, texts_are_shown_short_and_harmless)
{
    cr_expect_str_eq(SHOWN("plain"), "plain");
    cr_expect_str_eq(SHOWN("a\tb\nc\x01\x7f"), "a\\tb\\nc\\x01\\x7f");
    cr_expect_str_eq(SHOWN("\xc3\xa9\xff\xc3"), "\xc3\xa9\\xff\\xc3");
    char longer[200];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    cr_expect_eq(strlen(SHOWN(longer)), SHOWN_MAX + 3);
    memset(longer, '\x01', sizeof longer - 1);
    cr_expect_eq(strlen(SHOWN(longer)), SHOWN_MAX / 4 * 4 + 3);
    for (size_t i = 0; i < 50; i++) /* cut between characters */
        memcpy(longer + 3 * i, "\xe2\x82\xac", 4);
    cr_expect_eq(strlen(SHOWN(longer)), SHOWN_MAX / 3 * 3 + 3);
    char path[1000];
    for (size_t i = 0; i < 300; i++)
        memcpy(path + 3 * i, "\xe2\x82\xac", 4);
    cr_expect_leq(strlen(SHOWN_PATH(path)), SHOWN_PATH_MAX + 3);
    cr_expect_null(strchr(SHOWN_PATH(path), '_'), "a character was cut");
    cr_expect_str_eq(SHOWN_PATH("/tmp/a\x1b[31m"), "/tmp/a_[31m");
}

/* 100 kB of anything: one line of it. */
Test(input, long_texts_are_not_echoed, SLOW)
{
    static const char *const commands[] = {
        "ldpbench $x",
        "ldpbench run --$x",
        "ldpbench run $x",
        "ldpbench help $x",
        "ldpbench list $x",
        "ldpbench list --format $x",
        "ldpbench list options $x",
        "ldpbench list $x",
        "ldpbench list \"zipf($x)\"",
        "ldpbench list \"zipf(s=$x,d=4,n=4)\"",
        "ldpbench list \"$x(s=1)\"",
        "ldpbench estimate --oracle $x --epsilon 1 --n 10 x",
        "ldpbench estimate --oracle olh --epsilon $x --n 10 x",
        "ldpbench estimate --oracle olh --epsilon 1 --n 10$x x",
        "ldpbench estimate --oracle olh --epsilon 1 --n 10 --method $x x",
        "ldpbench estimate --oracle \"olh($x\" --epsilon 1 --n 10 x",
        "ldpbench estimate --oracle \"olh($x=1)\" --epsilon 1 --n 10 x",
        "ldpbench estimate --oracle olh --epsilon 1 --n 10 $x",
        "ldpbench advise --supports olh --epsilon 1 --n 10 --query $x x",
        "ldpbench advise --epsilon 1 --query top_k=$x x",
        "ldpbench advise --epsilon 1 --oracle $x x",
        "LDPBENCH_SIMD=$x ldpbench list",
#ifndef __clang__ /* see openmp_variables */
        "OMP_NUM_THREADS=$x ldpbench list",
#endif
        "printf '{\"%s\": 1}' $x | ldpbench run -",
        ("printf '{\"name\": \"%s\", \"datasets\": 1, \"oracles\": 1, \"epsilon\": 1, \"methods\": 1, \"queries\": 1}' "
         "$x | ldpbench run -"),
        "printf '%s' $x | ldpbench run -",
        "printf '%s\\t1\\nb\\t1\\n' $x | ldpbench list -",
        "printf 'a\\t%s\\nb\\t1\\n' $x | ldpbench list -",
        "ldpbench plot $x",
        "ldpbench check $x $x",
        "ldpbench report $x",
        "ldpbench run configs/smoke.json -o /proc/$x",
    };

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct outcome outcome = run_shell(
            "x=$(head -c 100000 /dev/zero | tr '\\0' x); %s 2>&1 >/dev/null | { head -c 5000; }; ", commands[i]);
        const size_t length = strlen(outcome.out);

        cr_expect(length > 0 && strchr(outcome.out, '\n') == outcome.out + length - 1, "%s: %s", commands[i],
                  outcome.out);
        cr_expect_lt(length, 1100, "%s: %zu bytes", commands[i], length);
        outcome_free(&outcome);
    }
}

Test(input, each_parameter_once)
{
    demand_failure(2, "each key once, got \"g\" twice",
                   "ldpbench estimate --oracle 'olh(g=3,g=4)' --epsilon 1 --n 10 x");
    demand_failure(2, "each parameter once, got s twice", "ldpbench list 'zipf(s=1,s=2,d=4,n=10)'");
    demand_failure(2, "each parameter once, got n twice", "ldpbench list 'uniform(d=4,n=10,n=10)'");
    demand_failure(2, "NAME=VALUE, got \"\"", "ldpbench list 'uniform(d=4,,n=10)'");
    demand_failure(2, "option --epsilon: expected it once",
                   "ldpbench estimate --oracle olh --epsilon 1 --n 10 --epsilon 2 x");
    demand_failure(2, "option --threads: expected it once", "ldpbench run -j 1 x.json --threads 2");
    run_well("ldpbench run configs/smoke.json --dry-run --quiet --quiet");
}

Test(input, whole_numbers_are_exact)
{
    demand_failure(2, "--n: expected an integer from 1 to 9007199254740992, got \"9007199254740993\"",
                   "ldpbench estimate --oracle olh --epsilon 1 --n 9007199254740993 x");
    demand_failure(2, "got \"9007199254740992.5\"",
                   "ldpbench estimate --oracle olh --epsilon 1 --n 9007199254740992.5 x");
    demand_failure(2, "got \"9.007199254740993e15\"",
                   "ldpbench advise --supports olh --epsilon 1 --n 9.007199254740993e15 x");
    run_well("printf 'a\\t1\\nb\\t1\\n' | ldpbench estimate --oracle olh --epsilon 1 --n 9007199254740992 --method "
             "base -");
}

FolderTest(input, compressed_files)
{
    static const struct {
        const char *make, *fragment; /* NULL: it is read */
    } cases[] = {
        {"gzip -c a > f.gz", NULL},
        {"{ gzip -c a; gzip -c b; } > f.gz", NULL}, /* members one after the other, as gzip has it */
        {"{ gzip -c a; echo more; } > f.gz", "f.gz: expected the end of the file after the gzip data, got more bytes"},
        {"{ gzip -c a; printf '\\037'; } > f.gz", "got more bytes"},
        {"{ gzip -c a; printf '\\037\\213'; } > f.gz", "truncated"},
        {"{ gzip -c a; gzip -c b | head -c 12; } > f.gz", "truncated"},
        {"gzip -c a | head -c 2 > f.gz", "truncated"},
        {"gzip -c a | head -c 20 > f.gz", "truncated"},
        {"{ gzip -c a | head -c 12; printf '\\377\\377\\377\\377\\377\\377'; } > f.gz",
         "f.gz: expected a valid gzip file"},
    };

    write_text(folder, "a", "x\t5\ny\t3\n");
    write_text(folder, "b", "z\t2\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_in(folder, "%s", cases[i].make);
        char command[2 * PATH_ROOM];
        snprintf(command, sizeof command, "cd %s && ldpbench list f.gz", folder);
        if (cases[i].fragment)
            demand_failure(2, cases[i].fragment, "%s", command);
        else
            run_well("%s", command);
    }
}

/* What is read is not kept: 256 MB of line ends, of which 256 kB are in the file. */
FolderTest(input, memory_does_not_follow_the_file, SLOW, .timeout = 600)
{
    run_in(folder, "head -c 134217728 /dev/zero | tr '\\0' '\\n' | gzip -1 > f.gz");
    demand_failure(2, "f.gz: expected at least 2 values, got 0", "cd %s && ldpbench list f.gz", folder);
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used); /* the largest of them, in kB */
    cr_expect_lt(used.ru_maxrss, 64 << 10, "%ld kB", used.ru_maxrss);
}

FolderTest(input, text_is_utf8)
{
    write_text(folder, "a.counts", "caf\xc3\xa9\t5\nth\xe9\t3\n");
    write_text(folder, "s.tsv", "caf\xff\t5\nthe\t3\n");
    write_text(folder, "c.categories", "a\tx\nb\ty\x80\n");
    write_text(folder, "good.counts", "caf\xc3\xa9\t5\n\xe2\x82\xac\t3\n");
    demand_failure(2, "a.counts:2: expected UTF-8 text, got the byte 0xe9", "cd %s && ldpbench list a.counts", folder);
    demand_failure(2, "s.tsv:1: expected UTF-8 text, got the byte 0xff",
                   "cd %s && ldpbench estimate --oracle grr --epsilon 1 --n 8 s.tsv", folder);
    demand_failure(2, "c.categories:2: expected UTF-8 text, got the byte 0x80",
                   "cd %s && printf 'a\\t4\\nb\\t4\\n' >p && ldpbench advise --oracle grr --epsilon 1 --query "
                   "fixed_sets=c.categories p",
                   folder);
    run_in(folder, "ldpbench list good.counts | grep -q 'caf\xc3\xa9 5'");
    /* The name of a file becomes the name of its dataset. */
    run_in(folder, "cp good.counts \"$(printf 'b\\377d.counts')\" && ldpbench list \"$(printf 'b\\377d.counts')\" | "
                   "grep -qx 'b_d'");
}

FolderTest(input, standard_input)
{
    write_text(folder, "s.tsv", "a\t40\nb\t60\n");
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 3,"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 10, \"n\": 100}], \"oracles\": [\"grr\"], \"epsilon\": 1,"
        " \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o a && ldpbench run - -o b < c.json && cmp a/mse.csv b/mse.csv");
    run_in(folder, "ldpbench estimate --oracle grr --epsilon 1 --n 100 s.tsv > a.txt && cat s.tsv | ldpbench "
                   "estimate --oracle grr --epsilon 1 --n 100 - > b.txt && cmp a.txt b.txt");
    run_in(folder, "gzip -c s.tsv | ldpbench list - | grep -Eq '^  n +100$'");
    demand_failure(2, "advise: expected a file that can be read again, got standard input",
                   "ldpbench advise --epsilon 1 - </dev/null");
    demand_failure(
        2,
        "standard input:1:1: expected a config in JSON (data are for ldpbench advise and init), got the end of the file",
        "ldpbench run - < /dev/null");
    demand_failure(2, "standard input: expected lines of text, got an empty file", "ldpbench list - < /dev/null");
    demand_failure(2, "standard input: expected a file, got a folder", "ldpbench list - < /");
}

/* A pipe that nobody writes to is waited for, and on a terminal that is said. */
FolderTest(input, pipes_are_waited_for, SLOW, .timeout = 600)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);

    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
        cr_skip("no terminals here");
    char slave[100];
    snprintf(slave, sizeof slave, "%s", ptsname(terminal));

    run_in(folder, "mkfifo p.counts");

    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        const char *const program = getenv("LDPBENCH");
        const int error = open(slave, O_RDWR | O_NOCTTY), nothing = open("/dev/null", O_RDWR);
        char self[PATH_ROOM];

        if (!realpath(program ? program : "build/release/ldpbench", self) || chdir(folder) != 0)
            _exit(126);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(error, STDERR_FILENO);
        execl(self, self, "list", "p.counts", (char *)NULL);
        _exit(127);
    }
    char text[1000] = "";
    size_t length = 0;
    while (length + 1 < sizeof text && !strchr(text, '\n')) {
        const ssize_t got = read(terminal, text + length, sizeof text - 1 - length);

        cr_assert_gt(got, 0);
        length += (size_t)got;
        text[length] = '\0';
    }
    cr_expect_not_null(strstr(text, "waiting for input from p.counts"), "%s", text);
    run_in(folder, "printf 'a\\t1\\nb\\t2\\n' > p.counts");
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
    close(terminal);
    /* Not on a terminal: in silence. */
    run_in(folder, "{ ldpbench list p.counts 2> err | grep -Eq '^  n +3$' & sleep 0.2; printf 'a\\t1\\nb\\t2\\n' > "
                   "p.counts; wait $!; } && ! [ -s err ]");
}

/* What libgomp would say by itself, before the program begins. */
Test(input, openmp_variables)
{
#ifdef __clang__
    skip_test("LLVM's OpenMP reads its variables when threads are first asked for, and complains itself");
#endif
    demand_failure(2, "OMP_NUM_THREADS: expected a value that OpenMP knows, a number of threads, got \"abc\"",
                   "OMP_NUM_THREADS=abc ldpbench list");
    demand_failure(2, "OMP_NUM_THREADS: expected", "OMP_NUM_THREADS=0 ldpbench --version");
    demand_failure(2, "OMP_SCHEDULE: expected a value that OpenMP knows, got \"quickly\"",
                   "OMP_SCHEDULE=quickly ldpbench list");
    run_well("OMP_NUM_THREADS=3 ldpbench list tasks 2>&1 | head -1 | grep -qx Tasks");
    run_well("[ -z \"$(ldpbench list tasks 2>&1 > /dev/null)\" ]");
}

/* What mpirun passes to the processes that it starts. */
Test(input, one_of_several_processes_speaks)
{
    run_well("[ -z \"$(OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 ldpbench list)\" ]");
    run_well("[ -z \"$(OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 ldpbench oops 2>&1)\" ]");
    run_well("OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 ldpbench list | grep -q olh");
}

/* A name that the user gave and that cannot be written is bad input, whichever command it is. */
FolderTest(input, bad_output_paths)
{
    static const char *const commands[] = {
        "ldpbench run c.json -o /dev/null/x",
        "ldpbench run c.json -o /proc/no/such",
        "ldpbench run c.json -o c.json",
        "ldpbench run c.json -o c.json/x",
        "ldpbench run c.json -o loop",
        "ldpbench run c.json -o $(head -c 300 /dev/zero | tr '\\0' x)",
        "ldpbench report a -o a --no-plots",
        "ldpbench report a -o no/such/file --no-plots",
        "ldpbench report a -o c.json/x --no-plots",
        "ldpbench report a -o '' --no-plots",
    };

    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 3,"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 10, \"n\": 100}], \"oracles\": [\"grr\"], \"epsilon\": 1,"
        " \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o a && ln -s loop loop");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        demand_failure(2, "ldpbench: ", "cd %s && %s", folder, commands[i]);
    }
    if (geteuid() != 0) {
        run_in(folder, "mkdir closed && chmod 555 closed");
        demand_failure(2, "closed", "cd %s && ldpbench run c.json -o closed", folder);
        demand_failure(2, "closed", "cd %s && ldpbench report a -o closed/r.html --no-plots", folder);
    }
    demand_failure(3, "/dev/full", "cd %s && ldpbench report a -o /dev/full --no-plots", folder);
}
