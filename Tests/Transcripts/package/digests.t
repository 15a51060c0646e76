XXH3 with the baseline instructions and with AVX2. A machine runs one of the two, so the test compiles both.

## the digests are the same
needs cc
  $ . "$transcripts/package/package.sh"; cat >program.c <<'END'
  > #include <stdio.h>
  > #include <stdlib.h>
  > #include <string.h>
  > #define KERNEL kernel_xxh3_plain
  > #include "xxh3.h"
  > static XXH3_state_t one, other; /* aligned as they have to be */
  > static unsigned char bytes[20000], a[16], b[16];
  > int main(void) {
  > #if defined(__x86_64__)
  >     if (!__builtin_cpu_supports("avx2")) return 0;
  >     for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)rand();
  >     for (int round = 0; round < 5000; round++) {
  >         size_t length = (size_t)rand() % (round % 2 ? sizeof bytes : 600);
  >         size_t cut = length ? (size_t)rand() % length : 0;
  >         XXH3_64bits_reset(&one), XXH3_64bits_reset(&other);
  >         kernel_xxh3_plain.update_64(&one, bytes, length);
  >         kernel_xxh3_avx2.update_64(&other, bytes, cut);
  >         kernel_xxh3_avx2.update_64(&other, bytes + cut, length - cut);
  >         kernel_xxh3_plain.finish_64(&one, a), kernel_xxh3_avx2.finish_64(&other, b);
  >         if (memcmp(a, b, 8)) return printf("64: %zu at %zu\n", length, cut), 1;
  >         XXH3_128bits_reset(&one), XXH3_128bits_reset(&other);
  >         kernel_xxh3_plain.update_128(&one, bytes, cut);
  >         kernel_xxh3_plain.update_128(&one, bytes + cut, length - cut);
  >         kernel_xxh3_avx2.update_128(&other, bytes, length);
  >         kernel_xxh3_plain.finish_128(&one, a), kernel_xxh3_avx2.finish_128(&other, b);
  >         if (memcmp(a, b, 16)) return printf("128: %zu at %zu\n", length, cut), 1;
  >     }
  > #endif
  >     return 0;
  > }
  > END
  $ kernels=$root/Sources/CFileKernels/digests; for c in clang gcc; do
  >   ! command -v $c >/dev/null || { $c -std=c11 -O1 "-I$kernels" program.c "$kernels/xxh3_avx2.c" -o program && ./program; }
  > done
