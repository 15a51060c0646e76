/*
 * glob.c: matches names with patterns, byte by byte.
 *
 * DESIGN. The rules are those of fnmatch(3) with FNM_PATHNAME in the C locale,
 * and `**`. fnmatch itself depends on the locale, refuses names that are not
 * text there, and takes exponential time for a pattern with many stars.
 *
 * On a mismatch the last star takes one byte more, and the pattern after it is
 * tried again. No earlier star need be tried, since a star that takes more only
 * leaves less. This holds within a component, which a `*` does not leave; if
 * the `*` can take no more, the last `**` does. With two places to return to,
 * the time is at most the product of both lengths, squared if the pattern has
 * both kinds.
 */
#include "walk/glob.h"

/* ---- brackets ---------------------------------------------------------- */

static bool is_between(unsigned char byte, unsigned char low,
                       unsigned char high) {
    return byte >= low && byte <= high;
}

/* The classes of the C locale. */
static bool is_in_class(unsigned char byte, const char *name, size_t length) {
    bool upper = is_between(byte, 'A', 'Z'), lower = is_between(byte, 'a', 'z');
    bool digit = is_between(byte, '0', '9'), graph = is_between(byte, '!', '~');
    const struct {
        const char *name;
        bool has_byte;
    } classes[] = {
        {"alnum", upper || lower || digit},
        {"alpha", upper || lower},
        {"blank", byte == ' ' || byte == '\t'},
        {"cntrl", byte < ' ' || byte == 127},
        {"digit", digit},
        {"graph", graph},
        {"lower", lower},
        {"print", graph || byte == ' '},
        {"punct", graph && !upper && !lower && !digit},
        {"space", byte == ' ' || is_between(byte, '\t', '\r')},
        {"upper", upper},
        {"xdigit",
         digit || is_between(byte, 'A', 'F') || is_between(byte, 'a', 'f')},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (strlen(classes[i].name) == length &&
            memcmp(classes[i].name, name, length) == 0) {
            return classes[i].has_byte;
        }
    }
    return false;
}

/* Returns the end of a class "[:...:]" at `at`, or NULL. */
static const char *end_of_class(const char *at) {
    if (at[0] != '[' || at[1] != ':') {
        return NULL;
    }
    const char *end = at + 2;
    while (is_between((unsigned char)*end, 'a', 'z')) {
        end++;
    }
    return end[0] == ':' && end[1] == ']' ? end + 2 : NULL;
}

/* Reads one byte of a set, which may be escaped; NUL if the pattern ends. */
static unsigned char read_set_byte(const char **at) {
    *at += **at == '\\';
    unsigned char byte = (unsigned char)**at;
    *at += byte != '\0';
    return byte;
}

/* Sets *has if the next element has the byte. False if the set does not end. */
static bool read_set_element(const char **at, unsigned char byte, bool *has) {
    const char *end = end_of_class(*at);
    if (end) {
        *has |= is_in_class(byte, *at + 2, (size_t)(end - *at) - 4);
        *at = end;
        return true;
    }
    unsigned char low = read_set_byte(at), high = low;
    if (low && (*at)[0] == '-' && (*at)[1] != ']' && (*at)[1] != '\0') {
        ++*at;
        high = read_set_byte(at);
    }
    *has |= is_between(byte, low, high);
    return low && high;
}

/* Reads a set after its bracket; sets *is_in if it has the byte. False, without
   an advance, if it does not end: then the bracket is a byte like any other. */
static bool read_set(const char **pattern, unsigned char byte, bool *is_in) {
    const char *at = *pattern;
    bool negated = *at == '!' || *at == '^', has = false;
    at += negated;
    do { /* a bracket in the first place is an element */
        if (!read_set_element(&at, byte, &has)) {
            return false;
        }
    } while (*at != ']');
    *pattern = at + 1;
    *is_in = has != negated;
    return true;
}

/* ---- matching ---------------------------------------------------------- */

/* True, and advances, if the next element, no star, matches a byte. */
static bool match_byte(const char **pattern, unsigned char byte) {
    const char *at = *pattern;
    unsigned char wanted = (unsigned char)*at++;
    bool matches = false;
    if (wanted == '?') {
        matches = byte != '/';
    } else if (wanted == '[' && read_set(&at, byte, &matches)) {
        matches = matches && byte != '/';
    } else {
        if (wanted == '\\') {
            wanted = (unsigned char)*at++;
        }
        matches = wanted != '\0' && wanted == byte;
    }
    *pattern = matches ? at : *pattern;
    return matches;
}

/* A star to return to. */
struct star {
    const char *pattern; /* after the star; NULL if there is none */
    const char *string;  /* after the bytes that the star has taken */
};

/* Lets a `**` take one byte more, or the rest of the component. */
static bool extend_double_star(struct star *all, const char *first) {
    bool by_component = all->pattern && all->pattern[-1] == '/';
    if (!all->pattern) {
        return false;
    }
    do {
        if (*all->string == '\0') {
            return false;
        }
        all->string++;
    } while (by_component && all->string > first && all->string[-1] != '/');
    return true;
}

/* Returns the pattern after a `**`, or after its slash. */
static const char *after_double_star(const char *at, const char *first) {
    bool begins = at == first || at[-1] == '/';
    while (*at == '*') {
        at++;
    }
    return begins && *at == '/' ? at + 1 : at;
}

bool weir__glob_matches(const char *pattern, const char *string) {
    const char *first = pattern, *begin = string;
    struct star one = {0}, all = {0};
    for (;;) {
        if (pattern[0] == '*' && pattern[1] == '*') {
            pattern = after_double_star(pattern, first);
            all = (struct star){pattern, string};
            one = (struct star){0};
        } else if (*pattern == '*') {
            one = (struct star){++pattern, string};
        } else if (*pattern == '\0' && *string == '\0') {
            return true;
        } else if (*string != '\0' &&
                   match_byte(&pattern, (unsigned char)*string)) {
            string++;
        } else if (one.pattern && *one.string != '\0' && *one.string != '/') {
            pattern = one.pattern;
            string = ++one.string;
        } else if (extend_double_star(&all, begin)) {
            one = (struct star){0};
            pattern = all.pattern;
            string = all.string;
        } else {
            return false;
        }
    }
}
