/* fuzz_folders.c - a good result folder in which files are edited: the first byte of input names the command, of every
 * five after it one names the file, one the edit, two the place, and one is what is put there or how much is taken
 * away. plot, report and check refuse the folder as bad input, or read it. */
#include "file.h"

#include "commands/commands.h"

#include <getopt.h>
#include <stdarg.h>

#include <string.h>
#include <sys/stat.h>

static const char config[] =
    "{\"name\": \"t\", \"repetitions\": 3, \"epsilon\": [1, 2], \"oracles\": [\"grr\", \"olh\"], \"datasets\":"
    " [{\"type\": \"zipf\", \"d\": [4, 8], \"n\": 90, \"s\": 1}], \"methods\": [\"base\", \"norm_sub\"],"
    " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [1, 2]},"
    " {\"type\": \"heavy_hitters\", \"threshold\": 0.2, \"scale\": \"fraction\"}],"
    " \"outputs\": [\"mse\", \"values\", \"noise\", \"oracles\", \"expected\"]}";

static const char *const names[] = {"run.json",   "mse.csv",   "store.sqlite", "heavy_hitters.csv",
                                    "values.csv", "noise.csv", "oracles.csv",  "expected.csv"};

enum { FILES = sizeof names / sizeof *names, EDIT = 5, ROOM = 1 << 20 };

struct content {
    uint8_t *bytes;
    size_t size;
};

static struct content good[FILES];
static bool as_good[FILES]; /* what stands in the edited folder */
static char good_folder[100], folder[100];

static int call(const struct command *command, int argc, ...)
{
    va_list words;
    char *argv[8] = {(char *)(uintptr_t)command->name};

    va_start(words, argc);
    for (int i = 1; i < argc; i++)
        argv[i] = va_arg(words, char *);
    va_end(words);
    optind = 0;
    struct failure failure = NO_REASON;
    return command->run(argc, argv, &failure);
}

static void write_into(const char *where, const char *name, const uint8_t *bytes, size_t size)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", where, name);
    fuzz_write(path, bytes, size);
}

/* What the commands print goes nowhere; libFuzzer and the sanitizers have their own ways. */
static void make_good(void)
{
    char path[100];

    if (!(stdout = fopen("/dev/null", "w")) || !(stderr = fopen("/dev/null", "w")))
        abort();
    fuzz_write(fuzz_path("c.json", path), (const uint8_t *)config, strlen(config));
    fuzz_path("good", good_folder);
    fuzz_path("edited", folder);
    if (call(&command_run, 5, path, "-o", good_folder, "--quiet") != 0 || mkdir(folder, 0700) != 0)
        abort();
    for (size_t i = 0; i < FILES; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s/%s", good_folder, names[i]);
        FILE *const file = fopen(name, "rb");
        good[i].bytes = malloc(ROOM);
        good[i].size = file && good[i].bytes ? fread(good[i].bytes, 1, ROOM, file) : 0;
        if (good[i].size == 0 || good[i].size == ROOM)
            abort();
        fclose(file);
    }
}

/* Replaces a byte, inserts one, takes some away, doubles some, or ends the file. */
static void edit(struct content *file, const uint8_t *how)
{
    const size_t at = file->size > 0 ? (how[2] | (size_t)how[3] << 8) * 7 % file->size : 0, left = file->size - at;
    size_t length = how[4] < left ? how[4] : left;

    if (left == 0 || file->size + 256 > ROOM)
        return;
    switch (how[1] % 5) {
    case 0: file->bytes[at] = how[4]; break;
    case 1:
        memmove(file->bytes + at + 1, file->bytes + at, left);
        file->bytes[at] = how[4];
        file->size++;
        break;
    case 2:
        memmove(file->bytes + at, file->bytes + at + length, left - length);
        file->size -= length;
        break;
    case 3:
        memmove(file->bytes + at + length, file->bytes + at, left);
        file->size += length;
        break;
    default: file->size = at; break;
    }
}

static void ask(unsigned which)
{
    static const char *const left_over[] = {"store.sqlite-wal", "store.sqlite-shm", "store.sqlite-journal"};
    char page[100], path[200];

    for (size_t i = 0; i < sizeof left_over / sizeof *left_over; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, left_over[i]);
        remove(path);
    }
    fuzz_path("page.html", page);
    int status = 0;
    switch (which % 4) {
    case 0: status = call(&command_plot, 4, folder, "--format", "tsv"); break;
    case 1: status = call(&command_report, 5, folder, "-o", page, "--no-plots"); break;
    case 2: status = call(&command_check, 3, folder, folder); break;
    default: status = call(&command_check, 3, good_folder, folder); break;
    }
    if (status > 2)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!good[0].bytes)
        make_good();
    for (size_t i = 0; i < FILES; i++) {
        static uint8_t room[ROOM];
        struct content file = {room, good[i].size};
        bool edited = false;

        memcpy(file.bytes, good[i].bytes, file.size);
        for (size_t at = 1; at + EDIT <= size; at += EDIT)
            if (bytes[at] % FILES == i) {
                edit(&file, bytes + at);
                edited = true;
            }
        if (edited || !as_good[i])
            write_into(folder, names[i], file.bytes, file.size);
        as_good[i] = !edited && i > 0; /* plot writes run.json */
    }
    ask(size > 0 ? bytes[0] : 0);
    return 0;
}
