/* text.c: foreign text in messages and in JSON. */
#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* Returns the character at `text`, and its length or 0. */
static uint32_t decode(const unsigned char *text, size_t *length) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0},
                 {0xe0, 0xc0, 0x80},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};
    *length = 0;
    for (size_t more = 0; more < 4; more++) {
        if ((text[0] & forms[more].mask) != forms[more].lead) {
            continue;
        }
        uint32_t value = text[0] & (unsigned char)~forms[more].mask;
        for (size_t i = 1; i <= more; i++) {
            if ((text[i] & 0xc0) != 0x80) {
                return 0;
            }
            value = value << 6 | (text[i] & 0x3f);
        }
        bool is_one = value >= forms[more].least && value <= 0x10ffff &&
                      (value < 0xd800 || value > 0xdfff);
        *length = is_one ? more + 1 : 0;
        return value;
    }
    return 0;
}

size_t weir__text_length(const char *text) {
    size_t length;
    decode((const unsigned char *)text, &length);
    return length;
}

bool weir__text_is_control(const char *text, size_t length) {
    size_t found;
    uint32_t value = decode((const unsigned char *)text, &found);
    return found == length &&
           (value < 0x20 || (value >= 0x7f && value < 0xa0) ||
            (value >= 0x2028 && value <= 0x202e) ||
            (value >= 0x2066 && value <= 0x2069));
}

void weir__text_show(char *text) {
    while (*text) {
        size_t length = weir__text_length(text);
        if (length == 0 || weir__text_is_control(text, length)) {
            length = length == 0 ? 1 : length;
            memset(text, '?', length);
        }
        text += length;
    }
}
