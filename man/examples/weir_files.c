/* files DIRECTORY...: adds up the bytes of all files below directories,
   read on all cores, through as few descriptors as there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

static int read_all(void *user, void *lane, weir_file_t *file) {
    const void *piece;
    size_t length;
    int error;
    (void)user, (void)lane;
    do {
        error = weir_file_read(file, &piece, &length);
    } while (!error && length > 0);
    return error;
}

/* Called in order, never twice at once: the sum needs no lock. */
static int add(void *user, const weir_files_batch_t *batch) {
    for (size_t i = 0; i < batch->count; i++)
        if (batch->results[i].outcome == WEIR_FILE_DONE)
            *(uint64_t *)user += batch->results[i].bytes;
    return 0;
}

int main(int argc, char **argv) {
    static weir_files_options_t options; /* zero is each default */
    weir_files_stats_t stats;
    uint64_t bytes = 0;
    weir_files_source_t *sources =
        (weir_files_source_t *)calloc((size_t)argc, sizeof *sources);
    for (int i = 1; sources && i < argc; i++)
        sources[i].path = argv[i];
    options.job = read_all;
    options.deliver = add;
    options.user = &bytes;
    weir_files_t files = sources ? weir_files_create(&options) : NULL;
    if (!files) {
        perror("files");
        return 1;
    }
    int error = weir_files_run(files, sources + 1, (size_t)argc - 1);
    weir_files_stats(files, &stats, sizeof stats);
    weir_files_release(files);
    free(sources);
    if (error)
        fprintf(stderr, "files: %s\n", strerror(error));
    uint64_t unread =
        stats.failed + stats.changed + stats.special_named;
    printf("%llu bytes in %llu files, %llu not read\n",
           (unsigned long long)bytes, (unsigned long long)stats.files,
           (unsigned long long)unread);
    return fflush(stdout) || error || unread ? 1 : 0;
}
