/*
 * names.c: the names of a list, with the pieces in which a read returns them.
 *
 * An input is a separator, a seed of the sizes of pieces, and the list. list.c is
 * compiled into this file, with a read that returns these pieces. Its names are
 * those of a plain division, however the pieces are cut.
 */
#include "fuzzers.h"

#include <poll.h>
#include <unistd.h>

static struct input file;
static unsigned seed;

static ssize_t fuzz_read(int descriptor, void *to, size_t count) {
    (void)descriptor;
    seed = seed * 1103515245U + 12345U;
    size_t piece = 1 + (seed >> 16) % 7;
    piece = (seed >> 24) % 8 == 0 ? file.count : piece;
    piece = piece < file.count ? piece : file.count;
    piece = piece < count ? piece : count;
    memcpy(to, file.at, piece);
    file.at += piece;
    file.count -= piece;
    return (ssize_t)piece;
}

static int fuzz_poll(struct pollfd *polled, nfds_t count, int timeout) {
    (void)polled, (void)count, (void)timeout;
    return 1;
}

#define read fuzz_read
#define poll fuzz_poll
#include "files/feed/list.c"
#undef read
#undef poll

#include "files/processor/processor.h"

/* ---- what the list is fed to --------------------------------------------- */

static struct input expected;
static uint8_t separator;

void weir__feed_name(struct feeder *feeder, const char *path, size_t length) {
    (void)feeder;
    const uint8_t *end = memchr(expected.at, separator, expected.count);
    size_t wanted = end ? (size_t)(end - expected.at) : expected.count;
    EXPECT(expected.count > 0, "a name too many");
    EXPECT(length == wanted && memcmp(path, expected.at, length) == 0,
           "another name, of %zu bytes", length);
    EXPECT(path[length] == '\0', "no NUL after a name");
    wanted += end != NULL;
    expected.at += wanted;
    expected.count -= wanted;
}

void weir__feed_failure(struct feeder *feeder, const weir_walk_entry_t *found,
                        int error) {
    (void)feeder, (void)found;
    EXPECT(false, "a failure: %d", error);
}

void weir__feed_submit(struct feeder *feeder) { (void)feeder; }
void weir__files_stop(weir_files_t files, int error) {
    (void)files;
    EXPECT(false, "stopped: %d", error);
}
int weir__open(int directory, const char *path, size_t length, int flags) {
    (void)directory, (void)path, (void)length, (void)flags;
    return -ENOENT;
}

void fuzz_names(const uint8_t *bytes, size_t count) {
    static struct weir_files_s *files;
    if (!files) {
        files = calloc(1, sizeof *files);
    }
    struct input input = {bytes, count};
    separator = take_byte(&input);
    seed = take_byte(&input);
    seed = seed << 8 | take_byte(&input);
    file = expected = input;
    struct feeder feeder = {.files = files};
    const weir_files_source_t source = {.kind = WEIR_SOURCE_LIST,
                                        .separator = (char)separator};
    weir__feed_list(&feeder, &source);
    EXPECT(expected.count == 0, "%zu bytes are missing", expected.count);
}
