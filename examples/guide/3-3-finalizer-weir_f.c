/*
 * A queue that owns its context: the finalizer is called once with any context,
 * even NULL, and a queue that would ignore a context reports an error.
 *
 *     gcc -o 3-3-finalizer-weir_f 3-3-finalizer-weir_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Storing Custom Context Information with a Queue", "Providing a
 * Clean Up Function For a Queue", listing 3-3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

struct journal {
    int entries;
};

static dispatch_semaphore_t finalized;

static void free_journal(void *context) {
    struct journal *journal = context;
    if (journal)
        printf("Finalizer: the journal had %d entries; it is freed.\n",
               journal->entries);
    else
        printf("Finalizer: the context is NULL; it is called all the same.\n");
    free(journal);
    dispatch_semaphore_signal(finalized);
}

static void write_entry(void *context) {
    struct journal *journal = weir_queue_get_context((dispatch_queue_t)context);
    journal->entries++;
}

int main(void) {
    finalized = dispatch_semaphore_create(0);
    struct journal *journal = calloc(1, sizeof *journal);
    dispatch_queue_t queue = weir_queue_create(
        "com.example.journal", DISPATCH_QUEUE_SERIAL, journal, free_journal);
    dispatch_queue_t empty = weir_queue_create(
        "com.example.empty", DISPATCH_QUEUE_SERIAL, NULL, free_journal);
    if (!journal || !queue || !empty)
        return perror("weir_queue_create"), 1;

    for (int i = 0; i < 3; i++)
        dispatch_async_f(queue, queue, write_entry);
    dispatch_release(queue); /* the tasks still run */
    dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);
    dispatch_release(empty);
    dispatch_semaphore_wait(finalized, DISPATCH_TIME_FOREVER);

    int error = weir_queue_set_context(dispatch_get_main_queue(), &finalized);
    printf("A context for the main queue, which would ignore it: %s.\n",
           strerror(error));
    dispatch_release(finalized);
    return 0;
}
