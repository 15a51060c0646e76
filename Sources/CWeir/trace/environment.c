/*
 * environment.c: WEIR_TRACE=FILE records a program without a change to it, and
 * WEIR_WATCH=SECONDS begins its watch (watch.c).
 *
 * DESIGN. The file is opened at the start, so that a wrong name shows at once,
 * emptied, and closed again: a program may close all descriptors that it does
 * not know, or run with a low limit. The name is made absolute.
 *
 * Without a %p in the name, the recording is of one process. A program that is
 * started by it inherits WEIR_TRACE_PROCESS, which tells it to leave the file
 * alone; after an exec the number is still that of the process, which records.
 * So WEIR_TRACE itself stays in the environment.
 *
 * A destructor writes the file, after the functions of atexit. An end by a
 * signal is not caught: the handler would have to write the file while the
 * thread that it interrupted may hold the allocator's lock.
 */
#include "base/bytes.h"
#include "base/text.h"
#include "system/variables.h"
#include "trace/recorder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/inspect.h>

#define OWNER "WEIR_TRACE_PROCESS"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all below */
static weir_trace_recorder_t recorder; /* NULL if nothing is recorded */
static bool is_written;
static pid_t process; /* that records; a fork of it does not write */
static char *name;
static weir_trace_format_t format;

static int report(const char *what, int error) {
    if (error) {
        char shown[PATH_MAX];
        snprintf(shown, sizeof shown, "%s", what);
        weir__text_show(shown);
        dprintf(STDERR_FILENO, "weir: %s: %s\n", shown,
                error == EEXIST ? "is no trace and is left unchanged"
                                : strerror(error));
    }
    return error;
}

/* A file that lacks events would otherwise look complete. */
static int report_lost(uint64_t events) {
    if (events == 0) {
        return 0;
    }
    dprintf(STDERR_FILENO,
            "weir: %s: lacks %" PRIu64 " events, since memory was short\n",
            name, events);
    return ENOMEM;
}

/* ---- the name ------------------------------------------------------------ */

/* Returns a copy of a name with the process's number for %p and % for %%. */
static char *expand(const char *pattern, bool *has_process) {
    struct bytes bytes = {0};
    for (const char *at = pattern; *at; at++) {
        bool is_special = *at == '%' && (at[1] == 'p' || at[1] == '%');
        char *room = weir__bytes_reserve(&bytes, 24);
        if (!room) {
            free(bytes.data);
            return NULL;
        }
        at += is_special;
        if (is_special && *at == 'p') {
            *has_process = true;
            bytes.used += (size_t)snprintf(room, 24, "%ld", (long)getpid());
        } else {
            room[0] = *at;
            bytes.used++;
        }
    }
    char *end = weir__bytes_reserve(&bytes, 1);
    if (!end) {
        free(bytes.data);
        return NULL;
    }
    *end = '\0';
    return bytes.data;
}

/* Returns true if a file begins as a trace does. */
static bool is_trace(const char *path) {
    static const char *const begins[] = {"{\"displayTimeUnit\":", "{\"t\":"};
    char text[24] = "";
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        return false;
    }
    (void)!read(descriptor, text, sizeof text - 1);
    close(descriptor);
    return strncmp(text, begins[0], strlen(begins[0])) == 0 ||
           strncmp(text, begins[1], strlen(begins[1])) == 0;
}

/* Empties a trace. Returns 0 or an error: EEXIST for any other file. */
static int empty(int descriptor, const char *path) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) {
        return errno;
    }
    if (S_ISBLK(status.st_mode)) {
        return ENOTSUP;
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        return 0;
    }
    if (!is_trace(path)) {
        return EEXIST;
    }
    return ftruncate(descriptor, 0) == 0 ? 0 : errno;
}

