/*
 * descriptors.c: the descriptor budget.
 *
 * DESIGN. The guide's semaphore over getdtablesize() / 2, for the whole
 * process, less what is open when it is first asked for. The other half is
 * room for what opens descriptors without asking: the walk's one handle, the
 * C library, libdispatch (three, once something runs on a global queue or a
 * timer is set). Who is open already is counted in /proc/self/fd, or, where
 * there is none, by asking for each descriptor below a bound.
 */
#include "internal.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <weir/descriptors.h>

/* Where the limit is "unlimited" more permits would mean nothing. */
#define BUDGET_MAX ((size_t)1048576)

/* Without /proc: how far to ask. Beyond it one cannot afford to. */
#define ASKED_MAX 4096

size_t weir_descriptor_limit(void) {
    int limit = getdtablesize();
    return limit > 0 ? (size_t)limit : 1;
}

static size_t open_by_asking(size_t limit) {
    size_t count = 0;
    for (int fd = 0; fd < (int)(limit < ASKED_MAX ? limit : ASKED_MAX); fd++) {
        count += fcntl(fd, F_GETFD) != -1;
    }
    return count;
}

static size_t open_now(size_t limit) {
    DIR *directory = opendir("/proc/self/fd");
    if (!directory) {
        return open_by_asking(limit);
    }
    size_t count = 0;
    struct dirent *entry;
    while ((entry = readdir(directory))) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > 0 ? count - 1 : 0; /* without the directory itself */
}

static size_t budget;
static weir_gate_t gate;

static void look(void) {
    size_t limit = weir_descriptor_limit();
    size_t half = limit / 2, open = open_now(limit);
    budget = half > open ? half - open : 1;
    if (budget > BUDGET_MAX) {
        budget = BUDGET_MAX;
    }
    gate = weir_gate_create("descriptors", budget);
    if (!gate) {
        fputs("weir: no memory for the descriptor gate\n", stderr);
        abort();
    }
}

static void look_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
}

size_t weir_descriptor_budget(void) {
    look_once();
    return budget;
}

weir_gate_t weir_descriptor_gate(void) {
    look_once();
    return gate;
}
