/*
 * loops-tbb: the bodies of loops.h under oneTBB, with its default, the
 * auto_partitioner.
 */
#include "loops.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

template <int body> static void loop() {
    tbb::parallel_for(tbb::blocked_range<size_t>(0, loop_bodies[body].count),
                      [](const tbb::blocked_range<size_t> &range) {
                          for (size_t i = range.begin(); i < range.end(); i++)
                              loop_iteration(body, i);
                      });
}

#define TBB_LOOP(body) loop<body>()

static void by_tbb(int body) { LOOP_RUN(body, TBB_LOOP); }

int main() { return loop_serve(by_tbb); }
