// The program of the manual's page and of README, built by SwiftPM.
#include "../../../../man/examples/lines.c"
