/* external.c - see external.h.
 *
 * What a method or an oracle outside the program computes is decided by its files, so its name in the store holds a
 * fingerprint of the command as it is written and of the bytes of every file that the command names. */
#include "config/external.h"

#include "dataset.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"
#include <cjson/cJSON.h>

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS_MAX = 100, FILE_MAX_BYTES = 1 << 28 };

static const struct ldp_param params[] = {
    {.name = "timeout",
     .kind = LDP_REAL,
     .fallback = 60,
     .min = 0.001,
     .max = 1e6,
     .help = "seconds after which a process that does not answer is killed; its first answer may take "
             "30 s even if this is less"},
    {.name = NULL},
};

#define ALGORITHM(id, words) .name = #id, .title = words, .source = "docs/compare.md", .params = params

static const char the_name[] = "external";

#define METHOD(id, words)                                                                                              \
    &(const struct ldp_method)                                                                                         \
    {                                                                                                                  \
        ALGORITHM(id, words), .guarantees = LDP_SUPPLIED                                                               \
    }

const struct ldp_method *const external_methods[] = {METHOD(external, "A command that answers over pipes"), NULL};

/* Its probabilities and variance are known once the process has answered. */
static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    protocol->p = 1;
    protocol->s1 = protocol->tf = NAN;
    return LDP_OK;
}

#define ORACLE(id, words)                                                                                              \
    &(const struct ldp_oracle)                                                                                         \
    {                                                                                                                  \
        ALGORITHM(id, words), .configure = configure                                                                   \
    }

const struct ldp_oracle *const external_oracles[] = {ORACLE(external, "A command that collects from users, over pipes"),
                                                     NULL};

/* ---- Keys ---- */

#define PLACE_WITH_WORDS(phrase) CONFIG_STORED(STORED_PLACE, struct json_at), .words = phrase
static const struct config_type config_command = {CONFIG_LIST_OF(&config_text), .repeats = true,
                                                  PLACE_WITH_WORDS("a list of texts")};
static const struct config_type config_files = {.form = FORM_LIST,
                                                .of = (const struct config_type *const[]){&config_text, NULL},
                                                .repeats = true,
                                                PLACE_WITH_WORDS("a list of texts")};
struct external_reading {
    struct json_at command, files;
};

static const struct config_key external_keys[] = {
    KEY("command",
        "the program and its arguments, which no shell reads; an argument that names a file next to the config is "
        "that file",
        "[\"python3\", \"mine.py\"]", .required = true, .type = &config_command,
        CONFIG_MEMBER(struct external_reading, command, struct json_at)),
    KEY("files",
        "further files that decide what the command computes: if one of them changes, results are computed again",
        "[\"helpers.py\"]", .type = &config_files, CONFIG_MEMBER(struct external_reading, files, struct json_at)),
    {.name = NULL},
};

const struct config_key *external_config_keys(const char *name)
{
    return strcmp(name, the_name) == 0 ? external_keys : NULL;
}

/* ---- Files ---- */

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* The path of the file that a word names; NULL where it names none. Malloc'd. */
static char *file_of(const char *word, const char *beside)
{
    struct failure ignored = NO_REASON;
    char *const path = dataset_find_file(word, beside, &ignored);

    if (path && is_file(path))
        return path;
    free(path);
    return NULL;
}

/* Writes the fingerprint of a file's bytes. */
static int write_fingerprint(struct buffer *out, const char *path, const struct json_at *at, struct failure *failure)
{
    const int in = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    int result = -1;

    if (in < 0 || fstat(in, &status) != 0 || status.st_size > FILE_MAX_BYTES) {
        json_fail(at, failure, "expected a file of at most %d MiB that can be read, got %s", FILE_MAX_BYTES >> 20,
                  SHOWN_PATH(path));
        goto out;
    }
    const size_t size = (size_t)status.st_size;
    char *const bytes = xcalloc(size, 1);
    if (read(in, bytes, size) == (ssize_t)size) {
        const struct ldp_fingerprint print = ldp_fingerprint(bytes, size);

        buffer_format(out, "%016" PRIx64 "%016" PRIx64 "\n", print.hi, print.lo);
        result = 0;
    } else {
        json_fail(at, failure, "%s cannot be read", SHOWN_PATH(path));
    }
    free(bytes);
out:
    if (in >= 0)
        close(in);
    return result;
}

