/* inspected.h: reads what inspections and the watch write. */
#pragma once

enum { TEXT_SIZE = 1 << 16 };

/* Reads one piece, and closes the descriptor. Returns the text. */
char *read_state(int descriptor, char text[TEXT_SIZE]);
/* Reads up to some words. */
void read_until(int descriptor, const char *words, char text[TEXT_SIZE]);

/* Checks a text against a regular expression, with # for a number, TIME for a number of
   seconds, @ for the beginning of a line of the watch, and . for no newline. */
void check_inspected(const char *text, const char *pattern);
