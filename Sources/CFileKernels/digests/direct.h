/*
 * direct.h: MD5, SHA-1 and SHA-2 by libcrypto's functions for each of them.
 *
 * DESIGN. EVP, libcrypto's common interface, looks an algorithm up by name. The
 * first look-up reads OpenSSL's configuration and registers all names of all
 * algorithms, which takes four times as many instructions as the whole rest of
 * a run on one small file. These functions need no look-up, and are the same
 * code below it. OpenSSL 3 deprecates them in favour of EVP, because they do
 * not know providers: a configuration that permits FIPS algorithms only does
 * not apply to them. A libcrypto without them is used by EVP.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The functions of one digest. Each returns false if libcrypto fails. */
struct kernel_direct {
    const char *name; /* as EVP_MD_fetch takes it */
    size_t state_size;
    bool (*begin)(void *state);
    bool (*update)(void *state, const void *bytes, size_t length);
    bool (*finish)(void *state, unsigned char *out);
};

/* Returns the functions of a digest; NULL if only EVP offers it. */
__attribute__((visibility("hidden"))) const struct kernel_direct *
kernel_direct_digest(const char *name);
