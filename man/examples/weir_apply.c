/* Fills a table on all cores, and looks for a value until one core has
   found it. */
#include <stdio.h>
#include <weir.h>

#define COUNT ((size_t)1000000)

static unsigned table[COUNT];

/* Each index is in one range, so that no lock is needed. */
static void fill(void *context, size_t begin, size_t end) {
    (void)context;
    for (size_t i = begin; i < end; i++)
        table[i] = (unsigned)(i * 2654435761u);
}

static bool search(void *context, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++)
        if (table[i] == *(const unsigned *)context)
            return false;
    return true; /* go on */
}

int main(void) {
    unsigned there = (unsigned)(777777 * 2654435761u);
    weir_apply_f(COUNT, WEIR_STRIDE_AUTO, NULL, NULL, fill);
    bool ended = weir_apply_while_f(COUNT, WEIR_STRIDE_AUTO, NULL,
                                    &there, search);
    puts(ended ? "not found" : "found");
    return fflush(stdout) ? 1 : 0;
}
