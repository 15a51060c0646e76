/* blake3_family.c: digests by BLAKE3, the kernel of kernel_blake3.h. */
#include <stdlib.h>

#include "family.h"

static void *blake3_create(const kernel_algorithm_t *algorithm) {
    (void)algorithm;
    kernel_blake3_state_t *state = malloc(sizeof *state);
    if (state) {
        state->key = kernel_blake3_unkeyed();
    }
    return state;
}

static bool blake3_begin(void *opaque) {
    kernel_blake3_state_t *state = opaque;
    kernel_blake3_begin(&state->hasher, &state->key);
    return true;
}

static bool blake3_update(void *opaque, const void *bytes, size_t length) {
    kernel_blake3_state_t *state = opaque;
    kernel_blake3_update(&state->hasher, bytes, length);
    return true;
}

static bool blake3_finish(void *opaque, unsigned char *out) {
    const kernel_blake3_state_t *state = opaque;
    kernel_blake3_finish(&state->hasher, 0, out, KERNEL_BLAKE3_LENGTH);
    return true;
}

const kernel_family_t kernel_blake3_family = {blake3_create, free, blake3_begin,
                                              blake3_update, blake3_finish};
