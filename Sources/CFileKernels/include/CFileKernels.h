/*
 * CFileKernels.h: the inner loops of the jobs in C, and a few calls of libc
 * that Swift's modules do not offer.
 *
 *   kernel_blake3.h   blake3/   BLAKE3, on one thread or several
 *   kernel_digest.h   digests/  digests by one interface; hexadecimal digits
 *   kernel_count.h    count/    lines, words, characters, widths
 *   kernel_sum.h      sums/     the checksums of cksum and sum
 *   kernel_file.h     files/    system calls on files
 *   kernel_process.h  process/  arguments, options and locale of the process
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
