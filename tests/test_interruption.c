/* Signals: a run ends within a second whatever its units do, keeps what was finished, and its children end with it,
 * however it ends. Limits of time are several times what is promised, for machines that are busy. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

/* Waits until a process of this one has ended, or some seconds have passed; its status, or -1. */
static int wait_a_little(pid_t pid, int seconds)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    for (int i = 0, status; i < 100 * seconds; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return status;
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return -1;
}

/* A repetition takes minutes. */
static void write_long_config(const char *folder)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 50, \"epsilon\": 1, \"simulation\": \"reports\",\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 65536, \"n\": 5000000, \"s\": 1}],\n"
               " \"oracles\": [\"oue\"], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n");
}

FolderTest(interruption, a_long_unit_does_not_hold_up_a_signal, SLOW)
{
    static const char *const signals[] = {"INT", "TERM", "HUP"};

    write_long_config(folder);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        run_in(folder,
               "{ timeout --foreground -k 5 -s %s 0.7 \"$LDPBENCH\" run c.json -o out --quiet 2>said; "
               "[ $? = 124 ]; } && grep -qx 'ldpbench: c: interrupted; the same command continues from the 0 of 50 "
               "repetitions kept in out' said",
               signals[i]);
}

/* Repetitions of the first dataset are kept when one of the second holds up the end. */
FolderTest(interruption, what_was_finished_is_kept, SLOW)
{
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 2, \"epsilon\": 1, \"simulation\": \"reports\",\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 100, \"s\": 1},\n"
               "              {\"type\": \"zipf\", \"d\": 65536, \"n\": 5000000, \"s\": 1}],\n"
               " \"oracles\": [\"oue\"], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n");
    run_in(folder, "{ timeout --foreground -k 5 -s TERM 0.7 \"$LDPBENCH\" run c.json -o out -j3 --quiet 2>said; "
                   "[ $? = 124 ]; } && grep -qx 'ldpbench: c: interrupted; the same command continues from the 2 of 4 "
                   "repetitions kept in out' said");
}

/* The folder of advice that is not kept goes, however the program ends. */
FolderTest(interruption, advice_leaves_nothing, SLOW)
{
    static const char *const signals[] = {"INT", "TERM", "HUP", "KILL"};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        run_in(
            folder,
            "mkdir -p t; TMPDIR=t timeout --foreground -k 5 -s %s 0.4 \"$LDPBENCH\" advise "
            "'zipf(s=1,d=20000,n=1e6)' --trials 2000 --epsilon 1 2>said; [ $? -ge 124 ] && ! grep -q 'kept in' said && "
            "for i in $(seq 50); do [ \"$(ls t)\" ] || exit 0; sleep 0.1; done; exit 1",
            signals[i]);
}

/* Writes a config whose oracle notes its process in FOLDER/pids and never answers. */
static void write_sleeper(const char *folder, const char *script)
{
    char text[3 * PATH_ROOM];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 1, \"epsilon\": 1, \"methods\": [\"base\"],\n"
             " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 100, \"s\": 1}], \"queries\": [\"full_domain\"],\n"
             " \"oracles\": [{\"name\": \"external\", \"command\": [\"sh\", \"-c\", \"cd %s; %s\"]}]}\n",
             folder, script);
    write_text(folder, "c.json", text);
    write_text(folder, "pids", "");
}

/* Starts the run, waits for the processes, sends a signal, and demands that all are gone. */
static void demand_end(const char *folder, int number, int processes)
{
    char config[PATH_ROOM + 16], out[PATH_ROOM + 16];

    snprintf(config, sizeof config, "%s/c.json", folder);
    snprintf(out, sizeof out, "%s/out", folder);
    const char *const words[] = {"run", config, "-o", out, "--allow-external", "--fresh", NULL};
    const pid_t pid = start_program(words);
    run_in(folder, "for i in $(seq 500); do [ $(wc -l <pids) -lt %d ] || exit 0; sleep 0.02; done; exit 1", processes);
    kill(pid, number);
    const int status = wait_a_little(pid, 5);
    cr_assert(status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == number, "signal %d: status %d", number,
              status);
    run_in(folder,
           "for pid in $(cat pids); do for i in $(seq 100); do "
           "kill -0 $pid 2>/dev/null && ! grep -q '^State:.Z' /proc/$pid/status || continue 2; sleep 0.02; done; "
           "kill -9 $pid; exit 1; done");
}

FolderTest(interruption, an_answer_that_never_comes_does_not_hold_up_a_signal, SLOW)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        write_sleeper(folder, "sleep 100 & echo $! >>pids; echo $$ >>pids; wait");
        demand_end(folder, signals[i], 2);
    }
}

FolderTest(interruption, a_child_does_not_outlive_the_program)
{
#ifdef __linux__
    static const int signals[] = {SIGQUIT, SIGABRT, SIGKILL};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        write_sleeper(folder, "echo $$ >>pids; exec sleep 100");
        demand_end(folder, signals[i], 1);
    }
#else
    skip_test("a parent-death signal is Linux's");
#endif
}

/* A short run waits for the disk in one transaction, and a run with nothing to do not at all. */
FolderTest(interruption, syncs)
{
    static const char count[] = "cd %s && strace -f -o calls -e trace=fsync,fdatasync %s run c.json -o r --quiet; "
                                "grep -c sync calls";

    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 1, \"epsilon\": 1, \"oracles\": [\"olh\"], \"methods\": "
        "[\"base\"], \"queries\": [{\"type\": \"full_domain\"}], \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
        "\"d\": 100, \"n\": 10000}]}");
    struct outcome able = shell_in(folder, "strace -o calls true");
    if (able.status != 0)
        skip_test("strace cannot be used here");
    outcome_free(&able);
    struct outcome first = run_shell(count, folder, program()), again = run_shell(count, folder, program());
    cr_expect_leq(atoi(first.out), 2, "%s", first.out); /* the store and its entry in the folder */
    cr_expect_gt(atoi(first.out), 0, "%s", first.out);
    cr_expect_eq(atoi(again.out), 0, "%s", again.out);
    outcome_free(&first);
    outcome_free(&again);
}
