/* tree.c: makes, lists and removes directories of tests. */
#include "tree.h"
#include "threads.h"
#include <malloc.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/wait.h>

extern char **environ;

char *text(const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t size = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
    char *result = keep(size);
    vsnprintf(result, size, format, again);
    va_end(arguments);
    va_end(again);
    return result;
}

char *text_of(void (^write)(FILE *to)) {
    char *all, *kept;
    size_t size;
    FILE *to = open_memstream(&all, &size);
    write(to);
    fclose(to);
    kept = text("%s", all);
    free(all);
    return kept;
}

char *join(const char *directory, const char *name) {
    size_t size = strlen(directory);
    bool slash = size == 0 || directory[size - 1] == '/';
    return text("%s%s%s", directory, slash ? "" : "/", name);
}

char *parent(const char *path) {
    const char *slash = strrchr(path, '/');
    return text("%.*s", slash == NULL ? 0 : (int)(slash - path), path);
}

static const char *roots[128];
static _Atomic int root_count;

static int run_program(char *const words[]) {
    pid_t process;
    int status = -1;
    if (posix_spawnp(&process, words[0], NULL, NULL, words, environ) == 0) {
        waitpid(process, &status, 0);
    }
    return status;
}

static void remove_trees(void) {
    for (int index = 0; index < root_count; index++) {
        char *root = (char *)roots[index];
        char *remove[] = {"rm", "-rf", root, NULL};
        char *permit[] = {"chmod", "-R", "u+rwx", root, NULL};
        if (run_program(remove) != 0) {
            run_program(permit);
            run_program(remove);
        }
    }
}

const char *tree_create(void) {
    const char *place = getenv("TMPDIR");
    char *root = text("%s/weir-tests-XXXXXX", place == NULL ? "/tmp" : place);
    REQUIRE(mkdtemp(root) != NULL, "%s", strerror(errno));
    int index = root_count++;
    REQUIRE(index < (int)(sizeof roots / sizeof *roots));
    roots[index] = root;
    if (index == 0) {
        atexit(remove_trees);
    }
    return root;
}

static void make_listed(const char *root, char *name) {
    size_t size = strcspn(name, ":|=>"), end = strlen(name) - 1;
    char kind = name[size];
    name[size] = 0;
    if (kind == '>') {
        make_link(root, name, name + size + 1);
    } else if (kind == '|') {
        make_fifo(root, name);
    } else if (kind == '=') {
        make_socket(root, name);
    } else if (kind == 0 && name[end] == '/') {
        make_directory(root, name);
    } else {
        make_file(root, name, 1,
                  kind == 0 ? 0 : strtoul(name + size + 1, NULL, 10));
    }
}

const char *tree_of(const char *list) {
    const char *root = tree_create();
    char *rest = text("%s", list), *name;
    while ((name = strsep(&rest, " ")) != NULL) {
        make_listed(root, name);
    }
    return root;
}

const char *tree_of_files(int count) {
    const char *root = tree_create();
    for (int number = 0; number < count; number++) {
        make_file(root, text("f%d", 1000 + number), 1, 1);
    }
    return root;
}

#define MADE(call) REQUIRE((call) == 0, "%s: %s", path, strerror(errno))

char *make_directory(const char *root, const char *name) {
    char *path = join(root, name);
    MADE(mkdir(path, 0755));
    return path;
}

