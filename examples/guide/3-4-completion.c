/*
 * Listing 3-4: a function that answers later, on a queue of its caller.
 *
 * The guide: "Performing a Completion Block When a Task Is Done".
 */
#include <dispatch/dispatch.h>
#include <stdio.h>

static void average_async(const int *numbers, int count, dispatch_queue_t queue,
                          void (^answer)(double average)) {
    /* The caller may release its queue before the answer arrives. */
    dispatch_retain(queue);
    dispatch_async(dispatch_get_global_queue(0, 0), ^{
      double sum = 0;
      for (int i = 0; i < count; i++)
          sum += numbers[i];
      /* The block was copied to the heap with the block that captured it. */
      dispatch_async(queue, ^{
        answer(sum / count);
      });
      dispatch_release(queue);
    });
}

/* So many that the caller has released its queue long before the end. */
enum { COUNT = 5000000 };

static dispatch_semaphore_t done;

static void finalize(void *context) {
    printf("Finalizer: %s is gone, after the answer.\n", (char *)context);
    dispatch_semaphore_signal(done);
}

int main(void) {
    static int numbers[COUNT];
    for (int i = 0; i < COUNT; i++)
        numbers[i] = i + 1;
    done = dispatch_semaphore_create(0);

    dispatch_queue_t queue = dispatch_queue_create("com.example.answers", NULL);
    dispatch_set_context(queue, "the caller's queue");
    dispatch_set_finalizer_f(queue, finalize);
    average_async(numbers, COUNT, queue, ^(double average) {
      printf("The average of 1 to 5,000,000 is %.1f.\n", average);
    });
    dispatch_release(queue); /* average_async has its own reference */

    dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
    dispatch_release(done);
    return 0;
}
