/* files.c - see files.h. */
#include "support/files.h"

#include "support/memory.h"
#include "support/text.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processes are distinguished by host and number: folders are shared between hosts. */
static char *temporary_prefix(const char *name)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    return xformat(".%s.%s.", name, host);
}

/* Whether a file's name is prefix NUMBER ".tmp" of a process that is gone. */
static bool is_left_behind(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    const char *const digits = name + length;

    if (strncmp(name, prefix, length) != 0)
        return false;
    const char *const end = digits + strspn(digits, "0123456789");
    if (end == digits || end - digits > 18 || strcmp(end, ".tmp") != 0)
        return false;
    const long process = strtol(digits, NULL, 10);
    return process > 0 && (pid_t)process == process && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

/* Removes the temporary files of killed processes of this host. One that cannot be removed does no harm. */
static void remove_left_behind(const char *folder, const char *prefix)
{
    DIR *const directory = opendir(folder);

    if (!directory)
        return;
    struct dirent *entry;
    while ((entry = readdir(directory)) != NULL)
        if (is_left_behind(entry->d_name, prefix))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

/* The kind of an entry that is not a regular file, for messages. */
static const char *entry_kind(mode_t mode)
{
    return S_ISLNK(mode)                    ? "a link"
           : S_ISDIR(mode)                  ? "a folder"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "something else";
}

static int fail_entry(const char *path, mode_t mode, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a file, got %s", SHOWN_PATH(path), entry_kind(mode));
}

/* ---- Reading entries of result folders ---- */

/* O_NONBLOCK: opening a pipe would wait for its writer. */
int open_regular(const char *path, struct failure *failure)
{
    const int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (descriptor < 0) {
        const int error = errno;

        if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode))
            return fail_entry(path, status.st_mode, failure);
        return error == ENOENT
                   ? fail(failure, EXIT_BAD_INPUT, "%s: no such file", SHOWN_PATH(path))
                   : fail(failure, failure_status(error), "%s: cannot be read: %s", SHOWN_PATH(path), strerror(error));
    }
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        return descriptor;
    close(descriptor);
    return fail_entry(path, status.st_mode, failure);
}

int check_regular(const char *path, struct failure *failure)
{
    struct stat status;

    return lstat(path, &status) != 0 || S_ISREG(status.st_mode) ? 0 : fail_entry(path, status.st_mode, failure);
}

/* ---- Writing whole files ---- */

/* The temporary file beside the file. */
static char *temporary_beside(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    char *const folder = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup("./");
    char *const prefix = temporary_prefix(name);
    char *const temporary = xformat("%s%s%ld.tmp", folder, prefix, (long)getpid());

    remove_left_behind(folder, prefix);
    free(prefix);
    free(folder);
    return temporary;
}

/* A new file: whatever has its name is removed, so that nobody's link is followed. */
static FILE *create_new(const char *path)
{
    unlink(path);

    const int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *const stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

    if (descriptor >= 0 && !stream)
        close(descriptor);
    return stream;
}

/* Takes over the path. */
static int open_path(struct whole_file *file, char *path, bool replaceable, struct failure *failure)
{
    *file = (struct whole_file){.path = path, .temporary = replaceable ? temporary_beside(path) : NULL};
    file->stream = replaceable ? create_new(file->temporary) : fopen(file->path, "w");
    if (file->stream)
        return 0;
    fail(failure, failure_status(errno), "%s: cannot be written: %s", SHOWN_PATH(file->path), strerror(errno));
    whole_file_abandon(file);
    return -1;
}

int whole_file_open(struct whole_file *file, const char *folder, const char *name, struct failure *failure)
{
    char *const path = xformat("%s/%s", folder, name);
    struct stat status;

    *file = (struct whole_file){0};
    if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
        print_message("ldpbench: %s was a link; it is replaced by a file, and what it led to is left as it was\n",
                      SHOWN_PATH(path));
    } else if (lstat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        fail_entry(path, status.st_mode, failure);
        free(path);
        return -1;
    }
    return open_path(file, path, true, failure);
}

