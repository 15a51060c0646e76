/* blake3_avx2.c: BLAKE3 by AVX2. */
#include "../target.h"
#include "blake3.h"

#if defined(__x86_64__)

#include <string.h>

TARGET_BEGIN("avx2")

#define HAS_ROTATE 0
#define HAS_SHUFFLE 1
#define WIDTH 4
#include "blake3_vectors.h"
#define WIDTH 8
#include "blake3_vectors.h"

void kernel_blake3_hash_avx2(const struct blake3_inputs *inputs,
                             unsigned char *out) {
    size_t done = 0;
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
