/* storage PATH: describes the storage of a path, and how many files to
   read there at once. */
#define _POSIX_C_SOURCE 200809L /* for O_CLOEXEC */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <weir.h>

int main(int argc, char **argv) {
    weir_storage_t storage;
    const char *path = argc > 1 ? argv[1] : ".";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        perror(path);
        return 1;
    }
    int error = weir_storage_of(fd, &storage, sizeof storage);
    close(fd);
    if (error) {
        fprintf(stderr, "%s: %s\n", path, strerror(error));
        return 1;
    }
    printf("%s: %s, %zu readers (%s)\n", path, storage.file_system,
           storage.readers, storage.evidence);
    return fflush(stdout) ? 1 : 0;
}
