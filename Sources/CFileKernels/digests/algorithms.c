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

/* BLAKE3 with another length than 256 bits, as b3sum --length computes it. No tool
   reads its lines, so all have tags. */
#define BLAKE3(bits)                                                           \
    {                                                                          \
        "blake3-" #bits, "BLAKE3-" #bits, (bits) / 8, &kernel_blake3_family,   \
            FORM_TAGGED, NULL                                                  \
    }
/* The lengths below and above 256 bits. */
#define BELOW_256(ROW)                                                         \
    ROW(8), ROW(16), ROW(24), ROW(32), ROW(40), ROW(48), ROW(56), ROW(64),     \
        ROW(72), ROW(80), ROW(88), ROW(96), ROW(104), ROW(112), ROW(120),      \
        ROW(128), ROW(136), ROW(144), ROW(152), ROW(160), ROW(168), ROW(176),  \
        ROW(184), ROW(192), ROW(200), ROW(208), ROW(216), ROW(224), ROW(232),  \
        ROW(240), ROW(248)
#define ABOVE_256(ROW)                                                         \
    ROW(264), ROW(272), ROW(280), ROW(288), ROW(296), ROW(304), ROW(312),      \
        ROW(320), ROW(328), ROW(336), ROW(344), ROW(352), ROW(360), ROW(368),  \
        ROW(376), ROW(384), ROW(392), ROW(400), ROW(408), ROW(416), ROW(424),  \
        ROW(432), ROW(440), ROW(448), ROW(456), ROW(464), ROW(472), ROW(480),  \
        ROW(488), ROW(496), ROW(504)

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
    BELOW_256(SHORTER),
    SHORTER(256),
    ABOVE_256(SHORTER),
    /* New rows come last: the parts of shards have numbers of rows. */
    {"crc32", "CRC32", 4, &kernel_crc32_family, FORM_TAGGED, NULL},
    BELOW_256(BLAKE3),
    ABOVE_256(BLAKE3),
    BLAKE3(512)};

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
