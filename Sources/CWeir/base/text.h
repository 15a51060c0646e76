/* text.h: foreign text in messages and in JSON. */
#pragma once

#include "base/compiler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a character of valid UTF-8, and its length, or a length of 0. */
WEIR_HIDDEN uint32_t weir__text_decode(const char *text, size_t *length);

/* True for a character that a terminal may obey, that breaks a line or that
   reorders text. */
WEIR_HIDDEN bool weir__text_is_control(uint32_t character);

/* Replaces the bytes of such characters, and invalid ones, by "?". */
WEIR_HIDDEN void weir__text_show(char *text);
