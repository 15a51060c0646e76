/*
 * calls.c: starting many short programs.
 */
#define _GNU_SOURCE
#include "CTestSupport.h"

#include <errno.h>
#include <spawn.h>

/* The descriptor whose closing shows the child's end: above all that the child
   opens. */
#define LIFE 100

pid_t test_call(const char *program, char *const arguments[],
                char *const environment[], const char *directory,
                const int descriptors[4]) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        return -error;
    }
    error = posix_spawn_file_actions_addchdir_np(&actions, directory);
    for (int fd = 0; fd < 3 && error == 0; fd++) {
        error = descriptors[fd] < 0
                    ? posix_spawn_file_actions_addclose(&actions, fd)
                    : posix_spawn_file_actions_adddup2(&actions,
                                                       descriptors[fd], fd);
    }
    if (error == 0) {
        error =
            posix_spawn_file_actions_adddup2(&actions, descriptors[3], LIFE);
    }
    pid_t pid = 0;
    if (error == 0) {
        error =
            posix_spawn(&pid, program, &actions, NULL, arguments, environment);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error == 0 ? pid : -error;
}
