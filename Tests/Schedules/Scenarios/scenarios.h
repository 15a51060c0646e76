/* scenarios.h: the names of all scenarios. */
#pragma once

#include "support.h"

/* clang-format off */
#define SCENARIOS(of)                                                          \
    of(gate_two) of(gate_portions) of(gate_try) of(gate_time_out)              \
    of(gate_close) of(gate_resize) of(gate_orphan) of(gate_wake_and_end)       \
    of(gate_many) of(gate_time_out_at_head)                                    \
    of(gate_request) of(gate_work) of(gate_work_close) of(gate_mix)            \
    of(gate_many_requests)                                                     \
    of(lanes_submit) of(lanes_release) of(lanes_release_in_job)                \
    of(lanes_backlog) of(lanes_no_backlog) of(lanes_close) of(lanes_cancel)    \
    of(lanes_suspend) of(lanes_each) of(lanes_width) of(lanes_inline)          \
    of(lanes_many)                                                             \
    of(lanes_order) of(lanes_requests) of(lanes_requests_no_backlog)           \
    of(lanes_idle)                                                             \
    of(group_errors) of(group_fail) of(group_cancel) of(group_release)         \
    of(group_time_out) of(group_lanes) of(queue_context)                       \
    of(files_order) of(files_unordered) of(files_cancel) of(files_error)       \
    of(files_pause) of(files_pause_cancel) of(files_tight)                     \
    of(files_no_permits) of(files_links) of(files_tree) of(files_twins)        \
    of(files_split) of(files_readers)
/* clang-format on */

#define DECLARE(name) extern const struct scenario name;
SCENARIOS(DECLARE)
