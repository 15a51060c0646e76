/*
 * list.c: the names of a list, from a descriptor or a file.
 *
 * DESIGN. The list is read as its names are needed, so a list of any length
 * takes one buffer. A name that lies in the buffer as a whole is fed from
 * there, and its separator makes room for the NUL.
 *
 * The writer of the list may be slow, and the names that are there must not
 * wait: before a read that would wait, which poll reports, the batch is
 * submitted. poll takes a time, so a run that is stopped ends within WAIT_MS.
 * Rejected: a descriptor to wake the read, since there may be eight in all.
 */
#include "files/feed/feeder.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "walk/open.h"

#define READ_BYTES ((size_t)65536)

/* The time after which a stop of the run is noticed. */
#define WAIT_MS 100

/* A longer name means that the list has another separator. */
#define NAME_BYTES ((size_t)1 << 20)

struct list {
    struct feeder *feeder;
    const weir_files_source_t *source;
    int descriptor;
    char *buffer;
    struct bytes name; /* the beginning of one that is not complete */
    bool is_begun;     /* there is one */
    bool is_too_long;  /* the beginning is not kept as a whole */
};

static bool is_stopped(const struct list *list) {
    return files_is_stopped(list->feeder->files);
}

/* ---- reading ----------------------------------------------------------- */

/* Waits until a read would not wait. False if the run is stopped first. */
static bool wait_for_input(const struct list *list) {
    struct pollfd input = {.fd = list->descriptor, .events = POLLIN};
    if (input.fd < 0 || poll(&input, 1, 0) != 0) {
        return true; /* ready, or an error that the read reports */
    }
    weir__feed_submit(list->feeder);
    while (!is_stopped(list)) {
        int ready = poll(&input, 1, WAIT_MS);
        if (ready > 0 || (ready < 0 && errno != EINTR)) {
            return true;
        }
    }
    return false;
}

/* Returns the length of the next piece, 0 at the end, or a negated errno. */
static ssize_t read_piece(const struct list *list) {
    while (wait_for_input(list)) {
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

static void feed_failed_name(struct list *list, const char *path, size_t length,
                             int error) {
    const weir_walk_entry_t entry = {.path = path, .path_length = length};
    weir__feed_failure(list->feeder, &entry, error);
}

/* Adds bytes to the incomplete name. */
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

static void feed_kept(struct list *list) {
    size_t length = list->name.used;
    if (list->is_too_long) {
        feed_failed_name(list, length ? list->name.data : "",
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
    while (at < end && !is_stopped(list)) {
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

/* Opens the list if that is a file. Returns 0 or an errno value. */
static int open_list(struct list *list) {
    const weir_files_source_t *source = list->source;
    list->descriptor = source->descriptor;
    if (source->kind == WEIR_SOURCE_LIST_FILE) {
        list->descriptor =
            weir__open(AT_FDCWD, source->path, strlen(source->path), O_RDONLY);
        return list->descriptor < 0 ? -list->descriptor : 0;
    }
    return 0;
}

void weir__feed_list(struct feeder *feeder, const weir_files_source_t *source) {
    struct list list = {
        .feeder = feeder, .source = source, .buffer = malloc(READ_BYTES)};
    int error = list.buffer ? open_list(&list) : ENOMEM;
    ssize_t got = error ? -error : 1;
    while (got > 0 && !is_stopped(&list)) {
        got = read_piece(&list);
        feed_piece(&list, got > 0 ? (size_t)got : 0);
    }
    /* After an error the last name is not complete. */
    if (list.is_begun && got == 0 && !is_stopped(&list)) {
        feed_kept(&list);
    }
    if (got < 0 && !is_stopped(&list)) {
        feed_failed_name(&list, source->path, strlen(source->path), (int)-got);
    }
    if (!error && source->kind == WEIR_SOURCE_LIST_FILE) {
        close(list.descriptor);
    }
    free(list.name.data);
    free(list.buffer);
}
