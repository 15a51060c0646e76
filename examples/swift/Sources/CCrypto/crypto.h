// OpenSSL's digests, for programs in Swift.
#include <openssl/evp.h>
