/*
 * A dispatch source for a descriptor: the handler runs when there is something
 * to read, and no thread waits in read(2) meanwhile.
 *
 * The guide: "Queue-Related Technologies", and its chapter on dispatch
 * sources.
 */
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends)) {
        perror("pipe");
        return 1;
    }
    int reader = ends[0], writer = ends[1];
    fcntl(reader, F_SETFL, O_NONBLOCK);
    dispatch_queue_t queue = dispatch_queue_create("com.example.reader", NULL);
    dispatch_semaphore_t closed = dispatch_semaphore_create(0);

    dispatch_source_t source = dispatch_source_create(
        DISPATCH_SOURCE_TYPE_READ, (uintptr_t)reader, 0, queue);
    dispatch_source_set_event_handler(source, ^{
      /* As much as there is: the end may come with the last bytes, and there
         is no other event for it. */
      char text[16];
      ssize_t count;
      while ((count = read(reader, text, sizeof text)) > 0) {
          printf("%zd bytes came: %.*s\n", count, (int)count, text);
      }
      if (count == 0) {
          dispatch_source_cancel(source); /* the end of the pipe */
      }
    });
    /* Only here may the descriptor be closed: no handler uses it any more. */
    dispatch_source_set_cancel_handler(source, ^{
      close(reader);
      dispatch_semaphore_signal(closed);
    });
    dispatch_resume(source);

    if (write(writer, "a row", 5) < 0) {
        perror("write");
    }
    close(writer);
    dispatch_semaphore_wait(closed, DISPATCH_TIME_FOREVER);
    dispatch_release(source);
    dispatch_release(queue);
    dispatch_release(closed);
    printf("The pipe ended, and the source is cancelled.\n");
    return 0;
}
