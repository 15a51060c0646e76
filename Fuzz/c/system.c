/*
 * system.c: /proc/self/mountinfo and the files of cgroups, against a second
 * reader.
 *
 * An input is a number of the parser, and the content of the files that it
 * reads, each up to a NUL.
 */
#include "fuzzers.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "system/cores.h"
#include "system/disks/mounts.h"

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
    weir__copy_mount_value(text, " \n", to, size);
    copy_value(text, " \n", wanted, size);
    EXPECT(strcmp(to, wanted) == 0, "\"%s\" is \"%s\", not \"%s\"", text, to,
           wanted);
    free(text);
    free(to);
    free(wanted);
}

/* ---- mounts ---------------------------------------------------------------- */

static void check_mounts(struct input *input) {
    unsigned maj = take_byte(input) % 4, min = take_byte(input) % 4;
    char *table = take_string(input), path[256];
    write_below_root("proc/self/mountinfo", table);
    snprintf(path, sizeof path, "%s/proc/self/mountinfo", root);
    struct mount mount;
    bool is_found = weir__mount_of(path, makedev(maj, min), &mount);
    /* The first line whose third word is the number. */
    bool is_expected = false;
    char *rest = table;
    for (char *line; (line = strsep(&rest, "\n"));) {
        unsigned long id, parent, first, second;
        char after;
        if (!is_expected && strstr(line, " - ") && line[0] >= '0' &&
            line[0] <= '9' &&
            sscanf(line, "%3lu%*[ ]%3lu%*[ ]%3lu:%3lu%c", &id, &parent, &first,
                   &second, &after) == 5 &&
            after == ' ' && first == maj && second == min) {
            char type[64];
            copy_value(strstr(line, " - ") + 3, " \n", type, sizeof type);
            EXPECT(is_found, "\"%s\" is not found", line);
            /* A backslash at the end takes the newline with it. */
            EXPECT(strcmp(type, mount.type) == 0 ||
                       line[strlen(line) - 1] == '\\',
                   "type \"%s\", not \"%s\"", mount.type, type);
            is_expected = true;
        }
        if (!is_expected && strchr(line, '\\')) {
            break; /* sscanf accepts more */
        }
        if (!is_expected && is_found) {
            break;
        }
    }
    if (is_found) {
        EXPECT(strlen(mount.type) < sizeof mount.type, "type");
        EXPECT(strlen(mount.layer) < sizeof mount.layer, "layer");
    }
    free(table);
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
    switch (take_byte(&input) % 3) {
    case 0:
        check_value(&input);
        break;
    case 1:
        check_mounts(&input);
        break;
    default:
        check_cores(&input);
    }
}
