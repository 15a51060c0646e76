/*
 * json.c: JSON text, through a buffer, to a descriptor or into memory.
 *
 * DESIGN. A label may be any bytes: each that is not part of a character
 * becomes U+FFFD. Characters that a terminal may obey are escaped.
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
    weir__json_put(json, text,
                   count < (int)sizeof text ? (size_t)count : sizeof text - 1);
}

/* The controls are below U+10000. */
static void put_escape(struct weir__json *json, uint32_t character) {
    char text[8];
    int count = snprintf(text, sizeof text, "\\u%04x", character & 0xffffu);
    weir__json_put(json, text, (size_t)count);
}

void weir__json_put_text(struct weir__json *json, const char *text) {
    while (*text) {
        size_t count;
        uint32_t character = weir__text_decode(text, &count);
        if (count == 0) {
            put_escape(json, 0xfffd);
        } else if (weir__text_is_control(character)) {
            put_escape(json, character);
        } else if (*text == '"' || *text == '\\') {
            weir__json_put(json, "\\", 1);
            weir__json_put(json, text, 1);
        } else {
            weir__json_put(json, text, count);
        }
        text += count == 0 ? 1 : count;
    }
}
