/* fuzzers.h: the fuzzers of the parsers that are C, and their assertions. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each checks the properties of its parser with one input. */
void fuzz_glob(const uint8_t *bytes, size_t count);
void fuzz_system(const uint8_t *bytes, size_t count);
void fuzz_names(const uint8_t *bytes, size_t count);
void fuzz_text(const uint8_t *bytes, size_t count);

/* Ends the program with a message unless a condition holds. */
#define EXPECT(condition, ...)                                                 \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "FINDING %s:%d: ", __FILE__, __LINE__);            \
            fprintf(stderr, __VA_ARGS__);                                      \
            fputc('\n', stderr);                                               \
            abort();                                                           \
        }                                                                      \
    } while (0)

/* The unread part of an input. */
struct input {
    const uint8_t *at;
    size_t count;
};

/* Takes a byte; 0 at the end. */
static inline uint8_t take_byte(struct input *input) {
    if (input->count == 0) {
        return 0;
    }
    input->count--;
    return *input->at++;
}

/* Takes the bytes up to a NUL, or all of them, as a string of exactly their
   size. The caller frees it. */
static inline char *take_string(struct input *input) {
    const uint8_t *end = memchr(input->at, 0, input->count);
    size_t length = end ? (size_t)(end - input->at) : input->count;
    char *string = malloc(length + 1);
    memcpy(string, input->at, length);
    string[length] = '\0';
    length += end != NULL;
    input->at += length;
    input->count -= length;
    return string;
}
