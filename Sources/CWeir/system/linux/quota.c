/*
 * quota.c: the quota of the cores by cgroups.
 *
 * DESIGN. A quota may stand at the cgroup of the process or at any cgroup above
 * it, in v2 or in v1, and both may be mounted. The smallest counts. A process
 * that lies outside the mounted part ("/../other", after a move) cannot see its
 * own cgroup: then the part's top is all that is read.
 */
#include "system/linux/quota.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#include <limits.h>
#include <stdio.h>

/* Opens a file for reading; NULL if it cannot be opened. */
static FILE *open_below(const char *root, const char *path) {
    char whole[PATH_MAX];
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);
    return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re")
                                                       : NULL;
}

/* Reads the whole numbers at the beginning of a file, if they are there. */
static void read_numbers(const char *directory, const char *name,
                         long long *first, long long *second) {
    FILE *file = open_below(directory, name);
    if (file) {
        (void)!fscanf(file, "%lld %lld", first, second);
        fclose(file);
    }
}

/* Returns the quota of one cgroup, rounded up to cores. In v2 a file contains
   "QUOTA PERIOD" ("max" for none); v1 has a file for each (-1 for none). */
static size_t quota_of(const char *directory, bool is_v1) {
    long long quota = 0, period = 0, unused = 0;
    if (is_v1) {
        read_numbers(directory, "/cpu.cfs_quota_us", &quota, &unused);
        read_numbers(directory, "/cpu.cfs_period_us", &period, &unused);
    } else {
        read_numbers(directory, "/cpu.max", &quota, &period);
    }
    return quota > 0 && period > 0 ? (size_t)((quota - 1) / period + 1)
                                   : SIZE_MAX;
}

/* True if a list "cpu,cpuacct" contains the controller of the quota. */
static bool has_cpu(const char *list) {
    while (strncmp(list, "cpu", 3) != 0 || !strchr(",\n", list[3])) {
        list += strcspn(list, ",");
        if (!*list++) {
            return false;
        }
    }
    return true;
}

/* Returns the path in a line "4:cpu,cpuacct:/path" or "0::/path", or NULL. */
static const char *path_in(char *line, bool is_v1) {
    char *list = strchr(line, ':');
    char *path = list ? strchr(list + 1, ':') : NULL;
    if (!path) {
        return NULL;
    }
    *path++ = '\0';
    path[strcspn(path, "\n")] = '\0';
    return (is_v1 ? has_cpu(list + 1) : list[1] == '\0') ? path : NULL;
}

/* Returns the rest of the path below `top`, or NULL if it lies elsewhere. */
static const char *rest_below(const char *path, const char *top) {
    size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);
    const char *rest = path + length;
    bool is_below = strncmp(path, top, length) == 0 && strchr("/", *rest) &&
                    !(strncmp(rest, "/..", 3) == 0 && strchr("/", rest[3]));
    return !is_below ? NULL : strcmp(rest, "/") == 0 ? "" : rest;
}

/* The cgroup of the process in one tree of cgroups. */
struct place {
    char directory[PATH_MAX];
    size_t top; /* the length of the tree's mount point */
};

void weir__copy_mount_value(const char *from, char *to, size_t size) {
    size_t used = 0;
    while (*from && *from != ' ') {
        unsigned value = (unsigned char)*from++;
        size_t digits = strspn(from, "01234567");
        if (value == '\\' && digits > 0) {
            value = 0;
            for (digits = digits < 3 ? digits : 3; digits > 0; digits--) {
                value = value * 8 + (unsigned)(*from++ - '0');
            }
        } else if (value == '\\' && *from) {
            value = (unsigned char)*from++;
        }
        if (used + 1 == size) {
            used = 0;
            break;
        }
        to[used++] = (char)value;
    }
    to[used] = '\0';
}

/* ID PARENT MAJ:MIN TOP POINT OPTIONS ... - TYPE SOURCE OPTIONS. True if the
   line mounts a part of the tree with the path. Of another part sets the place
   to the mount point. */
static bool mounts(const char *line, bool is_v1, const char *root,
                   const char *path, struct place *place) {
    char type[16], top[PATH_MAX], point[PATH_MAX];
    int at = 0;
    (void)!sscanf(line, "%*u %*u %*u:%*u %n", &at);
    const char *after_top = strchr(line + at, ' '), *rest = strstr(line, " - ");
    if (at == 0 || !after_top || !rest) {
        return false;
    }
    weir__copy_mount_value(rest + 3, type, sizeof type);
    if (strcmp(type, is_v1 ? "cgroup" : "cgroup2") != 0 ||
        (is_v1 && !has_cpu(strrchr(line, ' ') + 1))) {
        return false;
    }
    weir__copy_mount_value(line + at, top, sizeof top);
    weir__copy_mount_value(after_top + 1, point, sizeof point);
    const char *below = rest_below(path, top);
    int length = snprintf(place->directory, sizeof place->directory, "%s%s%s",
                          root, point, below ? below : "");
    place->top = strlen(root) + strlen(point);
    if (!*point || (size_t)length >= sizeof place->directory) {
        place->directory[0] = '\0';
    }
    return below != NULL;
}

/* Finds the cgroup of the process. Returns false if there is none. */
static bool find_place(const char *root, bool is_v1, struct place *place) {
    char *line = NULL, *path = NULL;
    size_t capacity = 0;
    FILE *file = open_below(root, "/proc/self/cgroup");
    while (file && !path && getline(&line, &capacity, file) > 0) {
        const char *found = path_in(line, is_v1);
        path = found ? strdup(found) : NULL;
    }
    if (file) {
        fclose(file);
    }
    place->directory[0] = '\0';
    file = path ? open_below(root, "/proc/self/mountinfo") : NULL;
    while (file && getline(&line, &capacity, file) > 0 &&
           !mounts(line, is_v1, root, path, place)) {
    }
    if (file) {
        fclose(file);
    }
    free(line);
    free(path);
    return place->directory[0] != '\0';
}

static size_t cores_in(const char *root, bool is_v1) {
    struct place place;
    if (!find_place(root, is_v1, &place)) {
        return SIZE_MAX;
    }
    size_t least = quota_of(place.directory, is_v1);
    while (strlen(place.directory) > place.top) {
        *strrchr(place.directory, '/') = '\0';
        size_t quota = quota_of(place.directory, is_v1);
        least = quota < least ? quota : least;
    }
    return least;
}

size_t weir__cores_by_quota(const char *root) {
    size_t v1 = cores_in(root, true), v2 = cores_in(root, false);
    return v1 < v2 ? v1 : v2;
}

#endif
