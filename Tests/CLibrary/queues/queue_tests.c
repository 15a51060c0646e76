/* queue_tests.c: the context of a queue and its finalizer. */
#include "objects.h"

enum { NONE, FIRST, SECOND, CONTEXTS };

static char first, second, key;
static void *const contexts[] = {NULL, &first, &second};

static _Atomic int finalized[CONTEXTS], finalized_on_target;

static void finalize(void *context) {
    finalized_on_target += dispatch_get_specific(&key) != NULL;
    finalized[context == NULL ? NONE : context == &first ? FIRST : SECOND]++;
}

static int all_finalized(void) {
    return finalized[NONE] + finalized[FIRST] + finalized[SECOND];
}

static dispatch_queue_t create(int context) {
    return weir_queue_create("owner", NULL, contexts[context], finalize);
}

static void check_context(dispatch_queue_t queue, int context) {
    void *expected = contexts[context];
    CHECK(weir_queue_get_context(queue) == expected);
    CHECK(expected == NULL || dispatch_get_context(queue) == expected);
}

TEST(the_finalizer_gets_the_last_context_exactly_once) {
    int queues = 0;
    for (int length = 1, sequences = 3; length <= 4; length++, sequences *= 3) {
        for (int sequence = 0; sequence < sequences; sequence++, queues++) {
            int last = sequence % 3, rest = sequence / 3;
            dispatch_queue_t queue = create(last);
            check_row("sequence %d of %d", sequence, length);
            check_context(queue, last);
            for (int place = 1; place < length; place++, rest /= 3) {
                last = rest % 3;
                CHECK_EQUAL(weir_queue_set_context(queue, contexts[last]), 0);
                check_context(queue, last);
            }
            int before = finalized[last];
            dispatch_release(queue);
            CHECK(EVENTUALLY(finalized[last] == before + 1));
        }
    }
    CHECK_EQUAL(queues, 3 + 9 + 27 + 81);
    CHECK_EQUAL(all_finalized(), queues);
}

TEST(the_finalizer_runs_after_the_last_job_on_the_target_queue) {
    QUEUE(target, "target", NULL);
    dispatch_queue_set_specific(target, &key, &key, NULL);
    for (int context = NONE; context <= FIRST; context++) {
        struct latch *go = latch_create(1);
        struct meter ran = {0}, *meter = &ran;
        dispatch_queue_t queue = create(context);
        dispatch_set_target_queue(queue, target);
        for (int job = 0; job < 20; job++) {
            dispatch_async(queue, ^{
              latch_wait(go);
              CHECK_EQUAL(all_finalized(), context);
              meter_enter(meter);
            });
        }
        dispatch_release(queue);
        latch_arrive(go);
        CHECK(EVENTUALLY(all_finalized() == context + 1) && ran.ever == 20);
        CHECK_EQUAL(finalized_on_target, context + 1);
    }
}

TEST(a_job_may_replace_the_context_of_its_queue) {
    dispatch_queue_t queue = create(FIRST);
    EACH(int, context, NONE, SECOND, FIRST, NONE, SECOND) {
        dispatch_sync(queue, ^{
          CHECK_EQUAL(weir_queue_set_context(queue, contexts[context]), 0);
          check_context(queue, context);
        });
    }
    dispatch_release(queue);
    CHECK(EVENTUALLY(finalized[SECOND] == 1) && all_finalized() == 1);
}

TEST(queues_that_weir_did_not_make_are_refused) {
    dispatch_queue_t target = weir_queue_create("target", NULL, &first, NULL);
    dispatch_queue_t queue = weir_queue_create("owner", NULL, NULL, NULL);
    QUEUE(foreign, "foreign", NULL);
    dispatch_set_context(foreign, &first);
    dispatch_set_target_queue(foreign, target);
    dispatch_set_target_queue(queue, target);
    dispatch_queue_t queues[] = {foreign,
                                 dispatch_get_main_queue(),
                                 dispatch_get_global_queue(2, 0),
                                 dispatch_get_global_queue(0, 0),
                                 dispatch_get_global_queue(-2, 0),
                                 dispatch_get_global_queue(INT16_MIN, 0)};
    for (int row = 0; row < 6; row++) {
        check_row("queue %d", row);
        CHECK_EQUAL(weir_queue_set_context(queues[row], &second), EINVAL);
        CHECK_EQUAL(weir_queue_set_context(queues[row], NULL), EINVAL);
        CHECK(weir_queue_get_context(queues[row]) == NULL);
    }
    CHECK(dispatch_get_context(foreign) == &first);
    /* The context of the target is not that of the queue. */
    CHECK(weir_queue_get_context(queue) == NULL);
    CHECK(weir_queue_get_context(target) == &first);
    dispatch_release(queue);
    dispatch_release(target);
}
