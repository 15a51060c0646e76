/* inspected.h: reads what inspections and the watch write. */
#pragma once

#include <stdint.h>

enum { TEXT_SIZE = 1 << 16 };

/* Reads one piece, and closes the descriptor. Returns the text. */
char *read_state(int descriptor, char text[TEXT_SIZE]);
/* Reads up to some words. */
void read_until(int descriptor, const char *words, char text[TEXT_SIZE]);

/* Checks a text against a regular expression, with # for a number, TIME for a number of
   seconds, @ for the beginning of a line of the watch, and . for no newline. */
void check_inspected(const char *text, const char *pattern);

char *inspect(char text[TEXT_SIZE]);
/* Checks the lines of the state after the first one. */
void check_state(const char *pattern);
/* Also checks that the watch reports the objects that have lines of their own, with
   these, if it looks after the length. */
void check_hang(const char *pattern);

/* The looks of the watch are at times of the tests' own, far after the waits began: no
   test lasts as long as this. */
static const uint64_t LENGTH = 1000000000000;

/* The time of the last look; 0 for none. */
extern uint64_t last_look;
char *look(uint64_t now);
/* Looks for the first time, after the waits that exist now have begun. Returns the time. */
uint64_t begin_looks(void);
