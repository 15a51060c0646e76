/* Prints the number of lines of every file below a directory, in order. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

/* Runs on a lane for one open file; writes to the output of its batch. */
static int count_lines(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length, lines = 0;
    int error;
    while (!(error = weir_file_read(file, &piece, &length)) && length > 0) {
        const char *at = (const char *)piece, *end = at + length;
        for (; (at = (const char *)memchr(at, '\n', end - at)); at++) lines++;
    }
    char text[32];
    int digits = snprintf(text, sizeof text, "%zu\t", lines);
    const char *path = weir_file_path(file, &length);
    if (!error) error = weir_file_write(file, text, digits);
    if (!error) error = weir_file_write(file, path, length);
    if (!error) error = weir_file_write(file, "\n", 1);
    return error;
}

/* Runs once a batch, in order, never two at a time. */
static int print(void *user, const weir_files_batch_t *batch) {
    fwrite(batch->output, 1, batch->output_length, stdout);
    for (size_t i = 0; i < batch->count; i++) {
        const weir_file_result_t *file = &batch->results[i];
        if (file->outcome == WEIR_FILE_DONE) continue;
        fprintf(stderr, "%s: %s\n", file->path,
                file->error ? strerror(file->error)
                            : "not a regular file, or changed while it was read");
        *(int *)user = 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    int status = 0;
    weir_files_options_t options;
    weir_files_source_t source;
    memset(&options, 0, sizeof options); /* zero is each default */
    memset(&source, 0, sizeof source);
    source.path = argc > 1 ? argv[1] : ".";
    options.job = count_lines;
    options.deliver = print;
    options.user = &status;
    weir_files_t files = weir_files_create(&options);
    int error = files ? weir_files_run(files, &source, 1) : errno;
    if (error) fprintf(stderr, "lines: %s\n", strerror(error));
    if (files) weir_files_release(files);
    return error || fflush(stdout) ? 1 : status;
}
