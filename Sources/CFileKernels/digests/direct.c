/* direct.c: MD5, SHA-1 and SHA-2 by libcrypto's functions for each of them. */

/* The version that declares them without a warning. */
#define OPENSSL_API_COMPAT 0x10101000L

#include "direct.h"

#include <stdlib.h>

#include <openssl/md5.h>
#include <openssl/sha.h>

#if !defined(OPENSSL_NO_DEPRECATED) && !defined(OPENSSL_NO_DEPRECATED_3_0)

#define FAMILY(NAME, STATE, INIT, UPDATE, FINAL)                               \
    static void *NAME##_create(const kernel_algorithm_t *algorithm) {          \
        (void)algorithm;                                                       \
        return malloc(sizeof(STATE));                                          \
    }                                                                          \
    static bool NAME##_begin(void *state) {                                    \
        return INIT((STATE *)state) == 1;                                      \
    }                                                                          \
    static bool NAME##_update(void *state, const void *bytes, size_t length) { \
        return UPDATE((STATE *)state, bytes, length) == 1;                     \
    }                                                                          \
    static bool NAME##_finish(void *state, unsigned char *out) {               \
        return FINAL(out, (STATE *)state) == 1;                                \
    }                                                                          \
    const kernel_family_t kernel_##NAME##_family = {                           \
        NAME##_create, free, NAME##_begin, NAME##_update, NAME##_finish};

FAMILY(md5, MD5_CTX, MD5_Init, MD5_Update, MD5_Final)
FAMILY(sha1, SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final)
FAMILY(sha224, SHA256_CTX, SHA224_Init, SHA224_Update, SHA224_Final)
FAMILY(sha256, SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final)
FAMILY(sha384, SHA512_CTX, SHA384_Init, SHA384_Update, SHA384_Final)
FAMILY(sha512, SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final)

#endif
