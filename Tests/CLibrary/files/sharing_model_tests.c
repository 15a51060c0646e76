/* sharing_model_tests.c: the batches of a processor, and lanes that share them, in
   simulated time. The files end at most the time of one job later than by list
   scheduling, which gives each file in order to the first lane that is free. */
#include "files/batch/delivery.h"
#include "files/batch/submission.h"
#include "processor.h"
#include "tree.h"

enum { LANES_MOST = 40, FILES_MOST = 3000, BACKLOG = 16 };

static const uint64_t NEVER = UINT64_MAX;

struct simulated_lane {
    struct batch *batch;
    uint64_t free_at; /* NEVER without work */
};

static struct {
    size_t files, lanes, batch;
    uint64_t times[FILES_MOST];
    uint64_t longest;
} mix;

static struct {
    weir_files_t files;
    struct simulated_lane lanes[LANES_MOST];
    struct batch *queue[BACKLOG];
    size_t fed, queued, read, delivered;
    uint64_t now;
} run;

static int deliver(void *user, const weir_files_batch_t *batch) {
    for (size_t index = 0; index < batch->count; index++) {
        CHECK_EQUAL(atoi(batch->results[index].path), run.delivered);
        run.delivered++;
    }
    return 0;
}

static int no_job(void *user, void *lane, weir_file_t *file) { return 0; }

/* ---- mixes ------------------------------------------------------------- */

static uint64_t job_time(struct check_random *random, size_t kind) {
    uint64_t time = 1 + check_below(random, 100);
    bool is_long = check_below(random, 30) == 0;
    return kind == 0 ? 50 : kind == 1 || !is_long ? time : 30 * time;
}

/* The feed has 64 batches at least, and the files of a mix need 48 at most: else the order
   of delivery may hold the feed, and so the lanes, for longer. */
static void make_mix(struct check_random *random) {
    size_t kind = check_below(random, 3);
    mix.lanes = 1 + check_below(random, check_below(random, 4) ? 12 : 40);
    mix.batch = 1 + check_below(random, 64);
    size_t most = check_below(random, 4) ? 400 : FILES_MOST;
    most = most < 48 * mix.batch ? most : 48 * mix.batch;
    mix.files = 1 + check_below(random, most);
    mix.longest = 0;
    for (size_t index = 0; index < mix.files; index++) {
        mix.times[index] = job_time(random, kind);
        if (mix.times[index] > mix.longest) {
            mix.longest = mix.times[index];
        }
    }
}

static size_t first_free(const uint64_t free_at[]) {
    size_t first = 0;
    for (size_t lane = 1; lane < mix.lanes; lane++) {
        first = free_at[lane] < free_at[first] ? lane : first;
    }
    return first;
}

static uint64_t list_schedule(void) {
    uint64_t free_at[LANES_MOST] = {0}, end = 0;
    for (size_t index = 0; index < mix.files; index++) {
        uint64_t *lane = &free_at[first_free(free_at)];
        *lane += mix.times[index];
        end = *lane > end ? *lane : end;
    }
    return end;
}

/* ---- simulated lanes --------------------------------------------------- */

/* Submits batches while there are files, and room for a batch. */
static void feed(void) {
    while (run.fed < mix.files && run.queued < BACKLOG) {
        struct batch *batch = weir__delivery_take(run.files);
        REQUIRE(batch);
        for (size_t n = 0; n < mix.batch && run.fed < mix.files; n++) {
            const char *path = text("%zu", run.fed++);
            struct entry *entry = weir__batch_add(batch, path, strlen(path), 0);
            entry->state = ENTRY_PATH;
        }
        batch->to_read = batch->to_open = batch->count;
        batch_set_range(batch, batch->count);
        weir__delivery_enter(run.files, batch, NULL);
        REQUIRE(weir__batch_take_permits(batch, false));
        run.queue[run.queued++] = batch;
    }
    run.files->queued = run.queued;
}

static struct batch *take_queued(void) {
    struct batch *first = run.queue[0];
    memmove(run.queue, run.queue + 1, --run.queued * sizeof *run.queue);
    feed();
    return first;
}

/* Takes a part of a batch that another lane has read for a while. */
static struct batch *take_part(void) {
    for (struct batch *batch = run.files->head; batch; batch = batch->next) {
        batch->was_seen = true;
    }
    run.files->has_seeker = true;
    struct batch *part = weir__sharing_seek(run.files);
    CHECK(!run.files->has_seeker);
    return part;
}

static void end_batch(struct simulated_lane *lane) {
    lane->batch->count = batch_close_range(lane->batch);
    weir__batch_release_permits(lane->batch);
    weir__delivery_finish(run.files, lane->batch);
    lane->batch = NULL;
    feed();
}

/* Begins the next file of a lane, of any batch. */
static void begin_file(struct simulated_lane *lane) {
    size_t place;
    lane->free_at = NEVER;
    for (;;) {
        if (!lane->batch) {
            lane->batch = run.queued ? take_queued() : take_part();
        }
        if (!lane->batch) {
            return;
        }
        if (batch_take_place(lane->batch, &place)) {
            int file =
                atoi(entry_path(lane->batch, &lane->batch->entries[place]));
            lane->free_at = run.now + mix.times[file];
            run.read++;
            return;
        }
        end_batch(lane);
    }
}

/* Ends the files that end now, and begins the next ones; lanes without work look after
   that. */
static void step(void) {
    for (size_t lane = 0; lane < mix.lanes; lane++) {
        if (run.lanes[lane].free_at == run.now) {
            begin_file(&run.lanes[lane]);
        }
    }
    for (size_t lane = 0; lane < mix.lanes; lane++) {
        if (run.lanes[lane].free_at == NEVER) {
            begin_file(&run.lanes[lane]);
        }
    }
}

static uint64_t next_end(void) {
    uint64_t next = NEVER;
    for (size_t lane = 0; lane < mix.lanes; lane++) {
        next = run.lanes[lane].free_at < next ? run.lanes[lane].free_at : next;
    }
    return next;
}

/* Returns the time at which the last file ends. */
static uint64_t simulate(void) {
    uint64_t end = 0;
    memset(&run, 0, sizeof run);
    run.files = weir_files_create(&(weir_files_options_t){
        .jobs = mix.lanes, .job = no_job, .deliver = deliver});
    REQUIRE(run.files);
    run.files->busy_lanes = mix.lanes; /* so that no real lane is called */
    run.files->is_awaited = true;      /* so that no lane waits in real time */
    feed();
    for (; run.now != NEVER; run.now = next_end()) {
        end = run.now;
        step();
    }
    weir_files_release(run.files);
    return end;
}

TEST(shared_batches_end_as_by_list_scheduling) {
    struct check_random random = check_random("mixes");
    for (int turn = 0; turn < 1000; turn++) {
        make_mix(&random);
        check_row("mix %d: %zu files, %zu lanes, batches of %zu", turn,
                  mix.files, mix.lanes, mix.batch);
        uint64_t end = simulate(), listed = list_schedule();
        CHECK(end <= listed + mix.longest, "%ju for %ju, longest %ju",
              (uintmax_t)end, (uintmax_t)listed, (uintmax_t)mix.longest);
        CHECK(run.read == mix.files && run.delivered == mix.files);
    }
}

/* The figure of a report: 60 jobs of 50 ms on eight lanes took 3 s on one of them. */
TEST(sixty_jobs_on_eight_lanes_take_eight_rounds) {
    mix.files = 60;
    mix.lanes = 8;
    mix.batch = 64;
    for (int index = 0; index < 60; index++) {
        mix.times[index] = 50;
    }
    CHECK_EQUAL(simulate(), 400);
}
