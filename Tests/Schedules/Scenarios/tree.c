/* tree.c: the small tree of files that the scenarios read. */
#include "tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[200], sub[256], twins[256];
static const char *const names[] = {"0",     "1",       "2",      "3",
                                    "4",     "link",    "large",  "sub/a",
                                    "sub/b", "twins/x", "twins/y"};
enum { NAMES = sizeof names / sizeof names[0] };
static char paths[NAMES][256];

static void remove_tree(void) {
    for (int i = 0; i < NAMES; i++) {
        unlink(paths[i]);
    }
    rmdir(sub);
    rmdir(twins);
    rmdir(root);
}

static void fail(const char *path) {
    perror(path);
    exit(2);
}

static void make_file(const char *path, off_t size) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (descriptor < 0 || ftruncate(descriptor, size) != 0) {
        fail(path);
    }
    close(descriptor);
}

void tree_create(void) {
    const char *temporary = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/schedules-XXXXXX",
             temporary ? temporary : "/tmp");
    if (!mkdtemp(root)) {
        fail(root);
    }
    for (int i = 0; i < NAMES; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", root, names[i]);
    }
    atexit(remove_tree);
    snprintf(sub, sizeof sub, "%s/sub", root);
    snprintf(twins, sizeof twins, "%s/twins", root);
    if (mkdir(sub, 0700) != 0 || mkdir(twins, 0700) != 0) {
        fail(root);
    }
    for (int i = 0; i < NAMES; i++) {
        if (strcmp(names[i], "link") == 0 || strstr(names[i], "/y")) {
            if (link(paths[i - 1], paths[i]) != 0) {
                fail(paths[i]);
            }
        } else {
            make_file(paths[i], strcmp(names[i], "large") == 0 ? 1 << 20 : i);
        }
    }
}

const char *tree_path(const char *name) {
    for (int i = 0; name && i < NAMES; i++) {
        if (strcmp(name, names[i]) == 0) {
            return paths[i];
        }
    }
    return name && strcmp(name, "twins") == 0 ? twins : root;
}
