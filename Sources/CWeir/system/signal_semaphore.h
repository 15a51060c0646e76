/* signal_semaphore.h: a semaphore that a signal handler may post. */
#pragma once

#include "base/internal.h"
#include "system/maker.h"

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

/* Returns a semaphore of value 0, for one caller, for good; NULL with errno. */
static inline sem_t *weir__signal_semaphore(void) {
#if WEIR_SYSTEM_DARWIN
    /* Only semaphores with a name. */
    char name[32];
    snprintf(name, sizeof name, "/weir-%ld", (long)getpid());
    sem_t *made = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (made == SEM_FAILED && errno == EEXIST) { /* of a dead process */
        sem_unlink(name);
        made = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    }
    if (made == SEM_FAILED) {
        return NULL;
    }
    sem_unlink(name);
    return made;
#else
    static sem_t made;
    return sem_init(&made, 0, 0) == 0 ? &made : NULL;
#endif
}
