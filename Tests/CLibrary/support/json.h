/* json.h: checks JSON strictly, and finds members of objects that Weir wrote. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* True if the text is one JSON value, and UTF-8. */
bool json_is_valid(const char *text);

/* Returns the text of the first member with a name, of the object or of an object in it,
   or NULL. */
const char *json_at(const char *object, const char *name);
/* Returns a number, -1 if there is none. */
double json_number(const char *object, const char *name);
bool json_is(const char *object, const char *name, const char *string);

/* Returns the size of the character at the beginning of a text, 0 if it is not UTF-8. */
size_t utf8_size(const char *text);
