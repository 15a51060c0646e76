/* lines DIRECTORY: prints the number of lines of every file below the
   directory, in order, read on all cores. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

/* Runs on a lane for each open file; writes to its batch's output. */
static int count_lines(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length, lines = 0;
    int error;
    (void)user, (void)lane;
    while (!(error = weir_file_read(file, &piece, &length)) && length) {
        const char *at = (const char *)piece, *end = at + length;
        while (
            (at = (const char *)memchr(at, '\n', (size_t)(end - at))))
            at++, lines++;
    }
    char text[32];
    int digits = snprintf(text, sizeof text, "%zu\t", lines);
    const char *path = weir_file_path(file, &length);
    if (!error)
        error = weir_file_write(file, text, (size_t)digits);
    if (!error)
        error = weir_file_write(file, path, length);
    if (!error)
        error = weir_file_write(file, "\n", 1);
    return error;
}

static const char *reason(const weir_file_result_t *file) {
    if (file->outcome == WEIR_FILE_CHANGED)
        return "changed while it was read";
    if (file->outcome == WEIR_FILE_SPECIAL)
        return "not a regular file";
    return strerror(file->error);
}

/* Called for each batch in order, never twice at once. */
static int print(void *user, const weir_files_batch_t *batch) {
    size_t length = batch->output_length;
    if (fwrite(batch->output, 1, length, stdout) < length)
        return errno;
    for (size_t i = 0; i < batch->count; i++) {
        const weir_file_result_t *file = &batch->results[i];
        if (file->outcome == WEIR_FILE_DONE)
            continue;
        fprintf(stderr, "lines: %s: %s\n", file->path, reason(file));
        *(int *)user = 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    static weir_files_options_t options; /* zero is each default */
    static weir_files_source_t source;
    int status = 0;
    source.path = argc > 1 ? argv[1] : ".";
    options.job = count_lines;
    options.deliver = print;
    options.user = &status;
    weir_files_t files = weir_files_create(&options);
    int error = files ? weir_files_run(files, &source, 1) : errno;
    if (files)
        weir_files_release(files);
    if (!error && fflush(stdout))
        error = errno;
    if (error)
        fprintf(stderr, "lines: %s\n", strerror(error));
    return error ? 1 : status;
}
