/* posix_directory.c: reads the entries of an open directory by readdir(3). */
#include "system/directory.h"

#if !WEIR_SYSTEM_LINUX

#include <dirent.h>
#include <unistd.h>

void weir__directory_begin(struct weir__directory *directory, int descriptor,
                           char *buffer) {
    *directory = (struct weir__directory){.descriptor = descriptor,
                                          .buffer = buffer,
                                          .stream = fdopendir(descriptor)};
    directory->error = directory->stream ? 0 : errno;
}

void weir__directory_end(struct weir__directory *directory) {
    if (directory->stream) {
        closedir(directory->stream);
    } else {
        close(directory->descriptor);
    }
}

static bool is_dot(const char *name) {
    return name[0] == '.' &&
           (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

bool weir__directory_next(struct weir__directory *directory,
                          struct weir__directory_entry *entry) {
    const struct dirent *found = NULL;
    while (directory->stream) {
        errno = 0;
        found = readdir(directory->stream);
        if (found ? !is_dot(found->d_name) : errno != EINTR) {
            directory->error = found ? 0 : errno;
            break;
        }
    }
    if (found) {
        *entry = (struct weir__directory_entry){.name = found->d_name,
                                                .inode = found->d_ino,
                                                .type = found->d_type};
    }
    return found != NULL;
}

#endif
