/*
 * main.c: runs the fuzzer that the environment names: FUZZ=glob. If STANDALONE is
 * defined, there is no libFuzzer, and the arguments are a seed and names of files,
 * which are checked as they are, repeated, and with random changes.
 */
#include "fuzzers.h"

#ifndef STANDALONE
#include "fuzz.h"
#endif

static void (*check)(const uint8_t *bytes, size_t count);

#ifdef STANDALONE
enum { LONGEST = 100000, CHANGED_INPUTS = 1000, CHANGED_BYTES = 50000 };

static unsigned long long state;

/* Returns a random number below a bound (SplitMix64). */
static size_t below(size_t bound) {
    unsigned long long mixed = state += 0x9E3779B97F4A7C15;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return (size_t)((mixed ^ (mixed >> 31)) % bound);
}

/* Sets a byte, inserts some, removes a part, or repeats one many times. Returns the
   new length. */
static size_t change(uint8_t *bytes, size_t count) {
    size_t at = below(count + 1), part = below(1 + (count - at) % 64);
    size_t times = below(64) ? 1 : below(2000);
    switch (below(4)) {
    case 0:
        bytes[at] = (uint8_t)below(256);
        return at == count ? count + 1 : count;
    case 1:
        memmove(bytes + at, bytes + at + part, count - at - part);
        return count - part;
    case 2:
        part = 1 + below(8);
        memmove(bytes + at + part, bytes + at, count - at);
        for (size_t i = 0; i < part; i++) {
            bytes[at + i] = (uint8_t)below(256);
        }
        return count + part;
    default:
        times = count + times * part < LONGEST ? times : 0;
        memmove(bytes + at + times * part, bytes + at, count - at);
        for (size_t i = 0; i < times; i++) {
            memmove(bytes + at + i * part, bytes + at + times * part, part);
        }
        return count + times * part;
    }
}

static void check_copy(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count + 1);
    memcpy(copy, bytes, count);
    check(copy, count);
    free(copy);
}

static void check_file(const char *name) {
    static uint8_t bytes[2 * LONGEST], changed[2 * LONGEST];
    FILE *file = fopen(name, "re");
    size_t count = file ? fread(bytes, 1, LONGEST, file) : 0;
    if (file) {
        fclose(file);
        check_copy(bytes, count);
        for (size_t i = 0; count > 0 && i < LONGEST; i++) {
            changed[i] = bytes[i % count];
        }
        check_copy(changed, LONGEST);
        for (size_t i = 0, all = 0; i < CHANGED_INPUTS && all < CHANGED_BYTES;
             i++) {
            size_t length = count;
            memcpy(changed, bytes, count);
            for (size_t left = 1 + below(5); left > 0; left--) {
                length = change(changed, length);
            }
            check_copy(changed, length);
            all += length;
        }
    }
}
#else
static int check_one(const uint8_t *bytes, size_t count) {
    check(bytes, count);
    return 0;
}
#endif

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*check)(const uint8_t *bytes, size_t count);
    } all[] = {{"glob", fuzz_glob},
               {"system", fuzz_system},
               {"names", fuzz_names},
               {"text", fuzz_text}};
    const char *name = getenv("FUZZ");
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++) {
        if (strcmp(all[i].name, name) == 0) {
            check = all[i].check;
        }
    }
    if (!check) {
        fputs("FUZZ has to name a fuzzer\n", stderr);
        return 2;
    }
#ifdef STANDALONE
    state = count > 1 ? strtoull(arguments[1], NULL, 10) : 0;
    for (int i = 2; i < count; i++) {
        check_file(arguments[i]);
    }
    return 0;
#else
    return fuzz_drive(count, arguments, check_one);
#endif
}
