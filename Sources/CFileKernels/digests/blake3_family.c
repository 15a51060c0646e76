/* blake3_family.c: digests by BLAKE3, the kernel of kernel_blake3.h. */
#include <stdlib.h>

#include "family.h"

static void *blake3_create(const kernel_algorithm_t *algorithm) {
    (void)algorithm;
    return malloc(sizeof(kernel_blake3_t));
}

static bool blake3_begin(void *opaque) {
    kernel_blake3_begin(opaque);
    return true;
}

static bool blake3_update(void *opaque, const void *bytes, size_t length) {
    kernel_blake3_update(opaque, bytes, length);
    return true;
}

static bool blake3_finish(void *opaque, unsigned char *out) {
    kernel_blake3_finish(opaque, out);
    return true;
}

const kernel_family_t kernel_blake3_family = {blake3_create, free, blake3_begin,
                                              blake3_update, blake3_finish};
