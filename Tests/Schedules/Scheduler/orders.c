/*
 * orders.c: data races, and loads that read old values.
 *
 * DESIGN. Operations still happen one after the other, but vector clocks show
 * two effects of an order that is too weak. First, accesses that are not ordered,
 * one of them a plain write (Flanagan and Freund, "FastTrack", 2009): any schedule
 * that has both shows them. Second, a load may read an old value: none older than a
 * store that happens before it or was seen before it, and among seq_cst operations none older than the last one used, since S is
 * the order in which they run. A relaxed store ends a release sequence (C++20).
 * Store buffers were rejected: in that memory, of x86, no release is too weak.
 */
#include "fibers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { S = 31, HISTORY = 4, ACCESSES = 8, PLACES = 1 << 16, RANGE = 512 };

/* Of each fiber, by its serial modulo S, the number of its releases that are
   known. S itself stands for the order of seq_cst operations. */
struct clock {
    uint32_t of[S + 1];
};

/* A word of 8 bytes, an atomic location, or an object that is released. */
struct place {
    uintptr_t address, schedule;
    struct access {
        uint32_t time; /* the number of the release after it; 0: none */
        uint8_t fiber, kind, bytes;
        const void *code;
    } accesses[ACCESSES]; /* of a word: the last of each kind, for 2 fibers */
    uint64_t writes;      /* plain ones of a word, or when the stores began */
    uint64_t count;       /* of stores */
    struct clock released;
    struct store {
        uint64_t value;
        struct clock released; /* by its release sequence */
        struct clock seen;     /* when each fiber first used it, like a time */
    } stores[HISTORY];
};

static struct orders {
    uint64_t schedule;
    unsigned used;
    struct clock now[S]; /* of each fiber: what happened before */
    struct place places[PLACES];
} * own;

void orders_setup(void) { own = memory_map(NULL, sizeof *own); }

void orders_begin(void) {
    own->schedule++;
    own->used = 0;
    memset(own->now, 0, sizeof own->now);
}

static unsigned me(void) { return STATE->current->serial % S; }
static uint32_t time_now(void) { return own->now[me()].of[me()] + 1; }

static bool is_on(const void *at) {
    return STATE->orders && STATE->is_running && !fiber_is_local(at);
}

static bool is_before(uint32_t time, unsigned fiber) {
    return time <= own->now[me()].of[fiber] || fiber == me();
}

static void join(struct clock *clock, const struct clock *other) {
    for (unsigned i = 0; i < S && i < STATE->serials; i++) {
        uint32_t time = other->of[i];
        clock->of[i] = clock->of[i] > time ? clock->of[i] : time;
    }
}

static void release_to(struct clock *clock) {
    own->now[me()].of[me()]++;
    join(clock, &own->now[me()]);
}

static struct place *place_of(uintptr_t address) {
    size_t i = address * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    struct place *place = &own->places[i];
    while (place->schedule == own->schedule && place->address != address) {
        place = &own->places[i = (i + 1) % PLACES];
    }
    if (place->schedule != own->schedule) {
        CHECK(++own->used < PLACES / 2, "too many objects");
        memset(place, 0, offsetof(struct place, stores));
        place->address = address;
        place->schedule = own->schedule;
    }
    return place;
}

void orders_edge(const void *object, bool begins) {
    if (is_on(object)) {
        struct clock *clock = &place_of((uintptr_t)object)->released;
        begins ? release_to(clock) : join(&own->now[me()], clock);
    }
}

/* ---- data races --------------------------------------------------------- */

void orders_access(const void *at, size_t size, const void *code, int kind) {
    static const char *const kinds[] = {"read", "write", "load", "change"};
    uintptr_t begin = (uintptr_t)at;
    uintptr_t end = begin + (size < RANGE ? size : RANGE);
    for (uintptr_t word = begin & ~7ul; word < end && is_on(at); word += 8) {
        unsigned first = word < begin ? begin % 8 : 0;
        unsigned after = end - word < 8 ? (unsigned)(end - word) : 8;
        uint8_t bytes = (uint8_t)((1u << after) - (1u << first));
        struct place *place = place_of(word);
        for (unsigned i = 0; i < ACCESSES; i++) {
            const struct access *old = &place->accesses[i];
            CHECK(is_before(old->time, old->fiber) || !(old->bytes & bytes) ||
                      !((old->kind | kind) & WRITE) ||
                      (old->kind & kind & ATOMIC),
                  "data race: %s (code %p) and %s (code %p) of fiber %u",
                  kinds[kind], code, kinds[old->kind], old->code, old->fiber);
        }
        place->accesses[2 * kind + me() % 2] = (struct access){
            time_now(), (uint8_t)me(), (uint8_t)kind, bytes, code};
        place->writes += kind == WRITE;
    }
}

/* ---- atomic operations -------------------------------------------------- */

static struct store *store_of(struct place *place, uint64_t number) {
    return &place->stores[number % HISTORY];
}

static void see(struct store *store, int order) {
    if (!store->seen.of[me()]) {
        store->seen.of[me()] = time_now();
    }
    store->seen.of[S] |= order == __ATOMIC_SEQ_CST;
}

static struct store *choose(struct place *place, int order) {
    unsigned count = 0; /* of stores that it may read */
    for (bool is_oldest = false; !is_oldest;) {
        const uint32_t *seen = store_of(place, place->count - ++count)->seen.of;
        is_oldest = count == HISTORY || count == place->count ||
                    (order == __ATOMIC_SEQ_CST && seen[S]);
        for (unsigned i = 0; i < S && i < STATE->serials; i++) {
            is_oldest |= seen[i] && is_before(seen[i], i);
        }
    }
    STATE->steps += count > 1;
    unsigned old = count > 1 ? strategy_pick(count, true) : 0;
    if (old && STATE->is_verbose) {
        printf("          reads a value that is %u stores old\n", old);
    }
    return store_of(place, place->count - 1 - old);
}

uint64_t orders_atomic(const void *at, size_t size, const void *code, int kind,
                       int order, uint64_t now, uint64_t value) {
    if (!is_on(at)) {
        return now;
    }
    orders_access(at, size, code, kind & ~NEWEST);
    uint64_t writes = place_of((uintptr_t)at & ~7ul)->writes;
    struct place *place = place_of(~(uintptr_t)at); /* it is no word */
    struct store *newest = store_of(place, place->count - 1);
    if (!place->count || place->writes != writes || newest->value != now) {
        place->count = 1; /* a plain write begins the stores anew */
        place->writes = writes;
        newest = place->stores;
        *newest = (struct store){.value = now};
    }
    struct store new = {.value = value};
    if (kind != (ATOMIC | WRITE)) {
        bool may_be_old = kind == ATOMIC && STATE->orders > 1;
        struct store *store = may_be_old ? choose(place, order) : newest;
        new.released = store->released;
        if (order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE) {
            join(&own->now[me()], &store->released);
        }
        see(store, order);
        now = store->value;
    }
    if (kind & WRITE) {
        see(&new, order);
        if (order >= __ATOMIC_RELEASE) {
            release_to(&new.released);
        }
        *store_of(place, place->count++) = new;
    }
    return now;
}
