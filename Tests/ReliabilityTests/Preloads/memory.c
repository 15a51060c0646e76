/*
 * memory.c: the allocator, pthreads and dispatch objects for calls.c: calls
 * that fail, and the memory that the library under test has.
 *
 * Memory counts as the library's if its code called the allocator, or a function
 * of libc that returns memory (strdup, getline, realpath), or made a dispatch
 * object. It is known by its address, so that it does not matter who frees it.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

#define REAL(name) ((__typeof__(&name))real(#name))

/* Not for what an allocator may call: dlsym allocates. */
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

/* ---- memory alive --------------------------------------------------------- */

#define BUCKETS 16384
#define NODES 262144

struct node {
    struct node *next;
    void *memory;
    const void *site;
    size_t size;
};

static struct node nodes[NODES], *unused, *buckets[BUCKETS];
static size_t nodes_made;
static bool is_locked;

static void lock(void) {
    while (__atomic_exchange_n(&is_locked, true, __ATOMIC_ACQUIRE)) {
    }
}

static void unlock(void) {
    __atomic_store_n(&is_locked, false, __ATOMIC_RELEASE);
}

static struct node **bucket_of(const void *memory) {
    return &buckets[((uintptr_t)memory >> 4) * 2654435761u % BUCKETS];
}

static void *track_any(void *memory, size_t size, const void *site) {
    if (!memory) {
        return memory;
    }
    lock();
    struct node *node = unused;
    if (node) {
        unused = node->next;
    } else if (nodes_made < NODES) {
        node = &nodes[nodes_made++];
    }
    if (node) {
        struct node **bucket = bucket_of(memory);
        *node = (struct node){*bucket, memory, site, size};
        *bucket = node;
        fault_plan.blocks_alive++;
    }
    unlock();
    return memory;
}

void *fault_track(void *memory, size_t size, const void *site) {
    return fault_is_of_library(site) ? track_any(memory, size, site) : memory;
}

/* The program's own objects tell whether the library releases them. */
static void *track_object(void *object, const void *site) {
    bool is_counted = fault_is_of_library(site) ||
                      (&fault_plan && fault_is_from(fault_plan.program, site));
    return is_counted ? track_any(object, 0, site) : object;
}

static void untrack(void *memory) {
    if (!memory || !&fault_plan || fault_plan.blocks_alive == 0) {
        return;
    }
    lock();
    for (struct node **link = bucket_of(memory); *link; link = &(*link)->next) {
        struct node *node = *link;
        if (node->memory == memory) {
            *link = node->next;
            node->next = unused;
            unused = node;
            fault_plan.blocks_alive--;
            break;
        }
    }
    unlock();
}

void faults_print_alive(int descriptor) {
    for (size_t i = 0; i < BUCKETS; i++) {
        for (const struct node *node = buckets[i]; node; node = node->next) {
            Dl_info info = {0};
            dladdr(node->site, &info);
            dprintf(descriptor, "    %zu bytes from %s+%#zx (%s)\n", node->size,
                    info.dli_fname ? info.dli_fname : "?",
                    (size_t)((const char *)node->site -
                             (const char *)info.dli_fbase),
                    info.dli_sname ? info.dli_sname : "static");
        }
    }
}

/* ---- the allocator --------------------------------------------------------- */

static bool has_begun;

void fault_memory_begins(void) { has_begun = true; }

#define FAILS(name) (has_begun && fault_fails(CALL_##name, CALLER, -1, NULL))

void *malloc(size_t size) {
    return FAILS(malloc) ? NULL
                         : fault_track(__libc_malloc(size), size, CALLER);
}

void *calloc(size_t count, size_t size) {
    return FAILS(calloc)
               ? NULL
               : fault_track(__libc_calloc(count, size), count * size, CALLER);
}

static void *resize(void *memory, size_t size, const void *caller) {
    untrack(memory);
    void *moved = __libc_realloc(memory, size);
    if (!moved && memory && size > 0) {
        fault_track(memory, size, caller);
    }
    return fault_track(moved, size, caller);
}

void *realloc(void *memory, size_t size) {
    return FAILS(realloc) ? NULL : resize(memory, size, CALLER);
}

void *reallocarray(void *memory, size_t count, size_t size) {
    size_t all;
    if (__builtin_mul_overflow(count, size, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return FAILS(realloc) ? NULL : resize(memory, all, CALLER);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return FAILS(aligned_alloc)
               ? NULL
               : fault_track(__libc_memalign(alignment, size), size, CALLER);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (FAILS(posix_memalign)) {
        return errno; /* glibc sets it, too */
    }
    *memory = fault_track(__libc_memalign(alignment, size), size, CALLER);
    return *memory ? 0 : ENOMEM;
}

void free(void *memory) {
    untrack(memory);
    __libc_free(memory);
}

char *strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = FAILS(strdup) ? NULL : __libc_malloc(size);
    return copy ? fault_track(memcpy(copy, text, size), size, CALLER) : NULL;
}

char *realpath(const char *path, char *resolved) {
    if (fault_fails(CALL_realpath, CALLER, -1, path)) {
        return NULL;
    }
    char *result = REAL(realpath)(path, resolved);
    return resolved ? result : fault_track(result, 0, CALLER);
}

/* ---- dispatch objects, which have to be released ----------------------------- */

void *dispatch_queue_create(const char *label, void *attributes);
void *dispatch_group_create(void);
void *dispatch_semaphore_create(intptr_t value);

void *dispatch_queue_create(const char *label, void *attributes) {
    return track_object(REAL(dispatch_queue_create)(label, attributes), CALLER);
}

void *dispatch_group_create(void) {
    return track_object(REAL(dispatch_group_create)(), CALLER);
}

void *dispatch_semaphore_create(intptr_t value) {
    return track_object(REAL(dispatch_semaphore_create)(value), CALLER);
}

/* ---- threads ------------------------------------------------------------------ */

struct start {
    void *(*body)(void *);
    void *context;
};

static void *run(void *context) {
    struct start start = *(struct start *)context;
    __libc_free(context);
    void *result = start.body(start.context);
    fault_plan.threads_alive--;
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*body)(void *), void *context) {
    if (fault_fails(CALL_pthread_create, NULL, -1, NULL)) {
        return errno;
    }
    if (!fault_is_of_library(CALLER)) {
        return REAL(pthread_create)(thread, attributes, body, context);
    }
    struct start *start = __libc_malloc(sizeof *start);
    *start = (struct start){body, context};
    fault_plan.threads_alive++;
    int error = REAL(pthread_create)(thread, attributes, run, start);
    if (error) {
        fault_plan.threads_alive--;
        __libc_free(start);
    }
    return error;
}

/* libdispatch's pause between two attempts to create a thread. */
unsigned sleep(unsigned seconds) {
    bool is_shortened = &fault_plan && fault_plan.is_begun;
    usleep(is_shortened ? 5000 : seconds * 1000000);
    return 0;
}

/* Functions whose result is the error. */
#define FAILING(name, parameters, arguments)                                   \
    int name parameters {                                                      \
        return fault_fails(CALL_##name, CALLER, -1, NULL) ? errno              \
                                                          : REAL(name)         \
                                                                arguments;     \
    }

FAILING(pthread_key_create, (pthread_key_t * key, void (*destructor)(void *)),
        (key, destructor))
FAILING(pthread_setspecific, (pthread_key_t key, const void *value),
        (key, value))
FAILING(pthread_attr_init, (pthread_attr_t * attributes), (attributes))
