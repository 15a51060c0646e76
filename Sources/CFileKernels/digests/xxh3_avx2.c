/* xxh3_avx2.c: XXH3 by AVX2. */
#include "../target.h"
#include "xxh3.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

TARGET_BEGIN("avx2")

#define XXH_VECTOR XXH_AVX2
#define KERNEL kernel_xxh3_avx2
#include "xxh3.h"

TARGET_END

#endif
