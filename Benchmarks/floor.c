/*
 * floor: the least that reading and digesting a list of files can cost here.
 *
 *     floor [--threads N] [--digest none|sha256|xxh128] [--fstat]
 *           [--buffer BYTES] [--look] LIST
 *     floor [--threads N] [--buffer BYTES] --pieces FILE
 *
 * LIST is a file of names that each end in NUL, a directory's names together.
 * Each file is opened relative to its directory, read into one buffer a
 * thread, digested and closed. Nothing is walked, ordered, checked or printed,
 * which is why no program that does so can be faster: what a tool takes above
 * this row is its own. --fstat adds the one system call a careful reader needs
 * to know what it has opened and how long that should be. --look does nothing
 * but ask each name's status: the least of a run that reads no file again.
 * With --pieces each thread reads the next 4 MiB of one big file.
 *
 * Prints the files, the bytes and the exclusive or of all digests, so that two
 * runs can be compared and nothing can be optimised away.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/evp.h>

#ifdef HAVE_XXHASH
#define XXH_INLINE_ALL /* for the instructions of this machine */
#include <xxhash.h>
#endif

enum digest { DIGEST_NONE, DIGEST_SHA256, DIGEST_XXH128 };

enum { NAMES_A_CLAIM = 64, THREADS_MAX = 256, PIECE = 4 << 20 };

static enum digest digest = DIGEST_NONE;
static size_t threads = 1;
static bool use_fstat, only_look, in_pieces;
static int whole; /* the file of pieces */
static size_t buffer_size = 1 << 20;

static char **names;
static size_t name_count;
static atomic_size_t claimed;

struct worker {
    pthread_t thread;
    char *buffer;
    EVP_MD_CTX *context;
    EVP_MD *algorithm;
    uint64_t files, bytes, folded;
};

