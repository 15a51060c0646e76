/*
 * descriptors.h: what descriptors.c does for spawn.c and nobody else.
 */
#ifndef WEIR_INTERNAL_DESCRIPTORS_H
#define WEIR_INTERNAL_DESCRIPTORS_H

#include "permits/gate_internal.h"

#include <sys/resource.h>

#include <weir/descriptors.h>

/* The limit that a child should be started with, where
   weir_descriptor_raise_limit has changed this process's; else false. */
WEIR_HIDDEN bool weir__descriptor_childs_limit(struct rlimit *limit);

#endif /* WEIR_INTERNAL_DESCRIPTORS_H */
