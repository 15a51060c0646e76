/*
 * traps WHAT: makes a mistake and says, if it lives to, that nothing came of
 * it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <weir/libdispatch.h>

static void nothing(void *context) { (void)context; }

static void nothing_each(void *context, size_t i) {
    (void)context;
    (void)i;
}

static void sync_here(void *context) {
    dispatch_sync_f((dispatch_queue_t)context, NULL, nothing);
}

static void apply_here(void *context) {
    dispatch_apply_f(4, (dispatch_queue_t)context, NULL, nothing_each);
}

static void make(const char *mistake) {
    dispatch_queue_t serial = dispatch_queue_create("com.example.own", NULL);
    dispatch_queue_t concurrent =
        dispatch_queue_create("com.example.all", DISPATCH_QUEUE_CONCURRENT);
    dispatch_group_t group = dispatch_group_create();
    dispatch_semaphore_t semaphore = dispatch_semaphore_create(2);
    if (strcmp(mistake, "sync-to-own-serial-queue") == 0) {
        dispatch_sync_f(serial, serial, sync_here);
    } else if (strcmp(mistake, "sync-to-own-concurrent-queue") == 0) {
        dispatch_sync_f(concurrent, concurrent, sync_here);
    } else if (strcmp(mistake, "apply-to-own-serial-queue") == 0) {
        dispatch_sync_f(serial, serial, apply_here);
    } else if (strcmp(mistake, "leave-without-enter") == 0) {
        dispatch_group_enter(group);
        dispatch_group_leave(group);
        dispatch_group_leave(group);
    } else if (strcmp(mistake, "release-of-an-entered-group") == 0) {
        dispatch_group_enter(group);
        dispatch_release(group);
    } else if (strcmp(mistake, "release-of-a-semaphore-in-use") == 0) {
        dispatch_semaphore_wait(semaphore, DISPATCH_TIME_FOREVER);
        dispatch_release(semaphore);
    } else if (strcmp(mistake, "resume-without-suspend") == 0) {
        dispatch_resume(serial);
    } else if (strcmp(mistake, "release-of-a-suspended-queue") == 0) {
        dispatch_suspend(serial);
        dispatch_release(serial);
    } else {
        printf("no such mistake\n");
        return;
    }
    printf("nothing came of it\n");
}

int main(int argc, char **argv) {
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    make(argc > 1 ? argv[1] : "");
    return 0;
}
