/*
 * mandelbrot [SIZE]: a picture of the Mandelbrot set, as a PGM file on standard
 * output. All cores compute rows and the histogram of their values; with its
 * help the second loop spreads the grays evenly.
 *
 *     clang -O2 mandelbrot.c -o mandelbrot $(pkg-config --cflags --libs weir)
 *
 * Manual pages: weir(7), weir_apply(3).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir.h>

#define STEPS 255

struct picture {
    size_t size;
    unsigned char *values; /* size rows of size values */
    unsigned char grays[STEPS + 1];
};

struct histogram {
    size_t counts[STEPS + 1];
};

static unsigned char steps_at(double a, double b) {
    double x = 0, y = 0;
    unsigned char steps = 0;
    for (; steps < STEPS && x * x + y * y < 4; steps++) {
        double next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
    }
    return steps;
}

/* Computes the rows [begin, end), and counts their values. */
static void compute(void *context, size_t begin, size_t end, void *partial) {
    const struct picture *picture = (const struct picture *)context;
    struct histogram *histogram = (struct histogram *)partial;
    double scale = 3 / (double)picture->size;
    for (size_t row = begin; row < end; row++)
        for (size_t column = 0; column < picture->size; column++) {
            unsigned char value = steps_at((double)column * scale - 2.2,
                                           (double)row * scale - 1.5);
            picture->values[row * picture->size + column] = value;
            histogram->counts[value]++;
        }
}

static void add(void *context, void *result, const void *partial) {
    struct histogram *sum = (struct histogram *)result;
    const struct histogram *more = (const struct histogram *)partial;
    (void)context;
    for (int value = 0; value <= STEPS; value++)
        sum->counts[value] += more->counts[value];
}

static void choose_grays(struct picture *picture,
                         const struct histogram *histogram) {
    size_t below = 0, outside = 0;
    for (int value = 0; value < STEPS; value++)
        outside += histogram->counts[value];
    for (int value = 0; value < STEPS; value++) { /* the set itself is black */
        below += histogram->counts[value];
        picture->grays[value] =
            (unsigned char)(outside ? 255 * below / outside : 0);
    }
}

static void paint(void *context, size_t begin, size_t end) {
    struct picture *picture = (struct picture *)context;
    for (size_t i = begin * picture->size; i < end * picture->size; i++)
        picture->values[i] = picture->grays[picture->values[i]];
}

int main(int argc, char **argv) {
    static struct picture picture;
    static struct histogram histogram; /* zero, the neutral value */
    picture.size = argc > 1 ? strtoul(argv[1], NULL, 10) : 512;
    if (picture.size < 1 || picture.size > 30000) {
        fputs("mandelbrot: SIZE is 1 to 30000 pixels\n", stderr);
        return 2;
    }
    picture.values = (unsigned char *)malloc(picture.size * picture.size);
    if (!picture.values) {
        perror("mandelbrot");
        return 1;
    }
    int error = weir_reduce_f(picture.size, WEIR_STRIDE_AUTO, NULL, &picture,
                              &histogram, sizeof histogram, compute, add);
    if (error) {
        fprintf(stderr, "mandelbrot: %s\n", strerror(error));
        return 1;
    }
    choose_grays(&picture, &histogram);
    weir_apply_f(picture.size, WEIR_STRIDE_AUTO, NULL, &picture, paint);
    printf("P5\n%zu %zu\n255\n", picture.size, picture.size);
    size_t length = picture.size * picture.size;
    bool is_written = fwrite(picture.values, 1, length, stdout) == length;
    free(picture.values);
    if (fflush(stdout) || !is_written) {
        perror("mandelbrot");
        return 1;
    }
    return 0;
}
