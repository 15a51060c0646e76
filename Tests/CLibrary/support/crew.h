/*
 * crew.h: threads that run one block.
 */
#ifndef CREW_H
#define CREW_H

#include "threads.h"

enum { CREW_MOST = 8 };

struct crew {
    int count;
    pthread_t threads[CREW_MOST];
};

/* Starts up to CREW_MOST threads. */
struct crew crew_start(int count, void (^body)(void));
void crew_join(struct crew crew);
/* Starts and joins. */
void crew_run(int count, void (^body)(void));

#endif /* CREW_H */
