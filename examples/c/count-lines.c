/*
 * count-lines PATH...: the number of lines of each file, and of all. A
 * directory stands for the files below it, without its .git folders. The files
 * are read on all cores, and listed in the order of the paths and names.
 *
 *     clang -O2 count-lines.c -o count-lines $(pkg-config --cflags --libs weir)
 *
 * Manual pages: weir(7), weir_files(3), weir_file(3), weir_walk(3).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

struct total {
    size_t lines, files;
    int status;
};

/* The job: its value is the number of lines, plus 1 because NULL is none. */
static int count(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length, lines = 0;
    int error;
    (void)user, (void)lane;
    while (!(error = weir_file_read(file, &piece, &length)) && length > 0) {
        const char *at = (const char *)piece, *end = at + length;
        for (; (at = (const char *)memchr(at, '\n', (size_t)(end - at))); at++)
            lines++;
    }
    if (!error)
        weir_file_set_value(file, (void *)(uintptr_t)(lines + 1));
    return error;
}

static void report(struct total *total, const char *path, const char *reason) {
    fprintf(stderr, "count-lines: %s: %s\n", path, reason);
    total->status = 1;
}

/* The delivery: in order, and never twice at once. */
static int list(void *user, const weir_files_batch_t *batch) {
    struct total *total = (struct total *)user;
    for (size_t i = 0; i < batch->count; i++) {
        const weir_file_result_t *file = &batch->results[i];
        uintptr_t value = (uintptr_t)weir_files_batch_value(batch, i);
        if (file->outcome == WEIR_FILE_FAILED)
            report(total, file->path, strerror(file->error));
        else if (file->outcome == WEIR_FILE_CHANGED)
            report(total, file->path, "changed while it was read");
        else if (file->outcome == WEIR_FILE_SPECIAL)
            report(total, file->path, "not a regular file");
        if (file->outcome != WEIR_FILE_DONE)
            continue;
        total->lines += value - 1;
        total->files++;
        if (printf("%8zu %s\n", (size_t)value - 1, file->path) < 0)
            return errno; /* ends the run */
    }
    return 0;
}

int main(int argc, char **argv) {
    static weir_files_options_t options; /* zero is each default */
    static weir_walk_filter_t no_git;
    struct total total = {0, 0, 0};
    size_t paths = argc > 1 ? (size_t)argc - 1 : 1;
    weir_files_source_t *sources =
        (weir_files_source_t *)calloc(paths, sizeof *sources);
    no_git.pattern = ".git/";
    options.filters = &no_git;
    options.filter_count = 1;
    options.job = count;
    options.deliver = list;
    options.user = &total;
    weir_files_t files = sources ? weir_files_create(&options) : NULL;
    if (!files) {
        perror("count-lines");
        return 2;
    }
    for (size_t i = 0; i < paths; i++)
        sources[i].path = argc > 1 ? argv[i + 1] : ".";
    int error = weir_files_run(files, sources, paths);
    weir_files_release(files);
    free(sources);
    if (!error && total.files > 1)
        printf("%8zu total\n", total.lines);
    if (!error && fflush(stdout))
        error = errno;
    if (error)
        fprintf(stderr, "count-lines: %s\n", strerror(error));
    return error ? 2 : total.status;
}