char *make_content(const char *root, const char *name, const void *bytes,
                   size_t size) {
    char *path = join(root, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    MADE(file < 0);
    MADE(write(file, bytes, size) != (ssize_t)size);
    close(file);
    return path;
}

char *make_file(const char *root, const char *name, int byte, size_t size) {
    char *bytes = malloc(size + 1);
    memset(bytes, byte, size);
    char *path = make_content(root, name, bytes, size);
    free(bytes);
    return path;
}

char *make_text(const char *root, const char *name, const char *content) {
    char *path = join(root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        MADE(mkdir(path, 0755) != 0 && errno != EEXIST);
        *at = '/';
    }
    return make_content(root, name, content, strlen(content));
}

char *make_varied_file(const char *root, const char *name, size_t size) {
    char *bytes = malloc(size + 1);
    for (size_t index = 0; index < size; index++) {
        bytes[index] = (char)(index / 7);
    }
    char *path = make_content(root, name, bytes, size);
    free(bytes);
    return path;
}

char *make_link(const char *root, const char *name, const char *target) {
    char *path = join(root, name);
    MADE(symlink(target, path));
    return path;
}

char *make_fifo(const char *root, const char *name) {
    char *path = join(root, name);
    MADE(mkfifo(path, 0644));
    return path;
}

char *make_socket(const char *root, const char *name) {
    char *path = join(root, name);
    MADE(mknod(path, S_IFSOCK | 0644, 0));
    return path;
}

char *make_name(const char *root, const char *name, const char *of) {
    char *path = join(root, name);
    MADE(link(of, path));
    return path;
}

/* Returns a descriptor of the directory, and closes that of its parent. */
static int enter(int at, const char *name) {
    int next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    REQUIRE(next >= 0, "%s: %s", name, strerror(errno));
    close(at);
    return next;
}

char *make_chain(const char *root, const char *name, int depth) {
    char *path = text("%s", root);
    int at = open_chain(root, name, 0);
    for (int level = 0; level < depth; level++) {
        close(openat(at, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
        MADE(mkdirat(at, name, 0755));
        at = enter(at, name);
        path = join(path, name);
    }
    close(at);
    return path;
}

int open_chain(const char *root, const char *name, int depth) {
    int at = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int level = 0; level < depth; level++) {
        at = enter(at, name);
    }
    return at;
}

/* Writes a name of less than 300 bytes. */
static void awkward_name(struct check_random *random, char *name) {
    static const char *const
        formats[] = {"-rf %d",          "two\nlines %d",
                     "back\\slash\\%d", " spaces  %d ",
                     "...%d",           "\xff\xfe\x80%d",
                     "name%d",          NULL,
                     "name1%d",         "%0255d" /* longest */,
                     "two\nlines\x80%d" /* as the second, for nine bytes */};
    const char *format = formats[check_below(random, 11)];
    if (format != NULL) {
        sprintf(name, format, (int)check_below(random, 100));
        return;
    }
    size_t size = 1 + check_below(random, 12);
    for (size_t index = 0; index < size;) {
        char byte = (char)(1 + check_below(random, 255));
        /* A dot alone would be a name that exists. */
        if (byte != '/' && byte != '.') {
            name[index++] = byte;
        }
    }
    name[size] = 0;
}

void tree_fill(const char *root, struct check_random *random, int entries,
               size_t file_bytes) {
    const char **directories = calloc((size_t)entries + 1, sizeof *directories);
    size_t count = 1;
    directories[0] = root;
    for (int entry = 0; entry < entries; entry++) {
        const char *parent = directories[check_below(random, count)];
        char name[300],
            *path = (awkward_name(random, name), join(parent, name));
        size_t kind = check_below(random, 10);
        struct stat status;
        if (strlen(path) >= 3000 || lstat(path, &status) == 0) {
            continue;
        }
        if (kind < 3) {
            directories[count++] = make_directory(parent, name);
        } else if (kind == 3) {
            make_link(parent, name, "nowhere");
        } else {
            size_t size = check_below(random, file_bytes + 1);
            char *bytes = malloc(size + 1);
            for (size_t index = 0; index < size; index++) {
                bytes[index] = (char)check_next(random);
            }
            make_content(parent, name, bytes, size);
            free(bytes);
        }
    }
    free(directories);
}

const char *tree_at_random(const char *purpose, int entries,
                           size_t file_bytes) {
    struct check_random random = check_random(purpose);
    const char *root = tree_create();
    tree_fill(root, &random, entries, file_bytes);
    return root;
}

struct named_files tree_fill_names(const char *root,
                                   struct check_random *random, size_t files,
                                   size_t names) {
    struct named_files made = {.files = files};
    for (int number = 0; number < 10; number++) {
        make_directory(root, text("d%d", number));
    }
    for (size_t number = 0; number < files; number++) {
        size_t size =
            check_below(random, 75) == 0 ? 1100000 : check_below(random, 3000);
        size_t count = 1 + check_below(random, names);
        char *bytes = malloc(size + 1);
        uint64_t word = check_next(random);
        for (size_t index = 0; index < size; index++) {
            bytes[index] = (char)((word >> (index % 8 * 8)) + number);
        }
        char *path = NULL;
        for (size_t other = 0; other < count; other++) {
            char *name = text("d%zu/%zu %zu %zu", check_below(random, 10),
                              check_below(random, 1000), number, other);
            path = other == 0 ? make_content(root, name, bytes, size)
                              : (make_name(root, name, path), path);
        }
        free(bytes);
        made.names += count;
        made.bytes += size;
    }
    return made;
}

void rewrite(const char *path, bool keep_time) {
    struct stat status = status_of(path);
    int file = open(path, O_WRONLY | O_CLOEXEC);
    MADE(pwrite(file, "!", 1, 0) != 1);
    if (keep_time) {
        MADE(futimens(file,
                      (struct timespec[]){status.st_atim, status.st_mtim}));
    }
    close(file);
}

char *contents(const char *path, size_t *size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    MADE(file < 0 || fstat(file, &status));
    char *bytes = malloc((size_t)status.st_size + 1);
    *size = (size_t)status.st_size;
    MADE(read(file, bytes, *size) != status.st_size);
    close(file);
    return bytes;
}

struct stat status_of(const char *path) {
    struct stat status;
    MADE(stat(path, &status));
    return status;
}

/* A slash sorts below all other bytes. */
static int rank(char byte) {
    return byte == 0 ? 0 : byte == '/' ? 1 : 1 + (unsigned char)byte;
}

int compare_paths(const char *left, const char *right) {
    while (*left != 0 && *left == *right) {
        left++;
        right++;
    }
    return rank(*left) - rank(*right);
}

static int compare_entries(const void *left, const void *right) {
    return compare_paths(*(char *const *)left + 1, *(char *const *)right + 1);
}

struct paths paths_from(const char *command) {
    struct paths found = {0, NULL, NULL};
    char *entry = NULL, **entries = NULL;
    size_t room = 0;
    FILE *output = popen(command, "re");
    while (output != NULL && getdelim(&entry, &room, 0, output) > 0) {
        if ((found.count & (found.count - 1)) == 0) {
            size_t size = (found.count * 2 + 1) * sizeof *entries;
            entries = realloc(entries, size);
        }
        entries[found.count++] = text("%s", entry);
    }
    REQUIRE(output != NULL && pclose(output) == 0);
    free(entry);
    if (found.count > 0) {
        qsort(entries, found.count, sizeof *entries, compare_entries);
    }
    found.paths = keep((found.count + 1) * sizeof *found.paths);
    found.types = keep(found.count + 1);
    for (size_t index = 0; index < found.count; index++) {
        found.paths[index] = entries[index] + 1;
        found.types[index] = entries[index][0];
    }
    free(entries);
    return found;
}

size_t bytes_read_by_process(void) {
    size_t count = 0;
    FILE *file = fopen("/proc/self/io", "re");
    REQUIRE(file != NULL && fscanf(file, "rchar: %zu", &count) == 1);
    fclose(file);
    return count;
}

size_t heap_bytes_in_use(void) {
    /* Large blocks are mapped, and not counted in the arenas. */
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

struct paths find(const char *root, const char *conditions) {
    return paths_from(
        text("LC_ALL=C find '%s' %s -printf '%%y%%p\\0'", root, conditions));
}

void let_files_age(void) {
    struct timespec now, then;
    clock_gettime(CLOCK_REALTIME, &now);
    REQUIRE(EVENTUALLY(
        (clock_gettime(CLOCK_REALTIME_COARSE, &then),
         then.tv_sec > now.tv_sec ||
             (then.tv_sec == now.tv_sec && then.tv_nsec > now.tv_nsec))));
}
