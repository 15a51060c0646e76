/* child.h: starts a child, to execute a program, and makes its descriptors. */
#pragma once

#include "base/internal.h"

#include <sys/types.h>

/* Marks functions that run in the child, perhaps in the parent's memory. */
#define WEIR_IN_CHILD                                                          \
    __attribute__((__noinline__, __no_sanitize__("address"),                   \
                   __no_sanitize__("thread"), __no_sanitize__("undefined")))

/* The work of a child, by system calls only. Returns an errno value. */
typedef int (*weir__child_body_t)(void *context);

/* Runs `body` in a new process, with all signals blocked and all dispositions
   default. Returns 0 and the process id as soon as the child executes a
   program; else an errno value, of the body or the system, or EINTR for a
   signal, and there is no child. */
WEIR_HIDDEN int weir__child_start(weir__child_body_t body, void *context,
                                  pid_t *pid);

/* In the child, before it executes the program: unblocks all signals. */
WEIR_HIDDEN void weir__child_unblock_signals(void);

/* Creates a pipe that no child inherits. Returns 0 or an errno value. */
WEIR_HIDDEN int weir__child_pipe(int ends[2]);

/* Returns a descriptor that is readable when the child ends, or -1 (ENOSYS). */
WEIR_HIDDEN int weir__child_descriptor(pid_t pid);

/* Returns a descriptor of an empty file without a name, or -1 with errno. */
WEIR_HIDDEN int weir__child_memory(void);
