/*
 * blake3_rounds.h: the seven rounds of the compression (section 2.2), for words
 * and for vectors of words. blake3.h has the design.
 *
 * The function that uses ROUNDS has the arrays state[16] and message[16], and
 * the functions rotate_16, rotate_12, rotate_8 and rotate_7 to the right, under
 * the name that ROTATE(bits, word) makes.
 */
#pragma once

/* The steps of four quarter-rounds alternate, so that the processor always has
   four independent operations. */
#define ADD_MESSAGE(a, b, x) state[a] = state[a] + message[x] + state[b]
#define TURN(a, d, bits) state[d] = ROTATE(bits, state[d] ^ state[a])

/* Half a round: the quarter-rounds of (0, b0, c0, d0) to (3, b3, c3, d3), with
   message words x first and y second. */
#define HALF(b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, x0, y0, x1, y1,   \
             x2, y2, x3, y3)                                                   \
    ADD_MESSAGE(0, b0, x0);                                                    \
    ADD_MESSAGE(1, b1, x1);                                                    \
    ADD_MESSAGE(2, b2, x2);                                                    \
    ADD_MESSAGE(3, b3, x3);                                                    \
    TURN(0, d0, 16);                                                           \
    TURN(1, d1, 16);                                                           \
    TURN(2, d2, 16);                                                           \
    TURN(3, d3, 16);                                                           \
    state[c0] += state[d0];                                                    \
    state[c1] += state[d1];                                                    \
    state[c2] += state[d2];                                                    \
    state[c3] += state[d3];                                                    \
    TURN(c0, b0, 12);                                                          \
    TURN(c1, b1, 12);                                                          \
    TURN(c2, b2, 12);                                                          \
    TURN(c3, b3, 12);                                                          \
    ADD_MESSAGE(0, b0, y0);                                                    \
    ADD_MESSAGE(1, b1, y1);                                                    \
    ADD_MESSAGE(2, b2, y2);                                                    \
    ADD_MESSAGE(3, b3, y3);                                                    \
    TURN(0, d0, 8);                                                            \
    TURN(1, d1, 8);                                                            \
    TURN(2, d2, 8);                                                            \
    TURN(3, d3, 8);                                                            \
    state[c0] += state[d0];                                                    \
    state[c1] += state[d1];                                                    \
    state[c2] += state[d2];                                                    \
    state[c3] += state[d3];                                                    \
    TURN(c0, b0, 7);                                                           \
    TURN(c1, b1, 7);                                                           \
    TURN(c2, b2, 7);                                                           \
    TURN(c3, b3, 7)

/* The columns, then the diagonals. */
#define ROUND(m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, \
              m15)                                                             \
    HALF(4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, m0, m1, m2, m3, m4, m5, m6, \
         m7);                                                                  \
    HALF(5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14, m8, m9, m10, m11, m12, m13, \
         m14, m15)

/* Each line permutes the indices of the line before (section 2.2). */
#define ROUNDS                                                                 \
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);               \
    ROUND(2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8);               \
    ROUND(3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1);               \
    ROUND(10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6);               \
    ROUND(12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4);               \
    ROUND(9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7);               \
    ROUND(11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13)