/* ---- Reading ---- */

/* A command under construction; everything that decides its results goes into `about`. */
struct maker {
    struct external *external;
    size_t words;
    struct buffer about;
};

/* Takes over the word. */
static void add_word(struct maker *maker, char *word)
{
    assert(maker->words <= WORDS_MAX);
    maker->external->command[maker->words++] = word;
}

static int add_command(struct maker *maker, const struct json_at *list, struct failure *failure)
{
    struct json_at at;
    size_t count;

    if (json_list(list, "the words of a command", &at, &count, failure) != 0)
        return -1;
    if (count > WORDS_MAX - 1)
        return json_expected(list, failure, "at most %d words", WORDS_MAX - 1);
    for (size_t i = 0; i < count; i++, json_next(&at)) {
        const char *word;

        if (json_string(&at, &word, failure) != 0)
            return -1;
        if (i == 0 && !*word)
            return json_expected(&at, failure, "the name of a program");
        buffer_format(&maker->about, "word %s\n", word);
        /* The program itself is looked up on PATH where its name has no slash. */
        char *const path = *word && (i > 0 || strchr(word, '/')) ? file_of(word, json_name(&at)) : NULL;
        if (path && write_fingerprint(&maker->about, path, &at, failure) != 0) {
            free(path);
            return -1;
        }
        add_word(maker, path ? path : xstrdup(word));
    }
    return 0;
}

static int add_files(struct maker *maker, const struct json_at *list, struct failure *failure)
{
    struct json_at at;
    size_t count;

    if (json_list(list, "names of files", &at, &count, failure) != 0)
        return -1;
    for (size_t i = 0; i < count; i++, json_next(&at)) {
        const char *name;

        if (json_string(&at, &name, failure) != 0)
            return -1;
        char *const path = file_of(name, json_name(&at));
        if (!path)
            return json_expected(&at, failure, "a file");
        const int result = write_fingerprint(&maker->about, path, &at, failure);
        free(path);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* The command as typed in a shell. */
static char *show(char *const *command)
{
    struct buffer text = {0};

    for (size_t i = 0; command[i]; i++)
        buffer_format(&text, strpbrk(command[i], " \t\"'") ? "%s'%s'" : "%s%s", i > 0 ? " " : "", command[i]);
    return buffer_take(&text);
}

int external_read(const struct json_at *at, double timeout, struct external **out, struct failure *failure)
{
    struct external_reading reading = {0};
    struct maker maker = {.external = xcalloc(1, sizeof *maker.external)};

    *out = maker.external;
    maker.external->command = xcalloc(WORDS_MAX + 1, sizeof *maker.external->command);
    maker.external->timeout = timeout;
    if (config_read(at, external_keys, &reading, failure) != 0)
        return -1;
    int result = add_command(&maker, &reading.command, failure);
    if (result == 0 && reading.files.file)
        result = add_files(&maker, &reading.files, failure);
    if (result == 0) {
        const struct ldp_fingerprint print = ldp_fingerprint(maker.about.text, maker.about.length);
        maker.external->text = xformat("%s(%016" PRIx64 "%016" PRIx64 ")", the_name, print.hi, print.lo);
        maker.external->shown = show(maker.external->command);
    }
    buffer_clear(&maker.about);
    return result;
}

void external_free(struct external *external)
{
    if (!external)
        return;
    for (size_t i = 0; external->command && external->command[i]; i++)
        free(external->command[i]);
    free(external->command);
    free(external->shown);
    free(external->text);
    free(external);
}
