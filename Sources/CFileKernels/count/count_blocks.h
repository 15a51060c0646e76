/*
 * count_blocks.h: counting by blocks of 64 bytes, for one set of instructions.
 * count.h has the design.
 *
 * The source file that includes this header chooses the instructions, and defines
 *
 *     block_t                       a block
 *     block_load(bytes)             loads 64 bytes
 *     block_equals(block, byte)     mask of the bytes that equal `byte`
 *     block_within(block, from, to) mask of those from `from` to `to`, both
 *                                   below 0x80
 *     block_high(block)             mask of those from 0x80 on
 *     block_from(block, byte)       mask of those from `byte` on; `byte` is at
 *                                   least 0x80
 *     count_newlines(bytes, length)
 *     KERNEL                        the name of the function
 *
 * There is no guard, because each source file needs functions of its own.
 */

#define INLINE static inline __attribute__((always_inline))

struct surroundings {
    const kernel_locale_t *locale;
    kernel_charset_t charset;
    unsigned what;
    bool has_high;
};

struct masks {
    uint64_t parts, separators; /* of words */
    uint64_t narrow, wide;
    unsigned characters; /* number of characters with several bytes */
};

INLINE void mark_class(struct masks *masks, unsigned class, unsigned place) {
    masks->parts |= (uint64_t)(class & CLASS_PART) << place;
    masks->separators |= (uint64_t)((class & CLASS_SEPARATOR) >> 1) << place;
    masks->narrow |= (uint64_t)((class & CLASS_NARROW) >> 2) << place;
    masks->wide |= (uint64_t)((class & CLASS_WIDE) >> 3) << place;
}

INLINE void add_bytes(struct masks *masks, const struct surroundings *around,
                      const unsigned char *bytes, uint64_t high) {
    for (; high; high &= high - 1) {
        unsigned place = (unsigned)__builtin_ctzll(high);
        mark_class(masks, around->locale->high[bytes[place] & 0x7F], place);
    }
}

/* The first bytes of characters of two, three and more bytes, as far as the
   kinds of the first four bytes decide. */
struct starts {
    uint64_t two, three, more;
    uint64_t doubtful; /* those that may begin no character after all */
};

INLINE struct starts starts_of(block_t block, const unsigned char *bytes) {
    uint64_t ahead = (uint64_t)count_continues(bytes[64]) |
                     (uint64_t)count_continues(bytes[65]) << 1 |
                     (uint64_t)count_continues(bytes[66]) << 2;
    uint64_t from_c0 = block_from(block, 0xC0);
    uint64_t from_c2 = block_from(block, 0xC2);
    uint64_t from_e0 = block_from(block, 0xE0);
    uint64_t from_f0 = block_from(block, 0xF0);
    uint64_t continues = block_high(block) & ~from_c0;
    uint64_t second = continues >> 1 | ahead << 63;
    uint64_t third = continues >> 2 | ahead << 62;
    uint64_t fourth = continues >> 3 | ahead << 61;
    struct starts starts = {
        .two = from_c2 & ~from_e0 & second,
        .three = from_e0 & ~from_f0 & second & third,
        .more = from_f0 & second & third & fourth,
    };
    uint64_t e0 = from_e0 & ~block_from(block, 0xE1);
    uint64_t ed = block_from(block, 0xED) & ~block_from(block, 0xEE);
    starts.doubtful = (starts.three & (e0 | ed)) | starts.more;
    return starts;
}

INLINE void add_each(struct masks *masks, const struct surroundings *around,
                     const unsigned char *bytes, uint64_t starts) {
    for (; starts; starts &= starts - 1) {
        unsigned place = (unsigned)__builtin_ctzll(starts);
        uint32_t character;
        if (count_decode(around->locale, bytes + place, &character)) {
            masks->characters++;
            mark_class(masks, kernel_count_class(character), place);
        }
    }
}

/* Adds characters of two bytes, which are characters for certain. */
INLINE void add_pairs(struct masks *masks, const unsigned char *bytes,
                      uint64_t starts) {
    masks->characters += (unsigned)__builtin_popcountll(starts);
    for (; starts; starts &= starts - 1) {
        unsigned place = (unsigned)__builtin_ctzll(starts);
        uint32_t character =
            (bytes[place] & 0x1FU) << 6 | (bytes[place + 1] & 0x3FU);
        mark_class(masks, kernel_count_class(character), place);
    }
}

INLINE void add_characters(struct masks *masks,
                           const struct surroundings *around, block_t block,
                           const unsigned char *bytes) {
    struct starts starts = starts_of(block, bytes);
    if (around->what & (KERNEL_COUNT_WORDS | KERNEL_COUNT_LONGEST)) {
        add_pairs(masks, bytes, starts.two);
        add_each(masks, around, bytes, starts.three | starts.more);
    } else {
        uint64_t certain = starts.two | (starts.three & ~starts.doubtful);
        masks->characters += (unsigned)__builtin_popcountll(certain);
        add_each(masks, around, bytes, starts.doubtful);
    }
}

INLINE void count_words(kernel_count_t *count, const struct masks *masks) {
    uint64_t separators = masks->separators, parts = masks->parts;
    if (!count->has_separator) {
        uint64_t before = separators ? (separators & -separators) - 1 : ~0ULL;
        count->opens_word = count->opens_word || (parts & before) != 0;
        count->has_separator = separators != 0;
    }
    uint64_t sum = ~separators + parts;
    bool overflows = sum < parts;
    sum += count->is_in_word;
    overflows = overflows || (count->is_in_word && sum == 0);
    count->words += (unsigned)__builtin_popcountll(sum & separators);
    count->is_in_word = overflows;
}

