/*
 * change.h: whether a file changed while it was read.
 */
#ifndef WEIR_INTERNAL_CHANGE_H
#define WEIR_INTERNAL_CHANGE_H

#include "base/internal.h"

#include <sys/stat.h>
#include <sys/types.h>

#include <weir/files.h>

/* What the times and sizes on a device are worth. */
enum device_kind {
    DEVICE_OURS,      /* times come from this kernel's clock */
    DEVICE_ELSEWHERE, /* from somebody else's, or it is not known */
    DEVICE_SIZELESS   /* files are made up when they are read, as in /proc */
};

#define DEVICES_KEPT 8

/* The devices a lane has met. */
struct devices {
    uint64_t run; /* in which; numbers may be given again later */
    size_t count;
    dev_t numbers[DEVICES_KEPT];
    uint8_t kinds[DEVICES_KEPT];
};

/* How a file is watched. */
struct watch {
    struct timespec opened; /* the clock of the file times, just before */
    bool is_on;             /* status is what the end is compared with */
    bool is_certain;  /* what was read by then is known to be of one time */
    bool is_needless; /* of no use for this file */
    bool is_changed;
};

/* Before the file is opened. */
WEIR_HIDDEN void weir__change_begin(weir_file_t *file);

/* The first piece was read, and the file looked at behind it. Returns 0 or an
   errno value of reading. */
WEIR_HIDDEN int weir__change_after_piece(weir_file_t *file);

/* The file was looked at, and is about to be read. */
WEIR_HIDDEN void weir__change_before_reading(weir_file_t *file);

/* The job is done with it: the entry says so if it changed. */
WEIR_HIDDEN void weir__change_end(weir_file_t *file);

/* Whether contents and times belong together for good: no later write can leave
   these times. Of a file that did not change. */
WEIR_HIDDEN bool weir__change_is_certain(const weir_file_t *file);

/* Whether the contents are not sure to be the same. */
WEIR_HIDDEN bool weir__change_differs(const struct stat *before,
                                      const struct stat *after);

#endif /* WEIR_INTERNAL_CHANGE_H */
