/* files.h - files that are written whole, and folders. */
#ifndef LDPBENCH_FILES_H
#define LDPBENCH_FILES_H

#include "support/failure.h"

#include <dirent.h>
#include <sha2.h>
#include <stdbool.h>
#include <stdio.h>

/* A file that appears under its name complete or not at all: written under a temporary name beside it, then renamed.
 * One that the user names is synced before; those of a folder can be made again from its store, which is synced.
 * Temporary files of the same name that a killed process of this host left are removed. */
struct whole_file {
    FILE *stream;
    char *path, *temporary;
    bool synced;
};

/* A file of a folder that the program keeps: replaces the entry itself, never what a link leads to (a replaced link is
 * reported on standard error). Anything but a regular file or a link is refused. */
int whole_file_open(struct whole_file *file, const char *folder, const char *name, struct failure *failure);

/* A file that the user names, "-" for standard output: links are followed and kept, devices and pipes are written
 * directly. */
int whole_file_open_path(struct whole_file *file, const char *path, struct failure *failure);

/* Puts the file in its place; -1 with the failure set (and the temporary file gone) if any write to it failed. */
int whole_file_close(struct whole_file *file, struct failure *failure);

/* Discards an unfinished file; does nothing after whole_file_close. */
void whole_file_abandon(struct whole_file *file);

/* Opens an entry of a result folder to read, for folders may come from strangers: links and anything but regular files
 * are refused (exit status 2). Returns the descriptor, or -1. */
int open_regular(const char *path, struct failure *failure);

/* Fails like it if there is something else under that name; 0 if there is nothing. */
int check_regular(const char *path, struct failure *failure);

/* realpath and scandir, which fail for all reasons but lack of memory. */
char *real_path(const char *path);
int scan_folder(const char *path, struct dirent ***entry, int (*is_requested)(const struct dirent *entry),
                int (*order)(const struct dirent **a, const struct dirent **b));

/* Whether a folder has an entry of that name, a folder the entry ".". */
bool folder_has(const char *folder, const char *name);

/* Whether two paths lead to the same file or folder. */
bool same_path(const char *a, const char *b);

/* The absolute path of a file as it reads from the folder of another file, that page, which need not be there. Both
 * without links. Malloc'd. */
char *relative_path(const char *path, const char *page);

/* Makes a folder and those above it; existing ones are fine. */
int make_folder(const char *path, struct failure *failure);

/* The fingerprint of a file in run.json and in pictures, as sha256sum has it, 64 hexadecimal digits; -1 with errno set,
 * and text "", if it cannot be read. */
enum { SHA256_TEXT = SHA256_DIGEST_STRING_LENGTH };
int sha256_file(const char *path, char text[SHA256_TEXT]);

#endif
