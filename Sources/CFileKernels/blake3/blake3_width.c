/* blake3_width.c: the widths of BLAKE3 that the machine has, and the one in use. */
#include "blake3.h"

#include <stdatomic.h>

/* The widths in the order in which machines got them, so those of a machine are
   the first ones: 1, 4 of every machine, 8 of AVX2, 16 of AVX-512. */
static kernel_blake3_hash_t *const widths[] = {
    kernel_blake3_hash_1,
    kernel_blake3_hash_plain,
#if defined(__x86_64__)
    kernel_blake3_hash_avx2,
    kernel_blake3_hash_avx512,
#endif
};

size_t kernel_blake3_width_count(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) {
        return 2;
    }
    if (!__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512vl")) {
        return 3;
    }
#endif
    return sizeof widths / sizeof *widths;
}

static _Atomic(kernel_blake3_hash_t *) in_use;

kernel_blake3_hash_t *kernel_blake3_hash(void) {
    kernel_blake3_hash_t *hash =
        atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!hash) {
        hash = widths[kernel_blake3_width_count() - 1];
        atomic_store_explicit(&in_use, hash, memory_order_relaxed);
    }
    return hash;
}

bool kernel_blake3_set_width(size_t index) {
    if (index >= kernel_blake3_width_count()) {
        return false;
    }
    atomic_store_explicit(&in_use, widths[index], memory_order_relaxed);
    return true;
}
