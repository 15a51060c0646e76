/*
 * text.c: the counters of text and digits, and the JSON text of labels.
 *
 * An input is two numbers and a text, which is cut in three at these. The vector
 * code, the plain code, the joined counts of the pieces and a second counter
 * agree.
 */
#include "fuzzers.h"

#include <locale.h>
#include <wchar.h>
#include <wctype.h>

#include <kernel_count.h>
#include <kernel_digest.h>

#include "trace/json.h"

#define ALL                                                                    \
    (KERNEL_COUNT_LINES | KERNEL_COUNT_WORDS | KERNEL_COUNT_CHARACTERS |       \
     KERNEL_COUNT_LONGEST)

/* Checks that two counts have the same values, of those that are counted. */
static void expect_same(const kernel_count_t *one, const kernel_count_t *other,
                        unsigned counted, const char *what) {
    EXPECT(one->bytes == other->bytes, "%s: bytes", what);
    EXPECT(!(counted & KERNEL_COUNT_LINES) || one->lines == other->lines,
           "%s: lines", what);
    EXPECT(!(counted & KERNEL_COUNT_CHARACTERS) ||
               one->characters == other->characters,
           "%s: characters %zu, %zu", what, (size_t)one->characters,
           (size_t)other->characters);
    EXPECT(!(counted & KERNEL_COUNT_WORDS) ||
               kernel_count_words(one) == kernel_count_words(other),
           "%s: words %zu, %zu", what, (size_t)kernel_count_words(one),
           (size_t)kernel_count_words(other));
    EXPECT(!(counted & KERNEL_COUNT_LONGEST) ||
               kernel_count_longest(one) == kernel_count_longest(other),
           "%s: longest %zu, %zu", what, (size_t)kernel_count_longest(one),
           (size_t)kernel_count_longest(other));
}

/* ---- the second counter ---------------------------------------------------- */

/* Counts the characters and lines as wc of coreutils does: mbrtowc, and a byte
   that begins no character is skipped. */
static void expect_counted(const kernel_count_t *count, const uint8_t *bytes,
                           size_t length) {
    uint64_t characters = 0, lines = 0;
    mbstate_t state = {0};
    for (size_t at = 0; at < length;) {
        wchar_t character;
        size_t used =
            mbrtowc(&character, (const char *)bytes + at, length - at, &state);
        if (used == (size_t)-2) {
            break;
        }
        if (used == (size_t)-1) {
            state = (mbstate_t){0};
            at++;
            continue;
        }
        characters++;
        at += used ? used : 1;
    }
    for (size_t at = 0; at < length; at++) {
        lines += bytes[at] == '\n';
    }
    EXPECT(count->characters == characters, "characters %zu, wc %zu",
           (size_t)count->characters, (size_t)characters);
    EXPECT(count->lines == lines, "lines %zu, wc %zu", (size_t)count->lines,
           (size_t)lines);
}

/* Each choice of values has those of all, with vectors and without. */
static void check_choices(const kernel_count_t *whole, kernel_charset_t charset,
                          const uint8_t *bytes, size_t count) {
    for (unsigned counted = 1; counted <= ALL; counted++) {
        kernel_count_t some = {0}, plain = {0};
        kernel_count_add(&some, charset, counted, bytes, count);
        kernel_count_add_plain(&plain, charset, counted, bytes, count);
        expect_same(&some, whole, counted, "some values");
        expect_same(&plain, whole, counted, "plain");
    }
}

/* The counts of single bytes are joined in both directions. */
static void check_bytes(const kernel_count_t *whole, kernel_charset_t charset,
                        const uint8_t *bytes, size_t count) {
    kernel_count_t forward = {0}, backward = {0};
    for (size_t i = 0; i < count; i++) {
        kernel_count_t first = {0}, last = {0};
        kernel_count_add(&last, charset, ALL, bytes + i, 1);
        kernel_count_join(&forward, charset, &last);
        kernel_count_add(&first, charset, ALL, bytes + count - 1 - i, 1);
        kernel_count_join(&first, charset, &backward);
        backward = first;
    }
    expect_same(&forward, whole, ALL, "bytes");
    expect_same(&backward, whole, ALL, "bytes, backward");
}

static void check_pieces(const kernel_count_t *whole, kernel_charset_t charset,
                         const uint8_t *bytes, const size_t cuts[4]) {
    kernel_count_t added = {0}, joined = {0};
    for (size_t i = 0; i < 3; i++) {
        kernel_count_t piece = {0};
        const uint8_t *at = bytes + cuts[i];
        size_t length = cuts[i + 1] - cuts[i];
        kernel_count_add(&added, charset, ALL, at, length);
        kernel_count_add(&piece, charset, ALL, at, length);
        kernel_count_join(&joined, charset, &piece);
    }
    expect_same(&added, whole, ALL, "pieces");
    expect_same(&joined, whole, ALL, "joined");
}

