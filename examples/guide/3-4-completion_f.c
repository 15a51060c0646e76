/*
 * Listing 3-4 without blocks: a function that answers later, on a queue of
 * its caller.
 *
 *     gcc -o 3-4-completion_f 3-4-completion_f.c \
 *         $(pkg-config --cflags --libs weir)
 *
 * The guide: "Performing a Completion Block When a Task Is Done".
 */
#include <stdio.h>
#include <stdlib.h>
#include <weir/libdispatch.h>

/* The values that the blocks would have captured. */
struct request {
    const int *numbers;
    int count;
    dispatch_queue_t queue;
    void (*answer)(void *context, double average);
    void *context;
    double average;
};

static void give_answer(void *context) {
    struct request *request = context;
    request->answer(request->context, request->average);
    free(request);
}

static void compute(void *context) {
    struct request *request = context;
    dispatch_queue_t queue = request->queue;
    double sum = 0;
    for (int i = 0; i < request->count; i++)
        sum += request->numbers[i];
    request->average = sum / request->count;
    dispatch_async_f(queue, request, give_answer);
    dispatch_release(queue); /* the request may be gone already */
}

static void average_async_f(const int *numbers, int count,
                            dispatch_queue_t queue, void *context,
                            void (*answer)(void *context, double average)) {
    struct request *request = malloc(sizeof *request);
    if (!request)
        abort();
    *request = (struct request){
        .numbers = numbers,
        .count = count,
        .queue = queue,
        .answer = answer,
        .context = context,
    };
    /* The caller may release its queue before the answer arrives. */
    dispatch_retain(queue);
    dispatch_async_f(dispatch_get_global_queue(0, 0), request, compute);
}

/* So many that the caller has released its queue long before the end. */
enum { COUNT = 5000000 };

static dispatch_semaphore_t done;

static void finalize(void *context) {
    printf("Finalizer: %s is gone, after the answer.\n", (char *)context);
    dispatch_semaphore_signal(done);
}

static void print_answer(void *context, double average) {
    printf("The average of %s is %.1f.\n", (char *)context, average);
}

int main(void) {
    static int numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i + 1;
    done = dispatch_semaphore_create(0);

    dispatch_queue_t queue = dispatch_queue_create("com.example.answers", NULL);
    dispatch_set_context(queue, "the caller's queue");
    dispatch_set_finalizer_f(queue, finalize);
    average_async_f(numbers, COUNT, queue, "1 to 5,000,000", print_answer);
    dispatch_release(queue); /* average_async_f has its own reference */

    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    dispatch_release(done);
    return 0;
}
