/* blake3_avx512.c: BLAKE3 by AVX-512. */
#include "../target.h"
#include "blake3.h"

#if defined(__x86_64__)

#include <string.h>

TARGET_BEGIN("avx512f,avx512vl")

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

TARGET_END

#endif
