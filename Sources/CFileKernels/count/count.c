/* count.c: pieces of text, counted and joined. count.h has the design. */
#include "count.h"

#include <string.h>
#include <wchar.h>

/* ---- one character ------------------------------------------------------ */

static void add_class(kernel_count_t *count, unsigned class) {
    count->characters++;
    if (class & CLASS_SEPARATOR) {
        count->words += count->is_in_word;
        count->is_in_word = false;
        count->has_separator = true;
    } else if (class & CLASS_PART) {
        count->is_in_word = true;
        count->opens_word = count->opens_word || !count->has_separator;
    }
    count->width += class & CLASS_WIDE ? 2 : (class & CLASS_NARROW) != 0;
}

/* Characters below 0x80 have the same class in every locale. */
static unsigned class_of_ascii(uint32_t character) {
    if (character == ' ') {
        return CLASS_SEPARATOR | CLASS_NARROW;
    }
    if (character >= '\t' && character <= '\r') {
        return CLASS_SEPARATOR;
    }
    bool is_printed = character > ' ' && character < 0x7F;
    return is_printed ? CLASS_PART | CLASS_NARROW : 0;
}

static void add_character(kernel_count_t *count, uint32_t character) {
    add_class(count, character < 0x80 ? class_of_ascii(character)
                                      : kernel_count_class(character));
    count->lines += character == '\n';
    if (character == '\n' || character == '\f' || character == '\r') {
        count_end_of_line(count);
    } else if (character == '\t') {
        count_tab(count);
    }
}

/* ---- characters at the ends of a piece ---------------------------------- */

static void keep_cut(kernel_count_t *count, const unsigned char *bytes,
                     size_t length) {
    size_t head = 0, tail = 1;
    while (head < KERNEL_CUT_MAX && head < length &&
           count_continues(bytes[head])) {
        head++;
    }
    memcpy(count->head, bytes, head);
    count->head_count = (uint8_t)head;
    while (tail < KERNEL_CUT_MAX && tail < length &&
           count_continues(bytes[length - tail])) {
        tail++;
    }
    if (length >= tail && count_length(bytes[length - tail]) > tail) {
        memcpy(count->tail, bytes + length - tail, tail);
        count->tail_count = (uint8_t)tail;
    }
}

/* True if all bytes of the piece may continue a character. */
static bool is_all_head(const kernel_count_t *count) {
    return count->bytes == count->head_count;
}

/* Joins the parts of the character between two pieces. Returns true if it is
   still incomplete; `count` has all its parts then. */
static bool join_cut(kernel_count_t *count, const kernel_count_t *next) {
    unsigned char bytes[2 * KERNEL_CUT_MAX + 1] = {0};
    size_t length = (size_t)count->tail_count + next->head_count;
    memcpy(bytes, count->tail, count->tail_count);
    memcpy(bytes + count->tail_count, next->head, next->head_count);
    uint32_t character;
    if (count->tail_count == 0) {
        return false;
    }
    count->tail_count = 0;
    if (count_length(bytes[0]) > length) {
        if (is_all_head(next)) {
            memcpy(count->tail, bytes, length);
            count->tail_count = (uint8_t)length;
            return true;
        }
    } else if (count_decode(kernel_count_locale(), bytes, &character)) {
        add_class(count, kernel_count_class(character));
    }
    return false;
}

static void join_head(kernel_count_t *count, const kernel_count_t *next) {
    if (is_all_head(count)) {
        size_t room = KERNEL_CUT_MAX - (size_t)count->head_count;
        size_t more = next->head_count < room ? next->head_count : room;
        memcpy(count->head + count->head_count, next->head, more);
        count->head_count = (uint8_t)(count->head_count + more);
    }
}

/* ---- joining ------------------------------------------------------------ */

static void join_words(kernel_count_t *count, const kernel_count_t *next) {
    bool ends_word =
        count->is_in_word && next->has_separator && !next->opens_word;
    count->words += next->words + ends_word;
    count->is_in_word =
        next->is_in_word || (count->is_in_word && !next->has_separator);
    count->opens_word =
        count->opens_word || (!count->has_separator && next->opens_word);
    count->has_separator = count->has_separator || next->has_separator;
}

