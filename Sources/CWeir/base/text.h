/* text.h: foreign text in messages and in JSON. */
#pragma once

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the UTF-8 character at `text`, and its length, which is 0 if there is
   none: truncated, overlong, a surrogate, or beyond U+10FFFF. */
WEIR_HIDDEN uint32_t weir__text_decode(const char *text, size_t *length);

/* Returns true if a terminal may obey a character, or if it breaks a line or
   reorders the text after it: the controls, U+2028, U+2029, and the embeddings,
   overrides and isolates. */
WEIR_HIDDEN bool weir__text_is_control(uint32_t character);

/* Replaces the bytes of such characters, and those that are not UTF-8, by
   question marks. */
WEIR_HIDDEN void weir__text_show(char *text);
