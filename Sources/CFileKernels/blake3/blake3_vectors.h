/*
 * blake3_vectors.h: the chaining values of WIDTH inputs at once, in vectors of
 * WIDTH words. blake3.h has the design.
 *
 * The source file that includes this header chooses the instructions, and defines
 *
 *     WIDTH        4, 8 or 16; the header undefines it
 *     HAS_ROTATE   1 if one instruction rotates the words of a vector, else 0
 *     HAS_SHUFFLE  1 if PSHUFB permutes the bytes of 128 bits, else 0
 *
 * There is no guard, because each width and each source file needs functions of
 * its own. The function is hash_WIDTH.
 */
#include "blake3_rounds.h"

#include <string.h>

#ifndef BLAKE3_NAMES
#define BLAKE3_NAMES
#define PASTE_(name, width) name##_##width
#define PASTE(name, width) PASTE_(name, width)
#define NAME(name) PASTE(name, WIDTH)
#define VECTOR NAME(vector)

typedef uint32_t vector_4 __attribute__((vector_size(16)));

INLINE vector_4 load_group(const unsigned char *bytes) {
    vector_4 words;
    memcpy(&words, bytes, sizeof words);
    return words;
}
#endif

/* ---- indices of elements ------------------------------------------------ */

#undef EACH_GROUP
#if WIDTH == 4
#define EACH_GROUP(list) list(0)
#elif WIDTH == 8
#define EACH_GROUP(list) list(0), list(4)
#else
#define EACH_GROUP(list) list(0), list(4), list(8), list(12)
#endif

#ifndef BLAKE3_INDICES
#define BLAKE3_INDICES
/* A group is 128 bits: 4 words from word g on. The second operand of a shuffle
   has the indices from WIDTH on. */
#define LOW_WORDS(g) g, WIDTH + g, g + 1, WIDTH + g + 1
#define HIGH_WORDS(g) g + 2, WIDTH + g + 2, g + 3, WIDTH + g + 3
#define LOW_PAIRS(g) g, g + 1, WIDTH + g, WIDTH + g + 1
#define HIGH_PAIRS(g) g + 2, g + 3, WIDTH + g + 2, WIDTH + g + 3
/* Exchanged halves of the words of a group, as indices of 16 bits. */
#define HALVES(g)                                                              \
    2 * g + 1, 2 * g, 2 * g + 3, 2 * g + 2, 2 * g + 5, 2 * g + 4, 2 * g + 7,   \
        2 * g + 6
/* Indices of the bytes of a group, whose words are rotated by 16 and 8 bits. */
#define BYTES_BY_16(g) 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13
#define BYTES_BY_8(g) 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12
#endif

#if WIDTH != 4
typedef uint32_t VECTOR __attribute__((vector_size(4 * WIDTH)));
#endif
typedef uint16_t NAME(halves) __attribute__((vector_size(4 * WIDTH)));
typedef char NAME(bytes) __attribute__((vector_size(4 * WIDTH)));

/* ---- rotations to the right --------------------------------------------- */

/* Indices of bytes for PSHUFB; unused without it. */
struct NAME(turns) {
    NAME(bytes) by_16, by_8;
};

#if HAS_SHUFFLE && !HAS_ROTATE

#if WIDTH == 4
#define SHUFFLE_BYTES __builtin_ia32_pshufb128
#else
#define SHUFFLE_BYTES __builtin_ia32_pshufb256
#endif

/* The empty asm hides the indices from the compiler. clang would replace a
   shuffle of known bytes by two of 16 bits. "m" leaves the vector registers to
   the state. Both together are worth 6 % (DESIGN in blake3.h). */
INLINE struct NAME(turns) NAME(make_turns)(void) {
    struct NAME(turns)
        turns = {{EACH_GROUP(BYTES_BY_16)}, {EACH_GROUP(BYTES_BY_8)}};
    __asm__("" : "+m"(turns.by_16), "+m"(turns.by_8));
    return turns;
}

INLINE VECTOR NAME(rotate_16)(VECTOR words, const struct NAME(turns) * turns) {
    return (VECTOR)SHUFFLE_BYTES((NAME(bytes))words, turns->by_16);
}

INLINE VECTOR NAME(rotate_8)(VECTOR words, const struct NAME(turns) * turns) {
    return (VECTOR)SHUFFLE_BYTES((NAME(bytes))words, turns->by_8);
}

#undef SHUFFLE_BYTES

#else

