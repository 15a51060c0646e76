/*
 * glob.c: patterns and filters of a walk, against fnmatch(3) and a second
 * matcher.
 *
 * An input is a pattern, a NUL and a path; a second NUL and more patterns are a
 * list of filters. The second matcher divides the pattern into elements, makes a
 * set of bytes of each, and fills a table of all prefixes of the path: it has no
 * place to return to, so it can have no mistake there.
 */
#include "fuzzers.h"

#include <fnmatch.h>

#include "walk/filter.h"
#include "walk/glob.h"

#define LENGTH_MAX 96

/* ---- the second matcher -------------------------------------------------- */

enum kind { BYTES, STAR, STARS, COMPONENTS };

struct element {
    enum kind kind;
    bool has[256];
};

static bool is_class(const char *at, const char *name, int byte) {
    /* The classes of the C locale, which the program runs in. */
    static const struct {
        const char *name;
        const char *bytes;
    } classes[] = {
        {"digit", "0123456789"},
        {"xdigit", "0123456789abcdefABCDEF"},
        {"lower", "abcdefghijklmnopqrstuvwxyz"},
        {"upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
        {"alpha", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"},
        {"alnum",
         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
        {"blank", " \t"},
        {"space", " \t\n\v\f\r"},
        {"punct", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"}};
    size_t length = (size_t)(name - at);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) == length &&
            strncmp(classes[i].name, at, length) == 0) {
            return byte != 0 && strchr(classes[i].bytes, byte);
        }
    }
    bool is_graph = byte > ' ' && byte < 127;
    return (length == 5 && strncmp(at, "graph", 5) == 0 && is_graph) ||
           (length == 5 && strncmp(at, "print", 5) == 0 &&
            (is_graph || byte == ' ')) ||
           (length == 5 && strncmp(at, "cntrl", 5) == 0 &&
            (byte < ' ' || byte == 127));
}

/* Reads a set after its bracket. Returns the pattern after it, or NULL if it
   does not end. */
static const char *read_set(const char *at, struct element *element) {
    bool is_negated = *at == '!' || *at == '^';
    at += is_negated;
    for (bool is_first = true; is_first || *at != ']'; is_first = false) {
        if (at[0] == '[' && at[1] == ':') {
            const char *end = at + 2;
            while (*end >= 'a' && *end <= 'z') {
                end++;
            }
            if (end[0] == ':' && end[1] == ']') {
                for (int byte = 0; byte < 256; byte++) {
                    element->has[byte] |= is_class(at + 2, end, byte);
                }
                at = end + 2;
                continue;
            }
        }
        at += *at == '\\';
        int low = (unsigned char)*at;
        if (low == 0) {
            return NULL;
        }
        int high = low;
        at++;
        if (at[0] == '-' && at[1] != ']' && at[1] != 0) {
            at++;
            at += *at == '\\';
            high = (unsigned char)*at;
            if (high == 0) {
                return NULL;
            }
            at++;
        }
        for (int byte = low; byte <= high; byte++) {
            element->has[byte] = true;
        }
    }
    for (int byte = 0; byte < 256; byte++) {
        element->has[byte] = element->has[byte] != is_negated;
    }
    element->has['/'] = false;
    return at + 1;
}

static size_t divide(const char *pattern, struct element *elements) {
    size_t count = 0;
    const char *at = pattern;
    while (*at) {
        struct element *element = &elements[count++];
        *element = (struct element){.kind = BYTES};
        if (*at == '*') {
            bool begins = at == pattern || at[-1] == '/';
            size_t stars = strspn(at, "*");
            at += stars;
            element->kind = stars == 1 ? STAR : STARS;
            if (stars > 1 && begins && *at == '/') {
                element->kind = COMPONENTS;
                at++;
            }
            continue;
        }
        if (*at == '?') {
            memset(element->has, true, sizeof element->has);
            element->has['/'] = false;
            at++;
            continue;
        }
        const char *rest = *at == '[' ? read_set(at + 1, element) : NULL;
        if (rest) {
            at = rest;
            continue;
        }
        memset(element->has, false, sizeof element->has);
        at += *at == '\\';
        element->has[(unsigned char)*at] = *at != 0; /* else nothing matches */
        at += *at != 0;
    }
    return count;
}

static bool matches(const char *pattern, const char *string) {
    struct element elements[LENGTH_MAX + 1];
    bool reached[2][LENGTH_MAX + 2] = {{true}};
    size_t count = divide(pattern, elements), length = strlen(string);
    for (size_t i = 0; i < count; i++) {
        const bool *before = reached[i % 2];
        bool *after = reached[(i + 1) % 2];
        const struct element *element = &elements[i];
        bool any = false; /* a star that began earlier can end here */
        for (size_t place = 0; place <= length; place++) {
            unsigned char last = place ? (unsigned char)string[place - 1] : 0;
            switch (element->kind) {
            case BYTES:
                after[place] = place && before[place - 1] && element->has[last];
                break;
            case STAR:
                any = (any && last != '/') || before[place];
                after[place] = any;
                break;
            case STARS:
                any = any || before[place];
                after[place] = any;
                break;
            case COMPONENTS:
                /* From a place, or from after a later slash. */
                after[place] = before[place] || (any && last == '/');
                any = any || before[place];
            }
        }
    }
    return reached[count % 2][length];
}

/* ---- fnmatch ------------------------------------------------------------- */

/* Returns true if Weir and fnmatch define a pattern alike. fnmatch has no **,
   and knows [. and [=. In it an invalid class, a set with a slash, an escape at
   the end and an unfinished range in an unfinished set have rules of their own;
   so has glibc for an escaped slash. */
static bool is_portable(const char *pattern) {
    static const char *const others[] = {"**", "[.", "[=", "[:", "\\/"};
    size_t length = strlen(pattern);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (strstr(pattern, others[i])) {
            return false;
        }
    }
    const char *bracket = strchr(pattern, '[');
    return !(length && strchr("\\-", pattern[length - 1])) &&
           !(bracket && strchr(bracket, '/')) &&
           !(bracket && strchr(bracket, '\\'));
}

/* ---- filters ------------------------------------------------------------- */

static void check_filters(struct input *input, const char *path) {
    weir_walk_filter_t given[4] = {{0}};
    size_t count = 0;
    for (; count < 4 && input->count > 0; count++) {
        given[count].include = take_byte(input) & 1;
        given[count].pattern = take_string(input);
    }
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    struct weir__filters *filters = weir__filters_create(given, count);
    bool takes_file = weir__filters_take(filters, path, name, false);
    bool takes_directory = weir__filters_take(filters, path, name, true);
    if (count == 1 && !given[0].include && given[0].pattern[0] &&
        strlen(name) <= LENGTH_MAX && !strchr(given[0].pattern, '/') &&
        strlen(given[0].pattern) < LENGTH_MAX) {
        EXPECT(takes_file == !matches(given[0].pattern, name),
               "filter %s of %s", given[0].pattern, name);
        EXPECT(takes_file == takes_directory, "filter %s", given[0].pattern);
    }
    weir__filters_destroy(filters);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)given[i].pattern);
    }
}

void fuzz_glob(const uint8_t *bytes, size_t count) {
    struct input input = {bytes, count};
    char *pattern = take_string(&input), *path = take_string(&input);
    bool found = weir__glob_matches(pattern, path);
    if (strlen(pattern) <= LENGTH_MAX && strlen(path) <= LENGTH_MAX) {
        EXPECT(found == matches(pattern, path), "\"%s\" and \"%s\": %d",
               pattern, path, found);
        if (is_portable(pattern)) {
            EXPECT(found == (fnmatch(pattern, path, FNM_PATHNAME) == 0),
                   "fnmatch \"%s\" and \"%s\": %d", pattern, path, found);
        }
    }
    check_filters(&input, path);
    free(pattern);
    free(path);
}
