/* window.h: parts of files mapped into memory, and the bus errors of their bytes. */
#pragma once

#include "base/internal.h"

/* A place for one mapped part of a file, for good: handlers look at it. */
struct weir__window {
    struct weir__window *next; /* of all windows */
    _Atomic bool is_taken;
    _Atomic(char *) begin; /* of the mapped part, or NULL */
    _Atomic size_t length;
    _Atomic(char *) failed; /* the first byte that could not be had, or NULL */
};

/* Installs the handler of SIGBUS, once for the process. A byte of a window that
   cannot be had makes the whole window zeros, and `failed` its address. Returns
   0, ENOTSUP, or the errno value of sigaction. */
WEIR_HIDDEN int weir__bus_errors_handle(void);

/* Returns an unused window; NULL without the handler or memory. */
WEIR_HIDDEN struct weir__window *weir__window_take(void);

/* Makes an empty window available. May be called with NULL. */
WEIR_HIDDEN void weir__window_return(struct weir__window *window);

/* Returns true if all bytes are known to be in the page cache. */
WEIR_HIDDEN bool weir__window_is_cached(int descriptor, uint64_t offset,
                                        size_t length);

/* Maps a part of a file into an empty window, and counts the faults. False if
   the system refuses. */
WEIR_HIDDEN bool weir__window_map(struct weir__window *window, int descriptor,
                                  uint64_t offset, size_t length,
                                  size_t *faults);

/* Empties the window. */
WEIR_HIDDEN void weir__window_unmap(struct weir__window *window);
