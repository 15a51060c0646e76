/* apply_tests.c: loops for any count, stride and queue, also stopped ones. */
#include "objects.h"

enum { FUNCTION, BLOCK, WHILE_FUNCTION, WHILE_BLOCK, FORMS };

struct range {
    size_t begin, end;
};

struct loop {
    size_t count, stride, size, room;
    bool result;
    int (^body)(struct range range);
    struct range *ranges;
    pthread_mutex_t mutex;
};

static bool note_range(void *context, size_t begin, size_t end) {
    struct loop *loop = context;
    struct range range = {begin, end};
    pthread_mutex_lock(&loop->mutex);
    if (loop->size == loop->room) {
        loop->room = 2 * loop->room + 64;
        loop->ranges = realloc(loop->ranges, loop->room * sizeof range);
    }
    loop->ranges[loop->size++] = range;
    pthread_mutex_unlock(&loop->mutex);
    return loop->body == NULL || loop->body(range);
}

static void note_only(void *loop, size_t begin, size_t end) {
    note_range(loop, begin, end);
}

/* The body may be NULL. The caller passes the loop to end_of. */
static struct loop run_loop(int form, size_t count, size_t stride,
                            dispatch_queue_t queue,
                            int (^body)(struct range range)) {
    struct loop loop = {
        count, stride, 0,    0,
        true,  body,   NULL, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct loop *same = &loop;
    if (form == FUNCTION) {
        weir_apply_f(count, stride, queue, same, note_only);
    } else if (form == BLOCK) {
        weir_apply(count, stride, queue, ^(size_t begin, size_t end) {
          note_range(same, begin, end);
        });
    } else if (form == WHILE_FUNCTION) {
        loop.result =
            weir_apply_while_f(count, stride, queue, same, note_range);
    } else {
        loop.result =
            weir_apply_while(count, stride, queue, ^(size_t begin, size_t end) {
              return note_range(same, begin, end);
            });
    }
    return loop;
}

static int compare_ranges(const void *left, const void *right) {
    const struct range *one = left, *other = right;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

/* Returns the end of the ranges, which it frees. Fails if they do not begin at 0 or
   leave a gap, or if one does not have the stride, the last one of the loop apart. */
static size_t end_of(struct loop loop) {
    size_t end = 0;
    bool right = true;
    if (loop.size > 0) {
        qsort(loop.ranges, loop.size, sizeof *loop.ranges, compare_ranges);
    }
    for (size_t place = 0; place < loop.size && right; place++) {
        struct range range = loop.ranges[place];
        size_t left = loop.count - end, size = range.end - range.begin;
        right = range.begin == end && size > 0 && size <= left &&
                (loop.stride == 0 ||
                 size == (left < loop.stride ? left : loop.stride));
        end = range.end;
    }
    CHECK(right, "%zu / %zu: a range before %zu", loop.count, loop.stride, end);
    free(loop.ranges);
    return end;
}

static void check_loop(int form, size_t count, size_t stride,
                       dispatch_queue_t queue) {
    struct loop loop = run_loop(form, count, stride, queue, NULL);
    CHECK(loop.result && end_of(loop) == count, "form %d: %zu / %zu", form,
          count, stride);
}

static void spin(double duration) {
    for (double end = seconds() + duration; seconds() < end;) {
    }
}

TEST(every_small_loop_tiles_its_range) {
    for (int row = 0; row < PLACES * FORMS; row++) {
        dispatch_queue_t queue = queue_at(row / FORMS);
        for (size_t count = 0; count <= 24; count++) {
            for (size_t stride = 0; stride <= 25; stride++) {
                check_loop(row % FORMS, count, stride, queue);
            }
            check_loop(row % FORMS, count, SIZE_MAX / 2, queue);
            check_loop(row % FORMS, count, SIZE_MAX, queue);
        }
    }
}

TEST(big_and_huge_loops_tile_their_range) {
    struct check_random random = check_random("big loops");
    for (int form = 0; form < FORMS; form++) {
        for (int round = 0; round < 12; round++) {
            size_t stride = round % 2 * (50 + check_below(&random, 1000));
            check_loop(form, check_below(&random, 1000000), stride, NULL);
        }
        EACH(size_t, count, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1) {
            EACH(size_t, stride, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2,
                 SIZE_MAX / 3, 0) {
                check_loop(form, count, stride, NULL);
            }
        }
    }
}

TEST(loops_can_be_nested) {
    static _Atomic size_t indices;
    for (int form = 0; form < FORMS; form++) {
        struct loop loop = run_loop(form, 30, 4, NULL, ^(struct range range) {
          for (size_t index = range.begin; index < range.end; index++) {
              check_loop(form, index, 3, NULL);
              indices += index;
          }
          return 1;
        });
        CHECK_EQUAL(end_of(loop), 30);
    }
    CHECK_EQUAL(indices, FORMS * 30 * 29 / 2);
}

/* The ranges grow until little is left, and shrink again towards the end. */
TEST(empty_bodies_make_few_ranges) {
    EACH(size_t, count, 1, 2, 3, 100000000, SIZE_MAX) {
        struct loop loop = run_loop(FUNCTION, count, 0, NULL, NULL);
        CHECK(loop.size <= 400, "%zu: %zu ranges", count, loop.size);
        CHECK(end_of(loop) == count);
    }
}

/* A loop begins with one iteration, and the ranges of one worker grow at most 16-fold
   a step. On a serial queue all ranges have one worker. */
TEST(ranges_grow_by_measured_steps) {
    for (int form = 0; form < FORMS; form++) {
        struct loop loop =
            run_loop(form, 10000000, 0, queue_at(PLACE_SERIAL), NULL);
        size_t most = 1;
        for (size_t place = 0; place < loop.size; place++) {
            size_t size = loop.ranges[place].end - loop.ranges[place].begin;
            CHECK(size <= most, "form %d: range %zu", form, place);
            most = 16 * size;
        }
        CHECK_EQUAL(end_of(loop), 10000000);
    }
}

/* An iteration that takes longer than a range may take is a range of its own, even
   after cheap ones. */
TEST(costly_iterations_run_one_at_a_time) {
    for (int row = 0; row < 2 * FORMS; row++) {
        dispatch_queue_t queue =
            queue_at(row < FORMS ? PLACE_NONE : PLACE_SERIAL);
        struct loop loop =
            run_loop(row % FORMS, 30, 0, queue, ^(struct range range) {
              spin(0.0012 * (double)(range.end - range.begin));
              return 1;
            });
        CHECK(loop.size == 30 && end_of(loop) == 30);
    }
}

/* No range takes more than its share of the rest, and after a range that was costly
   throughout the ranges are single iterations again. */
TEST(the_end_is_shared_after_a_cheap_beginning) {
    if (weir_lanes_default_width() == 1) {
        check_skip("one core shares with nobody");
    }
    struct loop loop = run_loop(
        FUNCTION, 4000, 0, queue_at(PLACE_SERIAL), ^(struct range range) {
          size_t begin = range.begin > 3980 ? range.begin : 3980;
          spin(range.end > begin ? 0.0015 * (double)(range.end - begin) : 0);
          return 1;
        });
    int costly = 0;
    for (size_t place = 0; place < loop.size; place++) {
        struct range range = loop.ranges[place];
        costly += range.end > 3980;
        CHECK(costly <= 2 || range.end - range.begin == 1, "%zu to %zu",
              range.begin, range.end);
    }
    CHECK(costly >= 6, "%d ranges", costly);
    CHECK_EQUAL(end_of(loop), 4000);
}

static size_t most_late(const struct loop *loop) {
    size_t most = 0, next = 0;
    for (size_t place = 0; place < loop->size; place++) {
        size_t begin = loop->ranges[place].begin;
        most = begin >= next && begin - place > most ? begin - place : most;
        next = begin >= next ? begin + 1 : next;
    }
    return most;
}

/* A claimed range may begin late: before a range begins, each other worker may have
   claimed one. On a serial queue there is one worker. */
TEST(ranges_start_in_order_on_the_queue) {
    static struct meter running;
    static char key;
    for (int row = 0; row < PLACES * FORMS; row++) {
        int place = row / FORMS;
        dispatch_queue_t queue = queue_at(place);
        size_t cores = weir_lanes_default_width();
        size_t workers = place == PLACE_SERIAL ? 1 : cores;
        bool is_new = place == PLACE_SERIAL || place == PLACE_CONCURRENT;
        if (is_new) {
            dispatch_queue_set_specific(queue, &key, queue, NULL);
        }
        check_row("place %d, form %d", place, row % FORMS);
        struct loop loop =
            run_loop(row % FORMS, 20000, 1, queue, ^(struct range range) {
              meter_enter(&running);
              CHECK(!is_new || dispatch_get_specific(&key) == queue);
              CHECK(workers > 1 || running.now == 1, "%zu", range.begin);
              meter_leave(&running);
              return 1;
            });
        CHECK(most_late(&loop) < workers, "%zu late", most_late(&loop));
        CHECK_EQUAL(end_of(loop), 20000);
    }
}

TEST(ranges_run_at_the_same_time) {
    if (weir_lanes_default_width() == 1) {
        check_skip("one core");
    }
    struct latch *both = latch_create(2);
    weir_apply(2, 1, NULL, ^(size_t begin, size_t end) {
      latch_arrive(both);
      CHECK(latch_wait(both), "%zu to %zu", begin, end);
    });
}

/* The calling thread suffices if other work occupies every thread of the queue. */
TEST(a_loop_ends_while_other_work_has_the_threads) {
    static struct meter running;
    static _Atomic bool stop;
    long cores = (long)weir_lanes_default_width();
    for (long core = 0; core < cores; core++) {
        dispatch_async(queue_at(PLACE_GLOBAL), ^{
          meter_enter(&running);
          while (!stop) {
          }
          meter_leave(&running);
        });
    }
    CHECK(EVENTUALLY(running.now == cores));
    check_loop(FUNCTION, 32, 0, queue_at(PLACE_GLOBAL));
    check_loop(FUNCTION, 32, 1, queue_at(PLACE_GLOBAL));
    CHECK_EQUAL(running.now, cores);
    stop = true;
    CHECK(EVENTUALLY(running.now == 0));
}

/* Runs loops that stop in the range of an index. The ranges that ran are a prefix of
   all, and on a serial queue no range starts after that range. */
static void check_stop(size_t count, size_t stride, size_t stop, int place) {
    for (int form = WHILE_FUNCTION; form < FORMS; form++) {
        struct loop loop = run_loop(
            form, count, stride, queue_at(place), ^(struct range range) {
              return range.begin > stop || stop >= range.end;
            });
        struct range last = loop.ranges[loop.size - 1];
        check_row("%zu / %zu, stop at %zu", count, stride, stop);
        CHECK(!loop.result && end_of(loop) > stop);
        CHECK(place == PLACE_NONE || (last.begin <= stop && stop < last.end));
    }
}

TEST(the_ranges_that_ran_are_a_prefix) {
    struct check_random random = check_random("prefix");
    for (size_t count = 1; count <= 20; count++) {
        for (size_t stop = 0; stop < count; stop++) {
            check_stop(count, 1, stop, PLACE_SERIAL);
        }
    }
    for (int round = 0; round < 50; round++) {
        size_t count = 1 + check_below(&random, 3000);
        check_stop(count, 2, check_below(&random, count), PLACE_NONE);
    }
    EACH(size_t, count, 1, 2, 40, 3000, 1000000, SIZE_MAX) {
        size_t stop = check_below(&random, count < 2000 ? count : 2000);
        check_stop(count, 0, stop, PLACE_NONE);
        check_stop(count, 0, stop, PLACE_SERIAL);
    }
}

/* The count plus the strides of all workers do not fit into a size_t. */
TEST(huge_loops_stop_early) {
    static _Atomic int asked;
    int (^body)(struct range) = ^(struct range range) {
      return (int)(range.end == 0 || ++asked < 4);
    };
    EACH(size_t, count, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2) {
        EACH(size_t, stride, 1, 2, 3, (size_t)1 << 32, SIZE_MAX / 39) {
            for (int form = WHILE_FUNCTION; form < FORMS; form++) {
                asked = 0;
                struct loop loop = run_loop(form, count, stride, NULL, body);
                CHECK(loop.size < 4 + weir_lanes_default_width());
                CHECK(!loop.result && end_of(loop) > 0);
            }
        }
    }
}
