/* Runs sort(1) as a child, and reads what it writes. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <weir.h>

int main(void) {
    static char sort[] = "sort", script[] = "/etc/passwd";
    char *arguments[] = {sort, script, NULL};
    int ends[2], status = 0;
    pid_t pid;
    int error = weir_spawn_pipe(ends);
    if (!error) {
        static weir_spawn_options_t options;
        int descriptors[] = {-1, ends[1], 2}; /* no standard input */
        options.descriptors = descriptors;
        error = weir_spawn(&pid, sort, arguments, &options);
        close(ends[1]); /* so that the child's end is the last one */
    }
    if (error) {
        fprintf(stderr, "sort: %s\n", strerror(error));
        return 1;
    }
    char piece[4096];
    size_t lines = 0;
    for (ssize_t length;
         (length = read(ends[0], piece, sizeof piece)) > 0;)
        for (ssize_t i = 0; i < length; i++)
            lines += piece[i] == '\n';
    close(ends[0]);
    if (waitpid(pid, &status, 0) < 0 || status != 0) {
        fputs("sort: failed\n", stderr);
        return 1;
    }
    puts(lines > 0 ? "sorted" : "empty");
    return fflush(stdout) ? 1 : 0;
}
