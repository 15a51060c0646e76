/*
 * strides: the least that reading one big file with several threads can cost.
 *
 *     strides [--threads N] [--buffer BYTES] FILE
 *
 * Each thread takes the next 4 MiB of the file and reads them, piece by piece,
 * into a buffer of its own, until there are no more. Prints how many bytes
 * there were.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRIDE ((off_t)4 << 20)

static int file;
static size_t buffer_size = 262144;
static _Atomic off_t next;
static _Atomic long long total;

static void *work(void *unused) {
    char *buffer = NULL;
    if (posix_memalign((void **)&buffer, 4096, buffer_size) != 0) {
        exit(2);
    }
    off_t begin;
    do {
        begin = atomic_fetch_add(&next, STRIDE);
        for (off_t at = begin; at < begin + STRIDE;) {
            off_t left = begin + STRIDE - at;
            size_t size =
                (size_t)left < buffer_size ? (size_t)left : buffer_size;
            ssize_t got = pread(file, buffer, size, at);
            if (got <= 0) {
                free(buffer);
                return unused;
            }
            at += got;
            atomic_fetch_add(&total, got);
        }
    } while (1);
}

int main(int argc, char **argv) {
    int threads = 1;
    for (; argc > 3; argc -= 2, argv += 2) {
        if (strcmp(argv[1], "--threads") == 0) {
            threads = atoi(argv[2]);
        } else if (strcmp(argv[1], "--buffer") == 0) {
            buffer_size = (size_t)atol(argv[2]);
        }
    }
    file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0 || threads < 1 || threads > 200 || buffer_size < 1) {
        fprintf(stderr, "usage: strides [--threads N] [--buffer BYTES] FILE\n");
        return 2;
    }
    pthread_t others[200];
    for (int i = 1; i < threads; i++) {
        pthread_create(&others[i], NULL, work, NULL);
    }
    work(NULL);
    for (int i = 1; i < threads; i++) {
        pthread_join(others[i], NULL);
    }
    printf("%lld\n", (long long)total);
    return 0;
}
