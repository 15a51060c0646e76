/*
 * stops.c: changes files at chosen calls of a program, while no other call to files is under way.
 *
 * STOPS is a list of words: at enter|leave CALL N PATH do ACTION WORD ... at ...
 *
 * The N-th CALL (counted from 1, over all threads) on PATH is the stop; `enter` is before the call,
 * `leave` after it. PATH is compared with the path that the call names, or that its descriptor was
 * opened by. The actions after it are done by the thread of the call, while no other call on
 * files is under way. A further `at` takes effect after the first one was reached. The file
 * STOPS_REPORT gets a line for each stop that was reached and for each action that failed.
 *
 * CALL is one of the names in `name_of`, ACTION one of those in `actions`. Children of the program
 * are left alone.
 */
#define _GNU_SOURCE
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- actions ---------------------------------------------------------------------------- */

/* Writes bytes into a file, which may be new. */
static int fill(char **word) {
    int fd = open(word[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    size_t length = (size_t)atoll(word[3]);
    char *bytes = malloc(length);
    memset(bytes, word[1][0], length);
    ssize_t written = pwrite(fd, bytes, length, atoll(word[2]));
    free(bytes);
    close(fd);
    return written == (ssize_t)length ? 0 : -1;
}

/* Does the same, and sets the time of modification back. */
static int fill_silently(char **word) {
    struct stat before;
    if (stat(word[0], &before) != 0 || fill(word) != 0) {
        return -1;
    }
    struct timespec times[] = {before.st_atim, before.st_mtim};
    return utimensat(AT_FDCWD, word[0], times, 0);
}

/* Fills a file through a mapping. */
static int store(char **word) {
    int fd = open(word[0], O_RDWR | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) != 0) {
        return -1;
    }
    size_t size = (size_t)status.st_size;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) {
        return -1;
    }
    memset(bytes, word[1][0], size);
    return munmap(bytes, size);
}

static int punch(char **word) {
    int fd = open(word[0], O_WRONLY | O_CLOEXEC);
    int how = FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE;
    int result = fallocate(fd, how, atoll(word[1]), atoll(word[2]));
    close(fd);
    return result;
}

static int do_rename(char **word) { return rename(word[0], word[1]); }
static int do_symlink(char **word) { return symlink(word[0], word[1]); }
static int do_link(char **word) { return link(word[0], word[1]); }
static int do_unlink(char **word) { return unlink(word[0]); }
static int do_mkdir(char **word) { return mkdir(word[0], 0755); }
static int do_mkfifo(char **word) { return mkfifo(word[0], 0644); }
static int do_truncate(char **word) {
    return truncate(word[0], atoll(word[1]));
}
static int do_chmod(char **word) {
    return chmod(word[0], (mode_t)strtol(word[1], NULL, 8));
}

static const struct action {
    const char *name;
    int words;
    int (*run)(char **word);
} actions[] = {
    {"chmod", 2, do_chmod}, /* PATH MODE */
    {"fill", 4, fill},      /* PATH BYTE OFFSET LENGTH */
    {"fill-silently", 4, fill_silently},
    {"link", 2, do_link},         /* OLD NEW */
    {"mkdir", 1, do_mkdir},       /* PATH */
    {"mkfifo", 1, do_mkfifo},     /* PATH */
    {"punch", 3, punch},          /* PATH OFFSET LENGTH */
    {"rename", 2, do_rename},     /* OLD NEW */
    {"store", 2, store},          /* PATH BYTE */
    {"symlink", 2, do_symlink},   /* TARGET PATH */
    {"truncate", 2, do_truncate}, /* PATH LENGTH */
    {"unlink", 1, do_unlink},     /* PATH */
};

/* ---- stops ------------------------------------------------------------------------------ */

static char *words[64]; /* the end is NULL */
static char **stop;     /* `at` of the next one; NULL if there is none */
static int left;        /* calls up to this one */

/* Held during each call on files, and during the actions before and after it. */
static pthread_mutex_t calls = PTHREAD_MUTEX_INITIALIZER;

static _Thread_local bool is_inside, is_leaving, is_acting;

