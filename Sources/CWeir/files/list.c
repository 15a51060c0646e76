/*
 * list.c: names from a descriptor.
 *
 * DESIGN. The list is read as its names are needed: what the lanes are behind
 * with holds the reading up, so a list of any length takes one buffer. A name
 * that lies in the buffer as a whole is fed from there, and its separator makes
 * room for the NUL; the others are put together.
 *
 * Who writes the list may take his time (`find` on a slow disk, a person). What
 * he has listed must not wait in a half-filled stride until then: before a read
 * that would wait the stride is submitted. poll says whether it would; and as
 * it can be given a time, it is also how a run that is stopped ends within
 * WAIT_MS, where a read would wait on. A descriptor to wake it was rejected:
 * there may be eight in all.
 */
#include "files/feed.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "walk/open.h"

#define READ_BYTES ((size_t)65536)

/* How long a run that was stopped may go unnoticed. */
#define WAIT_MS 100

/* A longer name is none: somebody took another separator. */
#define NAME_BYTES ((size_t)1 << 20)

struct list {
    struct feeder *feeder;
    const weir_files_source_t *source;
    int descriptor;
    char *buffer;
    struct bytes name; /* the beginning of one that is not complete */
    bool is_begun;     /* there is one */
    bool is_too_long;  /* and what is kept is not all of it */
};

static bool stopped(const struct list *list) {
    return files_stopped(list->feeder->files);
}

/* ---- reading ----------------------------------------------------------- */

/* Waits until a read does not; false where the run is stopped first. */
static bool wait_for_more(const struct list *list) {
    struct pollfd poll_for = {.fd = list->descriptor, .events = POLLIN};
    if (poll_for.fd < 0 || poll(&poll_for, 1, 0) != 0) {
        return true; /* ready, or an error that the read will tell */
    }
    weir__feed_submit(list->feeder);
    while (!stopped(list)) {
        int ready = poll(&poll_for, 1, WAIT_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true;
        }
    }
    return false;
}

/* The next piece: its length, 0 at the end or where the run is stopped, or an
   errno value negated. */
static ssize_t read_piece(const struct list *list) {
    while (wait_for_more(list)) {
        ssize_t got = read(list->descriptor, list->buffer, READ_BYTES);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return -errno;
        }
    }
    return 0;
}

/* ---- names ------------------------------------------------------------- */

/* Adds to the name that is not complete. */
static void keep(struct list *list, const char *bytes, size_t length) {
    list->is_begun = true;
    if (list->is_too_long || list->name.used + length > NAME_BYTES) {
        list->is_too_long = true;
        return;
    }
    char *room = weir__bytes_reserve(&list->name, length + 1);
    if (!room) {
        weir__files_stop(list->feeder->files, ENOMEM);
        return;
    }
    memcpy(room, bytes, length);
    room[length] = '\0';
    list->name.used += length;
}

/* The name that was kept is complete. */
static void feed_kept(struct list *list) {
    size_t length = list->name.used;
    if (list->is_too_long) {
        weir__feed_failed_name(list->feeder, length ? list->name.data : "",
                               length < PATH_MAX ? length : PATH_MAX - 1,
                               ENAMETOOLONG);
    } else {
        weir__feed_name(list->feeder, list->name.data, length);
    }
    list->name.used = 0;
    list->is_begun = list->is_too_long = false;
}

static void feed_piece(struct list *list, size_t length) {
    char *at = list->buffer, *end = at + length;
    while (at < end && !stopped(list)) {
        char *separator =
            memchr(at, list->source->separator, (size_t)(end - at));
        if (!separator) {
            keep(list, at, (size_t)(end - at));
            return;
        }
        if (list->is_begun) {
            keep(list, at, (size_t)(separator - at));
            feed_kept(list);
        } else {
            *separator = '\0';
            weir__feed_name(list->feeder, at, (size_t)(separator - at));
        }
        at = separator + 1;
    }
}

/* Opens what names the list, where that is its own to open. Returns 0 or an
   errno value. */
static int open_list(struct list *list) {
    const weir_files_source_t *source = list->source;
    list->descriptor = source->descriptor;
    if (source->kind == WEIR_SOURCE_LIST_FILE) {
        list->descriptor =
            weir__open(AT_FDCWD, source->path, strlen(source->path), O_RDONLY);
    }
    return list->descriptor < 0 && source->kind == WEIR_SOURCE_LIST_FILE
               ? -list->descriptor
               : 0;
}

void weir__feed_list(struct feeder *feeder, const weir_files_source_t *source) {
    struct list list = {
        .feeder = feeder, .source = source, .buffer = malloc(READ_BYTES)};
    int error = list.buffer ? open_list(&list) : ENOMEM;
    ssize_t got = error ? -error : 1;
    while (got > 0 && !stopped(&list)) {
        got = read_piece(&list);
        feed_piece(&list, got > 0 ? (size_t)got : 0);
    }
    if (list.is_begun && !stopped(&list)) {
        feed_kept(&list);
    }
    if (got < 0 && !stopped(&list)) {
        weir__feed_failed_name(feeder, source->path, strlen(source->path),
                               (int)-got);
    }
    if (!error && source->kind == WEIR_SOURCE_LIST_FILE) {
        close(list.descriptor);
    }
    free(list.name.data);
    free(list.buffer);
}
