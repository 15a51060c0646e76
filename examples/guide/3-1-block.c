/*
 * Listing 3-1: a block, and the values it captures.
 *
 * A block is a piece of code with the values that it uses; the program makes it
 * in place.
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

int main(void) {
    int apples = 3;
    int price = 12;

    /* A caret replaces the star of a function pointer. */
    void (^sell)(int) = ^(int paid) {
      printf("%d apples at %d: %d paid, %d back.\n", apples, price, paid,
             paid - apples * price);
    };
    sell(50);

    /* The values were copied when the block was made. */
    price = 100;
    sell(40);
    printf("The price is %d now; the block has the one it took along.\n",
           price);

    /* A variable that a block changes is declared with __block. */
    __block int till = 0;
    void (^receive)(int) = ^(int paid) {
      till += paid;
    };
    receive(36);
    receive(12);
    printf("The till, a __block variable, holds %d.\n", till);

    /* A queue runs blocks; dispatch_sync returns when this one has ended. */
    dispatch_queue_t queue = dispatch_queue_create("com.example.shop", NULL);
    dispatch_sync(queue, ^{
      till += 2;
    });
    printf("A queue ran a block: the till holds %d.\n", till);
    dispatch_release(queue);
    return 0;
}
