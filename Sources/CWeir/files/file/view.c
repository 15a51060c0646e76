/* view.c: parts of a large file for the threads that help its job. */
#include "files/file/open_file.h"

#include <unistd.h>

#include <weir/spi.h>

struct weir_spi_view_s {
    weir_file_t *file;
    struct mapped mapped;
    size_t size;
    char *buffer;
};

weir_spi_view_t weir_spi_view_create(const weir_file_t *file, size_t size) {
    weir_spi_view_t view = calloc(1, sizeof *view);
    void *buffer = NULL;
    if (view && posix_memalign(&buffer, (size_t)sysconf(_SC_PAGESIZE), size)) {
        free(view);
        return NULL;
    }
    if (view) {
        view->file = (weir_file_t *)file;
        view->size = size;
        view->buffer = buffer;
    }
    return view;
}

int weir_spi_view_read(weir_spi_view_t view, uint64_t offset, size_t size,
                       const void **bytes, size_t *length) {
    weir_file_t *file = view->file;
    struct mapped *mapped = &view->mapped;
    *bytes = view->buffer;
    *length = 0;
    weir__mapped_close(file, mapped);
    int failure = load_relaxed(&file->window_error);
    if (failure != 0) {
        return failure > 0 ? failure : 0;
    }
    if (file->is_lent && !file_give_up(file) &&
        weir__mapped_open(file, mapped, offset, offset + size)) {
        *bytes = load_relaxed(&mapped->window->begin);
        *length = (size_t)(mapped->end - offset);
        file_count_at_offset(file, *length);
        return 0;
    }
    size = size < view->size ? size : view->size;
    return weir_file_read_at(file, offset, view->buffer,
                             weir__mapped_limit(file, mapped, offset, size),
                             length);
}

void weir_spi_view_end(weir_spi_view_t view) {
    weir__mapped_close(view->file, &view->mapped);
    weir__window_return(view->mapped.window);
    free(view->buffer);
    free(view);
}
