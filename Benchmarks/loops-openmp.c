/*
 * loops-openmp: the bodies of loops.h under OpenMP.
 *
 *     loops-openmp static | dynamic | guided
 *
 * The schedules stand in the directives, as people write them: chosen at run
 * time they are slower.
 */
#include "loops.h"

#define STATIC_LOOP(body)                                                      \
    _Pragma(                                                                   \
        "omp parallel for schedule(static)") for (size_t i = 0;                \
                                                  i < loop_bodies[body].count; \
                                                  i++) loop_iteration(body, i)
#define DYNAMIC_LOOP(body)                                                     \
    _Pragma(                                                                   \
        "omp parallel for schedule(dynamic)") for (size_t i = 0;               \
                                                   i <                         \
                                                   loop_bodies[body].count;    \
                                                   i++)                        \
        loop_iteration(body, i)
#define GUIDED_LOOP(body)                                                      \
    _Pragma(                                                                   \
        "omp parallel for schedule(guided)") for (size_t i = 0;                \
                                                  i < loop_bodies[body].count; \
                                                  i++) loop_iteration(body, i)

static void by_static(int body) { LOOP_RUN(body, STATIC_LOOP); }

static void by_dynamic(int body) { LOOP_RUN(body, DYNAMIC_LOOP); }

static void by_guided(int body) { LOOP_RUN(body, GUIDED_LOOP); }

int main(int count, char **arguments) {
    const char *schedule = count > 1 ? arguments[1] : "";
    if (strcmp(schedule, "static") == 0)
        return loop_serve(by_static);
    if (strcmp(schedule, "dynamic") == 0)
        return loop_serve(by_dynamic);
    if (strcmp(schedule, "guided") == 0)
        return loop_serve(by_guided);
    fputs("usage: loops-openmp static | dynamic | guided\n", stderr);
    return 2;
}
