/*
 * strategy.c: the ways to choose the next schedule.
 *
 * DESIGN. A schedule is the list of its decisions: the number of the option that
 * was taken wherever there were several. Schedules are random, in turn with an even
 * choice, with rare preemptions, and with priorities that change at a few random
 * steps (Burckhardt and others, "A randomized scheduler with probabilistic
 * guarantees", 2010). A search of all schedules with few preemptions (Musuvathi and
 * Qadeer, "Iterative context bounding", 2007) was given up: random ones found each
 * planted bug, with each of five seeds, among the first 2,400.
 */
#include "strategy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECISIONS_MAX ((size_t)1 << 20)
#define OVERRIDES_MAX 4096
#define CHANGES_MAX 6

enum mode { EVEN, RARE, PRIORITIES, REPLAY };

struct decision {
    uint64_t step;
    unsigned option;
};

static struct strategy {
    enum mode mode;
    size_t count;
    uint64_t random;
    unsigned rarity;
    size_t changes[CHANGES_MAX]; /* steps at which a priority falls */
    size_t change_count;
    size_t choices; /* of fibers, in this schedule */
    size_t choices_before;
    unsigned lowest;
    size_t override_count, left_out_count, next_override;
    struct decision overrides[OVERRIDES_MAX];
    struct decision left_out[OVERRIDES_MAX];
    struct decision decisions[DECISIONS_MAX];
} * own;

void strategy_setup(void) { own = memory_map(NULL, sizeof *own); }

void strategy_begin(void) {
    own->count = 0;
    own->choices_before = own->choices;
    own->choices = 0;
    own->next_override = 0;
    own->lowest = 1000;
    if (own->mode == PRIORITIES) {
        size_t steps = own->choices_before > 10 ? own->choices_before : 10;
        for (size_t i = 0; i < own->change_count; i++) {
            own->changes[i] = own->random % steps;
            own->random =
                own->random * 6364136223846793005u + 1442695040888963407u;
        }
    }
}

/* ---- random numbers ----------------------------------------------------- */

/* splitmix64 */
static uint64_t next_random(void) {
    uint64_t z = own->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static unsigned below(unsigned n) {
    return (unsigned)((next_random() >> 32) * n >> 32);
}

void strategy_random(uint64_t seed, uint64_t number) {
    own->random = seed * 0x2545f4914f6cdd1du + number;
    next_random();
    switch (number % 4) {
    case 0:
        own->mode = EVEN;
        break;
    case 1:
        own->mode = PRIORITIES;
        own->change_count = 1 + number / 4 % CHANGES_MAX;
        break;
    default:
        own->mode = RARE;
        own->rarity = number % 4 == 2 ? 4 : 16;
        break;
    }
}

void strategy_new_fiber(struct fiber *fiber) {
    fiber->priority = own->mode == PRIORITIES ? 1000 + below(1000000) : 0;
}

/* ---- decisions ---------------------------------------------------------- */

/* The option of a schedule that is repeated. */
static unsigned known_option(unsigned count) {
    size_t i = own->next_override;
    while (i < own->override_count && own->overrides[i].step < STATE->steps) {
        i = ++own->next_override;
    }
    if (i < own->override_count && own->overrides[i].step == STATE->steps) {
        unsigned option = own->overrides[own->next_override++].option;
        return option < count ? option : 0;
    }
    return 0;
}

static unsigned decide(unsigned option) {
    CHECK(own->count < DECISIONS_MAX, "more than %zu decisions", DECISIONS_MAX);
    own->decisions[own->count++] = (struct decision){STATE->steps, option};
    return option;
}

/* Time-outs are options at the end of the list. */
static unsigned count_ready(const struct options *options) {
    unsigned ready = 0;
    while (ready < options->count &&
           options->fibers[ready]->state == FIBER_READY) {
        ready++;
    }
    return ready;
}

static unsigned by_priority(const struct options *options, unsigned ready) {
    for (size_t i = 0; i < own->change_count; i++) {
        if (own->changes[i] == own->choices && STATE->current) {
            STATE->current->priority = own->lowest--;
        }
    }
    unsigned best = 0;
    for (unsigned i = 1; i < ready; i++) {
        if (options->fibers[i]->priority > options->fibers[best]->priority) {
            best = i;
        }
    }
    return best;
}

static unsigned random_option(const struct options *options) {
    unsigned ready = count_ready(options);
    if (ready == 0) {
        return below(4) ? 0 : below(options->count);
    }
    if (ready < options->count && below(32) == 0) {
        return ready + below(options->count - ready);
    }
    switch (own->mode) {
    case PRIORITIES:
        return by_priority(options, ready);
    case RARE:
        return options->may_go_on && below(own->rarity) != 0 ? 0 : below(ready);
    default:
        return below(ready);
    }
}

unsigned strategy_choose(const struct options *options) {
    unsigned option = own->mode == REPLAY ? known_option(options->count)
                                          : random_option(options);
    own->choices++;
    return decide(option);
}

unsigned strategy_pick(unsigned count, bool is_rare) {
    if (own->mode == REPLAY) {
        return decide(known_option(count));
    }
    bool is_first = is_rare && below(24) != 0;
    return decide(is_first ? 0 : is_rare ? 1 + below(count - 1) : below(count));
}

/* ---- again -------------------------------------------------------------- */

bool strategy_replay(const char *text) {
    own->mode = REPLAY;
    own->override_count = 0;
    while (*text) {
        char *end;
        uint64_t step = strtoull(text, &end, 10);
        if (end == text || *end != ':' ||
            own->override_count == OVERRIDES_MAX) {
            return false;
        }
        text = end + 1;
        unsigned option = (unsigned)strtoul(text, &end, 10);
        if (end == text || (*end && *end != ' ')) {
            return false;
        }
        own->overrides[own->override_count++] = (struct decision){step, option};
        text = *end ? end + 1 : end;
    }
    return true;
}

size_t strategy_keep(void) {
    own->mode = REPLAY;
    own->override_count = 0;
    for (size_t i = 0; i < own->count; i++) {
        if (own->decisions[i].option && own->override_count < OVERRIDES_MAX) {
            own->overrides[own->override_count++] = own->decisions[i];
        }
    }
    return own->override_count;
}

void strategy_leave_out(size_t begin, size_t count) {
    size_t total = own->override_count, kept = 0;
    memcpy(own->left_out, own->overrides, total * sizeof own->overrides[0]);
    own->left_out_count = total;
    for (size_t i = 0; i < total; i++) {
        if (i < begin || i >= begin + count) {
            own->overrides[kept++] = own->left_out[i];
        }
    }
    own->override_count = kept;
}

void strategy_put_back(void) {
    own->override_count = own->left_out_count;
    memcpy(own->overrides, own->left_out,
           own->override_count * sizeof own->overrides[0]);
}

void strategy_print(void) {
    const char *space = "";
    for (size_t i = 0; i < own->count; i++) {
        if (own->decisions[i].option) {
            printf("%s%llu:%u", space,
                   (unsigned long long)own->decisions[i].step,
                   own->decisions[i].option);
            space = " ";
        }
    }
}
