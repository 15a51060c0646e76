/*
 * main.c: runs the fuzzer that the environment names: FUZZ=glob. If STANDALONE is
 * defined, there is no libFuzzer, and the arguments are names of files to check.
 */
#include "fuzzers.h"

#ifndef STANDALONE
#include "fuzz.h"
#endif

static void (*check)(const uint8_t *bytes, size_t count);

#ifdef STANDALONE
static void check_file(const char *name) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(name, "re");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) {
        fclose(file);
        uint8_t *copy = malloc(count + 1);
        memcpy(copy, bytes, count);
        check(copy, count);
        free(copy);
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
    for (int i = 1; i < count; i++) {
        check_file(arguments[i]);
    }
    return 0;
#else
    return fuzz_drive(count, arguments, check_one);
#endif
}
