/*
 * files.c: runs of the file processor.
 *
 * Promises of weir/files.h: each file is delivered once, in the order of the
 * sources (or as batches are completed), never two batches at a time; a run that
 * is cancelled or stopped delivers the files before the first unprocessed one
 * and no others; no more descriptors are open than the budget has; a file with
 * two names is read once; each value is dropped once; a pause holds no run for
 * ever.
 */
#include "scenarios.h"
#include "tree.h"

#define NAMES_MAX 12

static weir_files_t files;
static const char *expected[NAMES_MAX]; /* paths, in the order of the sources */
static size_t expected_count;
static bool was_delivered[NAMES_MAX];
static size_t delivered, batches, jobs, jobs_at_once, jobs_done, reads;
static size_t jobs_at_cancel;
static bool is_by_inode;
static size_t last_place, held; /* of the delivery; the permits that it took */
static size_t values, values_dropped;
static bool is_delivering, is_ordered;
static size_t
    fails_at; /* the batch that the delivery refuses, from 1; 0: none */
static size_t budget;

/* ---- the functions of a processor --------------------------------------- */

static int read_all(weir_file_t *file) {
    const void *bytes;
    size_t length;
    int error;
    do {
        error = weir_file_read(file, &bytes, &length);
    } while (!error && length > 0);
    reads++;
    return error;
}

static int job(void *user, void *lane_context, weir_file_t *file) {
    jobs++;
    jobs_at_once++;
    weir_file_set_value(file, address_of(1));
    values++;
    int error = read_all(file);
    CHECK(simulated.open <= budget + 2, "%zu descriptors are open, budget %zu",
          simulated.open, budget);
    jobs_at_once--;
    jobs_done += error == 0;
    return error;
}

static size_t place_of(const char *path) {
    for (size_t i = 0; i < expected_count; i++) {
        if (strcmp(expected[i], path) == 0) {
            return i;
        }
    }
    schedule_fail("%s was delivered, which is no source", path);
}

static int deliver(void *user, const weir_files_batch_t *batch) {
    CHECK(!is_delivering, "two batches are delivered at a time");
    is_delivering = true;
    batches++;
    CHECK(!fails_at || batches <= fails_at, "a batch came after the error");
    for (size_t i = 0; i < batch->count; i++) {
        const weir_file_result_t *result = &batch->results[i];
        CHECK(result->outcome == WEIR_FILE_DONE, "%s: outcome %d, error %d",
              result->path, result->outcome, result->error);
        size_t place = place_of(result->path);
        CHECK(!was_delivered[place], "%s was delivered twice", result->path);
        CHECK(!is_ordered || place >= last_place, "%s came out of its turn",
              result->path);
        last_place = place;
        was_delivered[place] = true;
        delivered++;
        CHECK(weir_files_batch_value(batch, i), "%s has no value",
              result->path);
        let_others_run();
    }
    /* Nothing returns these permits before the end of the run. */
    if (batches == fails_at &&
        weir_gate_try(weir_descriptor_gate(), budget) == 0) {
        held = budget;
    }
    is_delivering = false;
    return batches == fails_at ? EIO : 0;
}

static void drop_value(void *user, void *value) { values_dropped++; }

/* ---- a run -------------------------------------------------------------- */

static weir_files_options_t usual_options(size_t lanes) {
    return (weir_files_options_t){.jobs = lanes,
                                  .files_per_batch = 1,
                                  .job = job,
                                  .deliver = deliver,
                                  .value_drop = drop_value};
}

static void make(weir_files_options_t options, size_t permits,
                 const char *names) {
    budget = permits;
    is_ordered = !(options.flags & WEIR_FILES_UNORDERED);
    CHECK(weir_descriptor_set_budget(permits) == 0, "budget");
    files = weir_files_create(&options);
    CHECK(files, "create failed with %d", errno);
    for (size_t size; *names; names += size + (names[size] == ' ')) {
        char name[16] = "";
        size = strcspn(names, " ");
        expected[expected_count++] = tree_path(memcpy(name, names, size));
    }
}

static int run(unsigned readers) {
    weir_files_source_t sources[NAMES_MAX] = {{0}};
    for (size_t i = 0; i < expected_count; i++) {
        sources[i].kind = WEIR_SOURCE_PATH;
        sources[i].path = expected[i];
        sources[i].readers = readers;
        sources[i].device = 1;
        sources[i].flags = is_by_inode ? WEIR_SOURCE_BY_INODE : 0;
    }
    return weir_files_run(files, sources, expected_count);
}

static void check_prefix(void) {
    for (size_t i = 0; i < delivered; i++) {
        CHECK(was_delivered[i], "%s was left out", expected[i]);
    }
}

