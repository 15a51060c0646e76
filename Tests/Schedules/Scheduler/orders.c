/*
 * orders.c: what happens before what, data races, and old values.
 *
 * DESIGN. Operations still happen one after the other. Vector clocks, joined at
 * locks, submissions and atomic operations with their orders, show two effects
 * of an order that is too weak. First, plain accesses that are not ordered
 * (Flanagan and Freund, "FastTrack", 2009; a free is a write): any schedule that
 * has both shows them. Second, an atomic load may read an older value, for the
 * cost of a preemption: not older than a store that happens before it or was
 * seen before it, and among seq_cst operations not older than what the last one
 * there used. So their order S is the one in which they ran.
 *
 * Read-modify-writes and failed exchanges read the newest value. A relaxed store
 * ends a release sequence (C++20). A fence, which the library has none of,
 * acquires all that was released before. Store buffers were rejected: they are
 * the memory of x86, where a release costs nothing and none is too weak.
 */
#include "orders.h"
#include "fibers.h"
#include "strategy.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 64, HISTORY = 4, ACCESSES = 4, PLACES = 1 << 16, RANGE = 512 };

/* The time of each fiber up to which its operations are known. A time counts
   releases, from 1. Fibers whose serials differ by 64 share one. */
struct clock {
    uint32_t of[WIDTH];
};

struct store {
    uint64_t value;
    struct clock released; /* by its release sequence */
    struct clock seen;     /* when each fiber first used it; 0: never */
};

/* An access of a word of 8 bytes. */
struct access {
    uint32_t time; /* 0: none */
    uint8_t fiber, kind, bytes;
    const void *code;
};

/* A word, an atomic location, or an object that is released. */
struct place {
    uintptr_t address;
    uint64_t schedule;
    struct access accesses[ACCESSES]; /* the last ones */
    uint64_t writes;                  /* plain ones; when the stores began */
    uint64_t count, in_s; /* stores; the last one that seq_cst used */
    struct clock released;
    struct store stores[HISTORY];
};

static struct orders {
    uint64_t schedule;
    unsigned used, width, next;
    struct clock now[WIDTH]; /* what happened before, for each fiber */
    bool has_fenced[WIDTH];
    struct clock fences;
    struct place places[PLACES];
} * own;

void orders_setup(void) {
    if (!(own = calloc(1, sizeof *own))) {
        abort();
    }
}

void orders_begin(void) {
    own->schedule++;
    own->used = own->width = 0;
    own->fences = (struct clock){{0}};
}

void orders_begin_fiber(const struct fiber *fiber) {
    if (fiber->serial < WIDTH) {
        own->width = fiber->serial + 1;
        own->has_fenced[fiber->serial] = false;
        own->now[fiber->serial] = (struct clock){{0}};
        own->now[fiber->serial].of[fiber->serial] = 1;
    }
}

static unsigned me(void) { return STATE->current->serial % WIDTH; }
static struct clock *my_clock(void) { return &own->now[me()]; }

static bool is_on(const void *at) {
    return STATE->orders && STATE->is_running && !fiber_is_local(at);
}

static void join(struct clock *clock, const struct clock *other) {
    for (unsigned i = 0; i < own->width; i++) {
        uint32_t time = other->of[i];
        clock->of[i] = clock->of[i] > time ? clock->of[i] : time;
    }
}

