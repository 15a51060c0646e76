/*
 * characters.c: the characters of the locale.
 */
#include "CFileKernels.h"

#include <string.h>
#include <wchar.h>
#include <wctype.h>

size_t kernel_character(const char *bytes, size_t length, bool *is_printable) {
    mbstate_t state;
    wchar_t character = 0;
    memset(&state, 0, sizeof state);
    size_t taken = mbrtowc(&character, bytes, length, &state);
    bool is_character = taken > 0 && taken <= length;
    *is_printable = is_character && iswprint((wint_t)character) != 0;
    return is_character ? taken : length > 0;
}