/* After the run, at the end of each scenario. */
static void finish(void) {
    CHECK(values == values_dropped, "%zu values were set, %zu dropped", values,
          values_dropped);
    CHECK(jobs_at_once == 0, "a job runs after the run");
    weir_gate_signal(weir_descriptor_gate(), held);
    CHECK(!is_delivering, "a delivery goes on after the run");
    CHECK(simulated.open == 0, "%zu descriptors were left open",
          simulated.open);
    weir_gate_stats_t stats = stats_of(weir_descriptor_gate());
    CHECK(stats.in_use == 0, "%zu permits were lost", stats.in_use);
    CHECK(stats.waiting == 0, "%zu waiters were forgotten", stats.waiting);
    weir_files_release(files);
}

static void check_all(int result) {
    CHECK(result == 0, "the run returned %d", result);
    CHECK(delivered == expected_count, "%zu files were delivered, of %zu",
          delivered, expected_count);
    finish();
}

/* Other code takes a permit, and lets the budget change. */
static void take_permits(void *unused) {
    CHECK(weir_gate_wait(weir_descriptor_gate(), 1, FOREVER) == 0, "wait");
    budget = 3;
    CHECK(weir_descriptor_set_budget(3) == 0, "budget");
    weir_gate_signal(weir_descriptor_gate(), 1);
}

/* Two runs, the second with one reader. */
static void run_twice(void) {
    weir_files_options_t options = usual_options(2 + schedule_pick(2, "lanes"));
    options.flags = schedule_pick(2, "order") ? WEIR_FILES_UNORDERED : 0;
    make(options, 1 + schedule_pick(3, "budget"), "1 2 3");
    if (schedule_pick(2, "other code")) {
        thread_start("takes one", take_permits, NULL);
    }
    CHECK(run(0) == 0 && delivered == 3, "the first run");
    memset(was_delivered, 0, sizeof was_delivered);
    delivered = last_place = 0;
    int result = run(1);
    threads_join();
    check_all(result);
}

/* ---- the end in the middle ---------------------------------------------- */

static void cancel(void *unused) {
    weir_files_cancel(files);
    jobs_at_cancel = jobs;
}

static void run_cancel(void) {
    weir_files_options_t options = usual_options(2);
    bool with_gaps = schedule_pick(2, "gaps");
    options.flags = with_gaps ? WEIR_FILES_WITH_GAPS : 0;
    is_by_inode = !with_gaps && schedule_pick(2, "order");
    options.files_per_batch = 1 + schedule_pick(2, "files of a batch");
    make(options, 4, "3 1 4 2");
    thread_start("cancels", cancel, NULL);
    int result = run(schedule_pick(2, "readers"));
    CHECK(result == ECANCELED || result == 0, "the run returned %d", result);
    if (with_gaps) {
        CHECK(delivered == jobs_done, "%zu files of %zu", delivered, jobs_done);
    } else {
        check_prefix();
    }
    CHECK(result || delivered == expected_count, "%zu files were delivered",
          delivered);
    threads_join();
    CHECK(result == 0 || jobs <= jobs_at_cancel + 2,
          "%zu jobs, %zu at the cancel", jobs, jobs_at_cancel);
    finish();
}

static void run_error(void) {
    make(usual_options(2), 1 + 3 * schedule_pick(2, "budget"), "0 1 2 3");
    fails_at = 1 + schedule_pick(3, "batch");
    int result = run(0);
    CHECK(result == EIO, "the run returned %d", result);
    CHECK(batches == fails_at, "%zu batches were delivered", batches);
    check_prefix();
    finish();
}

static void pause_and_resume(void *unused) {
    weir_files_pause(files);
    let_others_run();
    weir_files_resume(files);
}

static void run_pause(void) {
    make(usual_options(2), 2, "1 2");
    thread_start("pauses", pause_and_resume, NULL);
    int result = run(0);
    threads_join();
    check_all(result);
}

static bool is_second_run;

static void begun(void *user) {
    if (!is_second_run) {
        thread_start("cancels", cancel, NULL);
    }
}

static void resume(void *unused) {
    CHECK(delivered == 0, "%zu files came during a pause", delivered);
    weir_files_resume(files);
}

static void run_pause_and_cancel(void) {
    weir_files_options_t options = usual_options(1);
    options.begun = begun;
    make(options, 2, "1 2");
    weir_files_pause(files);
    int result = run(0);
    CHECK(result == ECANCELED, "the run returned %d", result);
    CHECK(delivered == 0, "%zu files were delivered", delivered);
    threads_join();
    thread_start("resumes", resume, NULL);
    is_second_run = true;
    result = run(0);
    threads_join();
    check_all(result);
}

