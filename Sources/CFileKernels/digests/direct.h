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
#ifndef KERNEL_DIRECT_H
#define KERNEL_DIRECT_H

#include <openssl/opensslconf.h>

#include "family.h"

#if !defined(OPENSSL_NO_DEPRECATED) && !defined(OPENSSL_NO_DEPRECATED_3_0)

extern const kernel_family_t kernel_md5_family;
extern const kernel_family_t kernel_sha1_family;
extern const kernel_family_t kernel_sha224_family;
extern const kernel_family_t kernel_sha256_family;
extern const kernel_family_t kernel_sha384_family;
extern const kernel_family_t kernel_sha512_family;

#else

#define kernel_md5_family kernel_libcrypto_family
#define kernel_sha1_family kernel_libcrypto_family
#define kernel_sha224_family kernel_libcrypto_family
#define kernel_sha256_family kernel_libcrypto_family
#define kernel_sha384_family kernel_libcrypto_family
#define kernel_sha512_family kernel_libcrypto_family

#endif

#endif /* KERNEL_DIRECT_H */