INLINE struct NAME(turns) NAME(make_turns)(void) {
    return (struct NAME(turns)){{0}, {0}};
}

INLINE VECTOR NAME(rotate_16)(VECTOR words, const struct NAME(turns) * turns) {
    (void)turns;
#if HAS_ROTATE
    return words >> 16 | words << 16;
#else
    NAME(halves) halves = (NAME(halves))words;
    return (VECTOR)__builtin_shufflevector(halves, halves, EACH_GROUP(HALVES));
#endif
}

INLINE VECTOR NAME(rotate_8)(VECTOR words, const struct NAME(turns) * turns) {
    (void)turns;
    return words >> 8 | words << 24;
}

#endif

INLINE VECTOR NAME(rotate_12)(VECTOR words, const struct NAME(turns) * turns) {
    (void)turns;
    return words >> 12 | words << 20;
}

INLINE VECTOR NAME(rotate_7)(VECTOR words, const struct NAME(turns) * turns) {
    (void)turns;
    return words >> 7 | words << 25;
}

/* ---- transposition ------------------------------------------------------ */

/* Transposes 4 x 4 words in each group. */
INLINE void NAME(transpose)(VECTOR rows[4]) {
#define SHUFFLE(a, b, list) __builtin_shufflevector(a, b, EACH_GROUP(list))
    VECTOR low_01 = SHUFFLE(rows[0], rows[1], LOW_WORDS);
    VECTOR high_01 = SHUFFLE(rows[0], rows[1], HIGH_WORDS);
    VECTOR low_23 = SHUFFLE(rows[2], rows[3], LOW_WORDS);
    VECTOR high_23 = SHUFFLE(rows[2], rows[3], HIGH_WORDS);
    rows[0] = SHUFFLE(low_01, low_23, LOW_PAIRS);
    rows[1] = SHUFFLE(low_01, low_23, HIGH_PAIRS);
    rows[2] = SHUFFLE(high_01, high_23, LOW_PAIRS);
    rows[3] = SHUFFLE(high_01, high_23, HIGH_PAIRS);
#undef SHUFFLE
}

/* Loads 4 words from each of the inputs row, row + 4, row + 8 and so on, a
   group each. */
