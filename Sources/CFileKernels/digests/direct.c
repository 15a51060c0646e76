/* direct.c: MD5, SHA-1 and SHA-2 by libcrypto's functions for each of them. */

/* The version that declares them without a warning. */
#define OPENSSL_API_COMPAT 0x10101000L

#include "direct.h"

#include <string.h>

#include <openssl/md5.h>
#include <openssl/sha.h>

#ifndef OPENSSL_NO_DEPRECATED_3_0

#define FUNCTIONS(NAME, STATE, INIT, UPDATE, FINAL)                            \
    static bool NAME##_begin(void *state) {                                    \
        return INIT((STATE *)state) == 1;                                      \
    }                                                                          \
    static bool NAME##_update(void *state, const void *bytes, size_t length) { \
        return UPDATE((STATE *)state, bytes, length) == 1;                     \
    }                                                                          \
    static bool NAME##_finish(void *state, unsigned char *out) {               \
        return FINAL(out, (STATE *)state) == 1;                                \
    }

FUNCTIONS(md5, MD5_CTX, MD5_Init, MD5_Update, MD5_Final)
FUNCTIONS(sha1, SHA_CTX, SHA1_Init, SHA1_Update, SHA1_Final)
FUNCTIONS(sha224, SHA256_CTX, SHA224_Init, SHA224_Update, SHA224_Final)
FUNCTIONS(sha256, SHA256_CTX, SHA256_Init, SHA256_Update, SHA256_Final)
FUNCTIONS(sha384, SHA512_CTX, SHA384_Init, SHA384_Update, SHA384_Final)
FUNCTIONS(sha512, SHA512_CTX, SHA512_Init, SHA512_Update, SHA512_Final)

#define ROW(EVP_NAME, NAME, STATE)                                             \
    { EVP_NAME, sizeof(STATE), NAME##_begin, NAME##_update, NAME##_finish }

static const struct kernel_direct digests[] = {
    ROW("MD5", md5, MD5_CTX),
    ROW("SHA1", sha1, SHA_CTX),
    ROW("SHA2-224", sha224, SHA256_CTX),
    ROW("SHA2-256", sha256, SHA256_CTX),
    ROW("SHA2-384", sha384, SHA512_CTX),
    ROW("SHA2-512", sha512, SHA512_CTX),
};

const struct kernel_direct *kernel_direct_digest(const char *name) {
    for (size_t i = 0; i < sizeof digests / sizeof *digests; i++) {
        if (strcmp(digests[i].name, name) == 0) {
            return &digests[i];
        }
    }
    return NULL;
}

#else

const struct kernel_direct *kernel_direct_digest(const char *name) {
    (void)name;
    return NULL;
}

#endif
