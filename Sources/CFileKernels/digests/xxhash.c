/*
 * xxhash.c: digests by xxHash, in canonical (big-endian) order, as xxhsum prints them. xxh3.h
 * explains why xxHash is compiled from its header. Its states are large (576 bytes) and aligned, so
 * its own functions create them.
 */
#include <string.h>

#include "family.h"

#define KERNEL kernel_xxh3_plain
#include "xxh3.h" /* XXH3 by the instructions that every machine has */

static const kernel_xxh3_t *best_xxh3(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &kernel_xxh3_avx2;
    }
#endif
    return &kernel_xxh3_plain;
}

/* ---- XXH32 and XXH64 ----------------------------------------------------- */

#define FAMILY(NAME, XXH)                                                      \
    static void *NAME##_create(const kernel_algorithm_t *algorithm) {          \
        (void)algorithm;                                                       \
        return XXH##_createState();                                            \
    }                                                                          \
    static void NAME##_destroy(void *state) { XXH##_freeState(state); }        \
    static bool NAME##_begin(void *state) {                                    \
        return XXH##_reset(state, 0) == XXH_OK;                                \
    }                                                                          \
    static bool NAME##_update(void *state, const void *bytes, size_t length) { \
        return XXH##_update(state, bytes, length) == XXH_OK;                   \
    }                                                                          \
    static bool NAME##_finish(void *state, unsigned char *out) {               \
        XXH##_canonical_t canonical;                                           \
        XXH##_canonicalFromHash(&canonical, XXH##_digest(state));              \
        memcpy(out, canonical.digest, sizeof canonical.digest);                \
        return true;                                                           \
    }                                                                          \
    const kernel_family_t kernel_##NAME##_family = {                           \
        NAME##_create, NAME##_destroy, NAME##_begin, NAME##_update,            \
        NAME##_finish};

FAMILY(xxh32, XXH32)
FAMILY(xxh64, XXH64)

/* ---- XXH3 --------------------------------------------------------------- */

static void *xxh3_create(const kernel_algorithm_t *algorithm) {
    (void)algorithm;
    return XXH3_createState();
}

static void xxh3_destroy(void *state) { XXH3_freeState(state); }

static bool xxh3_begin(void *state) {
    return XXH3_64bits_reset(state) == XXH_OK;
}

static bool xxh3_update(void *state, const void *bytes, size_t length) {
    best_xxh3()->update_64(state, bytes, length);
    return true;
}

static bool xxh3_finish(void *state, unsigned char *out) {
    best_xxh3()->finish_64(state, out);
    return true;
}

const kernel_family_t kernel_xxh3_family = {
    xxh3_create, xxh3_destroy, xxh3_begin, xxh3_update, xxh3_finish};

/* ---- XXH128 ------------------------------------------------------------- */

static bool xxh128_begin(void *state) {
    return XXH3_128bits_reset(state) == XXH_OK;
}

static bool xxh128_update(void *state, const void *bytes, size_t length) {
    best_xxh3()->update_128(state, bytes, length);
    return true;
}

static bool xxh128_finish(void *state, unsigned char *out) {
    best_xxh3()->finish_128(state, out);
    return true;
}

const kernel_family_t kernel_xxh128_family = {
    xxh3_create, xxh3_destroy, xxh128_begin, xxh128_update, xxh128_finish};
