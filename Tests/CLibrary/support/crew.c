/*
 * crew.c: threads that run one block.
 */
#include "crew.h"

struct crew crew_start(int count, void (^body)(void)) {
    struct crew crew = {.count = count};
    REQUIRE(count <= CREW_MOST);
    for (int number = 0; number < count; number++) {
        crew.threads[number] = thread_start(body);
    }
    return crew;
}

void crew_join(struct crew crew) {
    for (int number = 0; number < crew.count; number++) {
        thread_join(crew.threads[number]);
    }
}

void crew_run(int count, void (^body)(void)) {
    crew_join(crew_start(count, body));
}
