/* waits_for_itself_tests.c: a job that waits for permits of a gate, most of which it
   took itself, is misuse if that is certain, and otherwise a warning after two seconds
   in which nothing changes at the gate. */
#include "objects.h"
#include <sys/mman.h>
#include <unistd.h>

/* The permits of work of weir_gate_async are its own until it ends. */
static void check_work(dispatch_queue_attr_t attribute) {
    check_misuse(
        ^{
          weir_gate_t gate = weir_gate_create("tickets", 4);
          gate_submit(gate, 3, dispatch_queue_create("work", attribute), ^{
            gate_take(gate, 2);
          });
          pause();
        },
        "the gate \"tickets\"", "holds", "of its 4", "itself", NULL);
}

TEST(work_that_waits_for_itself) {
    check_work(NULL);
    check_work(DISPATCH_QUEUE_CONCURRENT);
}

static int errors, standard_error;
static weir_gate_t gate;
static weir_lanes_t lanes;

static void begin(size_t width) {
    standard_error = dup(STDERR_FILENO);
    errors = memfd_create("errors", 0);
    dup2(errors, STDERR_FILENO);
    gate = weir_gate_create("tickets", 4);
    lanes = lanes_make("lanes", width, 0);
}

static const char *error_text(void) {
    static char text[4096];
    ssize_t size = pread(errors, text, sizeof text - 1, 0);
    text[size < 0 ? 0 : size] = 0;
    return text;
}

static const char *finish(void) {
    CHECK(lanes_end(lanes) && gate_stats(gate).in_use == 0);
    weir_gate_release(gate);
    dup2(standard_error, STDERR_FILENO);
    return error_text();
}

/* A job on lanes may have passed its permits on, to a block that returns them after
   the warning: one line, and the wait goes on. While another thread holds a permit,
   there is no warning. */
static void check_warning(size_t width, size_t permits_of_another) {
    begin(width);
    gate_take(gate, permits_of_another);
    pthread_t another = thread_start(^{
      CHECK(EVENTUALLY(gate_stats(gate).waiting == 1));
      sleep(permits_of_another == 0 ? 0 : 3);
      CHECK(permits_of_another == 0 || error_text()[0] == 0);
      weir_gate_signal(gate, permits_of_another);
    });
    lanes_submit(lanes, ^{
      gate_take(gate, 3);
      dispatch_async(global(), ^{
        CHECK(EVENTUALLY(strchr(error_text(), '\n') != NULL));
        /* Time for a second warning, which must not come. */
        sleep(2);
        weir_gate_signal(gate, 3);
      });
      gate_take(gate, 2);
      weir_gate_signal(gate, 2);
    });
    thread_join(another);
    const char *text = finish(),
               *line = strstr(text, "weir: warning: the gate \"tickets\"");
    CHECK(line != NULL && strstr(line + 1, "weir: ") == NULL &&
              strstr(line, "itself") != NULL && strstr(line, "disown") != NULL,
          "%s", text);
}

TEST(a_job_on_a_lane) { check_warning(1, 0); }
TEST(a_job_on_its_callers_thread) { check_warning(WEIR_LANES_INLINE, 0); }
TEST(a_job_that_is_alone_during_its_wait) { check_warning(1, 1); }

/* While the gate keeps changing, for longer than the detection takes, there is no
   warning, and the last change ends the wait. */
TEST(a_gate_that_keeps_changing) {
    static _Atomic bool served;
    begin(1);
    lanes_submit(lanes, ^{
      gate_take(gate, 4);
      gate_take(gate, 1);
      served = true;
      weir_gate_signal(gate, 5);
    });
    CHECK(EVENTUALLY(gate_stats(gate).waiting == 1));
    for (double end = seconds() + 4; seconds() < end && !served;) {
        CHECK_EQUAL(weir_gate_resize(gate, 4), 0);
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    CHECK(!served && weir_gate_resize(gate, 5) == 0);
    CHECK_TEXT(finish(), "");
}
