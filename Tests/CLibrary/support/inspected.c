/* inspected.c: reads what inspections and the watch write. */
#include "inspected.h"
#include "check.h"
#include <regex.h>
#include <unistd.h>

char *read_state(int descriptor, char text[TEXT_SIZE]) {
    ssize_t size = read(descriptor, text, TEXT_SIZE - 1);
    text[size < 0 ? 0 : size] = 0;
    close(descriptor);
    return text;
}

void read_until(int descriptor, const char *words, char text[TEXT_SIZE]) {
    size_t size = 0;
    text[0] = 0;
    while (strstr(text, words) == NULL && size < TEXT_SIZE - 1) {
        ssize_t got = read(descriptor, text + size, TEXT_SIZE - 1 - size);
        REQUIRE(got > 0);
        text[size += (size_t)got] = 0;
    }
}

void check_inspected(const char *text, const char *pattern) {
    char expression[4096] = "^", *end = expression + 1;
    regex_t compiled;
    for (; *pattern != 0; pattern++) {
        if (strncmp(pattern, "TIME", 4) == 0) {
            end = stpcpy(end, "[0-9]+\\.[0-9]{3} s");
            pattern += 3;
        } else if (*pattern == '#') {
            end = stpcpy(end, "[0-9]+");
        } else if (*pattern == '@') {
            end = stpcpy(end, "weir: watch: ");
        } else if (*pattern == '.') {
            end = stpcpy(end, "[^\n]");
        } else if (*pattern == '\\') {
            *end++ = *pattern++;
            *end++ = *pattern;
        } else {
            *end++ = *pattern;
        }
    }
    strcpy(end, "$");
    REQUIRE(regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) == 0);
    CHECK(regexec(&compiled, text, 0, NULL, 0) == 0, "%s, not %s", text,
          expression);
    regfree(&compiled);
}
