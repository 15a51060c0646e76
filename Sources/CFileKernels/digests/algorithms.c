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
    SHORTER(8),
    SHORTER(16),
    SHORTER(24),
    SHORTER(32),
    SHORTER(40),
    SHORTER(48),
    SHORTER(56),
    SHORTER(64),
    SHORTER(72),
    SHORTER(80),
    SHORTER(88),
    SHORTER(96),
    SHORTER(104),
    SHORTER(112),
    SHORTER(120),
    SHORTER(128),
    SHORTER(136),
    SHORTER(144),
    SHORTER(152),
    SHORTER(160),
    SHORTER(168),
    SHORTER(176),
    SHORTER(184),
    SHORTER(192),
    SHORTER(200),
    SHORTER(208),
    SHORTER(216),
    SHORTER(224),
    SHORTER(232),
    SHORTER(240),
    SHORTER(248),
    SHORTER(256),
    SHORTER(264),
    SHORTER(272),
    SHORTER(280),
    SHORTER(288),
    SHORTER(296),
    SHORTER(304),
    SHORTER(312),
    SHORTER(320),
    SHORTER(328),
    SHORTER(336),
    SHORTER(344),
    SHORTER(352),
    SHORTER(360),
    SHORTER(368),
    SHORTER(376),
    SHORTER(384),
    SHORTER(392),
    SHORTER(400),
    SHORTER(408),
    SHORTER(416),
    SHORTER(424),
    SHORTER(432),
    SHORTER(440),
    SHORTER(448),
    SHORTER(456),
    SHORTER(464),
    SHORTER(472),
    SHORTER(480),
    SHORTER(488),
    SHORTER(496),
    SHORTER(504),
};

#define COUNT (sizeof algorithms / sizeof *algorithms)
#define UNLISTED_COUNT 64

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
