/* mounts.c: the table of mounts. */
#include "system/disks/mounts.h"

#include <stdio.h>
#include <sys/sysmacros.h>

void weir__copy_mount_value(const char *from, const char *ends, char *to,
                            size_t size) {
    size_t used = 0;
    while (*from && !strchr(ends, *from)) {
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

/* Reads the top directory of an overlay: the upper one, else the first lower
   one. */
static void read_layer(const char *options, struct mount *mount) {
    const char *at = strstr(options, "upperdir=");
    bool is_list = !at;
    if (is_list) {
        at = strstr(options, "lowerdir=");
    }
    if (at) {
        weir__copy_mount_value(strchr(at, '=') + 1, " ,\n", mount->layer,
                               sizeof mount->layer);
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
    weir__copy_mount_value(rest, " \n", mount->type, sizeof mount->type);
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
