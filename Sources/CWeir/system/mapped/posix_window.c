/* posix_window.c: POSIX cannot ask for pages: nothing is mapped. */
#include "system/maker.h"
#include "system/mapped/window.h"

#if !WEIR_SYSTEM_LINUX

int weir__bus_errors_handle(void) { return ENOTSUP; }

struct weir__window *weir__window_take(void) {
    return NULL;
}

void weir__window_return(struct weir__window *window) { (void)window; }

bool weir__window_is_cached(int descriptor, uint64_t offset, size_t length) {
    (void)descriptor;
    (void)offset;
    (void)length;
    return false;
}

bool weir__window_map(struct weir__window *window, int descriptor,
                      uint64_t offset, size_t length, size_t *faults) {
    (void)window;
    (void)descriptor;
    (void)offset;
    (void)length;
    (void)faults;
    return false;
}

void weir__window_unmap(struct weir__window *window) { (void)window; }

#endif
