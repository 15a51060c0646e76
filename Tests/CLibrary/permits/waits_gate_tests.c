/* waits_gate_tests.c: jobs that wait for themselves. (Tests/Schedules has the warnings.) */
#include "objects.h"
#include <sys/mman.h>
#include <unistd.h>

/* While the gate keeps changing, for longer than the detection takes, there is no
   warning, and the last change ends the wait. */
TEST(a_gate_that_keeps_changing) {
    static _Atomic bool served;
    int errors = memfd_create("errors", 0);
    dup2(errors, STDERR_FILENO);
    GATE(gate, "tickets", 4);
    weir_lanes_t lanes = lanes_make("lanes", 1, 0);
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
    CHECK(lanes_end(lanes) && lseek(errors, 0, SEEK_CUR) == 0);
}
