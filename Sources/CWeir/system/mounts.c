/* mounts.c: the table of mounts. */
#include "system/mounts.h"

#include <stdio.h>
#include <sys/sysmacros.h>

/* Copies a value up to a blank or a comma, and resolves its escapes; "" if it
   is too long. */
static void copy_value(const char *from, char *to, size_t size) {
    size_t used = 0;
    while (*from && !strchr(" ,\n", *from)) {
        unsigned value = (unsigned char)*from++;
        int digits = 0;
        if (value == '\\' && sscanf(from, "%3o%n", &value, &digits) == 1) {
            from += digits;
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

/* Reads the top directory of an overlay: the upper one, else the first lower
   one. */
static void read_layer(const char *options, struct mount *mount) {
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
        read_layer(rest, mount);
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
