/* look_ahead.c: linked into the library of the scenarios, for its inner calls. */
#include "base/internal.h"

#include "walk/ahead.h"

extern void scenario_look_ahead(weir_walk_t walk);

/* Lists directories ahead from the first one on, however fast that is. */
void scenario_look_ahead(weir_walk_t walk) {
    const struct ahead_limits limits = {.window = 8,
                                        .threads = 3,
                                        .bytes = (size_t)1 << 20,
                                        .listing_bytes = (size_t)1 << 16,
                                        .is_constant = true};
    weir__ahead_begin(walk, &limits);
}
