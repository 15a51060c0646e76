/* Writes the sentence of a mistake to a log of the program's own. The
   mistake still ends the program: this one is killed by a signal. */
#include <stdio.h>
#include <stdlib.h>
#include <weir.h>

static void keep(const char *sentence) {
    fprintf(stderr, "fatal, please report it: %s\n", sentence);
}

int main(void) {
    weir_misuse_set_handler(keep);
    weir_group_t group = weir_group_create("downloads");
    if (!group)
        return EXIT_FAILURE;
    weir_group_leave(group); /* without an enter */
    return EXIT_SUCCESS;     /* never reached */
}
