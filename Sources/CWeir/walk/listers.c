/*
 * listers.c: the threads that list the directories of a look-ahead.
 *
 * DESIGN. A lister is a serial queue, as a lane is. It takes the first plan
 * that waits, so what the walk needs soonest is listed first; the FIFO of lanes
 * fixes the order at the time of the submit.
 *
 * A listing tries to get its permits without a wait: a thread that waits for
 * permits while the walk waits for its listing could wait for the walk. If
 * there are none, the walk lists the directory itself, as it does after any
 * failure. A listing of a dead server may never end: the lister holds all that
 * it uses.
 */
#include "walk/listers.h"

#include <stdio.h>
#include <unistd.h>

#include <weir/descriptors.h>

#include "system/condition.h"

/* The descriptors of a listing: the directory's and the root's. */
#define PERMITS ((size_t)2)

/* ---- life -------------------------------------------------------------- */

static bool create_lister(struct weir__ahead *ahead, size_t number) {
    struct lister *lister = &ahead->listers[number];
    char label[48];
    snprintf(label, sizeof label, "weir.walk.ahead-%zu", number);
    lister->ahead = ahead;
    lister->queue = dispatch_queue_create(label, DISPATCH_QUEUE_SERIAL);
    lister->next_idle = ahead->idle;
    ahead->idle = lister;
    return lister->queue;
}

static void destroy(struct weir__ahead *ahead) {
    for (size_t i = 0; i < ahead->limits.threads; i++) {
        if (ahead->listers[i].queue) {
            dispatch_release(ahead->listers[i].queue);
        }
        free(ahead->listers[i].buffer);
    }
    if (ahead->gate) {
        weir_gate_release(ahead->gate);
    }
    pthread_cond_destroy(&ahead->finished);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead->path.data);
    free(ahead->listers);
    free(ahead);
}

struct weir__ahead *weir__listers_create(const struct walk_rules *rules,
                                         const struct ahead_limits *limits,
                                         weir_gate_t gate) {
    struct weir__ahead *ahead = calloc(1, sizeof *ahead);
    struct lister *listers = calloc(limits->threads, sizeof *listers);
    if (!ahead || !listers) {
        free(ahead);
        free(listers);
        return NULL;
    }
    ahead->holds = 1;
    ahead->limits = *limits;
    ahead->rules = *rules;
    ahead->listers = listers;
    ahead->gate = gate ? weir_gate_retain(gate) : NULL;
    pthread_mutex_init(&ahead->lock, NULL);
    weir__condition_create(&ahead->finished);
    for (size_t i = limits->threads; i-- > 0;) {
        if (!create_lister(ahead, i)) {
            destroy(ahead);
            return NULL;
        }
    }
    return ahead;
}

void weir__listers_drop_hold(struct weir__ahead *ahead) {
    if (weir__drop_hold(&ahead->holds)) {
        destroy(ahead);
    }
}

/* ---- permits ----------------------------------------------------------- */

static bool take_permits(struct weir__ahead *ahead) {
    if (ahead->gate && weir_gate_try(ahead->gate, PERMITS) != 0) {
        return false;
    }
    if (weir_gate_try(weir_descriptor_gate(), PERMITS) == 0) {
        return true;
    }
    if (ahead->gate) {
        weir_gate_signal(ahead->gate, PERMITS);
    }
    return false;
}

static void release_permits(struct weir__ahead *ahead) {
    weir_gate_signal(weir_descriptor_gate(), PERMITS);
    if (ahead->gate) {
        weir_gate_signal(ahead->gate, PERMITS);
    }
}

/* ---- plans ------------------------------------------------------------- */

static void free_plan(struct plan *plan) {
    weir__listing_free(&plan->listing);
    free(plan);
}

