/*
 * test-archives FILE...: runs `gzip -t` on each file, eight at once. Prints the
 * good ones in the order of their names. The first bad one ends the run: those
 * that have not begun are not tested.
 *
 *     clang -O2 test-archives.c -o test-archives $(pkg-config --cflags --libs weir)
 *
 * Manual pages: weir(7), weir_lanes(3), weir_group(3), weir_spawn(3).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <weir.h>

struct archive {
    char *name;
    weir_group_t group;
    bool is_good;
    int error;
};

/* Returns 0, or EILSEQ for an archive that gzip refuses. */
static int run_gzip(char *name) {
    static char gzip[] = "gzip", options[] = "-tq", end[] = "--";
    char *arguments[] = {gzip, options, end, name, NULL};
    pid_t child;
    int status, error = weir_spawn(&child, gzip, arguments, NULL);
    if (error)
        return error;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return status == 0 ? 0 : EILSEQ;
}

/* Runs on a lane, where it may wait for the child. */
static int test(void *context, void *lane) {
    struct archive *archive = (struct archive *)context;
    (void)lane;
    archive->error = run_gzip(archive->name);
    archive->is_good = archive->error == 0;
    weir_group_fail(archive->group, archive->error); /* 0 does nothing */
    return 0;
}

int main(int argc, char **argv) {
    static weir_lanes_options_t options; /* zero is each default */
    options.label = "gzip";
    options.width = 8;
    weir_lanes_t lanes = weir_lanes_create(&options);
    weir_group_t group = weir_group_create("archives");
    struct archive *archives =
        (struct archive *)calloc((size_t)argc, sizeof *archives);
    if (!lanes || !group || !archives) {
        perror("test-archives");
        return 2;
    }
    for (int i = 1; i < argc && !weir_group_cancelled(group); i++) {
        archives[i].name = argv[i];
        archives[i].group = group;
        int error = weir_group_lanes_f(group, lanes, &archives[i], test);
        weir_group_fail(group, error);
    }
    int error = weir_group_wait(group, DISPATCH_TIME_FOREVER);
    for (int i = 1; i < argc; i++) {
        if (archives[i].is_good)
            puts(archives[i].name);
        else if (archives[i].error)
            fprintf(stderr, "test-archives: %s: %s\n", archives[i].name,
                    archives[i].error == EILSEQ ? "not a good archive"
                                                : strerror(archives[i].error));
    }
    weir_group_release(group);
    weir_lanes_release(lanes);
    free(archives);
    if (fflush(stdout) || ferror(stdout)) {
        perror("test-archives");
        return 2;
    }
    return error ? 1 : 0;
}
