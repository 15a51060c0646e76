/*
 * system.c: the values of /proc/self/mountinfo, against a second reader, and the
 * files of cgroups.
 *
 * An input is a number of the parser, and the content of the files that it
 * reads, each up to a NUL.
 */
#include "fuzzers.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/linux/quota.h"

/* ---- the files ------------------------------------------------------------ */

static char root[64];

static void write_below_root(const char *name, const char *content) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0 || write(file, content, strlen(content)) < 0) {
        perror(path);
        _exit(2);
    }
    close(file);
}

static void remove_root(void) {
    char command[96];
    snprintf(command, sizeof command, "rm -rf %s", root);
    (void)!system(command);
}

static void make_root(void) {
    static const char *const directories[] = {"",   "proc", "proc/self",
                                              "cg", "cg/a", "cg/a/b"};
    snprintf(root, sizeof root, "/dev/shm/weir-fuzz-%ld", (long)getpid());
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", root, directories[i]);
        mkdir(path, 0700);
    }
    atexit(remove_root);
}

/* ---- values of the table of mounts ---------------------------------------- */

/* Copies a value as the kernel writes it: three octal digits are a byte. Fewer
   digits, and any other byte after a backslash, stand for themselves. */
static void copy_value(const char *from, const char *ends, char *to,
                       size_t size) {
    size_t used = 0;
    for (; *from && !strchr(ends, *from); used++) {
        int value = (unsigned char)*from++, digits = 0, octal = 0;
        if (value == '\\') {
            while (digits < 3 && *from >= '0' && *from <= '7') {
                octal = octal * 8 + *from++ - '0';
                digits++;
            }
            value = digits  ? octal & 255
                    : *from ? (unsigned char)*from++
                            : '\\';
        }
        if (used + 1 < size) {
            to[used] = (char)value;
        }
    }
    to[used < size ? used : 0] = '\0';
}

static void check_value(struct input *input) {
    size_t size = 1 + take_byte(input) % 32;
    char *text = take_string(input), *to = malloc(size), *wanted = malloc(size);
    weir__copy_mount_value(text, to, size);
    copy_value(text, " ", wanted, size);
    EXPECT(strcmp(to, wanted) == 0, "\"%s\" is \"%s\", not \"%s\"", text, to,
           wanted);
    free(text);
    free(to);
    free(wanted);
}

/* ---- quotas ---------------------------------------------------------------- */

static void check_cores(struct input *input) {
    static const char *const files[] = {"proc/self/cgroup",
                                        "proc/self/mountinfo",
                                        "cg/cpu.max",
                                        "cg/a/cpu.max",
                                        "cg/a/b/cpu.cfs_quota_us",
                                        "cg/a/b/cpu.cfs_period_us"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *content = take_string(input);
        write_below_root(files[i], content);
        free(content);
    }
    size_t cores = weir__cores_by_quota(root);
    EXPECT(cores > 0, "no core");
}

void fuzz_system(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count};
    if (!root[0]) {
        make_root();
    }
    if (take_byte(&input) % 3 == 0) {
        check_value(&input);
    } else {
        check_cores(&input);
    }
}