void weir__plan_remove(struct weir__ahead *ahead, struct plan *plan) {
    *(plan->previous ? &plan->previous->next : &ahead->first) = plan->next;
    *(plan->next ? &plan->next->previous : &ahead->last) = plan->previous;
    ahead->waiting -= plan->state == PLAN_WAITING;
    if (plan->state == PLAN_IN_PROGRESS) {
        plan->state = PLAN_ABANDONED;
    } else {
        ahead->bytes -= plan_size(plan);
        free_plan(plan);
    }
}

/* Takes the first plan that waits, with room and permits, or NULL. */
static struct plan *start_plan(struct weir__ahead *ahead) {
    struct plan *plan = ahead->first;
    if (ahead->waiting == 0 || !ahead_has_room(ahead) || !take_permits(ahead)) {
        return NULL;
    }
    while (plan->state != PLAN_WAITING) {
        plan = plan->next;
    }
    plan->state = PLAN_IN_PROGRESS;
    ahead->waiting--;
    ahead->in_progress++;
    return plan;
}

/* Wakes the walk if it waits. */
static void finish_plan(struct weir__ahead *ahead, struct plan *plan,
                        int error) {
    ahead->in_progress--;
    ahead->events++;
    if (plan->state == PLAN_ABANDONED) {
        ahead->bytes -= sizeof *plan + plan->path_length + 1;
        free_plan(plan);
        return;
    }
    plan->state = error ? PLAN_FAILED : PLAN_LISTED;
    if (error) {
        weir__listing_free(&plan->listing);
    }
    ahead->bytes += listing_size(&plan->listing);
    pthread_cond_signal(&ahead->finished);
}

/* ---- listing ----------------------------------------------------------- */

static int list(struct lister *lister, struct plan *plan) {
    struct weir__ahead *ahead = lister->ahead;
    if (!lister->buffer && !(lister->buffer = malloc(WEIR_DIRECTORY_BUFFER))) {
        return ENOMEM;
    }
    weir__pace_begin(&plan->sample, true);
    int fd = weir__listing_open(&plan->listing, &ahead->rules, plan->path,
                                plan->path_length, plan->depth);
    if (fd < 0) {
        return -fd;
    }
    int error = weir__listing_read(&plan->listing, &ahead->rules, fd,
                                   lister->buffer, ahead->limits.listing_bytes);
    weir__pace_end(&plan->sample);
    return error;
}

/* The block on a lister's queue. */
static void work(void *context) {
    struct lister *lister = context;
    struct weir__ahead *ahead = lister->ahead;
    struct plan *plan;
    pthread_mutex_lock(&ahead->lock);
    ahead->starting--;
    while ((plan = start_plan(ahead))) {
        pthread_mutex_unlock(&ahead->lock);
        int error = list(lister, plan);
        release_permits(ahead);
        pthread_mutex_lock(&ahead->lock);
        finish_plan(ahead, plan, error);
    }
    lister->next_idle = ahead->idle;
    ahead->idle = lister;
    ahead->events++;
    pthread_cond_signal(&ahead->finished);
    pthread_mutex_unlock(&ahead->lock);
    weir__listers_drop_hold(ahead);
}

/* Takes an idle lister, with a hold, if one is wanted, or NULL. */
static struct lister *take_idle(struct weir__ahead *ahead) {
    struct lister *lister = ahead->idle;
    if (!lister || ahead->starting >= ahead->waiting ||
        !ahead_has_room(ahead)) {
        return NULL;
    }
    ahead->idle = lister->next_idle;
    ahead->starting++;
    add_relaxed(&ahead->holds, 1);
    return lister;
}

void weir__listers_wake_and_unlock(struct weir__ahead *ahead) {
    struct lister *woken = NULL, *lister;
    while ((lister = take_idle(ahead))) {
        lister->next_idle = woken;
        woken = lister;
    }
    pthread_mutex_unlock(&ahead->lock);
    while ((lister = woken)) {
        woken = lister->next_idle;
        dispatch_async_f(lister->queue, lister, work);
    }
}
