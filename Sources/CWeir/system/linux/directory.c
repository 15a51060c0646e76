/*
 * directory.c: reads the entries of an open directory.
 *
 * DESIGN. getdents64 directly: readdir needs an allocation and an fstat for
 * each directory, and would take over the descriptor.
 */
#include "system/directory.h"

#if WEIR_SYSTEM_LINUX

#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's record, which no header declares. */
struct record {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void weir__directory_begin(struct weir__directory *directory, int descriptor,
                           char *buffer) {
    *directory =
        (struct weir__directory){.descriptor = descriptor, .buffer = buffer};
}

void weir__directory_end(struct weir__directory *directory) {
    close(directory->descriptor);
}

static bool refill(struct weir__directory *directory) {
    long got;
    do {
        got = syscall(SYS_getdents64, directory->descriptor, directory->buffer,
                      WEIR_DIRECTORY_BUFFER);
    } while (got < 0 && errno == EINTR);
    directory->error = got < 0 ? errno : 0;
    directory->next = 0;
    directory->used = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static bool is_dot(const char *name) {
    return name[0] == '.' &&
           (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

bool weir__directory_next(struct weir__directory *directory,
                          struct weir__directory_entry *entry) {
    const struct record *record;
    do {
        if (directory->next == directory->used && !refill(directory)) {
            return false;
        }
        record = (const void *)(directory->buffer + directory->next);
        directory->next += record->length;
    } while (is_dot(record->name));
    *entry = (struct weir__directory_entry){
        .name = record->name, .inode = record->inode, .type = record->type};
    return true;
}

#endif
