/* version.c: the version of the library. */
#include "base/internal.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *weir_version(void) {
    return TEXT(WEIR_VERSION_MAJOR) "." TEXT(WEIR_VERSION_MINOR) "." TEXT(
        WEIR_VERSION_PATCH);
}
