/*
 * Listing 3-5 without blocks: a loop whose iterations run at the same time.
 *
 *     gcc -o 3-5-concurrent-loop_f 3-5-concurrent-loop_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Performing Loop Iterations Concurrently".
 */
#include <stdio.h>
#include <weir/libdispatch.h>

enum { COUNT = 12 };

/* Some work: counts the primes below a limit. */
static int primes_below(int limit) {
    int primes = 0;
    for (int n = 2; n < limit; n++) {
        int divisor = 2;
        while (divisor * divisor <= n && n % divisor != 0)
            divisor++;
        primes += divisor * divisor > n;
    }
    return primes;
}

/* A different amount for each iteration. */
static int work(int i) { return 2000 * (i * 7 % COUNT); }

static void count_and_print(void *context, size_t i) {
    int *results = context;
    /* Each iteration has a place of its own: nothing to lock. */
    results[i] = primes_below(work((int)i));
    printf(" %zu", i);
}

static void print_index(void *context, size_t i) {
    (void)context;
    printf(" %zu", i);
}

int main(void) {
    int primes[COUNT];
    int again[COUNT];

    printf("for:");
    for (size_t i = 0; i < COUNT; i++)
        count_and_print(primes, i);

    printf("\ndispatch_apply:");
    dispatch_apply_f(COUNT, dispatch_get_global_queue(0, 0), again,
                     count_and_print);
    /* It returns when the last iteration has. */
    int same = 0;
    for (int i = 0; i < COUNT; i++)
        same += primes[i] == again[i];
    printf("\nIn what order is anybody's guess; %d of %d results agree.\n",
           same, COUNT);

    dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
    printf("On a serial queue:");
    dispatch_apply_f(COUNT, serial, NULL, print_index);
    printf("\nThat is the order of the loop, and its speed.\n");
    dispatch_release(serial);
    return 0;
}