INLINE unsigned width_of(const struct masks *masks, uint64_t range) {
    return (unsigned)__builtin_popcountll(masks->narrow & range) +
           2 * (unsigned)__builtin_popcountll(masks->wide & range);
}

INLINE void count_widths(kernel_count_t *count, const struct masks *masks,
                         uint64_t ends, uint64_t tabs) {
    uint64_t rest = ~0ULL; /* not counted yet */
    for (uint64_t events = ends | tabs; events; events &= events - 1) {
        uint64_t event = events & -events;
        count->width += width_of(masks, rest & (event - 1));
        rest = ~(event - 1) & ~event;
        if (event & tabs) {
            count_tab(count);
        } else {
            count_end_of_line(count);
        }
    }
    count->width += width_of(masks, rest);
}

/* Counts a block. The bytes in `valid` are text, the others NUL. */
INLINE void count_block(kernel_count_t *count,
                        const struct surroundings *around,
                        const unsigned char *bytes, uint64_t valid) {
    block_t block = block_load(bytes);
    uint64_t newlines = block_equals(block, '\n');
    count->lines += (unsigned)__builtin_popcountll(newlines);
    struct masks masks = {0};
    if (around->what & (KERNEL_COUNT_WORDS | KERNEL_COUNT_LONGEST)) {
        masks.parts = block_within(block, 0x21, 0x7E);
        uint64_t blanks = block_equals(block, ' ');
        masks.separators = blanks | block_within(block, '\t', '\r');
        masks.narrow = masks.parts | blanks;
    }
    uint64_t high = around->has_high ? block_high(block) : 0;
    if (__builtin_expect(high == 0, 1)) {
        /* nothing but ASCII */
    } else if (around->charset == KERNEL_CHARSET_UTF8) {
        add_characters(&masks, around, block, bytes);
    } else {
        add_bytes(&masks, around, bytes, high);
    }
    if (around->what & KERNEL_COUNT_CHARACTERS) {
        count->characters +=
            (unsigned)__builtin_popcountll(~high & valid) + masks.characters;
    }
    if (around->what & KERNEL_COUNT_WORDS) {
        count_words(count, &masks);
    }
    if (around->what & KERNEL_COUNT_LONGEST) {
        uint64_t ends = newlines | block_within(block, '\f', '\r');
        count_widths(count, &masks, ends, block_equals(block, '\t'));
    }
}

/* The bytes read after a block: the rest of its last character. */
#define LOOKAHEAD KERNEL_CUT_MAX

INLINE void count_all(kernel_count_t *count, const struct surroundings *around,
                      const unsigned char *bytes, size_t length) {
    kernel_count_t sum = *count; /* in registers, as far as possible */
    for (; length >= 64 + LOOKAHEAD; bytes += 64, length -= 64) {
        count_block(&sum, around, bytes, ~0ULL);
    }
    unsigned char rest[128 + LOOKAHEAD] = {0};
    memcpy(rest, bytes, length);
    if (length >= 64) {
        count_block(&sum, around, rest, ~0ULL);
        length -= 64;
        memmove(rest, rest + 64, 64);
        memset(rest + 64, 0, 64);
    }
    if (length > 0) {
        count_block(&sum, around, rest, ((uint64_t)1 << length) - 1);
    }
    *count = sum;
}

/* A specialized loop for each frequent request. */
#define SPECIALIZE(name, charset, what, has_high)                              \
    static void name(kernel_count_t *count, const kernel_locale_t *locale,     \
                     const unsigned char *bytes, size_t length) {              \
        const struct surroundings around = {locale, charset, what, has_high};  \
        count_all(count, &around, bytes, length);                              \
    }

#define ALL                                                                    \
    (KERNEL_COUNT_WORDS | KERNEL_COUNT_CHARACTERS | KERNEL_COUNT_LONGEST)

SPECIALIZE(words_of_ascii, KERNEL_CHARSET_BYTES, KERNEL_COUNT_WORDS, false)
SPECIALIZE(words_of_bytes, KERNEL_CHARSET_BYTES, KERNEL_COUNT_WORDS, true)
SPECIALIZE(all_of_bytes, KERNEL_CHARSET_BYTES,
           KERNEL_COUNT_WORDS | KERNEL_COUNT_LONGEST, true)
SPECIALIZE(characters, KERNEL_CHARSET_UTF8, KERNEL_COUNT_CHARACTERS, true)
SPECIALIZE(words, KERNEL_CHARSET_UTF8, KERNEL_COUNT_WORDS, true)
SPECIALIZE(words_and_characters, KERNEL_CHARSET_UTF8,
           KERNEL_COUNT_WORDS | KERNEL_COUNT_CHARACTERS, true)
SPECIALIZE(all, KERNEL_CHARSET_UTF8, ALL, true)

void KERNEL(kernel_count_t *count, kernel_charset_t charset, unsigned what,
            const unsigned char *bytes, size_t length) {
    const kernel_locale_t *locale = kernel_count_locale();
    bool is_utf8 = charset == KERNEL_CHARSET_UTF8;
    if (what & KERNEL_COUNT_LONGEST) {
        (is_utf8 ? all : all_of_bytes)(count, locale, bytes, length);
    } else if (!is_utf8 && (what & KERNEL_COUNT_WORDS)) {
        (locale->has_high ? words_of_bytes : words_of_ascii)(count, locale,
                                                             bytes, length);
    } else if (what & KERNEL_COUNT_WORDS) {
        (what & KERNEL_COUNT_CHARACTERS ? words_and_characters
                                        : words)(count, locale, bytes, length);
    } else if (is_utf8 && (what & KERNEL_COUNT_CHARACTERS)) {
        characters(count, locale, bytes, length);
    } else if (what & KERNEL_COUNT_LINES) {
        count->lines += count_newlines(bytes, length);
    }
}