/* Opens the file and empties it. Returns a descriptor, or -1 with errno. */
static int open_empty(const char *path) {
    int descriptor =
        open(path,
             O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY |
                 O_NONBLOCK, /* a FIFO without a reader is an error */
             0666);
    if (descriptor < 0) {
        return -1;
    }
    int error = empty(descriptor, path);
    if (error) {
        close(descriptor);
        errno = error;
        return -1;
    }
    (void)fcntl(descriptor, F_SETFL, 0); /* it may block now */
    return descriptor;
}

/* Creates the file and keeps its absolute name. Returns 0 or an error. */
static int prepare_file(void) {
    int descriptor = open_empty(name);
    if (descriptor < 0) {
        return errno;
    }
    close(descriptor);
    char *whole = realpath(name, NULL); /* NULL for /dev/stdout, a pipe */
    if (whole) {
        free(name);
        name = whole;
    }
    return 0;
}

static weir_trace_format_t format_of(const char *path) {
    const char *suffix = ".jsonl";
    size_t length = strlen(path), count = strlen(suffix);
    return length >= count && strcmp(path + length - count, suffix) == 0
               ? WEIR_TRACE_JSON_LINES
               : WEIR_TRACE_EVENT_JSON;
}

/* ---- the beginning ------------------------------------------------------- */

/* Returns the number of WEIR_TRACE_EVENTS, or 0 for the default. */
static size_t events_wanted(void) {
    const char *text = weir__trusted_variable("WEIR_TRACE_EVENTS");
    if (!text || !*text) {
        return 0;
    }
    char *end;
    errno = 0;
    unsigned long count = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || count == 0) {
        dprintf(STDERR_FILENO, "weir: WEIR_TRACE_EVENTS is not a number above "
                               "0; the default is used\n");
        return 0;
    }
    return count;
}

/* Returns true if a process that records has started this one. */
static bool has_owner(void) {
    char own[24];
    const char *owner = weir__trusted_variable(OWNER);
    snprintf(own, sizeof own, "%ld", (long)getpid());
    return owner && strcmp(owner, own) != 0;
}

static void claim(void) {
    char own[24];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    setenv(OWNER, own, 1);
}

static void finish(void) { (void)weir_trace_finish(); }

static int begin(const char *pattern) {
    bool has_process = false;
    name = expand(pattern, &has_process);
    if (!name) {
        return ENOMEM;
    }
    if (!has_process && has_owner()) {
        return 0;
    }
    format = format_of(name);
    int error = prepare_file();
    if (error) {
        return error;
    }
    weir_trace_recorder_t made =
        weir__recorder_create(WEIR_RECORDER_OF_ENVIRONMENT, events_wanted());
    error = made ? weir_trace_recorder_start(made) : ENOMEM;
    if (error == 0) {
        process = getpid();
        recorder = made;
        claim();
        at_quick_exit(finish);
    }
    return error;
}

__attribute__((__constructor__)) static void begin_of_process(void) {
    const char *length = weir__trusted_variable("WEIR_WATCH");
    if (length && *length) {
        char *end;
        double seconds = strtod(length, &end);
        report("WEIR_WATCH", *end ? EINVAL : weir_inspect_watch(seconds));
    }
    const char *pattern = weir__trusted_variable("WEIR_TRACE");
    if (pattern && *pattern) {
        int error = begin(pattern); /* sets the name */
        report(name ? name : pattern, error);
    }
}

/* ---- the end ------------------------------------------------------------- */

static int write_file(void) {
    int descriptor = open_empty(name);
    if (descriptor < 0) {
        return errno;
    }
    int error = weir_trace_recorder_write(recorder, descriptor, format);
    if (close(descriptor) != 0 && error == 0) {
        error = errno;
    }
    return error;
}

int weir_trace_finish(void) {
    if (!recorder || process != getpid()) {
        return 0;
    }
    int error = 0, saved = errno;
    pthread_mutex_lock(&lock);
    if (!is_written) {
        is_written = true;
        weir_trace_recorder_stop(recorder);
        error = report(name, write_file());
        if (error == 0) {
            error = report_lost(weir__recorder_lost(recorder));
        }
    }
    pthread_mutex_unlock(&lock);
    errno = saved;
    return error;
}
