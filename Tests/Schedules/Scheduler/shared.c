/*
 * shared.c: the objects that several fibers use.
 *
 * DESIGN. An operation on an object that no other fiber ever uses, or that no
 * fiber ever changes, commutes with all others, so a search needs no point there.
 * Which objects are shared shows only as schedules run: an object that turns out
 * to be shared is remembered by its address, and the search begins again. When
 * a whole search has met no new one, each of its schedules had a point at every
 * object that was shared in it. Schedules at random and repeated ones have all
 * points; a decision is named by the number of its step, skipped points
 * included, so that it means the same in all of them.
 */
#include "shared.h"

enum { PLACES = 1 << 16 };

struct place {
    const void *object;
    uint64_t schedule;
    uint64_t fibers;
    bool is_changed;
    bool is_shared;
};

static struct shared {
    bool may_skip;
    bool has_grown;
    uint64_t schedule;
    size_t used;
    struct place places[PLACES];
} * own;

void shared_setup(void) { own = memory_map(NULL, sizeof *own); }

void shared_forget(void) {
    for (size_t i = 0; i < PLACES; i++) {
        own->places[i].object = NULL;
    }
    own->used = 0;
}

void shared_begin(bool may_skip) {
    own->schedule++;
    own->may_skip = may_skip;
}

bool shared_has_grown(void) {
    bool has_grown = own->has_grown;
    own->has_grown = false;
    return has_grown;
}

static struct place *place_of(const void *object) {
    size_t i = ((uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15)) >> 48;
    while (own->places[i].object && own->places[i].object != object) {
        i = (i + 1) % PLACES;
    }
    struct place *place = &own->places[i];
    if (!place->object) {
        CHECK(++own->used < PLACES / 2, "too many objects");
        *place = (struct place){.object = object};
    }
    return place;
}

bool shared_skips(const void *object, bool is_change) {
    if (!object) {
        return false;
    }
    struct place *place = place_of(object);
    if (place->schedule != own->schedule) {
        place->schedule = own->schedule;
        place->fibers = 0;
        place->is_changed = false;
    }
    place->fibers |= UINT64_C(1) << STATE->current->serial % 64;
    place->is_changed |= is_change;
    bool is_alone = (place->fibers & (place->fibers - 1)) == 0;
    if (!is_alone && place->is_changed && !place->is_shared) {
        place->is_shared = own->has_grown = true;
    }
    return own->may_skip && !place->is_shared;
}
