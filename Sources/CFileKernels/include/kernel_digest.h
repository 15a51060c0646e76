/*
 * kernel_digest.h: digests, one interface over OpenSSL's libcrypto, xxHash and
 * the kernels of BLAKE2b and BLAKE3; and hexadecimal digits.
 *
 * libcrypto's part of an algorithm is fetched at its first use, because EVP_MD_fetch takes three
 * times as long as the digest of a small file. A digest is reused for file after file.
 * One thread at a time may use it.
 */
#ifndef KERNEL_DIGEST_H
#define KERNEL_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel_blake3.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KERNEL_DIGEST_MAX ((size_t)64)

/* An algorithm. It has static lifetime. */
typedef struct kernel_algorithm_s kernel_algorithm_t;

typedef struct kernel_digest_s kernel_digest_t;

size_t kernel_algorithm_count(void);

/* Lists of names have only the first algorithms: not XXH32, CRC-32 and BLAKE2b of 8 to 504 bits. */
size_t kernel_algorithm_listed_count(void);

/* The algorithm with an index; NULL from the count on. */
const kernel_algorithm_t *kernel_algorithm_at(size_t index);

/* The name as users type it: "sha256". */
const char *kernel_algorithm_name(const kernel_algorithm_t *algorithm);

/* The name in BSD lines: "SHA256". */
const char *kernel_algorithm_tag(const kernel_algorithm_t *algorithm);

/* True if BSD lines are the usual ones, because a plain line could be one of
   another algorithm with digests of this length. */
bool kernel_algorithm_is_tagged(const kernel_algorithm_t *algorithm);

/* True if the algorithm's own tool reads BSD lines only: xxhsum reads a plain
   line of XXH3's length as XXH64. */
bool kernel_algorithm_is_always_tagged(const kernel_algorithm_t *algorithm);

size_t kernel_algorithm_length(const kernel_algorithm_t *algorithm);

/* Creates a digest. Returns NULL if there is no memory, or if libcrypto does
   not offer the algorithm (some have no SM3). */
kernel_digest_t *kernel_digest_create(const kernel_algorithm_t *algorithm);
void kernel_digest_destroy(kernel_digest_t *digest);

/* This function and the next two return false if libcrypto fails. */
bool kernel_digest_begin(kernel_digest_t *digest);
bool kernel_digest_update(kernel_digest_t *digest, const void *bytes,
                          size_t length);

/* Ends the computation and writes kernel_algorithm_length bytes. */
bool kernel_digest_finish(kernel_digest_t *digest,
                          unsigned char out[KERNEL_DIGEST_MAX]);

/* The state of a digest by BLAKE3, valid as long as the digest; NULL for
   another algorithm. Between kernel_digest_begin and kernel_digest_finish,
   subtrees can be joined to it. */
kernel_blake3_t *kernel_digest_blake3(kernel_digest_t *digest);

/* Writes bytes as 2 * length hexadecimal digits in lower case. */
void kernel_hexadecimal(char *out, const unsigned char *bytes, size_t length);

/* The number of hexadecimal digits, in either case, at the start of a text. */
size_t kernel_digit_count(const unsigned char *text, size_t length);

/* The number of hexadecimal digits in lower case, those that
   kernel_hexadecimal writes, at the start of a text. */
size_t kernel_lower_digit_count(const unsigned char *text, size_t length);

/* Decodes 2 * length hexadecimal digits. The bytes may overwrite the digits. */
void kernel_bytes(unsigned char *out, const unsigned char *digits,
                  size_t length);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_DIGEST_H */
