/* sha256.c - see sha256.h. SHA256File would wait for the writer of a pipe. */
#include "support/sha256.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

int sha256_file(const char *path, char text[SHA256_TEXT])
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;
    const bool regular = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    unsigned char piece[1 << 13];
    SHA2_CTX sha;
    ssize_t size = -1;

    *text = '\0';
    SHA256Init(&sha);
    while (regular && (size = read(descriptor, piece, sizeof piece)) > 0)
        SHA256Update(&sha, piece, (size_t)size);
    if (descriptor >= 0)
        close(descriptor);
    if (size != 0)
        return -1;
    SHA256End(&sha, text);
    return 0;
}
