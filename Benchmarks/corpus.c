/*
 * corpus: makes the trees that the benchmarks read.
 *
 *     corpus DIR KIND...
 *
 *     S         100,000 files of 1 to 8 KiB, 1,000 directories of 100
 *     M         2,000 files of 1 MiB, 20 directories of 100
 *     L         4 files of 1 GiB
 *     D         20,000 files of 1 to 65 KiB, some of 1 MiB, 200 directories of
 *               100: most of them duplicates, or nearly
 *     tiny      100,000 files of 1 to 1,000 bytes, 100 directories of 1,000
 *     million   1,000,000 of them, 1,000 directories of 1,000
 *
 * The bytes come from splitmix64, a seed a kind, so a tree is the same on
 * every machine (the words are written as they lie in memory: little-endian
 * machines agree). No two files of S, M and L are alike and nothing in them
 * compresses. D is for the search for duplicates: of ten contents four have one
 * file, four have two to five, one has two that differ in their last byte, and
 * one has four that have their size in common and nothing else.
 *
 * A tree is made as DIR/KIND.partial and gets its name when it is whole, so
 * one that has its name needs no check.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KIB = 1024, MIB = 1024 * KIB };

static uint64_t state;
static uint64_t buffer[MIB / sizeof(uint64_t)];

static void fail(const char *what) {
    fprintf(stderr, "corpus: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t next(void) {
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void fill(size_t size) {
    for (size_t i = 0; i < (size + 7) / 8; i++)
        buffer[i] = next();
}

/* Formats a name; valid until the second call after it. */
__attribute__((format(printf, 1, 2))) static const char *
name(const char *format, ...) {
    static char names[2][64];
    static unsigned turn;
    char *into = names[turn++ % 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(into, sizeof names[0], format, arguments);
    va_end(arguments);
    return into;
}

static int directory(int parent, const char *path) {
    if (mkdirat(parent, path, 0755) != 0 && errno != EEXIST)
        fail(path);
    int made = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (made < 0)
        fail(path);
    return made;
}

static int create(int parent, const char *path) {
    int file =
        openat(parent, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0)
        fail(path);
    return file;
}

static void append(int file, size_t size) {
    const char *from = (const char *)buffer;
    while (size > 0) {
        ssize_t written = write(file, from, size);
        if (written < 0)
            fail("write");
        from += written;
        size -= (size_t)written;
    }
}

static void finish(int file) {
    if (close(file) != 0)
        fail("close");
}

static void small(int root) {
    state = 1;
    for (int i = 0; i < 1000; i++) {
        int into = directory(root, name("d%03d", i));
        for (int j = 0; j < 100; j++) {
            size_t size = KIB + next() % (7 * KIB + 1);
            fill(size);
            int file = create(into, name("f%02d.bin", j));
            append(file, size);
            finish(file);
        }
        close(into);
    }
}

static void medium(int root) {
    state = 2;
    for (int i = 0; i < 20; i++) {
        int into = directory(root, name("d%02d", i));
        for (int j = 0; j < 100; j++) {
            fill(MIB);
            int file = create(into, name("f%04d.bin", i * 100 + j));
            append(file, MIB);
            finish(file);
        }
        close(into);
    }
}

static void large(int root) {
    state = 3;
    for (int i = 0; i < 4; i++) {
        int file = create(root, name("f%d.bin", i));
        for (int j = 0; j < KIB; j++) {
            fill(MIB);
            append(file, MIB);
        }
        finish(file);
    }
}

enum { DIRECTORIES = 200, FILES_OF_D = 20000 };

/* The directories of D in turn, so that equal files are far apart. */
static void put(const int *into, int number, size_t size) {
    int file = create(into[number % DIRECTORIES], name("f%05d.bin", number));
    append(file, size);
    finish(file);
}

static void duplicates(int root) {
    int into[DIRECTORIES];
    for (int i = 0; i < DIRECTORIES; i++)
        into[i] = directory(root, name("d%03d", i));
    uint64_t content = 0;
    for (int number = 0; number < FILES_OF_D; content++) {
        state = UINT64_C(5) << 32 | content;
        uint64_t kind = next() % 10;
        size_t size = next() % 50 == 0 ? MIB : KIB + next() % (64 * KIB);
        uint64_t files = 2 + next() % 4;
        files = kind < 4 ? 1 : kind < 8 ? files : kind == 8 ? 2 : 4;
        fill(size);
        for (uint64_t i = 0; i < files && number < FILES_OF_D; i++) {
            if (kind == 8 && i > 0)
                ((unsigned char *)buffer)[size - 1] ^= 1;
            if (kind == 9 && i > 0)
                fill(size);
            put(into, number++, size);
        }
    }
    for (int i = 0; i < DIRECTORIES; i++)
        close(into[i]);
}

static void tiny(int root, int directories) {
    state = 4;
    for (int i = 0; i < directories; i++) {
        int into = directory(root, name("d%03d", i));
        for (int j = 0; j < 1000; j++) {
            size_t size = 1 + next() % 1000;
            fill(size);
            int file = create(into, name("f%03d.bin", j));
            append(file, size);
            finish(file);
        }
        close(into);
    }
}

static int make(int parent, const char *kind) {
    char partial[32];
    snprintf(partial, sizeof partial, "%.20s.partial", kind);
    if (faccessat(parent, kind, F_OK, 0) == 0)
        return 0;
    int into = directory(parent, partial);
    if (strcmp(kind, "S") == 0)
        small(into);
    else if (strcmp(kind, "M") == 0)
        medium(into);
    else if (strcmp(kind, "L") == 0)
        large(into);
    else if (strcmp(kind, "D") == 0)
        duplicates(into);
    else if (strcmp(kind, "tiny") == 0)
        tiny(into, 100);
    else if (strcmp(kind, "million") == 0)
        tiny(into, 1000);
    else {
        unlinkat(parent, partial, AT_REMOVEDIR);
        fprintf(stderr, "corpus: %s: no such kind\n", kind);
        return 2;
    }
    close(into);
    if (renameat(parent, partial, parent, kind) != 0)
        fail(kind);
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("usage: corpus DIR {S|M|L|D|tiny|million}...\n", stderr);
        return 2;
    }
    int parent = directory(AT_FDCWD, arguments[1]);
    for (int i = 2; i < count; i++) {
        int status = make(parent, arguments[i]);
        if (status != 0)
            return status;
    }
    return 0;
}
