/*
 * disks.c: the storage of a file, by sysfs.
 *
 * An input is a type of a file system, and the content of the files and the
 * targets of the links of a small sysfs, each up to a NUL. The links may make
 * cycles. Everything in the result is text that a terminal can show.
 */
#include "fuzzers.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <weir/storage.h>

#include "system/disks/block_devices.h"

void weir__storage_find(const char *sysfs, uint64_t type, uint32_t identity,
                        uint64_t device, weir_storage_t *out);

static char root[64];

static void path_of(char path[static 256], const char *name) {
    snprintf(path, 256, "%s/%s", root, name);
}

static void remove_root(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", root);
    (void)!system(command);
}

static void make_directory(const char *name) {
    char path[256];
    path_of(path, name);
    mkdir(path, 0700);
}

static void make_root(void) {
    snprintf(root, sizeof root, "/dev/shm/weir-fuzz-disks-%ld", (long)getpid());
    static const char *const directories[] = {
        "",
        "dev",
        "dev/block",
        "fs",
        "fs/btrfs",
        "fs/btrfs/12345678-0000-0000-0000-000000000000",
        "fs/btrfs/12345678-0000-0000-0000-000000000000/devices",
        "disks",
        "disks/a",
        "disks/a/queue",
        "disks/a/device",
        "disks/a/slaves",
        "disks/a/a1",
        "disks/b",
        "disks/b/queue",
        "disks/b/device",
        "disks/b/slaves"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        make_directory(directories[i]);
    }
    atexit(remove_root);
}

/* Makes a file with the next string, or none if that is empty. */
static void make_file(struct input *input, const char *name) {
    char path[256], *content = take_string(input);
    path_of(path, name);
    unlink(path);
    int file = *content
                   ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
                   : -1;
    if (file >= 0) {
        (void)!write(file, content, strlen(content));
        close(file);
    }
    free(content);
}

static void make_link(struct input *input, const char *name) {
    static const char *const targets[] = {"/disks/a", "/disks/b", "/disks/a/a1",
                                          "/disks/a/slaves/x", "/nothing"};
    char path[256], target[256];
    size_t choice = take_byte(input) % 6;
    path_of(path, name);
    unlink(path);
    if (choice < 5) {
        path_of(target, targets[choice] + 1);
        (void)!symlink(target, path);
    }
}

static void expect_text(const char *text, size_t size, const char *what) {
    size_t length = strnlen(text, size);
    EXPECT(length < size, "%s has no end", what);
    for (size_t i = 0; i < length; i++) {
        EXPECT(text[i] >= ' ' && text[i] <= '~', "%s: byte %d", what, text[i]);
    }
}

void fuzz_disks(const uint8_t *bytes, size_t count) {
    static const uint64_t types[] = {0xef53,     0x9123683e, 0x65735546,
                                     0x794c7630, 0x6969,     0x01021994,
                                     0x2fc12fc1, 0x12345678};
    struct input input = {bytes, count};
    if (!root[0]) {
        make_root();
    }
    uint64_t type = types[take_byte(&input) % 8];
    make_link(&input, "dev/block/8:1");
    make_link(&input, "disks/a/slaves/x");
    make_link(&input, "disks/b/slaves/y");
    make_link(&input,
              "fs/btrfs/12345678-0000-0000-0000-000000000000/devices/z");
    static const char *const files[] = {
        "disks/a/partition",        "disks/a/a1/partition",
        "disks/a/queue/rotational", "disks/a/dev",
        "disks/a/device/vendor",    "disks/a/device/model",
        "disks/b/queue/rotational", "disks/b/dev",
        "disks/b/device/vendor"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        make_file(&input, files[i]);
    }
    weir_storage_t storage;
    weir__storage_find(root, type, 0x12345678, makedev(8, 1), &storage);
    expect_text(storage.file_system, sizeof storage.file_system, "file_system");
    expect_text(storage.disk, sizeof storage.disk, "disk");
    expect_text(storage.evidence, sizeof storage.evidence, "evidence");
    EXPECT(storage.readers > 0 && storage.readers_max >= storage.readers,
           "%zu readers", storage.readers);
    struct disks disks = {.name = ""};
    if (weir__disks_of_device(&disks, root, makedev(8, 1))) {
        EXPECT(disks.count[0] + disks.count[1] + disks.count[2] <= 1 << 8,
               "too many disks");
    }
}
