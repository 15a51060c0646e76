/* blake3_width.c: the widths of BLAKE3 that the machine has, and the one in
   use. */
#include "blake3.h"

#include <stdatomic.h>

struct width {
    const char *name;
    kernel_blake3_hash_t *hash;
};

/* The widths in the order in which machines got them, so those of a machine are
   the first ones. */
static const struct width widths[] = {
    {"1", kernel_blake3_hash_1},
    {"4", kernel_blake3_hash_plain},
#if defined(__x86_64__)
    {"4 SSE4.1", kernel_blake3_hash_sse41},
    {"8 AVX2", kernel_blake3_hash_avx2},
    {"16 AVX-512", kernel_blake3_hash_avx512},
#endif
};

size_t kernel_blake3_width_count(void) {
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("sse4.1")) {
        return 2;
    }
    if (!__builtin_cpu_supports("avx2")) {
        return 3;
    }
    if (!__builtin_cpu_supports("avx512f") ||
        !__builtin_cpu_supports("avx512vl")) {
        return 4;
    }
#endif
    return sizeof widths / sizeof *widths;
}

static _Atomic(const struct width *) in_use;

static const struct width *current(void) {
    const struct width *width =
        atomic_load_explicit(&in_use, memory_order_relaxed);
    if (!width) {
        width = &widths[kernel_blake3_width_count() - 1];
        atomic_store_explicit(&in_use, width, memory_order_relaxed);
    }
    return width;
}

kernel_blake3_hash_t *kernel_blake3_hash(void) { return current()->hash; }

const char *kernel_blake3_width(void) { return current()->name; }

const char *kernel_blake3_width_name(size_t index) {
    return index < kernel_blake3_width_count() ? widths[index].name : NULL;
}

bool kernel_blake3_set_width(size_t index) {
    if (index >= kernel_blake3_width_count()) {
        return false;
    }
    atomic_store_explicit(&in_use, &widths[index], memory_order_relaxed);
    return true;
}
