/* mapped.h: the window into large files of one thread. */
#pragma once

#include "system/mapped/window.h"

/* The window of one thread, which it uses for file after file. */
struct mapped {
    struct weir__window *window; /* taken for the first large file, or NULL */
    bool has_asked;              /* for a window */
    bool is_open;                /* it shows bytes of the present file */
    uint64_t begin, end;         /* of these bytes in the file */
    uint64_t next; /* the least offset of the next window in that file */
    uint64_t skip; /* the bytes to read after the last window of that file */
};
