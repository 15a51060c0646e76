/*
 * family.h: a family of digests, which one library computes alike.
 *
 * The table in algorithms.c names the family of each algorithm; digest.c calls
 * it. To connect a library, write a family in a file of its own.
 */
#ifndef KERNEL_FAMILY_H
#define KERNEL_FAMILY_H

#include "kernel_digest.h"

/* The functions of a family. A state belongs to one digest. */
typedef struct {
    /* Creates a state. Returns NULL if there is no memory, or if the library
       does not offer the algorithm. */
    void *(*create)(const kernel_algorithm_t *algorithm);
    void (*destroy)(void *state);
    /* Like kernel_digest_begin and the two functions after it. */
    bool (*begin)(void *state);
    bool (*update)(void *state, const void *bytes, size_t length);
    bool (*finish)(void *state, unsigned char *out);
} kernel_family_t;

/* The lines of an algorithm if the user asks for no form. */
enum kernel_line_form { FORM_PLAIN, FORM_TAGGED, FORM_ALWAYS_TAGGED };

struct kernel_algorithm_s {
    const char *name;
    const char *tag;
    size_t length;
    const kernel_family_t *family;
    enum kernel_line_form form;
    const char *fetched_as; /* the name in libcrypto */
};

extern const kernel_family_t kernel_libcrypto_family;
extern const kernel_family_t kernel_xxh32_family;
extern const kernel_family_t kernel_xxh64_family;
extern const kernel_family_t kernel_xxh3_family;
extern const kernel_family_t kernel_xxh128_family;
extern const kernel_family_t kernel_blake2b_family;
extern const kernel_family_t kernel_crc32_family;
extern const kernel_family_t kernel_blake3_family;

#endif /* KERNEL_FAMILY_H */
