/*
 * xxh3_functions.h: what a file of xxh3.h consists of, for the instructions
 * that it has chosen: KERNEL is the name of its table. Has no guard, since each
 * of these files wants functions of its own.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

static void update_64(void *state, const void *bytes, size_t length) {
    XXH3_64bits_update(state, bytes, length);
}

static void update_128(void *state, const void *bytes, size_t length) {
    XXH3_128bits_update(state, bytes, length);
}

static void finish_64(const void *state, unsigned char out[8]) {
    XXH64_canonical_t canonical;
    XXH64_canonicalFromHash(&canonical, XXH3_64bits_digest(state));
    memcpy(out, canonical.digest, sizeof canonical.digest);
}

static void finish_128(const void *state, unsigned char out[16]) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    memcpy(out, canonical.digest, sizeof canonical.digest);
}

const kernel_xxh3_t KERNEL = {update_64, update_128, finish_64, finish_128};
