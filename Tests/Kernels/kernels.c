/*
 * kernels.c: prints digests, sums and counts of pieces of many lengths, for
 * support/test-aarch64.sh. The vector instructions that a processor lacks have
 * other code in their place, which has to give the same lines.
 */
#include "kernel_blake3.h"
#include "kernel_count.h"
#include "kernel_sum.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>

enum { LONGEST = 70000 };

static unsigned char bytes[LONGEST];

/* Text with blanks, newlines, tabs and characters of two to four bytes. */
static void fill(void) {
    static const char words[] =
        "word  two\n\ttab \xc3\xa9t\xc3\xa9 \xe6\xbc\xa2"
        "\xe5\xad\x97 \xf0\x9f\x98\x80\r\n\xff\x80 ";
    uint32_t random = 1;
    for (size_t i = 0; i < LONGEST; i++) {
        random = random * 1664525 + 1013904223;
        bytes[i] = random >> 29 == 0 ? (unsigned char)(random >> 20)
                                     : (unsigned char)words[i % sizeof words];
    }
}

static void print_blake3(size_t length) {
    kernel_blake3_t hasher;
    unsigned char digest[KERNEL_BLAKE3_LENGTH];
    for (size_t width = 0; width < kernel_blake3_width_count(); width++) {
        kernel_blake3_set_width(width);
        kernel_blake3_begin(&hasher);
        kernel_blake3_update(&hasher, bytes, length);
        kernel_blake3_finish(&hasher, digest);
        printf("%zu blake3 ", length);
        for (size_t i = 0; i < sizeof digest; i++) {
            printf("%02x", digest[i]);
        }
        putchar('\n');
    }
}

static void print_sums(size_t length) {
    for (int kind = KERNEL_SUM_BSD; kind <= KERNEL_SUM_CRC; kind++) {
        kernel_sum_t sum = {0};
        kernel_sum_add(&sum, (kernel_sum_kind_t)kind, bytes, length);
        printf("%zu sum %d %" PRIu32 "\n", length, kind,
               kernel_sum_value(&sum, (kernel_sum_kind_t)kind));
    }
}

static void print_counts(size_t length) {
    static const unsigned all = KERNEL_COUNT_LINES | KERNEL_COUNT_WORDS |
                                KERNEL_COUNT_CHARACTERS | KERNEL_COUNT_LONGEST;
    for (unsigned what = 0; what <= all; what++) {
        kernel_count_t count = {0};
        kernel_count_add(&count, kernel_charset(), what, bytes, length);
        printf("%zu count %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               length, what, count.lines, count.characters,
               kernel_count_words(&count), kernel_count_longest(&count));
    }
}

int main(int count, char *arguments[]) {
    setlocale(LC_ALL, count > 1 ? arguments[1] : "C");
    fill();
    for (size_t length = 0; length <= LONGEST; length += 1 + length / 16) {
        print_blake3(length);
        print_sums(length);
        print_counts(length);
    }
}
