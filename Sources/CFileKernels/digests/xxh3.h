/*
 * xxh3.h: XXH3 and XXH128 for one set of vector instructions.
 *
 * A source file chooses the instructions, defines KERNEL as the name of its
 * function table, and includes this header, which defines the table. Without
 * KERNEL the header only declares. The second part has no guard.
 *
 * DESIGN. xxHash chooses its vector instructions at compile time. Its library
 * can choose at run time, but not everywhere: Debian's libxxhash.a leaves that
 * part out, and a static program would take twice as long. So the whole of
 * xxHash is compiled here, from its header (XXH_INLINE_ALL is xxHash's own name
 * for that), once for each set of instructions; xxhash.c chooses. Nothing of
 * xxHash is linked, and a piece of a few KiB takes a fifth less time than in
 * the library. Rejected: xxh_x86dispatch.h, which needs that part of the
 * library; calls of XXH3's inner loops, whose names change from version to
 * version; AVX-512, for which the compiler makes nothing faster than AVX2.
 */
#ifndef KERNEL_XXH3_H
#define KERNEL_XXH3_H

#include <stddef.h>
#include <stdint.h>

/* A state is XXH3_state_t, as XXH3_createState makes it. */
typedef struct {
    void (*update_64)(void *state, const void *bytes, size_t length);
    void (*update_128)(void *state, const void *bytes, size_t length);
    /* Write the digest in canonical (big-endian) order. */
    void (*finish_64)(const void *state, unsigned char out[8]);
    void (*finish_128)(const void *state, unsigned char out[16]);
} kernel_xxh3_t;

#if defined(__x86_64__)
extern const kernel_xxh3_t kernel_xxh3_avx2;
#endif

#endif /* KERNEL_XXH3_H */

#ifdef KERNEL
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
#endif
