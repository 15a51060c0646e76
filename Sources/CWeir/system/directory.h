/* directory.h: reads the entries of an open directory. */
#pragma once

#include "base/internal.h"

#include <fcntl.h>

/* A flag of open(2): opens a file without access to its contents, as a starting
   point of relative paths, or for its status. Needs no read permission. */
#define WEIR_OPEN_REFERENCE O_PATH

/* The size of a reader's buffer: about what one system call fills. */
#define WEIR_DIRECTORY_BUFFER ((size_t)32768)

/* Reads an open directory from its beginning. The caller sets `descriptor` and
   `buffer` (of WEIR_DIRECTORY_BUFFER bytes, aligned as malloc does), and zeroes
   the rest. */
struct weir__directory {
    int descriptor;
    char *buffer;
    size_t used;
    size_t next;
    int error; /* after the last entry: 0, or the errno value that ended it */
};

struct weir__directory_entry {
    const char *name; /* ends in NUL; valid until the next call */
    uint64_t inode;
    unsigned char type; /* a DT_ constant of <dirent.h> */
};

/* Reads the next entry other than "." and "..". Returns false at the end of the
   directory, or if reading failed. */
WEIR_HIDDEN bool weir__directory_next(struct weir__directory *directory,
                                      struct weir__directory_entry *entry);