/* ---- descriptors -------------------------------------------------------- */

static void run_no_permits(void) {
    weir_files_options_t options = usual_options(2);
    options.descriptors = 1;
    options.begun = begun;
    make(options, 2, "1 2 3");
    CHECK(weir_gate_wait(weir_descriptor_gate(), 2, FOREVER) == 0, "wait");
    int result = run(0);
    CHECK(result == ECANCELED, "the run returned %d", result);
    CHECK(delivered == 0, "%zu files were delivered", delivered);
    weir_gate_signal(weir_descriptor_gate(), 2);
    threads_join();
    is_second_run = true;
    check_all(run(0));
}

/* ---- names of one file -------------------------------------------------- */

static int remembering_job(void *user, void *lane_context, weir_file_t *file) {
    weir_file_set_value(file, address_of(1));
    values++;
    size_t length;
    if (weir_file_remembered(file, &length)) {
        CHECK(length == 3, "%zu bytes were remembered", length);
        return 0;
    }
    int error = read_all(file);
    weir_file_remember(file, "abc", 3);
    return error;
}

/* Runs over the names, or a directory with them. Of names that no walk has found, each
   lane may read one in vain. */
static void run_names(const char *names, const char *directory, size_t count,
                      size_t most) {
    weir_files_options_t options = usual_options(2);
    options.job = remembering_job;
    make(options, 4, names);
    const weir_files_source_t source = {.kind = WEIR_SOURCE_PATH,
                                        .path = tree_path(directory)};
    int result = most > count ? run(0) : weir_files_run(files, &source, 1);
    CHECK(reads >= count && reads <= most, "%zu files were read in %zu reads",
          count, reads);
    check_all(result);
}

static void run_links(void) { run_names("4 link", NULL, 1, 2); }
static void run_twins(void) { run_names("twins/x twins/y", "twins", 1, 1); }

static void run_tree_links(void) {
    run_names("0 1 2 3 4 large link sub/a sub/b twins/x twins/y", NULL, 9, 9);
}

/* ---- changing lanes ----------------------------------------------------- */

/* Reads take longer than a lane without work waits. */
static void run_share(void) {
    weir_files_options_t options = usual_options(2);
    options.files_per_batch = 4;
    simulated.read_time = UINT64_C(2000000);
    make(options, 4, "1 large 2 3 4");
    check_all(run(0));
}

/* Reads wait for the storage and cores are idle, so that lanes are added; a cut
   of the width follows when they are not. */
static void run_readers(void) {
    weir_files_options_t options = usual_options(1);
    options.jobs_max = 3;
    options.files_per_batch = 1 + schedule_pick(3, "files of a batch");
    simulated.cores = 4;
    simulated.read_time = UINT64_C(20000000);
    make(options, 8, "0 1 2 3 4 link sub/a sub/b");
    int result = run(0);
    weir_files_stats_t stats;
    weir_files_stats(files, &stats, sizeof stats);
    CHECK(stats.lanes <= 3 && stats.lanes_peak <= 3, "%zu lanes, peak %zu",
          stats.lanes, stats.lanes_peak);
    check_all(result);
}

const struct scenario files_scenarios[] = {
    {"files-runs",
     "files are delivered once, and in order unless that is not "
     "wanted, with few descriptors, in one run after the other",
     run_twice, .kept = 2},
    {"files-cancel",
     "a cancel ends the run with the files before the first missing, or all "
     "that have ended, and few files are opened after it",
     run_cancel, .kept = 2},
    {"files-error",
     "the error of a delivery ends the run, which may wait for permits, and "
     "nothing comes after",
     run_error, .kept = 2},
    {"files-pause", "a pause and a resume lose no wake-up", run_pause,
     .kept = 2},
    {"files-pause-cancel", "a cancel ends a paused run, and the pause stays",
     run_pause_and_cancel, .kept = 2},
    {"files-no-permits",
     "a cancel ends a run that waits for permits of others, and keeps "
     "none of its own limit",
     run_no_permits, .kept = 2},
    {"files-links",
     "two lanes with two names of a file wait for each other, if at "
     "all, in one direction",
     run_links, .kept = 2},
    {"files-tree", "each file of a tree is read once, also one with two names",
     run_tree_links, .kept = 2},
    {"files-twins", "two lanes that meet two names of a file read it once",
     run_twins, .kept = 2},
    {"files-share",
     "a lane without work takes files of another's batch, in order", run_share,
     .kept = 2},
    {"files-readers", "lanes are added while others read, and no file is lost",
     run_readers, .kept = 2, .has_faults = true},
    {NULL},
};
