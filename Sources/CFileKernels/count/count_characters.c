/*
 * count_characters.c: the classes that the locale's characters have for wc.
 *
 * DESIGN. The classes come from libc, so that they are those of its own wc.
 * They are cached in pages of 256 characters, each made for the first of its
 * characters that occurs. All pages at the start would take longer than most
 * runs. If two threads make the same page at once, one of them frees its own.
 *
 * A caller may count UTF-8 in a process whose locale has bytes only, such as one
 * that never called setlocale. The classes are then those of C.UTF-8.
 */
#define _GNU_SOURCE
#include "count.h"

#include <ctype.h>
#include <langinfo.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_posixly_correct;
static kernel_locale_t locale;
/* C.UTF-8 if the locale of the process has bytes only; else 0. */
static locale_t utf8;
_Atomic(unsigned char *) kernel_count_pages[CHARACTERS_MAX / PAGE_SIZE];

kernel_charset_t kernel_charset(void) {
    if (MB_CUR_MAX == 1) {
        return KERNEL_CHARSET_BYTES;
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? KERNEL_CHARSET_UTF8
                                                      : KERNEL_CHARSET_OTHER;
}

/* True for blanks at which a line must not be broken. They separate words,
   unless POSIXLY_CORRECT is set. */
static bool is_no_break_space(wint_t character) {
    return !is_posixly_correct && (character == 0x00A0 || character == 0x2007 ||
                                   character == 0x202F || character == 0x2060);
}

static unsigned class_of_byte(int byte) {
    if (!isprint(byte)) {
        return 0;
    }
    bool separates = isspace(byte) || is_no_break_space(btowc(byte));
    return CLASS_NARROW | (separates ? CLASS_SEPARATOR : CLASS_PART);
}

static unsigned class_of_character(wchar_t character) {
    wint_t asked = (wint_t)character;
    if (!iswprint(asked)) {
        return 0;
    }
    int width = wcwidth(character);
    bool separates = iswspace(asked) || is_no_break_space(asked);
    return (width == 1   ? CLASS_NARROW
            : width >= 2 ? CLASS_WIDE
                         : 0) |
           (separates ? CLASS_SEPARATOR : CLASS_PART);
}

static bool is_character(const char *bytes) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    return mbrtowc(NULL, bytes, strlen(bytes), &state) == strlen(bytes);
}

static void load_locale(void) {
    is_posixly_correct = getenv("POSIXLY_CORRECT") != NULL;
    for (int i = 0; i < 128; i++) {
        locale.high[i] = (unsigned char)class_of_byte(128 + i);
        locale.has_high = locale.has_high || locale.high[i];
    }
    utf8 = MB_CUR_MAX == 1 ? newlocale(LC_CTYPE_MASK, "C.UTF-8", 0) : 0;
    locale_t former = utf8 ? uselocale(utf8) : 0;
    locale.takes_surrogates = is_character("\xED\xA0\x80");
    locale.takes_long = is_character("\xF8\x88\x80\x80\x80");
    if (former) {
        uselocale(former);
    }
}

const kernel_locale_t *kernel_count_locale(void) {
    pthread_once(&once, load_locale);
    return &locale;
}

static unsigned char *create_page(uint32_t first) {
    unsigned char *page = malloc(PAGE_SIZE);
    for (uint32_t i = 0; page && i < PAGE_SIZE; i++) {
        page[i] = (unsigned char)class_of_character((wchar_t)(first + i));
    }
    return page;
}

unsigned kernel_count_load_class(uint32_t character) {
    kernel_count_locale();
    locale_t former = utf8 ? uselocale(utf8) : 0;
    if (character < CHARACTERS_MAX) {
        _Atomic(unsigned char *) *place =
            &kernel_count_pages[character / PAGE_SIZE];
        unsigned char *page = create_page(character / PAGE_SIZE * PAGE_SIZE);
        unsigned char *none = NULL;
        if (!atomic_compare_exchange_strong(place, &none, page)) {
            free(page);
        }
    }
    unsigned class = class_of_character((wchar_t)character);
    if (former) {
        uselocale(former);
    }
    return class;
}
