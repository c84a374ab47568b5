/* files.c - see files.h. */
#include "support/files.h"

#include "support/text.h"

#include <dirent.h>
#include <errno.h>
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
    return text_format(".%s.%s.", name, host);
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

/* Follows links, so that they are kept. *replaceable is false for a device or a pipe, which is written directly. */
static int resolve(struct whole_file *file, bool *replaceable, struct failure *failure)
{
    *replaceable = true;
    struct stat status;
    if (stat(file->path, &status) != 0)
        return 0; /* there is none yet */
    if (S_ISDIR(status.st_mode))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file, got a folder", SHOWN_PATH(file->path));
    *replaceable = S_ISREG(status.st_mode);

    char *const real = *replaceable ? realpath(file->path, NULL) : NULL;

    if (real) {
        free(file->path);
        file->path = real;
    }
    return 0;
}

/* The temporary file beside the file; NULL if out of memory. */
static char *temporary_beside(const char *path)
{
    const char *const slash = strrchr(path, '/'), *const name = slash ? slash + 1 : path;
    char *const folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    char *const prefix = temporary_prefix(name);
    char *const temporary = folder && prefix ? text_format("%s%s%ld.tmp", folder, prefix, (long)getpid()) : NULL;

    if (temporary)
        remove_left_behind(folder, prefix);
    free(prefix);
    free(folder);
    return temporary;
}

int whole_file_open(struct whole_file *file, const char *folder, const char *name, struct failure *failure)
{
    memset(file, 0, sizeof *file);
    file->path = text_format("%s/%s", folder, name);
    bool replaceable = false;
    if (file->path && resolve(file, &replaceable, failure) != 0) {
        whole_file_abandon(file);
        return -1;
    }
    if (replaceable)
        file->temporary = temporary_beside(file->path);
    if (!file->path || (replaceable && !file->temporary)) {
        whole_file_abandon(file);
        return fail_memory(failure);
    }
    file->stream = fopen(replaceable ? file->temporary : file->path, "w");
    if (!file->stream) {
        fail(failure, failure_status(errno), "%s: cannot be written: %s", SHOWN_PATH(file->path), strerror(errno));
        whole_file_abandon(file);
        return -1;
    }
    return 0;
}

int whole_file_open_path(struct whole_file *file, const char *path, struct failure *failure)
{
    const char *const slash = strrchr(path, '/');
    const size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    char *const folder = slash ? strndup(path, length) : strdup(".");
    const int result = folder ? whole_file_open(file, folder, slash ? slash + 1 : path, failure) : fail_memory(failure);

    free(folder);
    return result;
}

int whole_file_close(struct whole_file *file, struct failure *failure)
{
    FILE *const stream = file->stream;
    bool written = !ferror(stream) && fflush(stream) == 0 && (!file->temporary || fsync(fileno(stream)) == 0);
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

int make_folder(const char *path, struct failure *failure)
{
    char *const copy = strdup(path);

    if (!copy)
        return fail_memory(failure);
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
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder, got a file of that name", SHOWN_PATH(path));
    return 0;
}

char *file_text(const char *path)
{
    FILE *const in = fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;

    if (in && getdelim(&text, &room, '\0', in) < 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}
