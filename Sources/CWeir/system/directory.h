/* directory.h: reads the entries of an open directory. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

#include <fcntl.h>

/* A flag of open(2) for a directory as a starting point of relative paths. */
#if WEIR_SYSTEM_LINUX
#define WEIR_OPEN_REFERENCE O_PATH
#elif defined(O_SEARCH) && !defined(WEIR_POSIX)
#define WEIR_OPEN_REFERENCE O_SEARCH
#else
#define WEIR_OPEN_REFERENCE O_RDONLY
#endif

/* The size of a reader's buffer: about what one system call fills. */
#define WEIR_DIRECTORY_BUFFER ((size_t)32768)

/* A reader of a directory. */
struct weir__directory {
    int descriptor; /* valid between the two calls below */
    char *buffer;
    size_t used;
    size_t next;
    void *stream; /* of the C library, where that reads directories */
    int error; /* after the last entry: 0, or the errno value that ended it */
};

/* Begins to read an open directory, which the reader takes over. */
WEIR_HIDDEN void weir__directory_begin(struct weir__directory *directory,
                                       int descriptor, char *buffer);

/* Closes the descriptor. */
WEIR_HIDDEN void weir__directory_end(struct weir__directory *directory);

struct weir__directory_entry {
    const char *name; /* ends in NUL; valid until the next call */
    uint64_t inode;
    unsigned char type; /* a DT_ constant of <dirent.h> */
};

/* Reads the next entry but "." and "..". False at the end or an error. */
WEIR_HIDDEN bool weir__directory_next(struct weir__directory *directory,
                                      struct weir__directory_entry *entry);