static void fail(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void fold(struct worker *worker, const void *bytes) {
    uint64_t first;
    memcpy(&first, bytes, sizeof first);
    worker->folded ^= first;
}

static ssize_t fill(struct worker *worker, int file, const char *name) {
    ssize_t count = read(file, worker->buffer, buffer_size);
    if (count < 0)
        fail(name);
    worker->bytes += (uint64_t)count;
    return count;
}

/* How many bytes to expect; without fstat a read that does not fill the
   buffer is the last. */
static size_t expected(int file, const char *name) {
    struct stat status;
    if (!use_fstat)
        return SIZE_MAX;
    if (fstat(file, &status) != 0)
        fail(name);
    return (size_t)status.st_size;
}

static void read_file(struct worker *worker, int file, const char *name) {
    size_t left = expected(file, name);
    ssize_t count = fill(worker, file, name);
#ifdef HAVE_XXHASH
    bool whole = (size_t)count < buffer_size || (size_t)count == left;
    if (digest == DIGEST_XXH128 && whole) {
        XXH128_hash_t hash = XXH3_128bits(worker->buffer, (size_t)count);
        fold(worker, &hash);
        return;
    }
    XXH3_state_t xxh;
    if (digest == DIGEST_XXH128)
        XXH3_128bits_reset(&xxh);
#endif
    if (digest == DIGEST_SHA256)
        EVP_DigestInit_ex(worker->context, worker->algorithm, NULL);
    while (count > 0) {
        if (digest == DIGEST_SHA256)
            EVP_DigestUpdate(worker->context, worker->buffer, (size_t)count);
#ifdef HAVE_XXHASH
        if (digest == DIGEST_XXH128)
            XXH3_128bits_update(&xxh, worker->buffer, (size_t)count);
#endif
        left -= (size_t)count < left ? (size_t)count : left;
        if (left == 0 || (!use_fstat && (size_t)count < buffer_size))
            break;
        count = fill(worker, file, name);
    }
    if (digest == DIGEST_SHA256) {
        unsigned char value[EVP_MAX_MD_SIZE];
        EVP_DigestFinal_ex(worker->context, value, NULL);
        fold(worker, value);
    }
#ifdef HAVE_XXHASH
    if (digest == DIGEST_XXH128) {
        XXH128_hash_t hash = XXH3_128bits_digest(&xxh);
        fold(worker, &hash);
    }
#endif
}

/* Opens the directory of a name, given how long its path is. */
static int open_directory(const char *name, size_t length) {
    char path[4096];
    if (length >= sizeof path) {
        errno = ENAMETOOLONG;
        fail(name);
    }
    memcpy(path, name, length);
    path[length] = '\0';
    int opened =
        open(length > 0 ? path : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
        fail(path);
    return opened;
}

static void look(struct worker *worker, int directory, const char *name) {
    struct stat status;
    if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        fail(name);
    worker->bytes += (uint64_t)status.st_size;
    worker->files++;
}

static void read_names(struct worker *worker, size_t begin, size_t end) {
    int directory = AT_FDCWD;
    const char *opened = NULL;
    size_t opened_length = 0;
    for (size_t i = begin; i < end; i++) {
        const char *name = names[i];
        const char *slash = strrchr(name, '/');
        size_t length = slash ? (size_t)(slash - name) : 0;
        if (slash && !(opened && opened_length == length &&
                       memcmp(opened, name, length) == 0)) {
            if (directory >= 0)
                close(directory);
            directory = open_directory(name, length);
            opened = name;
            opened_length = length;
        }
        if (only_look) {
            look(worker, slash ? directory : AT_FDCWD,
                 slash ? slash + 1 : name);
            continue;
        }
        int file =
            openat(slash ? directory : AT_FDCWD, slash ? slash + 1 : name,
                   O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (file < 0)
            fail(name);
        read_file(worker, file, name);
        close(file);
        worker->files++;
    }
    if (directory >= 0)
        close(directory);
}

static void read_pieces(struct worker *worker) {
    ssize_t count = 1;
    while (count > 0) {
        off_t at = (off_t)atomic_fetch_add(&claimed, PIECE);
        for (off_t end = at + PIECE; at < end && count > 0; at += count) {
            count = pread(whole, worker->buffer, buffer_size, at);
            worker->bytes += count > 0 ? (uint64_t)count : 0;
        }
    }
}

static void *work(void *context) {
    struct worker *worker = context;
    worker->buffer = aligned_alloc(4096, buffer_size);
    if (worker->buffer == NULL)
        fail("buffer");
    if (digest == DIGEST_SHA256) {
        worker->context = EVP_MD_CTX_new();
        worker->algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    }
    if (in_pieces) {
        read_pieces(worker);
        return NULL;
    }
    for (;;) {
        size_t begin = atomic_fetch_add(&claimed, NAMES_A_CLAIM);
        if (begin >= name_count)
            return NULL;
        size_t end = begin + NAMES_A_CLAIM;
        read_names(worker, begin, end < name_count ? end : name_count);
    }
}

static void read_list(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        fail(path);
    size_t size = (size_t)status.st_size, have = 0;
    char *text = malloc(size + 1);
    while (text != NULL && have < size) {
        ssize_t count = read(file, text + have, size - have);
        if (count <= 0)
            fail(path);
        have += (size_t)count;
    }
    close(file);
    if (text == NULL)
        fail(path);
    for (size_t i = 0; i < size; i++)
        name_count += text[i] == '\0';
    names = malloc((name_count + 1) * sizeof *names);
    if (names == NULL)
        fail(path);
    char *at = text;
    for (size_t i = 0; i < name_count; i++, at += strlen(at) + 1)
        names[i] = at;
}

static enum digest digest_named(const char *name) {
    if (strcmp(name, "none") == 0)
        return DIGEST_NONE;
    if (strcmp(name, "sha256") == 0)
        return DIGEST_SHA256;
#ifdef HAVE_XXHASH
    if (strcmp(name, "xxh128") == 0)
        return DIGEST_XXH128;
#endif
    fprintf(stderr, "floor: %s: not known here\n", name);
    exit(2);
}

int main(int count, char **arguments) {
    static const struct option options[] = {
        {"threads", required_argument, NULL, 't'},
        {"digest", required_argument, NULL, 'd'},
        {"fstat", no_argument, NULL, 'f'},
        {"buffer", required_argument, NULL, 'b'},
        {"look", no_argument, NULL, 'l'},
        {"pieces", no_argument, NULL, 'p'},
        {0}};
    for (int option;
         (option = getopt_long(count, arguments, "", options, NULL)) != -1;) {
        if (option == 't')
            threads = strtoul(optarg, NULL, 10);
        else if (option == 'd')
            digest = digest_named(optarg);
        else if (option == 'f')
            use_fstat = true;
        else if (option == 'l')
            only_look = true;
        else if (option == 'p')
            in_pieces = true;
        else if (option == 'b')
            buffer_size = strtoul(optarg, NULL, 10);
        else
            return 2;
    }
    if (optind + 1 != count || threads < 1 || threads > THREADS_MAX ||
        buffer_size < 4096 || buffer_size % 4096 != 0) {
        fputs("usage: floor [--threads N] [--digest none|sha256|xxh128] "
              "[--fstat] [--buffer BYTES] [--look | --pieces] LIST\n",
              stderr);
        return 2;
    }
    if (!in_pieces)
        read_list(arguments[optind]);
    else if ((whole = open(arguments[optind], O_RDONLY | O_CLOEXEC)) < 0)
        fail(arguments[optind]);

    static struct worker workers[THREADS_MAX];
    for (size_t i = 1; i < threads; i++)
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            fail("thread");
    work(&workers[0]);
    uint64_t files = workers[0].files, bytes = workers[0].bytes;
    uint64_t folded = workers[0].folded;
    for (size_t i = 1; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        files += workers[i].files;
        bytes += workers[i].bytes;
        folded ^= workers[i].folded;
    }
    printf("%llu files, %llu bytes, %016llx\n", (unsigned long long)files,
           (unsigned long long)bytes, (unsigned long long)folded);
    return 0;
}
