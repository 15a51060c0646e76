/* json.c: a strict parser of JSON that keeps nothing. */
#include "json.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_size(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned char first = bytes[0];
    if (first < 0x80 || first < 0xC2 || first > 0xF4) {
        return first < 0x80;
    }
    size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    for (size_t index = 1; index < size; index++) {
        if (bytes[index] < low || bytes[index] > high) {
            return 0;
        }
        low = 0x80, high = 0xBF;
    }
    return size;
}

static _Thread_local const char *at;

static bool take(const char *text) {
    size_t size = strlen(text);
    bool is_there = strncmp(at, text, size) == 0;
    at += is_there ? size : 0;
    return is_there;
}

static size_t skip(const char *characters) {
    size_t size = strspn(at, characters);
    at += size;
    return size;
}

static size_t escape_size(const char *text) {
    if (text[1] == 'u') {
        return strspn(text + 2, "0123456789abcdefABCDEF") >= 4 ? 6 : 0;
    }
    return text[1] != 0 && strchr("\"\\/bfnrt", text[1]) != NULL ? 2 : 0;
}

static bool take_string(void) {
    if (!take("\"")) {
        return false;
    }
    while (*at != '"') {
        size_t size = *at == '\\'                ? escape_size(at)
                      : (unsigned char)*at < ' ' ? 0
                                                 : utf8_size(at);
        if (size == 0) {
            return false;
        }
        at += size;
    }
    return take("\"");
}

static bool take_number(void) {
    static const char digits[] = "0123456789";
    take("-");
    if ((!take("0") && skip(digits) == 0) || (take(".") && skip(digits) == 0)) {
        return false;
    }
    if (take("e") || take("E")) {
        (void)(take("+") || take("-"));
        return skip(digits) > 0;
    }
    return true;
}

static bool take_value(void);

static bool take_members(bool are_named, const char *close) {
    skip(" \t\r\n");
    if (take(close)) {
        return true;
    }
    do {
        skip(" \t\r\n");
        if (are_named && (!take_string() || (skip(" \t\r\n"), !take(":")))) {
            return false;
        }
        if (!take_value()) {
            return false;
        }
    } while (take(","));
    return take(close);
}

static bool take_value(void) {
    skip(" \t\r\n");
    bool is_right = take("{")    ? take_members(true, "}")
                    : take("[")  ? take_members(false, "]")
                    : *at == '"' ? take_string()
                                 : take("null") || take("true") ||
                                       take("false") || take_number();
    skip(" \t\r\n");
    return is_right;
}

bool json_is_valid(const char *text) {
    at = text;
    return take_value() && *at == 0;
}

/* No string contains the quoted name and a colon: its quotes are escaped. */
const char *json_at(const char *object, const char *name) {
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", name);
    const char *found = strstr(object, quoted);
    return found == NULL ? NULL : found + strlen(quoted);
}

double json_number(const char *object, const char *name) {
    const char *number = json_at(object, name);
    return number == NULL || strchr("-0123456789", *number) == NULL
               ? -1
               : strtod(number, NULL);
}

bool json_is(const char *object, const char *name, const char *string) {
    const char *text = json_at(object, name);
    char decoded[512], *end = decoded;
    if (text == NULL || *text++ != '"') {
        return false;
    }
    while (*text != '"' && end < decoded + sizeof decoded - 4) {
        unsigned character = (unsigned char)*text++;
        if (character == '\\' && (character = (unsigned char)*text++) == 'u') {
            sscanf(text, "%4x", &character);
            text += 4;
            if (character >= 0x800) {
                *end++ = (char)(0xE0 | character >> 12);
                *end++ = (char)(0x80 | (character >> 6 & 0x3F));
                character = 0x80 | (character & 0x3F);
            } else if (character >= 0x80) {
                *end++ = (char)(0xC0 | character >> 6);
                character = 0x80 | (character & 0x3F);
            }
        }
        *end++ = (char)character;
    }
    *end = 0;
    return *text == '"' && strcmp(decoded, string) == 0;
}