static void release_to(struct clock *clock) {
    join(clock, my_clock());
    my_clock()->of[me()]++;
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

void orders_release(const void *object) {
    if (is_on(object)) {
        release_to(&place_of((uintptr_t)object)->released);
    }
}

void orders_acquire(const void *object) {
    if (is_on(object)) {
        join(my_clock(), &place_of((uintptr_t)object)->released);
    }
}

/* ---- data races --------------------------------------------------------- */

static void access_word(struct place *word, const struct access *access) {
    static const char *const kinds[] = {"read", "write", "load", "change"};
    struct access *place = &word->accesses[own->next++ % ACCESSES];
    for (unsigned i = 0; i < ACCESSES; i++) {
        struct access *last = &word->accesses[i];
        bool is_before = last->time <= my_clock()->of[last->fiber];
        int kind = last->kind | access->kind;
        bool is_atomic = last->kind & access->kind & ATOMIC;
        if (!is_before && (last->bytes & access->bytes) && (kind & WRITE) &&
            !is_atomic) {
            schedule_fail("data race at %p: %s of fiber %u (code %p) and %s of "
                          "fiber %u (code %p) after %s",
                          (void *)word->address, kinds[last->kind], last->fiber,
                          last->code, kinds[access->kind], access->fiber,
                          access->code, STATE->current->doing);
        }
        /* What races with it would race with the new one as well. */
        if (is_before && !(last->bytes & ~access->bytes) &&
            (access->kind == WRITE || access->kind == last->kind)) {
            place = last;
        }
    }
    *place = *access;
    word->writes += access->kind == WRITE;
}

void orders_access(const void *at, size_t size, int kind, const void *code) {
    uintptr_t begin = (uintptr_t)at;
    uintptr_t end = begin + (size < RANGE ? size : RANGE);
    for (uintptr_t word = begin & ~7ul; word < end && is_on(at); word += 8) {
        unsigned first = word < begin ? begin % 8 : 0;
        unsigned after = end - word < 8 ? (unsigned)(end - word) : 8;
        uint8_t bytes = (uint8_t)((1u << after) - (1u << first));
        access_word(place_of(word),
                    &(struct access){my_clock()->of[me()], (uint8_t)me(),
                                     (uint8_t)kind, bytes, code});
    }
}

/* ---- atomic operations -------------------------------------------------- */

static struct store *store_of(struct place *place, uint64_t number) {
    return &place->stores[number % HISTORY];
}

static struct store *push(struct place *place, uint64_t value) {
    struct store *store = store_of(place, place->count++);
    *store = (struct store){.value = value};
    return store;
}

/* A plain write begins the stores anew. */
static struct place *location_of(const void *at, uint64_t now) {
    struct place *place = place_of((uintptr_t)at | UINTPTR_MAX / 2 + 1);
    uint64_t writes = place_of((uintptr_t)at & ~7ul)->writes;
    if (place->count == 0 || place->writes != writes ||
        store_of(place, place->count - 1)->value != now) {
        place->count = place->in_s = 0;
        place->writes = writes;
        push(place, now);
    }
    return place;
}

static void use(struct place *place, uint64_t number, int order) {
    uint32_t *seen = &store_of(place, number)->seen.of[me()];
    *seen = *seen ? *seen : my_clock()->of[me()];
    if (order == memory_order_seq_cst && number > place->in_s) {
        place->in_s = number;
    }
}

/* Returns true if no older store may be read. */
static bool is_oldest(struct place *place, uint64_t number, int order) {
    const struct clock *seen = &store_of(place, number)->seen;
    bool is_known = number == 0 || number + HISTORY == place->count ||
                    (order == memory_order_seq_cst && number <= place->in_s);
    for (unsigned i = 0; i < own->width && !is_known; i++) {
        is_known = seen->of[i] && seen->of[i] <= my_clock()->of[i];
    }
    return is_known;
}

uint64_t orders_load(const void *at, uint64_t now, int order, bool is_change) {
    if (!is_on(at)) {
        return now;
    }
    struct place *place = location_of(at, now);
    uint64_t number = place->count - 1, oldest = number;
    while (!is_change && STATE->orders > 1 &&
           !is_oldest(place, oldest, order)) {
        oldest--;
    }
    if (oldest < number) {
        STATE->steps++;
        unsigned older = strategy_pick((unsigned)(number - oldest) + 1, 1);
        number -= older;
        if (older && STATE->is_verbose) {
            printf("          reads a value that is %u stores old\n", older);
        }
    }
    struct store *store = store_of(place, number);
    if (order != memory_order_relaxed && order != memory_order_release) {
        join(my_clock(), &store->released);
    }
    use(place, number, order);
    return store->value;
}

void orders_store(const void *at, uint64_t now, uint64_t value, int order,
                  bool is_change) {
    if (!is_on(at)) {
        return;
    }
    struct place *place = location_of(at, now);
    struct store *before = store_of(place, place->count - 1);
    struct store *store = push(place, value);
    if (is_change) {
        store->released = before->released;
    }
    use(place, place->count - 1, order);
    if (order >= memory_order_release || own->has_fenced[me()]) {
        release_to(&store->released);
        join(&own->fences, &store->released);
    }
}

void orders_fence(void) {
    if (is_on(NULL)) {
        own->has_fenced[me()] = true;
        join(my_clock(), &own->fences);
        release_to(&own->fences);
    }
}