static void say(const char *format, const char *first, const char *second) {
    char line[2 * PATH_MAX];
    snprintf(line, sizeof line, format, first, second);
    int fd = open(getenv("STOPS_REPORT"),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (write(fd, line, strlen(line)) < 0) {
        abort();
    }
    close(fd);
}

/* Takes the next stop. */
static void set_stop(char **word) {
    stop = *word ? word : NULL;
    left = stop ? atoi(stop[3]) : 0;
}

static void act(void) {
    is_acting = true;
    say("reached: %s %s\n", stop[2], stop[4]);
    char **word = stop + 5;
    while (*word && strcmp(*word, "do") == 0) {
        const struct action *action = actions;
        while (strcmp(action->name, word[1]) != 0) {
            action++;
        }
        if (action->run(word + 2) != 0) {
            say("failed: %s: %s\n", action->name, strerror(errno));
        }
        word += 2 + action->words;
    }
    set_stop(word);
    is_acting = false;
}

/* The name of a call on files in STOPS; NULL for another call. */
static const char *name_of(enum fault_call call, const char *path) {
    switch (call) {
    case CALL_getdents64:
        return "list";
    case CALL_open:
    case CALL_openat:
    case CALL_openat2:
        return "open";
    case CALL_stat:
    case CALL_lstat:
    case CALL_fstat:
    case CALL_fstatat:
    case CALL_statx:
        return path && *path ? "stat" : "fstat";
    case CALL_read:
    case CALL_pread:
        return "read";
    case CALL_close:
        return "close";
    case CALL_rename:
    case CALL_renameat:
    case CALL_renameat2:
        return "rename";
    default:
        return NULL;
    }
}

/* True if a path, or the end of it after a slash, is the one of the stop. Both are without `.` and
   a slash at the end. */
static bool is_path(int fd, const char *path) {
    char text[PATH_MAX];
    fault_describe(fd, path && *path ? path : NULL, text, sizeof text);
    size_t length = strlen(text), wanted = strlen(stop[4]);
    return length >= wanted && strcmp(text + length - wanted, stop[4]) == 0 &&
           (length == wanted || text[length - wanted - 1] == '/');
}

static bool is_stop(const char *name, int fd, const char *path) {
    return stop && strcmp(stop[2], name) == 0 && is_path(fd, path) &&
           --left == 0;
}

bool stops_are_set(void) { return words[0]; }

void stops_enter(enum fault_call call, int fd, const char *path) {
    const char *name =
        stops_are_set() && !is_acting ? name_of(call, path) : NULL;
    if (!name) {
        return;
    }
    pthread_mutex_lock(&calls);
    is_inside = true;
    if (is_stop(name, fd, path)) {
        is_leaving = strcmp(stop[1], "leave") == 0;
        if (!is_leaving) {
            act();
        }
    }
}

void stops_leave(void) {
    if (!is_inside || is_acting) {
        return;
    }
    int error = errno;
    if (is_leaving) {
        act();
    }
    is_inside = is_leaving = false;
    pthread_mutex_unlock(&calls);
    errno = error;
}

/* A lane without work looks at the others each millisecond, and takes files of one that stands
   still: then they are opened by other calls than those of the stops. It looks half a second later,
   when the run is over. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *until) {
    static __typeof__(&pthread_cond_timedwait) _Atomic found;
    __typeof__(&pthread_cond_timedwait) next = atomic_load(&found);
    if (!next) {
        /* Without a version, dlsym finds the one of 1999, which has conditions of another size. */
        void *now = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
        now = now ? now : dlsym(RTLD_NEXT, "pthread_cond_timedwait");
        next = (__typeof__(&pthread_cond_timedwait))now;
        atomic_store(&found, next);
    }
    struct timespec later = *until;
    if (stops_are_set()) {
        later.tv_sec += later.tv_nsec >= 500000000;
        later.tv_nsec = (later.tv_nsec + 500000000) % 1000000000;
    }
    return next(condition, mutex, &later);
}

__attribute__((constructor)) static void begin(void) {
    char *text = getenv("STOPS"), *rest;
    if (!text || getenv("STOPS_CHILD")) {
        return;
    }
    setenv("STOPS_CHILD", "1", 1);
    text = strdup(text);
    size_t count = 0;
    for (char *word = strtok_r(text, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        words[count++] = word;
    }
    set_stop(words);
}
