/* blake3_avx512.c: BLAKE3 by AVX-512. The system's headers come before the
   pragma, because their functions have to run on all machines. */
#include "blake3.h"

#if defined(__x86_64__)

#include <string.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl"))),      \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl")
#endif

#define HAS_ROTATE 1
#define HAS_SHUFFLE 1
#define WIDTH 4
#include "blake3_vectors.h"
#define WIDTH 8
#include "blake3_vectors.h"
#define WIDTH 16
#include "blake3_vectors.h"

void kernel_blake3_hash_avx512(const struct blake3_inputs *inputs,
                               unsigned char *out) {
    size_t done = 0;
    for (; inputs->count > done + 8; done += 16) {
        hash_16(inputs, done, out);
    }
    for (; inputs->count > done + 4; done += 8) {
        hash_8(inputs, done, out);
    }
    for (; inputs->count > done + 1; done += 4) {
        hash_4(inputs, done, out);
    }
    kernel_blake3_hash_rest(inputs, done, out);
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
