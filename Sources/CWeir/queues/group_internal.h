/*
 * group.h: what group.c does for members.c and nobody else.
 */
#ifndef WEIR_INTERNAL_GROUP_H
#define WEIR_INTERNAL_GROUP_H

#include "base/internal.h"

#include <weir/group.h>

/* Leaves the group with a result, for work that does not run on a queue. */
WEIR_HIDDEN void weir__group_finish(weir_group_t group, int result);

#endif /* WEIR_INTERNAL_GROUP_H */