static void check_counts(const uint8_t *bytes, size_t count, size_t first,
                         size_t second, kernel_charset_t charset) {
    const size_t cuts[] = {0, first, second, count};
    kernel_count_t whole = {0};
    kernel_count_add(&whole, charset, ALL, bytes, count);
    check_pieces(&whole, charset, bytes, cuts);
    check_choices(&whole, charset, bytes, count);
    if (count <= 1024) {
        check_bytes(&whole, charset, bytes, count);
    }
    if (charset == KERNEL_CHARSET_UTF8) {
        kernel_count_t other = {0};
        kernel_count_add(&other, KERNEL_CHARSET_OTHER, ALL, bytes, count);
        expect_same(&other, &whole, ALL, "decoded by libc");
        expect_counted(&whole, bytes, count);
    }
}

/* Counts a copy at another alignment, with other bytes around it. */
static void check_aligned(const uint8_t *bytes, size_t count, size_t first,
                          size_t second) {
    size_t offset = count * 7 % 65;
    uint8_t *room = aligned_alloc(64, (count + offset + 128) / 64 * 64);
    memset(room, 'x', (count + offset + 128) / 64 * 64);
    memcpy(room + offset, bytes, count);
    check_counts(room + offset, count, first, second, KERNEL_CHARSET_UTF8);
    check_counts(room + offset, count, first, second, KERNEL_CHARSET_BYTES);
    free(room);
}

/* ---- digits ---------------------------------------------------------------- */

static void check_digits(const uint8_t *bytes, size_t count) {
    size_t digits = 0, lower = 0;
    while (digits < count && bytes[digits] &&
           strchr("0123456789abcdefABCDEF", bytes[digits])) {
        digits++;
    }
    while (lower < count && bytes[lower] &&
           strchr("0123456789abcdef", bytes[lower])) {
        lower++;
    }
    EXPECT(kernel_digit_count(bytes, count) == digits, "digits");
    EXPECT(kernel_lower_digit_count(bytes, count) == lower, "lower digits");
    size_t half = lower / 2;
    unsigned char *decoded = malloc(half + 1);
    char *again = malloc(half * 2 + 1);
    kernel_bytes(decoded, bytes, half);
    kernel_hexadecimal(again, decoded, half);
    EXPECT(memcmp(again, bytes, half * 2) == 0, "digits differ");
    free(decoded);
    free(again);
}

/* ---- JSON ------------------------------------------------------------------ */

static void check_json(const uint8_t *bytes, size_t count) {
    struct weir__json *json = calloc(1, sizeof *json);
    char *text = malloc(count + 1);
    memcpy(text, bytes, count);
    text[count] = '\0';
    if (strlen(text) * 6 < sizeof json->bytes) {
        weir__json_put_text(json, text);
        mbstate_t state = {0};
        for (size_t at = 0; at < json->used;) {
            unsigned char byte = (unsigned char)json->bytes[at];
            EXPECT(byte >= ' ' && byte != 127, "a control byte");
            if (byte == '\\') {
                at++;
                bool is_short = strchr("\\\"", json->bytes[at]);
                EXPECT(is_short || json->bytes[at] == 'u', "an escape");
                at += is_short ? 1 : 5;
                EXPECT(at <= json->used, "an escape is cut");
                continue;
            }
            EXPECT(byte != '"', "a quote");
            size_t used =
                mbrtowc(NULL, json->bytes + at, json->used - at, &state);
            EXPECT(used > 0 && used <= 6, "not UTF-8");
            at += used;
        }
    }
    free(text);
    free(json);
}

void fuzz_text(const uint8_t *bytes, size_t count) {
    static bool is_ready;
    if (!is_ready && !setlocale(LC_CTYPE, "C.UTF-8")) {
        fputs("no locale C.UTF-8\n", stderr);
        _Exit(2);
    }
    is_ready = true;
    struct input input = {bytes, count};
    size_t first = take_byte(&input), second = first + take_byte(&input);
    second = second < input.count ? second : input.count;
    first = first < second ? first : second;
    check_counts(input.at, input.count, first, second, KERNEL_CHARSET_UTF8);
    check_aligned(input.at, input.count, first, second);
    check_digits(input.at, input.count);
    check_json(input.at, input.count);
}
