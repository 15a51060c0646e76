/*
 * weir.h: all of Weir, bounded concurrency on Grand Central Dispatch.
 *
 * Each header can be included alone. This header includes all of them, and
 * libdispatch.
 */
#ifndef WEIR_H
#define WEIR_H

#include <weir/apply.h>
#include <weir/base.h>
#include <weir/descriptors.h>
#include <weir/file.h>
#include <weir/files.h>
#include <weir/gate.h>
#include <weir/group.h>
#include <weir/inspect.h>
#include <weir/lanes.h>
#include <weir/misuse.h>
#include <weir/queue.h>
#include <weir/sources.h>
#include <weir/spawn.h>
#include <weir/storage.h>
#include <weir/trace.h>
#include <weir/walk.h>

#endif /* WEIR_H */
