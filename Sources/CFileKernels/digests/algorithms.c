/*
 * algorithms.c: digests by OpenSSL's EVP and by xxHash.
 *
 * To add an algorithm, add a row to `algorithms` below; for another library,
 * also a family.
 *
 * DESIGN. libcrypto computes MD5, SHA-1 and SHA-2 by functions of their own
 * (direct.h), and all others by EVP. Those are fetched at their first use, each
 * once in the life of the program, because EVP_MD_fetch takes longer than the
 * digest of a small file. A digest holds one EVP_MD_CTX and begins each file
 * with EVP_DigestInit_ex on the fetched algorithm. xxHash's states are large (576
 * bytes) and aligned, so its own functions create them. Its digests are written
 * in canonical (big-endian) order, as xxhsum prints them. xxh3.h explains why
 * xxHash is compiled from its header.
 */
#include "kernel_digest.h"

#include "direct.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#define KERNEL kernel_xxh3_plain
#include "xxh3.h" /* XXH3 by the instructions that every machine has */

enum family { LIBCRYPTO, DIRECT, XXH64_FAMILY, XXH3_FAMILY, XXH128_FAMILY };

struct kernel_algorithm_s {
    const char *name;
    const char *tag;
    size_t length;
    enum family family;
    bool always_tagged;
    const char *fetched_as;
};

static const kernel_algorithm_t algorithms[] = {
    {"md5", "MD5", 16, LIBCRYPTO, false, "MD5"},
    {"sha1", "SHA1", 20, LIBCRYPTO, false, "SHA1"},
    {"sha224", "SHA224", 28, LIBCRYPTO, false, "SHA2-224"},
    {"sha256", "SHA256", 32, LIBCRYPTO, false, "SHA2-256"},
    {"sha384", "SHA384", 48, LIBCRYPTO, false, "SHA2-384"},
    {"sha512", "SHA512", 64, LIBCRYPTO, false, "SHA2-512"},
    {"blake2b", "BLAKE2b", 64, LIBCRYPTO, false, "BLAKE2B-512"},
    {"xxh64", "XXH64", 8, XXH64_FAMILY, false, NULL},
    {"xxh3", "XXH3", 8, XXH3_FAMILY, true, NULL},
    {"xxh128", "XXH128", 16, XXH128_FAMILY, false, NULL},
};

#define COUNT (sizeof algorithms / sizeof *algorithms)

size_t kernel_algorithm_count(void) { return COUNT; }

const kernel_algorithm_t *kernel_algorithm_at(size_t index) {
    return index < COUNT ? &algorithms[index] : NULL;
}

const char *kernel_algorithm_name(const kernel_algorithm_t *algorithm) {
    return algorithm->name;
}

const char *kernel_algorithm_tag(const kernel_algorithm_t *algorithm) {
    return algorithm->tag;
}

bool kernel_algorithm_is_always_tagged(const kernel_algorithm_t *algorithm) {
    return algorithm->always_tagged;
}

size_t kernel_algorithm_length(const kernel_algorithm_t *algorithm) {
    return algorithm->length;
}

static EVP_MD *fetched[COUNT]; /* kept until the program ends */
static pthread_mutex_t fetching = PTHREAD_MUTEX_INITIALIZER;

static const EVP_MD *fetch(const kernel_algorithm_t *algorithm) {
    size_t index = (size_t)(algorithm - algorithms);
    pthread_mutex_lock(&fetching);
    if (!fetched[index]) {
#ifdef WEIR_STATIC_LIBCRYPTO
        /* The configuration could name modules for the system's libcrypto. */
        OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
#endif
        fetched[index] = EVP_MD_fetch(NULL, algorithm->fetched_as, NULL);
    }
    const EVP_MD *md = fetched[index];
    pthread_mutex_unlock(&fetching);
    return md;
}

static const kernel_xxh3_t *best_xxh3(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &kernel_xxh3_avx2;
    }
#endif
    return &kernel_xxh3_plain;
}

