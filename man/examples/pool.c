/* pool NAME...: counts the bytes of the named files, four at once.
   Prints the counts in the order of the names, or else the error that
   came first, and begins no more files after it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

struct job {
    const char *name;
    weir_group_t group;
    size_t bytes; /* the result */
    int error;
};

/* Runs on a lane, where it may block. */
static int count_bytes(void *context, void *lane) {
    struct job *job = (struct job *)context;
    char piece[65536];
    (void)lane;
    FILE *file = fopen(job->name, "rb");
    for (size_t length = 1; file && length > 0; job->bytes += length)
        length = fread(piece, 1, sizeof piece, file);
    if (!file || ferror(file))
        job->error = errno;
    if (file)
        fclose(file);
    weir_group_fail(job->group, job->error); /* drops the rest */
    return 0;
}

int main(int argc, char **argv) {
    static weir_lanes_options_t options; /* zero is each default */
    options.label = "pool";
    options.width = 4;
    weir_lanes_t lanes = weir_lanes_create(&options);
    weir_group_t group = weir_group_create("pool");
    struct job *jobs = (struct job *)calloc((size_t)argc, sizeof *jobs);
    if (!lanes || !group || !jobs) {
        perror("pool");
        return 1;
    }
    for (int i = 1; i < argc && !weir_group_cancelled(group); i++) {
        jobs[i].name = argv[i];
        jobs[i].group = group;
        int error =
            weir_group_lanes_f(group, lanes, &jobs[i], count_bytes);
        weir_group_fail(group, error); /* 0 does nothing */
    }
    int error = weir_group_wait(group, DISPATCH_TIME_FOREVER);
    const char *failed = NULL;
    for (int i = 1; i < argc; i++) {
        if (error && !failed && jobs[i].error == error)
            failed = jobs[i].name;
        if (!error)
            printf("%zu\t%s\n", jobs[i].bytes, jobs[i].name);
    }
    weir_group_release(group);
    weir_lanes_release(lanes);
    free(jobs);
    if (!error && (fflush(stdout) || ferror(stdout)))
        error = errno;
    if (error)
        fprintf(stderr, "pool: %s: %s\n", failed ? failed : "failed",
                strerror(error));
    return error ? 1 : 0;
}
