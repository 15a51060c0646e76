/*
 * count_characters.c: what the characters of the locale are to wc.
 *
 * DESIGN. libc is asked, so that they are what its own wc would find. It is asked
 * once for each: classes are kept in pages of 256 characters, which are made when
 * the first of them is met. To make all of them at the start would take longer
 * than most runs. Two threads that make one page at once make the same, and
 * one of them throws its own away.
 */
#define _GNU_SOURCE
#include "count.h"

#include <ctype.h>
#include <langinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_posixly_correct;
static kernel_locale_t locale;
_Atomic(unsigned char *) kernel_count_pages[CHARACTERS_MAX / PAGE_SIZE];

kernel_charset_t kernel_charset(void) {
    if (MB_CUR_MAX == 1) {
        return KERNEL_CHARSET_BYTES;
    }
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? KERNEL_CHARSET_UTF8
                                                      : KERNEL_CHARSET_OTHER;
}

/* Blanks at which no line is to be broken. They separate words, unless POSIX is to
   be followed to the letter. */
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

static bool takes(const char *bytes) {
    mbstate_t state;
    memset(&state, 0, sizeof state);
    return mbrtowc(NULL, bytes, strlen(bytes), &state) == strlen(bytes);
}

static void ask(void) {
    is_posixly_correct = getenv("POSIXLY_CORRECT") != NULL;
    for (int i = 0; i < 128; i++) {
        locale.high[i] = (unsigned char)class_of_byte(128 + i);
        locale.has_high = locale.has_high || locale.high[i];
    }
    locale.takes_surrogates = takes("\xED\xA0\x80");
    locale.takes_long = takes("\xF8\x88\x80\x80\x80");
}

const kernel_locale_t *kernel_count_locale(void) {
    pthread_once(&once, ask);
    return &locale;
}

static unsigned char *make_page(uint32_t first) {
    unsigned char *page = malloc(PAGE_SIZE);
    for (uint32_t i = 0; page && i < PAGE_SIZE; i++) {
        page[i] = (unsigned char)class_of_character((wchar_t)(first + i));
    }
    return page;
}

unsigned kernel_count_ask_class(uint32_t character) {
    if (character < CHARACTERS_MAX) {
        _Atomic(unsigned char *) *place =
            &kernel_count_pages[character / PAGE_SIZE];
        unsigned char *page = make_page(character / PAGE_SIZE * PAGE_SIZE);
        unsigned char *none = NULL;
        if (!atomic_compare_exchange_strong(place, &none, page)) {
            free(page);
        }
    }
    return class_of_character((wchar_t)character);
}
