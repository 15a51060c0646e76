/* file DIRECTORY: finds the longest line below the directory. Each job
   hands a value to the delivery, which compares them in order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static int longest_line(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length, line = 0, longest = 0;
    int error;
    (void)user, (void)lane;
    while (!(error = weir_file_read(file, &piece, &length)) && length) {
        const char *text = (const char *)piece;
        for (size_t i = 0; i < length; i++) {
            line = text[i] == '\n' ? 0 : line + 1;
            longest = line > longest ? line : longest;
        }
    }
    size_t *value = error ? NULL : (size_t *)malloc(sizeof *value);
    if (!value)
        return error ? error : ENOMEM;
    *value = longest;
    weir_file_set_value(file, value); /* freed by value_drop */
    return 0;
}

static void drop(void *user, void *value) {
    (void)user;
    free(value);
}

static int compare(void *user, const weir_files_batch_t *batch) {
    size_t *longest = (size_t *)user;
    for (size_t i = 0; i < batch->count; i++) {
        size_t *value = (size_t *)weir_files_batch_value(batch, i);
        if (value && *value > *longest)
            *longest = *value;
    }
    return 0;
}

int main(int argc, char **argv) {
    static weir_files_options_t options;
    static weir_files_source_t tree;
    weir_files_stats_t stats;
    size_t longest = 0;
    tree.path = argc > 1 ? argv[1] : ".";
    options.job = longest_line;
    options.deliver = compare;
    options.value_drop = drop;
    options.user = &longest;
    weir_files_t files = weir_files_create(&options);
    if (!files) {
        perror("file");
        return 1;
    }
    int error = weir_files_run(files, &tree, 1);
    weir_files_stats(files, &stats, sizeof stats);
    weir_files_release(files);
    if (error)
        fprintf(stderr, "file: %s\n", strerror(error));
    printf("%zu bytes\n", longest);
    return fflush(stdout) || error || stats.failed ? 1 : 0;
}
