/* sources: reads names from standard input, each ended by NUL, as
   `find -print0` and `git ls-files -z` write them. Prints the names of
   the files that begin with "#!", in the order of the list. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <weir.h>

static int is_script(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length;
    (void)user, (void)lane;
    int error = weir_file_read(file, &piece, &length);
    if (!error && length >= 2 && memcmp(piece, "#!", 2) == 0) {
        const char *path = weir_file_path(file, &length);
        error = weir_file_write(file, path, length);
        if (!error)
            error = weir_file_write(file, "\n", 1);
    }
    return error;
}

static int print(void *user, const weir_files_batch_t *batch) {
    size_t length = batch->output_length;
    if (fwrite(batch->output, 1, length, stdout) < length)
        return errno;
    for (size_t i = 0; i < batch->count; i++)
        if (batch->results[i].outcome != WEIR_FILE_DONE) {
            fprintf(stderr, "sources: %s: not read\n",
                    batch->results[i].path);
            *(int *)user = 1;
        }
    return 0;
}

int main(void) {
    static weir_files_options_t options;
    static weir_files_source_t list;
    int status = 0;
    list.kind = WEIR_SOURCE_LIST;
    list.descriptor = 0;
    list.separator = '\0';
    list.path = "standard input"; /* its name in messages */
    options.job = is_script;
    options.deliver = print;
    options.user = &status;
    weir_files_t files = weir_files_create(&options);
    int error = files ? weir_files_run(files, &list, 1) : errno;
    if (files)
        weir_files_release(files);
    if (error)
        fprintf(stderr, "sources: %s\n", strerror(error));
    return fflush(stdout) || error ? 1 : status;
}
