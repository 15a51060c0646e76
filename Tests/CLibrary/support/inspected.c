/* inspected.c: reads what inspections and the watch write. */
#include "inspected.h"
#include "check.h"
#include "trace/inspection.h"
#include <regex.h>
#include <unistd.h>
#include <weir/spi.h>

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

char *inspect(char text[TEXT_SIZE]) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    CHECK_EQUAL(weir_inspect_write(ends[1]), 0);
    close(ends[1]);
    return read_state(ends[0], text);
}

void check_state(const char *pattern) {
    char text[TEXT_SIZE], expected[4096] = "weir: state of process #\n";
    check_inspected(inspect(text), strcat(expected, pattern));
}

uint64_t last_look;

char *look(uint64_t now) {
    static char text[TEXT_SIZE];
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const struct weir__look look = {
        .now = now, .last = last_look, .length = LENGTH};
    CHECK_EQUAL(weir__inspect_look(&look, ends[1]), 0);
    last_look = now;
    close(ends[1]);
    return read_state(ends[0], text);
}

uint64_t begin_looks(void) {
    uint64_t now = weir__nanoseconds();
    CHECK_TEXT(look(now), "");
    CHECK_TEXT(look(now + LENGTH / 2), "");
    return now;
}

void check_hang(const char *pattern) {
    char watched[4096] = "", *end = watched;
    const char *object = NULL;
    check_state(pattern);
    for (const char *line = pattern, *next; *line != 0; line = next) {
        int size = (int)strcspn(line, "\n");
        next = line + size + 1;
        if (line[0] != ' ') {
            object = line;
            end += *next == ' ' ? sprintf(end, "@%.*s; no progress for TIME\n",
                                          size, line)
                                : 0;
        } else {
            int name = (int)(strstr(object, "\": ") + 2 - object);
            end +=
                sprintf(end, "@%.*s%.*s\n", name, object, size - 1, line + 1);
        }
    }
    last_look = 0;
    check_inspected(look(begin_looks() + LENGTH), watched);
}
