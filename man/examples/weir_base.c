/* Prints the version of the library that runs. It may be newer than the
   headers that the program was compiled with. */
#include <stdio.h>
#include <string.h>
#include <weir.h>

int main(void) {
    char headers[32];
    snprintf(headers, sizeof headers, "%d.%d.%d", WEIR_VERSION_MAJOR,
             WEIR_VERSION_MINOR, WEIR_VERSION_PATCH);
    printf("weir %s%s\n", weir_version(),
           strcmp(headers, weir_version()) == 0 ? ""
                                                : ", other headers");
    return fflush(stdout) ? 1 : 0;
}
