/*
 * waits.h: what the one who feeds waited for, which tells what binds a run.
 */
#ifndef WEIR_INTERNAL_WAITS_H
#define WEIR_INTERNAL_WAITS_H

#include "base/internal.h"

/* In nanoseconds. */
struct waits {
    _Atomic uint64_t permits; /* for descriptors */
    _Atomic uint64_t turns;   /* for a device's readers */
    _Atomic uint64_t lanes;   /* for room in the backlog */
    _Atomic uint64_t
        delivery;           /* for what was read to be delivered, or wanted */
    _Atomic uint64_t begun; /* when feeding began */
    _Atomic uint64_t fed;   /* how long it took, when it has ended */
};

/* What began then is over. `begun` is of weir__nanoseconds, or 0 where there was
   nothing to wait for. */
static inline void weir__waits_add(_Atomic uint64_t *figure, uint64_t begun) {
    if (WEIR_UNLIKELY(begun != 0)) {
        atomic_fetch_add_explicit(figure, weir__nanoseconds() - begun,
                                  memory_order_relaxed);
    }
}

#endif /* WEIR_INTERNAL_WAITS_H */
