/*
 * algorithms.c: the table of digest algorithms.
 *
 * To add an algorithm, add a row to `algorithms` below; for another library,
 * also a family (family.h).
 */
#include "direct.h"
#include "family.h"

#define LIBCRYPTO &kernel_libcrypto_family

/* A BLAKE2b of fewer than 512 bits, as b2sum --length computes it. Lines with as
   many digits as those of MD5, SHA-1 or SHA-2 have tags. */
#define LIKE_OTHERS(bits)                                                      \
    ((bits) == 128 || (bits) == 160 || (bits) == 224 || (bits) == 256 ||       \
     (bits) == 384)
#define SHORTER(bits)                                                          \
    {                                                                          \
        "blake2b-" #bits, "BLAKE2b-" #bits, (bits) / 8,                        \
            &kernel_blake2b_family,                                            \
            LIKE_OTHERS(bits) ? FORM_TAGGED : FORM_PLAIN, NULL                 \
    }

#define SHORTER_7(a, b, c, d, e, f, g)                                         \
    SHORTER(a), SHORTER(b), SHORTER(c), SHORTER(d), SHORTER(e), SHORTER(f),    \
        SHORTER(g)
#define SHORTER_8(a, b, c, d, e, f, g, h)                                      \
    SHORTER_7(a, b, c, d, e, f, g), SHORTER(h)

/* BLAKE3 with another length than 256 bits, as b3sum --length computes it. No tool
   reads its lines, so all have tags. */
#define BLAKE3(bits)                                                           \
    {                                                                          \
        "blake3-" #bits, "BLAKE3-" #bits, (bits) / 8, &kernel_blake3_family,   \
            FORM_TAGGED, NULL                                                  \
    }
#define BLAKE3_7(a, b, c, d, e, f, g)                                          \
    BLAKE3(a), BLAKE3(b), BLAKE3(c), BLAKE3(d), BLAKE3(e), BLAKE3(f), BLAKE3(g)
#define BLAKE3_8(a, b, c, d, e, f, g, h)                                       \
    BLAKE3_7(a, b, c, d, e, f, g), BLAKE3(h)

static const kernel_algorithm_t algorithms[] = {
    {"md5", "MD5", 16, &kernel_md5_family, FORM_PLAIN, "MD5"},
    {"sha1", "SHA1", 20, &kernel_sha1_family, FORM_PLAIN, "SHA1"},
    {"sha224", "SHA224", 28, &kernel_sha224_family, FORM_PLAIN, "SHA2-224"},
    {"sha256", "SHA256", 32, &kernel_sha256_family, FORM_PLAIN, "SHA2-256"},
    {"sha384", "SHA384", 48, &kernel_sha384_family, FORM_PLAIN, "SHA2-384"},
    {"sha512", "SHA512", 64, &kernel_sha512_family, FORM_PLAIN, "SHA2-512"},
    {"sha512-256", "SHA512/256", 32, LIBCRYPTO, FORM_TAGGED, "SHA2-512/256"},
    {"sha3-256", "SHA3-256", 32, LIBCRYPTO, FORM_TAGGED, "SHA3-256"},
    {"sha3-512", "SHA3-512", 64, LIBCRYPTO, FORM_TAGGED, "SHA3-512"},
    {"sm3", "SM3", 32, LIBCRYPTO, FORM_TAGGED, "SM3"},
    {"blake2b", "BLAKE2b", 64, &kernel_blake2b_family, FORM_PLAIN, NULL},
    {"blake3", "BLAKE3", 32, &kernel_blake3_family, FORM_TAGGED, NULL},
    {"xxh64", "XXH64", 8, &kernel_xxh64_family, FORM_PLAIN, NULL},
    {"xxh3", "XXH3", 8, &kernel_xxh3_family, FORM_ALWAYS_TAGGED, NULL},
    {"xxh128", "XXH128", 16, &kernel_xxh128_family, FORM_PLAIN, NULL},
    /* The rows from here on are in no list of names. */
    {"xxh32", "XXH32", 4, &kernel_xxh32_family, FORM_TAGGED, NULL},
    SHORTER_8(8, 16, 24, 32, 40, 48, 56, 64),
    SHORTER_8(72, 80, 88, 96, 104, 112, 120, 128),
    SHORTER_8(136, 144, 152, 160, 168, 176, 184, 192),
    SHORTER_8(200, 208, 216, 224, 232, 240, 248, 256),
    SHORTER_8(264, 272, 280, 288, 296, 304, 312, 320),
    SHORTER_8(328, 336, 344, 352, 360, 368, 376, 384),
    SHORTER_8(392, 400, 408, 416, 424, 432, 440, 448),
    SHORTER_7(456, 464, 472, 480, 488, 496, 504),
    /* New rows come last: the parts of shards have numbers of rows. */
    {"crc32", "CRC32", 4, &kernel_crc32_family, FORM_TAGGED, NULL},
    BLAKE3_8(8, 16, 24, 32, 40, 48, 56, 64),
    BLAKE3_8(72, 80, 88, 96, 104, 112, 120, 128),
    BLAKE3_8(136, 144, 152, 160, 168, 176, 184, 192),
    BLAKE3_7(200, 208, 216, 224, 232, 240, 248),
    BLAKE3_8(264, 272, 280, 288, 296, 304, 312, 320),
    BLAKE3_8(328, 336, 344, 352, 360, 368, 376, 384),
    BLAKE3_8(392, 400, 408, 416, 424, 432, 440, 448),
    BLAKE3_8(456, 464, 472, 480, 488, 496, 504, 512)};

#define COUNT (sizeof algorithms / sizeof *algorithms)
#define UNLISTED_COUNT 128

size_t kernel_algorithm_count(void) { return COUNT; }

size_t kernel_algorithm_listed_count(void) { return COUNT - UNLISTED_COUNT; }

const kernel_algorithm_t *kernel_algorithm_at(size_t index) {
    return index < COUNT ? &algorithms[index] : NULL;
}

const char *kernel_algorithm_name(const kernel_algorithm_t *algorithm) {
    return algorithm->name;
}

const char *kernel_algorithm_tag(const kernel_algorithm_t *algorithm) {
    return algorithm->tag;
}

bool kernel_algorithm_is_tagged(const kernel_algorithm_t *algorithm) {
    return algorithm->form != FORM_PLAIN;
}

bool kernel_algorithm_is_always_tagged(const kernel_algorithm_t *algorithm) {
    return algorithm->form == FORM_ALWAYS_TAGGED;
}

size_t kernel_algorithm_length(const kernel_algorithm_t *algorithm) {
    return algorithm->length;
}
