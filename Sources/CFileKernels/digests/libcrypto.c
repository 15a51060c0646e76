/*
 * libcrypto.c: digests by OpenSSL's EVP. See direct.h for the most usual ones.
 *
 * DESIGN. An algorithm is fetched at its first use, once in the life of the program, because
 * EVP_MD_fetch takes longer than the digest of a small file.
 */
#include <pthread.h>
#include <stdlib.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "family.h"

struct libcrypto_state {
    const EVP_MD *md;
    EVP_MD_CTX *context;
};

/* The fetched algorithms, kept until the program ends. */
static struct {
    const kernel_algorithm_t *algorithm;
    EVP_MD *md;
} fetched[16];
static pthread_mutex_t fetching = PTHREAD_MUTEX_INITIALIZER;

static const EVP_MD *fetch(const kernel_algorithm_t *algorithm) {
    pthread_mutex_lock(&fetching);
    size_t index = 0;
    while (fetched[index].algorithm && fetched[index].algorithm != algorithm) {
        index++;
    }
    if (!fetched[index].md) {
#ifdef WEIR_STATIC_LIBCRYPTO
        /* The configuration could name modules for the system's libcrypto. */
        OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
#endif
        fetched[index].algorithm = algorithm;
        fetched[index].md = EVP_MD_fetch(NULL, algorithm->fetched_as, NULL);
    }
    const EVP_MD *md = fetched[index].md;
    pthread_mutex_unlock(&fetching);
    return md;
}

static void *libcrypto_create(const kernel_algorithm_t *algorithm) {
    struct libcrypto_state *state = malloc(sizeof *state);
    if (state) {
        state->md = fetch(algorithm);
        state->context = state->md ? EVP_MD_CTX_new() : NULL;
        if (state->context) {
            return state;
        }
        free(state);
    }
    return NULL;
}

static void libcrypto_destroy(void *opaque) {
    struct libcrypto_state *state = opaque;
    EVP_MD_CTX_free(state->context);
    free(state);
}

static bool libcrypto_begin(void *opaque) {
    struct libcrypto_state *state = opaque;
    return EVP_DigestInit_ex(state->context, state->md, NULL) == 1;
}

static bool libcrypto_update(void *opaque, const void *bytes, size_t length) {
    struct libcrypto_state *state = opaque;
    return EVP_DigestUpdate(state->context, bytes, length) == 1;
}

static bool libcrypto_finish(void *opaque, unsigned char *out) {
    struct libcrypto_state *state = opaque;
    return EVP_DigestFinal_ex(state->context, out, NULL) == 1;
}

const kernel_family_t kernel_libcrypto_family = {
    libcrypto_create, libcrypto_destroy, libcrypto_begin, libcrypto_update,
    libcrypto_finish};
