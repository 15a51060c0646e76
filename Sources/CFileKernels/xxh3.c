/*
 * xxh3.c: XXH3 by the instructions that every machine of this kind has.
 */
#include "xxh3.h"

#include <string.h>

#define KERNEL kernel_xxh3_plain
#include "xxh3_functions.h"
