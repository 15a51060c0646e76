/* blake3_sse41.c: BLAKE3 by SSE4.1. */
#include "../target.h"
#include "blake3.h"

#if defined(__x86_64__)

#include <string.h>

TARGET_BEGIN("sse4.1")

#define HAS_ROTATE 0
#define HAS_SHUFFLE 1
#define WIDTH 4
#include "blake3_vectors.h"

void kernel_blake3_hash_sse41(const struct blake3_inputs *inputs,
                              unsigned char *out) {
    size_t done = 0;
    for (; inputs->count > done + 1; done += 4) {
        hash_4(inputs, done, out);
    }
    kernel_blake3_hash_rest(inputs, done, out);
}

TARGET_END

#endif
