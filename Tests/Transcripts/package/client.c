/* client.c: a program in the common subset of C11 and C++17, with blocks if the compiler has them. */
#include <stdio.h>
#include <weir.h>
#ifdef __BLOCKS__
#if __has_include(<Block.h>)
#include <Block.h>
#else
#include <Block/Block.h>
#endif
#endif

static size_t sum, jobs;

static size_t taken(size_t *from) {
    return __atomic_exchange_n(from, (size_t)0, __ATOMIC_SEQ_CST);
}

static void add(void *context, size_t begin, size_t end) {
    (void)context;
    for (size_t i = begin; i < end; i++) {
        __atomic_fetch_add(&sum, i, __ATOMIC_SEQ_CST);
    }
}

static void job(void *context, void *lane) {
    (void)lane;
    __atomic_fetch_add((size_t *)context, 1, __ATOMIC_SEQ_CST);
}

int main(void) {
    weir_apply_f(100, 7, NULL, NULL, add);
    weir_lanes_t lanes = weir_lanes_create(NULL);
    int errors = 0;
    for (int i = 0; i < 10; i++) {
        errors += weir_lanes_async_f(lanes, &jobs, job);
    }
    weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
    weir_gate_t gate = weir_gate_create("gate", 3);
    errors += weir_gate_wait(gate, 3, DISPATCH_TIME_FOREVER);
    weir_gate_stats_t stats;
    weir_gate_stats(gate, &stats, sizeof stats);
    weir_gate_signal(gate, 3);
    weir_gate_release(gate);
    printf("%s apply %zu lanes %zu gate %zu\n", weir_version(), taken(&sum),
           taken(&jobs), stats.in_use);
#ifdef WEIR_BLOCKS
    weir_apply(100, 7, NULL, ^(size_t begin, size_t end) {
      add(NULL, begin, end);
    });
    for (int i = 0; i < 10; i++) {
        errors += weir_lanes_async(lanes, ^(void *lane) {
          job(&jobs, lane);
        });
    }
    weir_lanes_wait(lanes, DISPATCH_TIME_FOREVER);
    int five = 5;
    int (^copied)(void) = Block_copy(^{
      return five;
    });
    printf("blocks: apply %zu lanes %zu copied %d\n", taken(&sum), taken(&jobs),
           copied());
    Block_release(copied);
#endif
    weir_lanes_release(lanes);
    return errors;
}
