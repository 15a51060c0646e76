/* blake3_plain.c: BLAKE3 by the vector instructions that every machine has. */
#include "blake3.h"

#define WIDTH 4
#define HAS_ROTATE 0
#define HAS_SHUFFLE 0
#include "blake3_vectors.h"

void kernel_blake3_hash_plain(const struct blake3_inputs *inputs,
                              unsigned char *out) {
    size_t done = 0;
    for (; inputs->count > done + 1; done += 4) {
        hash_4(inputs, done, out);
    }
    kernel_blake3_hash_rest(inputs, done, out);
}
