/*
 * gate.h: what gate.c does for descriptors.c and nobody else.
 */
#ifndef WEIR_INTERNAL_GATE_H
#define WEIR_INTERNAL_GATE_H

#include "base/internal.h"

#include <weir/gate.h>

/* Requests that were decided, in order, and have not been called yet. */
struct weir__decided {
    struct weir__waiter *first;
    struct weir__waiter **end;
};

#define WEIR_DECIDED(name) struct weir__decided name = {NULL, &name.first}

/* weir_gate_resize without its calls, for whoever holds a lock: those go into
   the list, to be delivered once it is unlocked. */
WEIR_HIDDEN void weir__gate_resize(weir_gate_t gate, size_t permits,
                                   struct weir__decided *decided);

WEIR_HIDDEN void weir__gate_deliver(struct weir__decided *decided);

#endif /* WEIR_INTERNAL_GATE_H */
