/*
 * json.c: JSON text, through a buffer, to a descriptor.
 *
 * DESIGN. A label may be any bytes, but JSON is UTF-8: each byte that is not
 * part of a character becomes U+FFFD.
 */
#include "trace/json.h"

#include <stdio.h>
#include <unistd.h>

void weir__json_flush(struct weir__json *json) {
    size_t done = 0;
    while (done < json->used && json->error == 0) {
        ssize_t written =
            write(json->descriptor, json->bytes + done, json->used - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0) {
            json->error = EIO; /* or it would be tried forever */
        } else if (errno != EINTR) {
            json->error = errno;
        }
    }
    json->used = 0;
}

void weir__json_put(struct weir__json *json, const char *bytes, size_t count) {
    if (count > sizeof json->bytes - json->used) {
        weir__json_flush(json);
    }
    while (count > sizeof json->bytes) { /* a very long label */
        memcpy(json->bytes, bytes, sizeof json->bytes);
        json->used = sizeof json->bytes;
        bytes += sizeof json->bytes;
        count -= sizeof json->bytes;
        weir__json_flush(json);
    }
    memcpy(json->bytes + json->used, bytes, count);
    json->used += count;
}

void weir__json_print(struct weir__json *json, const char *format,
                      va_list arguments) {
    char text[256];
    int count = vsnprintf(text, sizeof text, format, arguments);
    weir__json_put(json, text, (size_t)count);
}

/* Returns the length of the UTF-8 character at `text`, or 0 if there is none:
   truncated, overlong, a surrogate, or beyond U+10FFFF. */
static size_t utf8_length(const unsigned char *text) {
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0},
                 {0xe0, 0xc0, 0x80},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};
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
        return is_one ? more + 1 : 0;
    }
    return 0;
}

static void put_escape(struct weir__json *json, unsigned char byte) {
    char text[8];
    int count = snprintf(text, sizeof text, "\\u%04x", (unsigned)byte);
    weir__json_put(json, text, (size_t)count);
}

void weir__json_put_text(struct weir__json *json, const char *string) {
    const unsigned char *text = (const unsigned char *)string;
    while (*text) {
        size_t count = utf8_length(text);
        if (count == 0) {
            weir__json_put(json, "\\ufffd", 6);
        } else if (*text < 0x20 || *text == 0x7f) {
            put_escape(json, *text);
        } else if (*text == '"' || *text == '\\') {
            weir__json_put(json, "\\", 1);
            weir__json_put(json, (const char *)text, 1);
        } else {
            weir__json_put(json, (const char *)text, count);
        }
        text += count == 0 ? 1 : count;
    }
}
