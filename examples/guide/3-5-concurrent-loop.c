/*
 * Listing 3-5: a loop whose iterations run at the same time.
 *
 * The guide: "Performing Loop Iterations Concurrently".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

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

int main(void) {
    static int primes[COUNT];

    printf("for:");
    for (int i = 0; i < COUNT; i++) {
        primes[i] = primes_below(work(i));
        printf(" %d", i);
    }

    printf("\ndispatch_apply:");
    static int again[COUNT];
    int *results = again;
    dispatch_apply(COUNT, dispatch_get_global_queue(0, 0), ^(size_t i) {
      /* Each iteration has a place of its own: nothing to lock. */
      results[i] = primes_below(work((int)i));
      printf(" %zu", i);
    });
    /* It returns when the last iteration has. */
    int same = 0;
    for (int i = 0; i < COUNT; i++)
        same += primes[i] == again[i];
    printf("\nIn what order is anybody's guess; %d of %d results agree.\n",
           same, COUNT);

    dispatch_queue_t serial = dispatch_queue_create("com.example.serial", NULL);
    printf("On a serial queue:");
    dispatch_apply(COUNT, serial, ^(size_t i) {
      printf(" %zu", i);
    });
    printf("\nThat is the order of the loop, and its speed.\n");
    dispatch_release(serial);
    return 0;
}
