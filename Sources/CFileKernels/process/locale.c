/* locale.c: the characters of the locale. */
#define _GNU_SOURCE
#include "kernel_process.h"

#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static bool hides_directions;

void kernel_take_locale(bool hides) {
    hides_directions = hides;
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

/* Embeddings, overrides and isolates: they reorder the text after them. */
static bool is_direction(wchar_t character) {
    return (character >= 0x202A && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

/* libc counts U+2028 or U+2029 as printable in some locales. */
static bool is_separator(wchar_t character) {
    return character == 0x2028 || character == 0x2029;
}

static size_t classify(const char *bytes, size_t length, bool hides,
                       bool *is_printable) {
    mbstate_t state;
    wchar_t character = 0;
    memset(&state, 0, sizeof state);
    size_t taken = mbrtowc(&character, bytes, length, &state);
    bool is_character = taken > 0 && taken <= length;
    *is_printable =
        is_character && iswprint((wint_t)character) != 0 &&
        !(hides && (is_direction(character) || is_separator(character)));
    return is_character ? taken : length > 0;
}

size_t kernel_character(const char *bytes, size_t length, bool *is_printable) {
    return classify(bytes, length, hides_directions, is_printable);
}

size_t kernel_terminal_character(const char *bytes, size_t length,
                                 bool *is_printable) {
    return classify(bytes, length, true, is_printable);
}

int kernel_character_columns(uint32_t character) {
    int columns = wcwidth((wchar_t)character);
    return columns > 0 ? columns : 0;
}
