/*
 * counts.c: counts the allocations and the locks of a program, whose LD_PRELOAD
 * it is. Writes both numbers to the file "counts" of the working directory when
 * the program ends.
 *
 * The functions take the places of libc's and call them by their second names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
int __pthread_mutex_lock(pthread_mutex_t *);

static _Atomic long allocations, locks;

void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}

int pthread_mutex_lock(pthread_mutex_t *lock) {
    locks++;
    return __pthread_mutex_lock(lock);
}

__attribute__((destructor)) static void write_counts(void) {
    FILE *file = fopen("counts", "we");
    if (file) {
        fprintf(file, "%ld %ld\n", allocations, locks);
        fclose(file);
    }
}
