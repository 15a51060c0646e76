/* digest.c: the state of a digest, computed by the family of its algorithm. */
#include <stdlib.h>

#include "family.h"

struct kernel_digest_s {
    const kernel_algorithm_t *algorithm;
    void *state;
};

kernel_digest_t *kernel_digest_create(const kernel_algorithm_t *algorithm) {
    kernel_digest_t *digest = malloc(sizeof *digest);
    if (digest) {
        digest->algorithm = algorithm;
        digest->state = algorithm->family->create(algorithm);
        if (digest->state) {
            return digest;
        }
        free(digest);
    }
    return NULL;
}

void kernel_digest_destroy(kernel_digest_t *digest) {
    digest->algorithm->family->destroy(digest->state);
    free(digest);
}

bool kernel_digest_begin(kernel_digest_t *digest) {
    return digest->algorithm->family->begin(digest->state);
}

bool kernel_digest_update(kernel_digest_t *digest, const void *bytes,
                          size_t length) {
    return digest->algorithm->family->update(digest->state, bytes, length);
}

bool kernel_digest_finish(kernel_digest_t *digest,
                          unsigned char out[KERNEL_DIGEST_MAX]) {
    return digest->algorithm->family->finish(digest->state, out);
}

kernel_blake3_t *kernel_digest_blake3(kernel_digest_t *digest) {
    return digest->algorithm->family == &kernel_blake3_family ? digest->state
                                                              : NULL;
}
