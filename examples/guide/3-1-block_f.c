/*
 * Listing 3-1 without blocks: a function, and a struct for the values it uses.
 *
 *     gcc -o 3-1-block_f 3-1-block_f.c $(pkg-config --cflags --libs weir)
 *
 * Every dispatch function that takes a block has a twin ending in _f, which
 * takes a pointer, the context, and a function to call with it.
 */
#include <stdio.h>
#include <weir/libdispatch.h>

struct sale {
    int apples;
    int price;
};

static void sell(const struct sale *sale, int paid) {
    printf("%d apples at %d: %d paid, %d back.\n", sale->apples, sale->price,
           paid, paid - sale->apples * sale->price);
}

static void receive_two(void *context) {
    int *till = context;
    *till += 2;
}

int main(void) {
    int price = 12;
    struct sale sale = {.apples = 3, .price = price};
    sell(&sale, 50);

    /* The values were copied into the struct. */
    price = 100;
    sell(&sale, 40);
    printf("The price is %d now; the struct has the one it took along.\n",
           price);

    /* A value that the function changes is passed by a pointer. */
    int till = 36 + 12;
    printf("The till, a variable of main, holds %d.\n", till);

    dispatch_queue_t queue = dispatch_queue_create("com.example.shop", NULL);
    dispatch_sync_f(queue, &till, receive_two);
    printf("A queue ran a function: the till holds %d.\n", till);
    dispatch_release(queue);
    return 0;
}