static int open_standard(struct whole_file *file, struct failure *failure)
{
    const int descriptor = dup(STDOUT_FILENO);

    *file = (struct whole_file){.path = xstrdup("standard output"),
                                .stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL};
    if (file->stream)
        return 0;
    fail(failure, EXIT_MACHINE, "standard output: cannot be written: %s", strerror(errno));
    whole_file_abandon(file);
    return -1;
}

int whole_file_open_path(struct whole_file *file, const char *path, struct failure *failure)
{
    struct stat status;

    if (strcmp(path, "-") == 0)
        return open_standard(file, failure);
    const bool exists = stat(path, &status) == 0;
    *file = (struct whole_file){0};
    if (exists && S_ISDIR(status.st_mode))
        return fail_entry(path, status.st_mode, failure);
    const bool replaceable = !exists || S_ISREG(status.st_mode);
    char *const real = exists && replaceable ? real_path(path) : NULL;
    const int result = open_path(file, real ? real : xstrdup(path), replaceable, failure);

    file->synced = result == 0 && replaceable;
    return result;
}

int whole_file_close(struct whole_file *file, struct failure *failure)
{
    FILE *const stream = file->stream;
    bool written = !ferror(stream) && fflush(stream) == 0 && (!file->synced || fsync(fileno(stream)) == 0);
    int cause = errno;

    file->stream = NULL;
    if (fclose(stream) != 0 && written) {
        written = false;
        cause = errno;
    }
    if (written && file->temporary && rename(file->temporary, file->path) != 0) {
        written = false;
        cause = errno;
    }
    if (!written) {
        fail(failure, failure_status(cause), "%s: cannot be written: %s", SHOWN_PATH(file->path), strerror(cause));
        if (file->temporary)
            unlink(file->temporary);
    }
    whole_file_abandon(file);
    return written ? 0 : -1;
}

void whole_file_abandon(struct whole_file *file)
{
    if (file->stream) {
        fclose(file->stream);
        if (file->temporary)
            unlink(file->temporary);
    }
    free(file->path);
    free(file->temporary);
    memset(file, 0, sizeof *file);
}

bool same_path(const char *a, const char *b)
{
    struct stat of_a, of_b;

    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

char *relative_path(const char *path, const char *page)
{
    char *const copy = xstrdup(page), *const folder = real_path(dirname(copy));
    size_t shared = 0;
    struct buffer text = {0};

    for (size_t i = 0; folder && folder[i] && folder[i] == path[i]; i++)
        shared = path[i + 1] == '/' && (folder[i + 1] == '/' || !folder[i + 1]) ? i + 1 : shared;
    for (const char *c = folder ? folder + shared : ""; *c; c++)
        if (*c == '/' && c[1])
            buffer_add(&text, "../");
    buffer_add(&text, folder ? path + shared + 1 : path);
    free(folder);
    free(copy);
    return buffer_take(&text);
}

bool folder_has(const char *folder, const char *name)
{
    char *const path = xformat("%s/%s", folder, name);
    const bool there = access(path, F_OK) == 0;

    free(path);
    return there;
}

int make_folder(const char *path, struct failure *failure)
{
    char *const copy = xstrdup(path);

    for (char *slash = strchr(copy + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(copy, 0777) != 0 && errno != EEXIST) {
            fail(failure, failure_status(errno), "%s: cannot make the folder: %s", SHOWN_PATH(copy), strerror(errno));
            free(copy);
            return -1;
        }
        if (!slash)
            break;
        *slash = '/';
    }
    free(copy);
    if (!folder_has(path, "."))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder, got a file of that name", SHOWN_PATH(path));
    return 0;
}

char *real_path(const char *path)
{
    char *const real = realpath(path, NULL);

    if (!real && errno == ENOMEM)
        out_of_memory();
    return real;
}

int scan_folder(const char *path, struct dirent ***entry, int (*is_requested)(const struct dirent *entry),
                int (*order)(const struct dirent **a, const struct dirent **b))
{
    const int count = scandir(path, entry, is_requested, order);

    if (count < 0 && errno == ENOMEM)
        out_of_memory();
    return count;
}

/* SHA256File alone would wait for the writer of a pipe. */
int sha256_file(const char *path, char text[SHA256_TEXT])
{
    struct stat status;

    *text = '\0';
    errno = EINVAL;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && SHA256File(path, text) ? 0 : -1;
}
