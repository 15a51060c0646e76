/*
 * kernel_count.h: lines, words, characters, and the width of the longest line,
 * as wc of GNU coreutils 9.1 counts them.
 *
 * The counts of a piece of text can be joined with those of the next piece,
 * wherever the cut is: within a word, a line or a character. So several threads
 * can count the pieces of a big file.
 */
#ifndef KERNEL_COUNT_H
#define KERNEL_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values to count, as bits. Bytes are always counted. */
#define KERNEL_COUNT_LINES 1U
#define KERNEL_COUNT_WORDS 2U
#define KERNEL_COUNT_CHARACTERS 4U
#define KERNEL_COUNT_LONGEST 8U

/* The encoding of characters. */
typedef enum {
    KERNEL_CHARSET_BYTES, /* a byte is a character, as in the locale C */
    KERNEL_CHARSET_UTF8,
    KERNEL_CHARSET_OTHER /* several bytes, decoded by mbrtowc */
} kernel_charset_t;

/* The encoding of the process's locale (LC_CTYPE). The classes of characters
   come from libc and are cached, so the locale must not change after the first
   call. */
kernel_charset_t kernel_charset(void);

/* The maximum number of bytes of a character that a cut leaves at either end of
   a piece: libc accepts characters of six bytes, which UTF-8 once had. */
#define KERNEL_CUT_MAX 5

/* The counts of a piece. All zero: the counts of no text. */
typedef struct {
    uint64_t bytes;
    uint64_t lines;      /* newlines */
    uint64_t characters; /* whole ones; unused in KERNEL_CHARSET_BYTES */

    /* Words. A piece may have no separator. */
    uint64_t words;     /* words that end in the piece */
    bool has_separator; /* the piece has a separator of words */
    bool opens_word;    /* a part of a word precedes the first separator */
    bool is_in_word;    /* a part of a word follows the last separator */

    /* Widths. The first line may begin before the piece: its first tab leads to
       a multiple of 8 from there. A newline, a form feed or a return ends a
       line. */
    bool has_end;         /* a line ends in the piece */
    bool has_tab;         /* the first line has a tab */
    uint64_t before_tab;  /* width of the first line before its tab */
    uint64_t first_width; /* its width after the tab, if it ends in the piece */
    uint64_t width;       /* width of the last line so far */
    uint64_t longest;     /* longest line between the first and the last */

    /* Parts of characters at the ends of the piece. */
    uint8_t head_count, tail_count;
    uint8_t head[KERNEL_CUT_MAX]; /* may end a character of the piece before */
    uint8_t tail[KERNEL_CUT_MAX]; /* begins a character */
    /* mbstate_t, in KERNEL_CHARSET_OTHER: */
    uint64_t shift[(sizeof(mbstate_t) + 7) / 8];
} kernel_count_t;

/* Counts a piece that follows the text counted so far. `what` has the values to
   count. */
void kernel_count_add(kernel_count_t *count, kernel_charset_t charset,
                      unsigned what, const void *bytes, size_t length);

/* Like kernel_count_add, without vector instructions. */
void kernel_count_add_plain(kernel_count_t *count, kernel_charset_t charset,
                            unsigned what, const void *bytes, size_t length);

/* Adds the counts of the text that follows, in the same charset. Pieces of
   KERNEL_CHARSET_OTHER cannot be counted separately. */
void kernel_count_join(kernel_count_t *count, kernel_charset_t charset,
                       const kernel_count_t *next);

/* The number of words, if no text precedes or follows. */
uint64_t kernel_count_words(const kernel_count_t *count);

/* The width of the longest line, if no text precedes or follows. */
uint64_t kernel_count_longest(const kernel_count_t *count);

/* Adds the bytes from the descriptor's offset to the end of the file, as far as
   the status tells, and moves the offset over them. Returns true if no bytes
   remain to be read. The status tells nothing of files that are not regular. If
   the size is a multiple of a page, as in /proc, the last bytes remain. If
   `misses` is true and the offset is not 0, the result is wrong like that of
   wc, which seeks to a wrong offset. */
bool kernel_count_skip(int descriptor, bool misses, uint64_t *bytes);

/* True if a file of this size has that many bytes for certain. */
bool kernel_count_is_size(uint64_t size);

/* True if kernel_count_add uses AVX2 on this machine. */
bool kernel_count_has_avx2(void);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_COUNT_H */
