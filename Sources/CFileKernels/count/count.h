/*
 * count.h: the declarations that the parts of counting share: blocks
 * (count_blocks.h, once for each set of instructions), characters
 * (count_characters.c), and pieces (count.c).
 *
 * DESIGN. Vector instructions turn blocks of 64 bytes of text into masks of 64
 * bits: separators of words, parts of words, and neither (in wc, an unprintable
 * character neither ends a word nor begins one). A word ends at a separator
 * that follows a part of a word. One addition finds all ends: in ~separators +
 * parts + (1 if the block begins in a word), each run between two separators
 * overflows into the second if it has a part, or into the next block.
 *
 * A character of several bytes is one bit of these masks, at its first byte.
 * Its other bytes are neutral, and so are bytes outside any character. A byte
 * and the next five decide if the byte begins a character, because no byte both
 * begins and continues one. So a piece can begin anywhere, even in text that is
 * not UTF-8. The parts of characters at its two ends are kept until pieces are
 * joined.
 *
 * Of a line that began before the piece, only the first tab depends on the
 * beginning. So the widths before and after that tab are kept separately.
 */
#pragma once

#include "kernel_count.h"

#include <stdatomic.h>

/* ---- characters --------------------------------------------------------- */

/* The classes that a character has for wc, as bits. */
#define CLASS_PART 1U      /* part of a word */
#define CLASS_SEPARATOR 2U /* separator of words */
#define CLASS_NARROW 4U    /* one column wide */
#define CLASS_WIDE 8U      /* two columns wide */

typedef struct {
    bool has_high;           /* a byte from 0x80 on has a class */
    unsigned char high[128]; /* classes of those, in KERNEL_CHARSET_BYTES */
    bool takes_surrogates;   /* libc accepts surrogates in UTF-8 */
    bool takes_long;         /* libc accepts characters of five and six bytes */
} kernel_locale_t;

__attribute__((visibility("hidden"))) const kernel_locale_t *
kernel_count_locale(void);

/* Returns the class of a wide character from libc, and caches its page. */
__attribute__((visibility("hidden"))) unsigned
kernel_count_load_class(uint32_t character);

/* The cached classes, a page for each 256 characters; NULL before its first
   use. */
#define CHARACTERS_MAX 0x110000U
#define PAGE_SIZE 256U
extern __attribute__((visibility("hidden"))) _Atomic(unsigned char *)
    kernel_count_pages[CHARACTERS_MAX / PAGE_SIZE];

static inline unsigned kernel_count_class(uint32_t character) {
    const unsigned char *page =
        character < CHARACTERS_MAX
            ? atomic_load_explicit(&kernel_count_pages[character / PAGE_SIZE],
                                   memory_order_acquire)
            : NULL;
    return __builtin_expect(page != NULL, 1)
               ? page[character % PAGE_SIZE]
               : kernel_count_load_class(character);
}

/* The length of a character with this first byte; 0 if none begins with it. */
static inline unsigned count_length(unsigned char first) {
    return first < 0xC2   ? first < 0x80
           : first < 0xE0 ? 2
           : first < 0xF0 ? 3
           : first < 0xF8 ? 4
           : first < 0xFC ? 5
           : first < 0xFE ? 6
                          : 0;
}

static inline bool count_continues(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/* Decodes a character of several bytes. Five bytes after the first must be
   readable. Returns false if there is no character. */
static inline bool count_decode(const kernel_locale_t *locale,
                                const unsigned char *bytes,
                                uint32_t *character) {
    unsigned first = bytes[0];
    if (first < 0xE0) {
        *character = (first & 0x1F) << 6 | (bytes[1] & 0x3F);
        return first >= 0xC2 && count_continues(bytes[1]);
    }
    if (!count_continues(bytes[1]) || !count_continues(bytes[2])) {
        return false;
    }
    uint32_t rest = (bytes[1] & 0x3FU) << 6 | (bytes[2] & 0x3FU);
    if (first < 0xF0) {
        *character = (first & 0x0F) << 12 | rest;
        bool is_surrogate = *character >= 0xD800 && *character < 0xE000;
        return *character >= 0x800 &&
               (!is_surrogate || locale->takes_surrogates);
    }
    unsigned length = count_length((unsigned char)first);
    if (length == 0 || (first > 0xF4 && !locale->takes_long)) {
        return false;
    }
    uint32_t value = (first & (0x7FU >> length)) << 12 | rest;
    for (unsigned i = 3; i < length; i++) {
        if (!count_continues(bytes[i])) {
            return false;
        }
        value = value << 6 | (bytes[i] & 0x3FU);
    }
    *character = value;
    bool is_short = value >> (5 * length - 4) == 0;
    return !is_short && (value < 0x110000 || locale->takes_long);
}

/* ---- lines and their widths --------------------------------------------- */

static inline void count_tab(kernel_count_t *count) {
    if (!count->has_end && !count->has_tab) {
        count->has_tab = true;
        count->before_tab = count->width;
        count->width = 0;
    } else {
        count->width += 8 - count->width % 8;
    }
}

static inline void count_end_of_line(kernel_count_t *count) {
    if (!count->has_end) {
        count->has_end = true;
        count->first_width = count->width;
    } else if (count->width > count->longest) {
        count->longest = count->width;
    }
    count->width = 0;
}

/* ---- blocks ------------------------------------------------------------- */

/* Counts the whole characters of a piece, starting from zero. count.c adds the
   parts of characters at its ends. */
typedef void kernel_count_blocks_t(kernel_count_t *count,
                                   kernel_charset_t charset, unsigned what,
                                   const unsigned char *bytes, size_t length);

__attribute__((visibility("hidden")))
kernel_count_blocks_t kernel_count_blocks_plain;
#if defined(__x86_64__)
__attribute__((visibility("hidden")))
kernel_count_blocks_t kernel_count_blocks_avx2;
#endif
