/*
 * glob.c: matching names with patterns, byte by byte.
 *
 * DESIGN. As fnmatch(3) with FNM_PATHNAME does it in the C locale, and `**`.
 * Not that function itself: it goes by the locale, refuses names that are no
 * text there, and takes exponential time for a pattern of many stars.
 *
 * Where a pattern stops matching, the last star takes one byte more, and what
 * is behind it is tried again: no earlier one need be tried, since a star that
 * takes more only leaves less. That holds within a component, which a `*` does
 * not leave; so where it cannot take more, the last `**` does. Two places to
 * go back to, and the time is at most that of the product of the lengths,
 * squared where both kinds of star are there.
 */
#include "walk/glob.h"

/* ---- brackets ---------------------------------------------------------- */

static bool is_between(unsigned char byte, unsigned char low,
                       unsigned char high) {
    return byte >= low && byte <= high;
}

/* The classes of the C locale. */
static bool is_of_class(unsigned char byte, const char *name, size_t length) {
    bool upper = is_between(byte, 'A', 'Z'), lower = is_between(byte, 'a', 'z');
    bool digit = is_between(byte, '0', '9'), graph = is_between(byte, '!', '~');
    const struct {
        const char *name;
        bool is_so;
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
            return classes[i].is_so;
        }
    }
    return false;
}

/* Where a class that begins at `at` with "[:" ends, behind its "]"; NULL where
   it is none. */
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

/* One byte of a set, which may be escaped; NUL where the pattern ends. */
static unsigned char byte_of_set(const char **at) {
    *at += **at == '\\';
    unsigned char byte = (unsigned char)**at;
    *at += byte != '\0';
    return byte;
}

/* Goes over one element of a set, and says whether it is or has the byte. False
   where the set does not end. */
static bool take_element(const char **at, unsigned char byte, bool *has) {
    const char *end = end_of_class(*at);
    if (end) {
        *has |= is_of_class(byte, *at + 2, (size_t)(end - *at) - 4);
        *at = end;
        return true;
    }
    unsigned char low = byte_of_set(at), high = low;
    if (low && (*at)[0] == '-' && (*at)[1] != ']' && (*at)[1] != '\0') {
        ++*at;
        high = byte_of_set(at);
    }
    *has |= is_between(byte, low, high);
    return low && high;
}

/* Goes over a set that begins behind its bracket, and says whether the byte is
   in it. False, and has not moved, where it does not end: then the bracket is
   a byte like any other. */
static bool take_set(const char **pattern, unsigned char byte, bool *is_in) {
    const char *at = *pattern;
    bool negated = *at == '!' || *at == '^', has = false;
    at += negated;
    do { /* a bracket that comes first ends nothing */
        if (!take_element(&at, byte, &has)) {
            return false;
        }
    } while (*at != ']');
    *pattern = at + 1;
    *is_in = has != negated;
    return true;
}

/* ---- matching ---------------------------------------------------------- */

/* Whether the pattern's next element, which is no star, matches a byte, and
   goes over it if so. */
static bool take_byte(const char **pattern, unsigned char byte) {
    const char *at = *pattern;
    unsigned char wanted = (unsigned char)*at++;
    bool is_so = false;
    if (wanted == '?') {
        is_so = byte != '/';
    } else if (wanted == '[' && take_set(&at, byte, &is_so)) {
        is_so = is_so && byte != '/';
    } else {
        if (wanted == '\\') {
            wanted = (unsigned char)*at++;
        }
        is_so = wanted != '\0' && wanted == byte;
    }
    *pattern = is_so ? at : *pattern;
    return is_so;
}

/* A star to go back to. */
struct star {
    const char *pattern; /* behind it; NULL where there is none */
    const char *string;  /* behind what it has taken */
};

/* Lets a `**` take one byte more, or, where a slash is behind it, up to the
   next component. */
static bool take_more_of_all(struct star *all, const char *first) {
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

/* Where the pattern goes on behind a `**`; together with the slash behind it
   where it stands for whole components. */
static const char *behind_all(const char *at, const char *first) {
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
            pattern = behind_all(pattern, first);
            all = (struct star){pattern, string};
            one = (struct star){0};
        } else if (*pattern == '*') {
            one = (struct star){++pattern, string};
        } else if (*pattern == '\0' && *string == '\0') {
            return true;
        } else if (*string != '\0' &&
                   take_byte(&pattern, (unsigned char)*string)) {
            string++;
        } else if (one.pattern && *one.string != '\0' && *one.string != '/') {
            pattern = one.pattern;
            string = ++one.string;
        } else if (take_more_of_all(&all, begin)) {
            one = (struct star){0};
            pattern = all.pattern;
            string = all.string;
        } else {
            return false;
        }
    }
}
