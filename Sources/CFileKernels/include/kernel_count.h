/*
 * kernel_count.h: lines, words, characters, and the width of the longest line,
 * as wc of GNU coreutils 9.1 counts them.
 *
 * What is counted of a piece of text can be joined with what is counted of the
 * piece behind it, wherever the cut was: within a word, a line, a character.
 * So the pieces of a big file are counted by several threads.
 */
#ifndef KERNEL_COUNT_H
#define KERNEL_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What is to be counted, together; bytes always are. */
#define KERNEL_COUNT_LINES 1U
#define KERNEL_COUNT_WORDS 2U
#define KERNEL_COUNT_CHARACTERS 4U
#define KERNEL_COUNT_LONGEST 8U

/* What a character is. */
typedef enum {
    KERNEL_CHARSET_BYTES, /* a byte, as in the locale C */
    KERNEL_CHARSET_UTF8,
    KERNEL_CHARSET_OTHER /* what mbrtowc says, of several bytes */
} kernel_charset_t;

/* That of the locale (LC_CTYPE) the process has taken. Its classes of characters
   are asked of libc and kept, so the locale must not change behind that. */
kernel_charset_t kernel_charset(void);

/* The most bytes of a character that can be cut off at either end of a piece:
   libc takes characters of six, which UTF-8 had once. */
#define KERNEL_CUT_MAX 5

/* What was counted of a piece. All zero: of nothing. */
typedef struct {
    uint64_t bytes;
    uint64_t lines;      /* newlines */
    uint64_t characters; /* whole ones; not of KERNEL_CHARSET_BYTES */

    /* Words. What separates them may be missing. */
    uint64_t words;     /* whose ends are in the piece */
    bool has_separator; /* something separates words */
    bool opens_word;    /* there is part of a word before the first of these */
    bool is_in_word;    /* there is part of a word behind the last of these */

    /* Widths. The first line begins somewhere: a tab in it leads to a multiple of
       8 from there. A line ends at a newline, a form feed and a return. */
    bool has_end;         /* a line ends */
    bool has_tab;         /* there is a tab in the first one */
    uint64_t before_tab;  /* its width up to that */
    uint64_t first_width; /* and behind it; where a line ends */
    uint64_t width;       /* of the last one, so far */
    uint64_t longest;     /* of those between the first and the last */

    /* Characters that are cut. */
    uint8_t head_count, tail_count;
    uint8_t head[KERNEL_CUT_MAX]; /* what may end one that began before */
    uint8_t tail[KERNEL_CUT_MAX]; /* the beginning of one */
    uint64_t shift[2];            /* mbstate_t, of KERNEL_CHARSET_OTHER */
} kernel_count_t;

/* Counts a piece that lies behind what was counted so far. */
void kernel_count_add(kernel_count_t *count, kernel_charset_t charset,
                      unsigned what, const void *bytes, size_t length);

/* The same, without the vector instructions of this machine. */
void kernel_count_add_plain(kernel_count_t *count, kernel_charset_t charset,
                            unsigned what, const void *bytes, size_t length);

/* Joins with what was counted, of the same charset, of what lies behind. Of
   KERNEL_CHARSET_OTHER pieces cannot be counted apart. */
void kernel_count_join(kernel_count_t *count, kernel_charset_t charset,
                       const kernel_count_t *next);

/* How many words there are where nothing comes before or behind. */
uint64_t kernel_count_words(const kernel_count_t *count);

/* How wide the longest line is then. */
uint64_t kernel_count_longest(const kernel_count_t *count);

/* Adds what the size of a file tells of the bytes that are left to read, and moves
   the descriptor over them. Returns whether that is all; else the rest is to be
   read. Of what is no regular file nothing is known, and of one whose size is a
   multiple of a page, as in /proc, the last few bytes are read. As wc, it
   misses its place where the descriptor does not stand at the beginning, if
   `misses`. */
bool kernel_count_skip(int descriptor, bool misses, uint64_t *bytes);

/* Whether a size, by itself, is how many bytes there are to read. */
bool kernel_count_is_size(uint64_t size);

/* Whether this machine counts by AVX2. */
bool kernel_count_has_avx2(void);

#ifdef __cplusplus
}
#endif

#endif /* KERNEL_COUNT_H */
