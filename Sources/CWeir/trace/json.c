/*
 * json.c: JSON text, through a buffer, to a descriptor or into memory.
 *
 * DESIGN. A label may be any bytes, but JSON is UTF-8: each byte that is not
 * part of a character becomes U+FFFD. Characters that a terminal may obey are
 * escaped: people read traces there too.
 */
#include "trace/json.h"
#include "base/text.h"

#include <stdio.h>
#include <unistd.h>

static void flush_to_memory(struct weir__json *json) {
    char *room = weir__bytes_reserve(json->memory, json->used);
    if (room) {
        memcpy(room, json->bytes, json->used);
        json->memory->used += json->used;
    } else {
        json->error = ENOMEM;
    }
    json->used = 0;
}

void weir__json_flush(struct weir__json *json) {
    if (json->memory) {
        flush_to_memory(json);
        return;
    }
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

/* All of them are below U+10000. */
static void put_escape(struct weir__json *json, const char *character,
                       size_t length) {
    const unsigned char *bytes = (const unsigned char *)character;
    unsigned value = length == 1 ? bytes[0]
                     : length == 2
                         ? (bytes[0] & 0x1fu) << 6 | (bytes[1] & 0x3fu)
                         : (bytes[0] & 0xfu) << 12 | (bytes[1] & 0x3fu) << 6 |
                               (bytes[2] & 0x3fu);
    char text[8];
    int count = snprintf(text, sizeof text, "\\u%04x", value & 0xffffu);
    weir__json_put(json, text, (size_t)count);
}

void weir__json_put_text(struct weir__json *json, const char *string) {
    const char *text = string;
    while (*text) {
        size_t count = weir__text_length(text);
        if (count == 0) {
            weir__json_put(json, "\\ufffd", 6);
        } else if (weir__text_is_control(text, count)) {
            put_escape(json, text, count);
        } else if (*text == '"' || *text == '\\') {
            weir__json_put(json, "\\", 1);
            weir__json_put(json, text, 1);
        } else {
            weir__json_put(json, text, count);
        }
        text += count == 0 ? 1 : count;
    }
}
