/*
 * alarm.c: calls at a time, all of them on one thread.
 *
 * DESIGN. A timer of libdispatch calls on a thread of libdispatch, and if work
 * holds all 255 of a class, a time-out of 200 ms came after 6 s. So the alarms
 * have a thread of their own. It sleeps on a condition, which needs no
 * descriptor. The alarms are in a binary heap. An alarm is freed when its owner
 * ends it, also after it rang: the thread copies the call under the lock, and
 * touches it no more.
 */
#include "system/clocks.h"
#include "system/condition.h"
#include "system/threads.h"

#include <weir/spi.h>

struct weir_spi_alarm_s {
    uint64_t time;
    size_t place; /* in the heap, from 1; 0 after the alarm rang */
    void (*ring)(void *context);
    void *context;
};

/* The heap is at [1, count]: no alarm is later than its parent. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static weir_spi_alarm_t *heap;
static size_t count, capacity;
static bool is_prepared, is_served;

/* ---- the heap, under the lock ------------------------------------------- */

static void put(weir_spi_alarm_t alarm, size_t place) {
    heap[place] = alarm;
    alarm->place = place;
}

/* Moves an alarm from a place up or down to where it belongs. */
static void settle(weir_spi_alarm_t alarm, size_t place) {
    while (place > 1 && heap[place / 2]->time > alarm->time) {
        put(heap[place / 2], place);
        place /= 2;
    }
    size_t next;
    while ((next = place * 2) <= count) {
        next += next < count && heap[next + 1]->time < heap[next]->time;
        if (heap[next]->time >= alarm->time) {
            break;
        }
        put(heap[next], place);
        place = next;
    }
    put(alarm, place);
}

static bool insert(weir_spi_alarm_t alarm) {
    if (count + 1 >= capacity) {
        size_t more = capacity ? capacity * 2 : 16;
        weir_spi_alarm_t *grown = realloc(heap, more * sizeof *heap);
        if (!grown) {
            return false;
        }
        heap = grown;
        capacity = more;
    }
    settle(alarm, ++count);
    return true;
}

static void delete (weir_spi_alarm_t alarm) {
    weir_spi_alarm_t last = heap[count--];
    if (last != alarm) {
        settle(last, alarm->place);
    }
    alarm->place = 0;
}

/* ---- the thread --------------------------------------------------------- */

static uint64_t now(void) { return weir__nanoseconds_of(WEIR_CLOCK_AWAKE); }

/* Waits for the first alarm, and for an earlier one that is set meanwhile. */
static void wait_locked(void) {
    uint64_t time = now();
    if (count == 0) {
        pthread_cond_wait(&changed, &lock);
    } else if (heap[1]->time > time) {
        (void)weir__condition_wait(&changed, &lock, heap[1]->time - time);
    }
}

static void serve(void *context) {
    (void)context;
    pthread_mutex_lock(&lock);
    for (;;) {
        wait_locked();
        while (count > 0 && heap[1]->time <= now()) {
            const struct weir_spi_alarm_s rings = *heap[1];
            delete (heap[1]);
            pthread_mutex_unlock(&lock);
            rings.ring(rings.context);
            pthread_mutex_lock(&lock);
        }
    }
}

/* True if the caller must start the thread. Called with the lock held. */
static bool needs_thread(void) {
    if (!is_prepared) {
        weir__condition_create(&changed);
        is_prepared = true;
    }
    bool needs = !is_served;
    is_served = true;
    return needs;
}

/* ---- the calls ---------------------------------------------------------- */

static bool start_thread(void) {
    if (weir_spi_thread_start(NULL, serve) == 0) {
        return true;
    }
    pthread_mutex_lock(&lock);
    is_served = false;
    pthread_mutex_unlock(&lock);
    return false;
}

weir_spi_alarm_t weir_spi_alarm_set(uint64_t time, void *context,
                                    void (*ring)(void *context)) {
    weir_spi_alarm_t alarm = malloc(sizeof *alarm);
    if (!alarm) {
        return NULL;
    }
    *alarm = (struct weir_spi_alarm_s){time, 0, ring, context};
    pthread_mutex_lock(&lock);
    bool is_set = insert(alarm);
    bool is_first = is_set && alarm->place == 1;
    bool needs = is_set && needs_thread();
    pthread_mutex_unlock(&lock);
    if (is_first) {
        pthread_cond_signal(&changed);
    }
    if (!is_set || (needs && !start_thread())) {
        weir_spi_alarm_end(alarm);
        return NULL;
    }
    return alarm;
}

bool weir_spi_alarm_end(weir_spi_alarm_t alarm) {
    pthread_mutex_lock(&lock);
    bool is_set = alarm->place > 0;
    if (is_set) {
        delete (alarm);
    }
    pthread_mutex_unlock(&lock);
    free(alarm);
    return is_set;
}
