#include "digests.h"
