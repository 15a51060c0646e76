/*
 * memory.c: memory that every schedule finds as the first one did.
 *
 * DESIGN. A schedule can be repeated only if nothing differs from its first run,
 * addresses included. So the heap of the library is an arena that starts anew
 * with each schedule, and its static variables are restored. The arena never
 * hands out freed memory a second time, which makes each use of it visible: a
 * shadow has one byte for 16 bytes of the arena, and the stand-ins for locks and
 * atomics look there, as all instrumented reads and writes do.
 */
#include "schedule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define ARENA_SIZE ((size_t)1 << 30)
#define ARENA_PLACE ((void *)0x200000000000)
#define GRAIN 16
#define FILLED_MAX 4096

enum shadow { SHADOW_NONE, SHADOW_USED, SHADOW_FREED };

/* Before each block. */
struct head {
    uint64_t size;
    uint64_t is_used;
};

static struct arena {
    char *data;
    unsigned char *shadow;
    size_t next;
    size_t blocks;
    char *variables; /* a copy of the program's static ones */
} * arena;

extern char __data_start[], _end[];

void *memory_map(void *place, size_t size) {
    void *memory = mmap(place, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("schedules: mmap");
        exit(2);
    }
    return memory;
}

void memory_setup(void) {
    arena = memory_map(NULL, sizeof *arena);
    arena->data = memory_map(ARENA_PLACE, ARENA_SIZE);
    arena->shadow = memory_map(NULL, ARENA_SIZE / GRAIN);
    size_t size = (size_t)(_end - __data_start);
    arena->variables = memory_map(NULL, size);
    memcpy(arena->variables, __data_start, size);
}

void memory_begin(void) {
    memset(arena->shadow, SHADOW_NONE, arena->next / GRAIN + 1);
    arena->next = 0;
    arena->blocks = 0;
    memcpy(__data_start, arena->variables, (size_t)(_end - __data_start));
}

size_t memory_blocks(void) { return arena->blocks; }

bool memory_is_own(const void *address) {
    return (size_t)((const char *)address - arena->data) < ARENA_SIZE;
}

void memory_check(const void *address, const char *use) {
    size_t offset = (size_t)((const char *)address - arena->data);
    if (offset < ARENA_SIZE && arena->shadow[offset / GRAIN] != SHADOW_USED) {
        schedule_fail("%s: %p is %s", use, address,
                      arena->shadow[offset / GRAIN] == SHADOW_FREED
                          ? "freed memory"
                          : "not allocated");
    }
}

static void *allocate(size_t size, size_t alignment, bool zeroed) {
    size_t place = arena->next + sizeof(struct head);
    place = (place + alignment - 1) & ~(alignment - 1);
    size_t room = (size + GRAIN - 1) & ~(size_t)(GRAIN - 1);
    if (size > ARENA_SIZE || place + room + GRAIN > ARENA_SIZE) {
        errno = ENOMEM;
        return NULL;
    }
    arena->next = place + room + GRAIN; /* a red zone after it */
    arena->blocks++;
    struct head *head = (struct head *)(arena->data + place) - 1;
    *head = (struct head){size, 1};
    memset(arena->shadow + place / GRAIN, SHADOW_USED, room / GRAIN);
    void *memory = head + 1;
    size_t filled = zeroed || size < FILLED_MAX ? size : FILLED_MAX;
    memset(memory, zeroed ? 0 : 0xa5, filled);
    return memory;
}

void *memory_allocate(size_t size, bool zeroed) {
    return allocate(size, GRAIN, zeroed);
}

void memory_free(void *address) {
    struct head *head = (struct head *)address - 1;
    memory_check(address, "free");
    CHECK(head->is_used == 1, "free: %p is no block", address);
    orders_access(address, head->size, __builtin_return_address(0), WRITE);
    head->is_used = 0;
    arena->blocks--;
    memset(arena->shadow + ((char *)address - arena->data) / GRAIN,
           SHADOW_FREED, (head->size + GRAIN - 1) / GRAIN);
    memset(address, 0xdd, head->size < FILLED_MAX ? head->size : FILLED_MAX);
}

void memory_print_blocks(void) {
    for (size_t at = 0; at < arena->next; at += GRAIN) {
        const struct head *head = (const void *)(arena->data + at);
        if (arena->shadow[at / GRAIN] == SHADOW_NONE &&
            arena->shadow[at / GRAIN + 1] == SHADOW_USED &&
            head->is_used == 1) {
            printf("    %p: %zu bytes \"%.24s\"\n", (const void *)(head + 1),
                   (size_t)head->size, (const char *)(head + 1));
        }
    }
}

/* ---- in place of the C library's --------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);

void *__wrap_malloc(size_t size) {
    return STATE->is_running ? memory_allocate(size, false)
                             : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return STATE->is_running ? memory_allocate(count * size, true)
                             : __real_calloc(count, size);
}

void __wrap_free(void *memory) {
    if (memory_is_own(memory)) {
        memory_free(memory);
    } else {
        __real_free(memory);
    }
}

void *__wrap_realloc(void *memory, size_t size) {
    if (!STATE->is_running && !memory_is_own(memory)) {
        return __real_realloc(memory, size);
    }
    void *larger = memory_allocate(size, false);
    if (larger && memory) {
        size_t before = ((struct head *)memory - 1)->size;
        memcpy(larger, memory, before < size ? before : size);
        memory_free(memory);
    }
    return larger;
}

int __wrap_posix_memalign(void **place, size_t alignment, size_t size) {
    *place = allocate(size, alignment, false);
    return *place ? 0 : ENOMEM;
}

char *__wrap_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = __wrap_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