struct kernel_digest_s {
    const kernel_algorithm_t *algorithm;
    enum family family;
    union {
        const EVP_MD *md;
        const struct kernel_direct *direct;
        const kernel_xxh3_t *kernel;
    };
    union {
        EVP_MD_CTX *evp;
        void *state; /* of direct */
        XXH64_state_t *xxh64;
        XXH3_state_t *xxh3;
    };
};

/* Chooses the fastest way to start. */
static enum family choose_family(kernel_digest_t *digest) {
    if (digest->algorithm->family == LIBCRYPTO) {
        digest->direct = kernel_direct_digest(digest->algorithm->fetched_as);
        return digest->direct ? DIRECT : LIBCRYPTO;
    }
    return digest->algorithm->family;
}

static bool make_state(kernel_digest_t *digest) {
    digest->family = choose_family(digest);
    switch (digest->family) {
    case DIRECT:
        return (digest->state = malloc(digest->direct->state_size)) != NULL;
    case LIBCRYPTO:
        digest->md = fetch(digest->algorithm);
        digest->evp = digest->md ? EVP_MD_CTX_new() : NULL;
        return digest->evp != NULL;
    case XXH64_FAMILY:
        return (digest->xxh64 = XXH64_createState()) != NULL;
    default:
        digest->kernel = best_xxh3();
        return (digest->xxh3 = XXH3_createState()) != NULL;
    }
}

kernel_digest_t *kernel_digest_create(const kernel_algorithm_t *algorithm) {
    kernel_digest_t *digest = calloc(1, sizeof *digest);
    if (digest) {
        digest->algorithm = algorithm;
        if (make_state(digest)) {
            return digest;
        }
        free(digest);
    }
    return NULL;
}

void kernel_digest_destroy(kernel_digest_t *digest) {
    switch (digest->family) {
    case DIRECT:
        free(digest->state);
        break;
    case LIBCRYPTO:
        EVP_MD_CTX_free(digest->evp);
        break;
    case XXH64_FAMILY:
        XXH64_freeState(digest->xxh64);
        break;
    default:
        XXH3_freeState(digest->xxh3);
    }
    free(digest);
}

bool kernel_digest_begin(kernel_digest_t *digest) {
    switch (digest->family) {
    case DIRECT:
        return digest->direct->begin(digest->state);
    case LIBCRYPTO:
        return EVP_DigestInit_ex(digest->evp, digest->md, NULL) == 1;
    case XXH64_FAMILY:
        return XXH64_reset(digest->xxh64, 0) == XXH_OK;
    case XXH3_FAMILY:
        return XXH3_64bits_reset(digest->xxh3) == XXH_OK;
    default:
        return XXH3_128bits_reset(digest->xxh3) == XXH_OK;
    }
}

bool kernel_digest_update(kernel_digest_t *digest, const void *bytes,
                          size_t length) {
    switch (digest->family) {
    case DIRECT:
        return digest->direct->update(digest->state, bytes, length);
    case LIBCRYPTO:
        return EVP_DigestUpdate(digest->evp, bytes, length) == 1;
    case XXH64_FAMILY:
        return XXH64_update(digest->xxh64, bytes, length) == XXH_OK;
    case XXH3_FAMILY:
        digest->kernel->update_64(digest->xxh3, bytes, length);
        return true;
    default:
        digest->kernel->update_128(digest->xxh3, bytes, length);
        return true;
    }
}

bool kernel_digest_finish(kernel_digest_t *digest,
                          unsigned char out[KERNEL_DIGEST_MAX]) {
    switch (digest->family) {
    case DIRECT:
        return digest->direct->finish(digest->state, out);
    case LIBCRYPTO:
        return EVP_DigestFinal_ex(digest->evp, out, NULL) == 1;
    case XXH64_FAMILY: {
        XXH64_canonical_t canonical;
        XXH64_canonicalFromHash(&canonical, XXH64_digest(digest->xxh64));
        memcpy(out, canonical.digest, sizeof canonical.digest);
        return true;
    }
    case XXH3_FAMILY:
        digest->kernel->finish_64(digest->xxh3, out);
        return true;
    default:
        digest->kernel->finish_128(digest->xxh3, out);
        return true;
    }
}
