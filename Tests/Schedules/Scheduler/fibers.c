/*
 * fibers.c: the stacks and thread-local variables of fibers.
 *
 * DESIGN. A fiber begins with swapcontext, which is portable, and is then left
 * and entered with setjmp and longjmp, which make no system call. All fibers
 * share the one thread's thread-local variables, so a switch copies those of the
 * program out and in; errno, which is the C library's, goes with them. Threads
 * of the system instead of fibers cost 50 times as much a switch, and there are
 * some 100 switches in a schedule and 100,000 schedules in a second.
 */
#include "fibers.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE ((size_t)256 << 10)

static struct thread_locals {
    char *address;
    const char *image;
    size_t image_size;
    size_t size;
} * own;

static int find_locals(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_TLS) {
            own->address = info->dlpi_tls_data;
            own->image = (const char *)(info->dlpi_addr + header->p_vaddr);
            own->image_size = header->p_filesz;
            own->size = header->p_memsz;
        }
    }
    return 1; /* the program is the first */
}

void fibers_setup(void) {
    own = memory_map(NULL, sizeof *own);
    dl_iterate_phdr(find_locals, NULL);
    for (int i = 0; i < FIBERS_MAX; i++) {
        char *guard = memory_map(NULL, STACK_SIZE + 4096);
        mprotect(guard, 4096, PROT_NONE);
        STATE->fibers[i].stack = guard + 4096;
        STATE->fibers[i].locals = memory_map(NULL, own->size + 1);
    }
}

bool fiber_is_local(const void *address) {
    return (size_t)((const char *)address - own->address) < own->size ||
           address == &errno;
}

static void load(const struct fiber *fiber) {
    memcpy(own->address, fiber->locals, own->size);
    errno = fiber->saved_errno;
}

static void save(struct fiber *fiber) {
    fiber->saved_errno = errno;
    memcpy(fiber->locals, own->address, own->size);
}

void fiber_prepare(struct fiber *fiber) {
    fiber->has_context = false;
    fiber->saved_errno = 0;
    memcpy(fiber->locals, own->image, own->image_size);
    memset(fiber->locals + own->image_size, 0, own->size - own->image_size);
}

static void begin(void) {
    struct fiber *fiber = STATE->current;
    orders_edge(fiber, false); /* another one may have had its stack */
    fiber->function(fiber->argument);
    orders_edge(fiber, true);
    fiber_ended(fiber);
}

/* Continues a fiber, or begins it. */
static void enter(struct fiber *fiber) {
    STATE->current = fiber;
    load(fiber);
    if (fiber->has_context) {
        _longjmp(fiber->context, 1);
    }
    fiber->has_context = true;
    ucontext_t unused, start;
    getcontext(&start);
    start.uc_stack.ss_sp = fiber->stack;
    start.uc_stack.ss_size = STACK_SIZE;
    start.uc_link = NULL;
    makecontext(&start, begin, 0);
    swapcontext(&unused, &start);
}

void fiber_switch(struct fiber *from, struct fiber *to) {
    if (from != to) {
        save(from);
        if (_setjmp(from->context) == 0) {
            enter(to);
        }
    }
}

void fibers_enter(struct fiber *first) {
    if (_setjmp(STATE->driver) == 0) {
        enter(first);
    }
}

void fibers_leave(void) { _longjmp(STATE->driver, 1); }
