/* object.h: reference-counted objects. */
#pragma once

#include "base/compiler.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first field of every object, with the references of its users. */
struct weir__object {
    _Atomic size_t references;
    uint64_t serial; /* unique within the process */
    char *label;
    const char *kind; /* as a sentence names it: "the gate" */
};

/* Returns a number that no object has. */
WEIR_HIDDEN uint64_t weir__object_serial(void);

/* Returns a zeroed object with a copy of the label; NULL with errno ENOMEM. */
WEIR_HIDDEN void *weir__object_create(size_t size, const char *kind,
                                      const char *label);

WEIR_HIDDEN void weir__object_retain(struct weir__object *object);

/* Returns true if this was the last reference. */
WEIR_HIDDEN bool weir__object_release(struct weir__object *object);

/* Reports misuse of an object without references, if it can be read. */
WEIR_HIDDEN void weir__object_check(const struct weir__object *object);

/* Drops one of the holds. Returns true if it was the last one. */
static inline bool weir__drop_hold(_Atomic size_t *holds) {
    return atomic_fetch_sub_explicit(holds, 1, memory_order_acq_rel) == 1;
}

/* Frees an object later, so that one release too many can be reported. The
   caller frees what the object owns first. */
WEIR_HIDDEN void weir__object_bury(struct weir__object *object);
