/* scenario_tree.c: the files that the scenarios read, in the working directory. */
#include "scenarios.h"

#include <sys/stat.h>

static void make_file(const char *name, size_t size) {
    FILE *file = fopen(name, "w");
    for (size_t i = 0; file && i < size; i++) {
        putc((int)(i * 7 + i / 251) % 256, file);
    }
    if (!file || fclose(file) != 0) {
        perror(name);
        exit(2);
    }
}

void scenario_make_tree(void) {
    if (mkdir("tree", 0700) != 0) {
        return; /* made before */
    }
    static const char *const directories[] = {"tree/deep", "tree/deep/empty",
                                              "tree/deep/er",
                                              "tree/deep/er/est", "tree/many"};
    for (int i = 0; i < 5; i++) {
        mkdir(directories[i], 0700);
    }
    make_file("single", 10);
    make_file("tree/a", 10);
    make_file("tree/big", 1300000);
    make_file("tree/deep/c", 5000);
    make_file("tree/deep/er/d", 0);
    make_file("tree/deep/er/est/e", 100);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "tree/many/f%02d", i);
        make_file(name, (size_t)i * 3);
    }
    if (symlink("a", "tree/link") || symlink("deep/er", "tree/to-deeper") ||
        link("tree/deep/c", "tree/hard") || mkfifo("tree/pipe", 0600)) {
        perror("tree");
        exit(2);
    }
    FILE *names = fopen("names", "w");
    fputs("tree/a\ntree/deep\n\ntree/missing\ntree/many/f03\ntree/many/f04",
          names);
    fclose(names);
    usleep(20000); /* the clock of file times goes on: the files are old */
}
