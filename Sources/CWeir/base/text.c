/* text.c: foreign text in messages and in JSON. */
#include "base/text.h"

#include <string.h>

uint32_t weir__text_decode(const char *string, size_t *length) {
    const unsigned char *text = (const unsigned char *)string;
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

bool weir__text_is_control(uint32_t character) {
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

void weir__text_show(char *text) {
    while (*text) {
        size_t length;
        uint32_t character = weir__text_decode(text, &length);
        if (length == 0 || weir__text_is_control(character)) {
            length = length == 0 ? 1 : length;
            memset(text, '?', length);
        }
        text += length;
    }
}
