/*
 * count.h: what the parts of counting share: the blocks (count_blocks.h, once
 * for each kind of instructions), the characters (count_characters.c), and what
 * comes of them (count.c).
 *
 * DESIGN. Text is looked at in blocks of 64 bytes, of which vector instructions
 * make masks of 64 bits: what separates words, what belongs to one, what is
 * neither (in wc, what cannot be printed neither ends a word nor begins one). A
 * word ends at a separator with part of a word before it. One addition finds
 * them all: in ~separators + parts + (were we in a word) each run between two
 * separators overflows into the second where there is a part in it, and into the
 * next block.
 *
 * A character of several bytes is one bit of these masks, at its first byte; its
 * other bytes are neutral, as are bytes that are no character. Whether a byte
 * begins a character can be told by it and the next five, whatever came before,
 * since no byte both begins and continues one: so a piece can begin anywhere, in
 * text that is no UTF-8 too. What is cut at its two ends is kept, and looked at
 * where pieces are joined.
 *
 * The width of a line depends on where it begins only by its first tab, so of
 * the first line of a piece the width before and behind that is kept.
 */
#ifndef KERNEL_COUNT_INTERNAL_H
#define KERNEL_COUNT_INTERNAL_H

#include "kernel_count.h"

#include <stdatomic.h>

/* ---- characters -------------------------------------------------------- */

/* What a character is to wc: bits. */
#define CLASS_PART 1U      /* it belongs to a word */
#define CLASS_SEPARATOR 2U /* it separates words */
#define CLASS_NARROW 4U    /* it is a column wide */
#define CLASS_WIDE 8U      /* it is two columns wide */

/* What is known of the locale. */
typedef struct {
    bool has_high;           /* some byte from 0x80 on has a class */
    unsigned char high[128]; /* of KERNEL_CHARSET_BYTES: their classes */
    bool takes_surrogates;   /* libc takes these of UTF-8 */
    bool takes_long;         /* and five and six bytes */
} kernel_locale_t;

__attribute__((visibility("hidden"))) const kernel_locale_t *
kernel_count_locale(void);

/* The class of a wide character, as libc has it. */
__attribute__((visibility("hidden"))) unsigned
kernel_count_ask_class(uint32_t character);

/* The same, kept: page after page, NULL before one is first met. */
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
               : kernel_count_ask_class(character);
}

/* How many bytes a character has that begins with this one; 0 where none does. */
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

/* The character of several bytes, of which five more can be read behind the
   first. Returns whether it is one. */
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

/* ---- lines and their widths -------------------------------------------- */

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

/* ---- blocks ------------------------------------------------------------ */

/* Counts the whole characters of a piece, from nothing; what is cut at its ends is
   count.c's. */
typedef void kernel_count_blocks_t(kernel_count_t *count,
                                   kernel_charset_t charset, unsigned what,
                                   const unsigned char *bytes, size_t length);

__attribute__((visibility("hidden")))
kernel_count_blocks_t kernel_count_blocks_plain;
#if defined(__x86_64__)
__attribute__((visibility("hidden")))
kernel_count_blocks_t kernel_count_blocks_avx2;
#endif

#endif /* KERNEL_COUNT_INTERNAL_H */
