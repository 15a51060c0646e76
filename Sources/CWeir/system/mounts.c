/*
 * mounts.c: what the table of mounts and Btrfs say of a file system.
 */
#include "storage/mounts.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysmacros.h>

/* ---- the table --------------------------------------------------------- */

/* Copies what stands before a blank or a comma, its escapes resolved; "" where
   that is too long. */
static void copy_value(const char *from, char *to, size_t size) {
    size_t used = 0;
    while (*from && !strchr(" ,\n", *from)) {
        unsigned value = (unsigned char)*from++;
        if (value == '\\' && sscanf(from, "%3o", &value) == 1) {
            from += 3;
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

/* The directory on top: what is written to, else the first that is read. */
static void find_layer(const char *options, struct mount *mount) {
    const char *at = strstr(options, "upperdir=");
    bool is_list = !at;
    if (is_list) {
        at = strstr(options, "lowerdir=");
    }
    if (at) {
        copy_value(strchr(at, '=') + 1, mount->layer, sizeof mount->layer);
        mount->layer[strcspn(mount->layer, is_list ? ":" : "")] = '\0';
    }
}

/* ID PARENT MAJ:MIN ROOT POINT OPTIONS ... - TYPE SOURCE OPTIONS */
static bool read_line(const char *line, uint64_t device, struct mount *mount) {
    unsigned maj = 0, min = 0;
    const char *rest = strstr(line, " - ");
    if (!rest || sscanf(line, "%*u %*u %u:%u ", &maj, &min) != 2 ||
        makedev(maj, min) != device) {
        return false;
    }
    *mount = (struct mount){.type = ""};
    rest += 3;
    copy_value(rest, mount->type, sizeof mount->type);
    if (strcmp(mount->type, "overlay") == 0) {
        find_layer(rest, mount);
    }
    return true;
}

bool weir__mount_of(const char *mounts, uint64_t device, struct mount *mount) {
    FILE *file = fopen(mounts, "re");
    char *line = NULL;
    size_t capacity = 0;
    bool is_found = false;
    while (file && !is_found && getline(&line, &capacity, file) > 0) {
        is_found = read_line(line, device, mount);
    }
    free(line);
    if (file) {
        fclose(file);
    }
    return is_found;
}

/* ---- Btrfs ------------------------------------------------------------- */

/* The half of the identity that statfs gives for a UUID. */
static bool has_identity(const char *uuid, uint32_t identity) {
    uint32_t first, third[2];
    return strlen(uuid) == 36 &&
           sscanf(uuid, "%8" SCNx32 "-%*4x-%*4x-%4" SCNx32 "-%4" SCNx32, &first,
                  &third[0], &third[1]) == 3 &&
           (first ^ (third[0] << 16 | third[1])) == identity;
}

bool weir__btrfs_directory(const char *sysfs, uint32_t identity,
                           char directory[static 64]) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/fs/btrfs", sysfs);
    DIR *all = length < PATH_MAX ? opendir(path) : NULL;
    struct dirent *entry;
    bool is_found = false;
    while (all && !is_found && (entry = readdir(all))) {
        is_found = has_identity(entry->d_name, identity);
        if (is_found) {
            snprintf(directory, 64, "fs/btrfs/%.36s/devices", entry->d_name);
        }
    }
    if (all) {
        closedir(all);
    }
    return is_found;
}
