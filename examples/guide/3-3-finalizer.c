/*
 * Listing 3-3: a queue with a context, and the finalizer that frees it.
 *
 * The guide: "Storing Custom Context Information with a Queue", "Providing a
 * Clean Up Function For a Queue".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>

struct journal {
    int entries;
};

static dispatch_semaphore_t finalized;
static int empty_finalized;

/* Runs on the queue's target some time after the last release: it may not have
   run when dispatch_release returns. */
static void free_journal(void *context) {
    struct journal *journal = context;
    printf("Finalizer: the journal had %d entries; it is freed.\n",
           journal->entries);
    free(journal);
    dispatch_semaphore_signal(finalized);
}

static void count_empty(void *context) {
    (void)context;
    empty_finalized++;
}

static dispatch_queue_t create_journal_queue(dispatch_queue_t target) {
    struct journal *journal = calloc(1, sizeof *journal);
    dispatch_queue_t queue = dispatch_queue_create("com.example.journal", NULL);
    if (!journal || !queue)
        abort();
    dispatch_set_target_queue(queue, target);
    dispatch_set_context(queue, journal);
    dispatch_set_finalizer_f(queue, free_journal);
    return queue;
}

int main(void) {
    finalized = dispatch_semaphore_create(0);
    /* Both finalizers will run here, one after the other. */
    dispatch_queue_t target = dispatch_queue_create("com.example.target", NULL);

    dispatch_queue_t empty = dispatch_queue_create("com.example.empty", NULL);
    dispatch_set_target_queue(empty, target);
    dispatch_set_finalizer_f(empty, count_empty);

    dispatch_queue_t queue = create_journal_queue(target);
    for (int i = 0; i < 3; i++) {
        dispatch_async(queue, ^{
          struct journal *journal = dispatch_get_context(queue);
          journal->entries++;
        });
    }
    dispatch_sync(queue, ^{
      struct journal *journal = dispatch_get_context(queue);
      printf("Three tasks have written %d entries into the context.\n",
             journal->entries);
    });

    printf("The last references are released.\n");
    dispatch_release(empty);
    dispatch_release(queue);
    dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);
    printf("A queue whose context is NULL: its finalizer ran %d times.\n",
           empty_finalized);
    dispatch_release(target);
    dispatch_release(finalized);
    return 0;
}
