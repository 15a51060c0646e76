/*
 * lanes_width.c: changes the number of jobs that lanes run at once, while they
 * work.
 *
 * DESIGN. A lane is made when it is first needed, since its context may be
 * large, and it is kept: a lower width leaves lanes idle. The idle lane that
 * was busy last is woken first, so that the buffers in use stay few. A lane
 * that ends a job when too many run becomes idle.
 */
#include "queues/lanes_state.h"

/* Makes lanes, without the lock, up to a width. Returns how many there are. */
static size_t make_up_to(weir_lanes_t lanes, size_t width) {
    size_t made = lanes->made; /* the caller allows one change at a time */
    while (made < width) {
        struct weir__lane *lane = weir__lanes_make_lane(lanes, made);
        if (!lane) {
            break;
        }
        if (lanes->lane_create && !lane->context) {
            weir__lanes_discard_lane(lane);
            break;
        }
        lanes->lanes[made++] = lane;
    }
    return made;
}

/* Adds the lanes that were made to the idle ones, the lowest number first. */
static void add_locked(weir_lanes_t lanes, size_t made) {
    for (size_t i = made; i-- > lanes->made;) {
        lanes->lanes[i]->next_idle = lanes->idle;
        lanes->idle = lanes->lanes[i];
    }
    lanes->made = made;
}

size_t weir__lanes_set_width(weir_lanes_t lanes, size_t width) {
    size_t most = width < lanes->width_max ? width : lanes->width_max;
    size_t made = make_up_to(lanes, most);
    pthread_mutex_lock(&lanes->lock);
    add_locked(lanes, made);
    width = lanes->stats.width = most < made ? most : made;
    weir__lanes_wake_all_and_unlock(lanes);
    return width;
}
