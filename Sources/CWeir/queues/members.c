/*
 * members.c: work of a group that runs on lanes, so that submission is bounded.
 *
 * A member is a job that knows its group: it ends with what its work returns, and
 * with ECANCELED where the lanes drop it.
 */
#include "queues/group_internal.h"
#include "queues/lanes_internal.h"

struct member {
    weir_group_t group;
    void *context;
    int (*work)(void *context, void *lane_context);
    void (*dropped)(void *context);
};

static void run_member(void *context, void *lane_context) {
    struct member member = *(struct member *)context;
    free(context);
    weir__group_finish(member.group, member.work(member.context, lane_context));
}

static void drop_member(void *context) {
    struct member member = *(struct member *)context;
    free(context);
    if (member.dropped) {
        member.dropped(member.context);
    }
    weir__group_finish(member.group, ECANCELED);
}

static int submit_member(weir_lanes_t lanes, struct member what) {
    struct member *member = malloc(sizeof *member);
    if (!member) {
        return ENOMEM;
    }
    *member = what;
    weir_group_enter(member->group);
    int error = weir_lanes_async_drop_f(lanes, member, run_member, drop_member);
    if (error) {
        free(member);
        weir_group_leave(what.group);
    }
    return error;
}

int weir_group_lanes_f(weir_group_t group, weir_lanes_t lanes, void *context,
                       int (*work)(void *context, void *lane_context)) {
    return submit_member(lanes, (struct member){group, context, work,
                                                weir__lanes_dropped(lanes)});
}

/* ---- blocks ------------------------------------------------------------ */

#ifdef __BLOCKS__
typedef int (^member_block_t)(void *lane_context);

static int call_member(void *context, void *lane_context) {
    member_block_t block = (member_block_t)context;
    int result = block(lane_context);
    Block_release(block);
    return result;
}

static void drop_block(void *context) {
    Block_release((member_block_t)context);
}

int weir_group_lanes(weir_group_t group, weir_lanes_t lanes,
                     int (^work)(void *lane_context)) {
    member_block_t copy = Block_copy(work);
    if (!copy) {
        return ENOMEM;
    }
    int error = submit_member(
        lanes, (struct member){group, (void *)copy, call_member, drop_block});
    if (error) {
        Block_release(copy);
    }
    return error;
}
#endif
