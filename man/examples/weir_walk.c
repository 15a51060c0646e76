/* walk DIRECTORY: prints the files below the directory in byte order,
   without those in folders named .git. */
#include <stdio.h>
#include <string.h>
#include <weir.h>

int main(int argc, char **argv) {
    static weir_walk_filter_t no_git; /* include is false: skip it */
    static weir_walk_options_t options;
    weir_walk_entry_t entry;
    int status = 0;
    no_git.pattern = ".git/";
    options.filters = &no_git;
    options.filter_count = 1;
    weir_walk_t walk =
        weir_walk_create_with(argc > 1 ? argv[1] : ".", &options);
    if (!walk) {
        perror("walk");
        return 1;
    }
    while (weir_walk_next(walk, &entry)) {
        if (entry.error) {
            fprintf(stderr, "walk: %s: %s\n", entry.path,
                    strerror(entry.error));
            status = 1;
        } else if (entry.type == WEIR_ENTRY_FILE) {
            puts(entry.path);
        }
    }
    weir_walk_destroy(walk);
    return fflush(stdout) || ferror(stdout) ? 1 : status;
}
