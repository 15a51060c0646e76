/*
 * CFileKernels.h: the inner loops of the jobs: digests, one interface over
 * OpenSSL's libcrypto and xxHash; counting (kernel_count.h); and the characters of
 * the locale and the arguments of the process, which Swift's modules do not offer.
 *
 * An algorithm is found by name once and fetched once (EVP_MD_fetch takes
 * three times as long as hashing a small file). A digest is the state of one
 * computation, used again for file after file; it belongs to one thread at a
 * time. Without the package's trait Tool there are no digests.
 */
#ifndef CFILEKERNELS_H
#define CFILEKERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernel_count.h"
#include "kernel_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The longest digest in bytes. */
#define KERNEL_DIGEST_MAX ((size_t)64)

/* An algorithm; lives as long as the program. */
typedef struct kernel_algorithm_s kernel_algorithm_t;

/* The state of one digest. */
typedef struct kernel_digest_s kernel_digest_t;

/* How many algorithms there are: 0 without the trait. */
size_t kernel_algorithm_count(void);

/* One of them by number; NULL from the count on. */
const kernel_algorithm_t *kernel_algorithm_at(size_t index);

/* Its name, as users type it: "sha256". */
const char *kernel_algorithm_name(const kernel_algorithm_t *algorithm);

/* Its name in BSD lines: "SHA256". */
const char *kernel_algorithm_tag(const kernel_algorithm_t *algorithm);

/* Whether its own tool knows BSD lines alone: xxhsum takes a plain line of
   XXH3's length for XXH64. */
bool kernel_algorithm_is_always_tagged(const kernel_algorithm_t *algorithm);

/* How many bytes its digests have. */
size_t kernel_algorithm_length(const kernel_algorithm_t *algorithm);

/* A digest. NULL where memory is short, or libcrypto does not offer the
   algorithm (a FIPS provider has no MD5). */
kernel_digest_t *kernel_digest_create(const kernel_algorithm_t *algorithm);
void kernel_digest_destroy(kernel_digest_t *digest);

/* Begins a computation. Each returns false where libcrypto fails. */
bool kernel_digest_begin(kernel_digest_t *digest);
bool kernel_digest_update(kernel_digest_t *digest, const void *bytes,
                          size_t length);

/* Ends it and writes the digest: kernel_algorithm_length bytes. */
bool kernel_digest_finish(kernel_digest_t *digest,
                          unsigned char out[KERNEL_DIGEST_MAX]);

/* Writes bytes as 2 * length hexadecimal digits, in lower case. */
void kernel_hexadecimal(char *out, const unsigned char *bytes, size_t length);

/* How many hexadecimal digits, in either case, a text begins with. */
size_t kernel_digit_count(const unsigned char *text, size_t length);

/* Writes the bytes that 2 * length digits stand for. They may be written over
   the digits. */
void kernel_bytes(unsigned char *out, const unsigned char *digits,
                  size_t length);

/* The arguments of the process and their number; NULL where libc does not tell
   (musl). */
char **kernel_arguments(int *argc);

/* How many bytes the arguments of a child may have together, each with its NUL
   and a pointer, that inherits the environment of this process. */
size_t kernel_argument_room(void);

/* Takes over the characters of the locale that the environment names. To a
   program that has libc inside it those are C that are not UTF-8. */
void kernel_take_locale(void);

/* The character of the locale (LC_CTYPE) that the bytes begin with: how many
   bytes it has, at least 1 where there are any, and whether it can be printed.
   A byte that begins no character counts as one that cannot. */
size_t kernel_character(const char *bytes, size_t length, bool *is_printable);

#ifdef __cplusplus
}
#endif

#endif /* CFILEKERNELS_H */