INLINE VECTOR NAME(load_row)(const unsigned char *const inputs[WIDTH],
                             size_t row, size_t offset) {
#if WIDTH == 4
    return load_group(inputs[row] + offset);
#elif WIDTH == 8
    return __builtin_shufflevector(load_group(inputs[row] + offset),
                                   load_group(inputs[row + 4] + offset), 0, 1,
                                   2, 3, 4, 5, 6, 7);
#else
    return __builtin_shufflevector(load_row_8(inputs, row, offset),
                                   load_row_8(inputs + 8, row, offset), 0, 1, 2,
                                   3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

/* Loads a block of each input: element i of message[w] is word w of input i. */
INLINE void NAME(load)(const unsigned char *const inputs[WIDTH], size_t offset,
                       VECTOR message[16]) {
#define LOAD(part)                                                             \
    message[part] = NAME(load_row)(inputs, 0, offset + 4 * part);              \
    message[part + 1] = NAME(load_row)(inputs, 1, offset + 4 * part);          \
    message[part + 2] = NAME(load_row)(inputs, 2, offset + 4 * part);          \
    message[part + 3] = NAME(load_row)(inputs, 3, offset + 4 * part);          \
    NAME(transpose)(message + part)
    LOAD(0);
    LOAD(4);
    LOAD(8);
    LOAD(12);
#undef LOAD
}

/* Writes 4 words of the chaining value of each input. */
INLINE void NAME(store)(VECTOR words[4], unsigned char *out) {
    NAME(transpose)(words);
#define STORE(g)                                                               \
    memcpy(out + (g + row) * KEY_SIZE,                                         \
           &(vector_4){words[row][g], words[row][g + 1], words[row][g + 2],    \
                       words[row][g + 3]},                                     \
           16)
    for (size_t row = 0; row < 4; row++) {
        EACH_GROUP(STORE);
    }
#undef STORE
}

/* ---- compression -------------------------------------------------------- */

#undef ROTATE
#define ROTATE(bits, words) NAME(rotate_##bits)(words, turns)

/* Compresses a block of each input into the chaining values. */
INLINE void NAME(compress)(VECTOR value[8], const VECTOR message[16],
                           const VECTOR counter[2], uint32_t flags,
                           const struct NAME(turns) * turns) {
    const VECTOR zero = {0};
    VECTOR state[16] = {
        value[0],         value[1],         value[2],          value[3],
        value[4],         value[5],         value[6],          value[7],
        zero + INITIAL_0, zero + INITIAL_1, zero + INITIAL_2,  zero + INITIAL_3,
        counter[0],       counter[1],       zero + BLOCK_SIZE, zero + flags};
    ROUNDS;
    value[0] = state[0] ^ state[8];
    value[1] = state[1] ^ state[9];
    value[2] = state[2] ^ state[10];
    value[3] = state[3] ^ state[11];
    value[4] = state[4] ^ state[12];
    value[5] = state[5] ^ state[13];
    value[6] = state[6] ^ state[14];
    value[7] = state[7] ^ state[15];
}

/* Sets the low and the high words of the counters. */
INLINE void NAME(set_counter)(VECTOR counter[2], uint64_t first,
                              uint32_t counts) {
    uint32_t words[2][WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) {
        uint64_t number = first + (uint64_t)i * counts;
        words[0][i] = (uint32_t)number;
        words[1][i] = (uint32_t)(number >> 32);
    }
    memcpy(counter, words, sizeof words);
}

/* Asks the memory for a part of the next WIDTH inputs, with each block for
   another part. They may be beyond the end. */
INLINE void NAME(prefetch)(const struct blake3_inputs *inputs,
                           const unsigned char *first, size_t block) {
    uintptr_t next = (uintptr_t)first + WIDTH * inputs->stride;
    for (size_t i = 0; i < WIDTH; i++) {
        __builtin_prefetch(
            (const void *)(next + (block * WIDTH + i) * BLOCK_SIZE));
    }
}

/* Writes the chaining values of all WIDTH inputs. */
INLINE void NAME(store_all)(VECTOR value[8], unsigned char *out) {
    NAME(store)(value, out);
    NAME(store)(value + 4, out + 16);
}

/* Writes the chaining value of one input, and keeps the vectors. */
INLINE void NAME(store_one)(const VECTOR value[8], size_t input,
                            unsigned char out[KEY_SIZE]) {
    unsigned char all[WIDTH * KEY_SIZE];
    VECTOR copy[8];
    memcpy(copy, value, sizeof copy);
    NAME(store_all)(copy, all);
    memcpy(out, all + input * KEY_SIZE, KEY_SIZE);
}

/* Writes the chaining values of up to WIDTH inputs, from number `first` on. The
   rest of the vectors works on copies of the first one, and so does that of the
   last input after its open blocks. */
static void NAME(hash)(const struct blake3_inputs *inputs, size_t first,
                       unsigned char *out) {
    const VECTOR zero = {0};
    const struct NAME(turns) turns = NAME(make_turns)();
    size_t count = inputs->count - first;
    bool has_open = inputs->open_blocks && count <= WIDTH;
    const unsigned char *bytes[WIDTH];
    for (size_t i = 0; i < WIDTH; i++) {
        size_t number = first + (i < count ? i : 0);
        bytes[i] = inputs->bytes + number * inputs->stride;
    }
    VECTOR counter[2], value[8], message[16];
    NAME(set_counter)
    (counter, inputs->counter + first * inputs->counts, inputs->counts);
    for (size_t i = 0; i < 8; i++) {
        value[i] = zero + inputs->key[i];
    }
    uint32_t flags = inputs->flags | inputs->first;
    unsigned char open[KEY_SIZE] = {0};
    for (size_t block = 0; block < inputs->blocks; block++) {
        if (has_open && block == inputs->open_blocks) {
            NAME(store_one)(value, count - 1, open);
            bytes[count - 1] = bytes[0];
        }
        flags |= block + 1 == inputs->blocks ? inputs->last : 0;
        NAME(prefetch)(inputs, bytes[0], block);
        NAME(load)(bytes, block * BLOCK_SIZE, message);
        NAME(compress)(value, message, counter, flags, &turns);
        flags = inputs->flags;
    }
    out += first * KEY_SIZE;
    if (count >= WIDTH) {
        NAME(store_all)(value, out);
    } else {
        unsigned char all[WIDTH * KEY_SIZE];
        NAME(store_all)(value, all);
        memcpy(out, all, count * KEY_SIZE);
    }
    if (has_open) {
        memcpy(out + (count - 1) * KEY_SIZE, open, KEY_SIZE);
    }
}

#undef WIDTH
