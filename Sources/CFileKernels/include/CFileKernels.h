/*
 * CFileKernels.h: the inner loops of the jobs in C, and a few calls of libc
 * that Swift's modules do not offer.
 *
 *   kernel_blake3.h   BLAKE3, on one thread or several
 *     blake3/blake3.h           the design, and what the files below share
 *     blake3/blake3.c           keys, the hasher
 *     blake3/blake3_tree.c      subtrees of chunks, parents
 *     blake3/blake3_width.c     the choice of instructions at run time
 *     blake3/blake3_rounds.h    the rounds, for words and vectors
 *     blake3/blake3_scalar.c    one input at a time
 *     blake3/blake3_vectors.h   4, 8 or 16 inputs at once
 *     blake3/blake3_plain.c     ... 4 for every machine
 *     blake3/blake3_sse41.c     ... 4 for SSE4.1
 *     blake3/blake3_avx2.c      ... 8 for AVX2
 *     blake3/blake3_avx512.c    ... 16 for AVX-512
 *   kernel_digest.h   digests by one interface; hexadecimal digits
 *     digests/algorithms.c      the table of algorithms
 *     digests/digest.c          the state of a digest
 *     digests/family.h          what a library that computes digests provides
 *     digests/libcrypto.c       ... OpenSSL
 *     digests/xxhash.c          ... xxHash
 *     digests/blake2b.c         ... BLAKE2b of fewer than 512 bits
 *     digests/blake3_family.c   ... BLAKE3
 *     digests/xxh3.h            XXH3 for one instruction set; included by
 *     digests/xxh3_avx2.c       XXH3 by AVX2
 *     digests/hexadecimal.c     bytes to digits and back
 *   kernel_count.h    lines, words, characters, widths
 *     count/count.h             the design, and what the files below share
 *     count/count.c             pieces of text: counted and joined
 *     count/count_blocks.h      blocks of 64 bytes, for one instruction set
 *     count/count_plain.c       ... for every machine
 *     count/count_avx2.c        ... for AVX2
 *     count/count_characters.c  the classes of the locale's characters
 *     count/count_size.c        bytes, counted without a read
 *   kernel_sum.h      the checksums of cksum and sum
 *     sums/sum.c                BSD, System V; the CRC and the length
 *     sums/crc.c                the CRC, by tables
 *     sums/crc_clmul.c          ... with carry-less multiplication
 *   kernel_file.h     system calls on files
 *     files/rename.c            a new name that replaces no file
 *   kernel_process.h  arguments, options and locale of the process
 *     process/arguments.c       arguments, getopt_long, room for a child
 *     process/locale.c          the locale's characters
 *     process/memory.c          the arenas of malloc
 *     process/standalone.c      a program without the system's libc
 */
#ifndef CFILEKERNELS_H
#define CFILEKERNELS_H

#include "kernel_blake3.h"
#include "kernel_count.h"
#include "kernel_digest.h"
#include "kernel_file.h"
#include "kernel_process.h"
#include "kernel_sum.h"

#endif /* CFILEKERNELS_H */
