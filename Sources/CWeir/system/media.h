/* media.h: the storage of an open file, and the worth of its times. */
#pragma once

#include "base/internal.h"

#include <weir/storage.h>

/* The worth of the times and sizes of files. */
enum weir__file_times {
    FILE_TIMES_FOREIGN, /* another machine's clock, or an unknown one */
    FILE_TIMES_LOCAL,   /* this kernel's clock: weir__file_clock */
    FILE_TIMES_NONE     /* contents are generated on each read, as in /proc */
};

/* Returns the worth of the times of an open file; FOREIGN if unknown. */
WEIR_HIDDEN enum weir__file_times weir__file_times_of(int descriptor);

/* Finds the storage of an open file, but for the advice. Returns an error. */
WEIR_HIDDEN int weir__medium_of(int descriptor, weir_storage_t *out);
