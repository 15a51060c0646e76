/* The number of lines of every file in a directory: the README's program. */
#include <stdio.h>
#include <string.h>
#include <weir.h>

static int count(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length, lines = 0;
    int error;
    while (!(error = weir_file_read(file, &piece, &length)) && length > 0) {
        const char *at = piece, *end = at + length;
        for (; (at = memchr(at, '\n', end - at)); at++) lines++;
    }
    char text[32];
    const char *path = weir_file_path(file, &length);
    int digits = snprintf(text, sizeof text, "%zu\t", lines);
    if (!error) error = weir_file_write(file, text, digits);
    if (!error) error = weir_file_write(file, path, length);
    if (!error) error = weir_file_write(file, "\n", 1);
    return error;
}

static int print(void *user, const weir_files_batch_t *batch) {
    fwrite(batch->output, 1, batch->output_length, stdout);
    for (size_t i = 0; i < batch->count; i++) {
        const weir_file_result_t *result = &batch->results[i];
        if (result->outcome == WEIR_FILE_FAILED)
            fprintf(stderr, "%s: %s\n", result->path, strerror(result->error));
        if (result->outcome == WEIR_FILE_CHANGED)
            fprintf(stderr, "%s: changed while it was read\n", result->path);
    }
    return 0;
}

int main(int argc, char **argv) {
    weir_files_options_t options = {.job = count, .deliver = print};
    weir_files_source_t source = {.path = argc > 1 ? argv[1] : "."};
    weir_files_t files = weir_files_create(&options);
    if (!files || weir_files_run(files, &source, 1)) return perror("weir"), 1;
    weir_files_release(files);
    return fflush(stdout) ? 1 : 0;
}
