/* locale.c: the characters of the locale. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

void kernel_take_locale(void) {
    const char *locale = setlocale(LC_CTYPE, "");
#ifdef WEIR_ALONE
    /* libc would convert other characters by modules of the system's libc. */
    if (locale && strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        setlocale(LC_CTYPE, "C");
    }
#else
    (void)locale;
#endif
}

size_t kernel_character(const char *bytes, size_t length, bool *is_printable) {
    mbstate_t state;
    wchar_t character = 0;
    memset(&state, 0, sizeof state);
    size_t taken = mbrtowc(&character, bytes, length, &state);
    bool is_character = taken > 0 && taken <= length;
    *is_printable = is_character && iswprint((wint_t)character) != 0;
    return is_character ? taken : length > 0;
}

int kernel_character_columns(uint32_t character) {
    int columns = wcwidth((wchar_t)character);
    return columns > 0 ? columns : 0;
}