/* The width of a line of this width that continues as the first line of
   `next`. */
static uint64_t continued_width(uint64_t width, const kernel_count_t *next,
                                uint64_t rest) {
    return next->has_tab ? ((width + next->before_tab) / 8 + 1) * 8 + rest
                         : width + rest;
}

static void join_widths(kernel_count_t *count, const kernel_count_t *next) {
    uint64_t rest = next->has_end ? next->first_width : next->width;
    if (!count->has_end && !count->has_tab && next->has_tab) {
        count->has_tab = true;
        count->before_tab = count->width + next->before_tab;
        count->width = rest;
    } else {
        count->width = continued_width(count->width, next, rest);
    }
    if (next->has_end) {
        count_end_of_line(count);
        count->width = next->width;
        if (next->longest > count->longest) {
            count->longest = next->longest;
        }
    }
}

void kernel_count_join(kernel_count_t *count, kernel_charset_t charset,
                       const kernel_count_t *next) {
    if (charset == KERNEL_CHARSET_UTF8) {
        bool is_cut = join_cut(count, next);
        join_head(count, next);
        if (!is_cut) {
            memcpy(count->tail, next->tail, sizeof count->tail);
            count->tail_count = next->tail_count;
        }
    }
    join_words(count, next);
    join_widths(count, next);
    count->bytes += next->bytes;
    count->lines += next->lines;
    count->characters += next->characters;
}

/* ---- counting ----------------------------------------------------------- */

/* Counts the characters that mbrtowc decodes, one by one. */
static void add_others(kernel_count_t *count, const char *bytes,
                       size_t length) {
    mbstate_t state;
    _Static_assert(sizeof state <= sizeof count->shift, "room for the state");
    memcpy(&state, count->shift, sizeof state);
    while (length > 0) {
        wchar_t character = 0;
        size_t taken = mbrtowc(&character, bytes, length, &state);
        if (taken == (size_t)-2) {
            break;
        }
        if (taken == (size_t)-1) {
            memset(&state, 0, sizeof state);
            taken = 1;
        } else {
            taken += taken == 0;
            add_character(count, (uint32_t)character);
        }
        bytes += taken;
        length -= taken;
    }
    memcpy(count->shift, &state, sizeof state);
}

static void add(kernel_count_t *count, kernel_charset_t charset, unsigned what,
                const void *bytes, size_t length,
                kernel_count_blocks_t *blocks) {
    if (charset == KERNEL_CHARSET_OTHER) {
        add_others(count, bytes, length);
        count->bytes += length;
        return;
    }
    kernel_count_t piece = {0};
    blocks(&piece, charset, what, bytes, length);
    piece.bytes = length;
    if (charset == KERNEL_CHARSET_UTF8) {
        keep_cut(&piece, bytes, length);
    }
    kernel_count_join(count, charset, &piece);
}

bool kernel_count_has_avx2(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi");
#else
    return false;
#endif
}

void kernel_count_add(kernel_count_t *count, kernel_charset_t charset,
                      unsigned what, const void *bytes, size_t length) {
#if defined(__x86_64__)
    if (kernel_count_has_avx2()) {
        add(count, charset, what, bytes, length, kernel_count_blocks_avx2);
        return;
    }
#endif
    add(count, charset, what, bytes, length, kernel_count_blocks_plain);
}

void kernel_count_add_plain(kernel_count_t *count, kernel_charset_t charset,
                            unsigned what, const void *bytes, size_t length) {
    add(count, charset, what, bytes, length, kernel_count_blocks_plain);
}

/* ---- results ------------------------------------------------------------ */

uint64_t kernel_count_words(const kernel_count_t *count) {
    return count->words + count->is_in_word;
}

uint64_t kernel_count_longest(const kernel_count_t *count) {
    kernel_count_t whole = {0};
    kernel_count_t end = {.has_end = true};
    join_widths(&whole, &end); /* begins the first line */
    join_widths(&whole, count);
    join_widths(&whole, &end);
    return whole.longest;
}
