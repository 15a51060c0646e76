/* scenario_planted.c: scenarios with a defect each, which scenarios.c finds. */
#include "scenarios.h"

#include <fcntl.h>

static void leak(void) {
    weir_group_t group = weir_group_create("group");
    weir_gate_t gate = group ? weir_gate_create("gate", 1) : NULL;
    if (!group || !MADE(gate)) { /* loses the group */
        count_failure();
        return;
    }
    weir_gate_release(gate);
    weir_group_release(group);
}

static void descriptor(void) {
    int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    weir_group_t group = weir_group_create("group");
    if (MADE(group)) { /* else loses the file */
        weir_group_release(group);
        close(file);
    }
}

static void silence(void) {
    weir_group_t group = weir_group_create("group");
    say("group %d", group != NULL); /* says nothing of ENOMEM */
    if (group) {
        weir_group_release(group);
    }
}

static void crash(void) {
    weir_group_t group = weir_group_create("group");
    weir_group_release(group);
}

const struct scenario planted_scenarios[] = {
    {"planted-leak", leak, false},
    {"planted-descriptor", descriptor, false},
    {"planted-silence", silence, false},
    {"planted-crash", crash, false},
    {NULL, NULL, false},
};
