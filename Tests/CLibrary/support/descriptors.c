/* descriptors.c: counts and limits the descriptors of the process. */
#include "descriptors.h"
#include "threads.h"
#include <dispatch/dispatch.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* No test opens more. */
enum { MOST = 256 };

static bool leads_to(int descriptor, const char *path) {
    char link[64], target[4096];
    size_t length = strlen(path);
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    return readlink(link, target, sizeof target) >= (ssize_t)length &&
           memcmp(target, path, length) == 0;
}

static bool has_timer(void) {
    int descriptor = 0;
    while (descriptor < MOST && !leads_to(descriptor, "anon_inode:[timerfd]")) {
        descriptor++;
    }
    return descriptor < MOST;
}

void settle_descriptors(void) {
    dispatch_async(dispatch_get_global_queue(0, 0), ^{
                   });
    CHECK(EVENTUALLY(has_timer()));
}

void limit_descriptors(size_t limit) {
    struct rlimit limits;
    getrlimit(RLIMIT_NOFILE, &limits);
    limits.rlim_cur = limit;
    REQUIRE(setrlimit(RLIMIT_NOFILE, &limits) == 0);
}

int take_descriptors(int left) {
    settle_descriptors();
    limit_descriptors(MOST);
    int first = dup(0), last = first;
    for (int next = first; next >= 0; next = dup(0)) {
        last = next;
    }
    for (; left > 0; left--) {
        close(last--);
    }
    return first;
}

struct open_descriptors open_descriptors(void) {
    struct open_descriptors open = {0, -1};
    for (int descriptor = 0; descriptor < MOST; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) {
            open.count++;
            open.largest = descriptor;
        }
    }
    return open;
}

/* Returns the inode of a file below the directory, with a bit that is set if it is a
   directory to read; or 0. */
static uint64_t file_below(const char *directory, int descriptor) {
    struct stat status;
    int flags = fcntl(descriptor, F_GETFL);
    return flags < 0 || !leads_to(descriptor, directory) ||
                   fstat(descriptor, &status) != 0
               ? 0
               : (uint64_t)status.st_ino << 1 |
                     (S_ISDIR(status.st_mode) && (flags & O_PATH) == 0);
}

struct open_below open_below(const char *directory) {
    struct open_below open = {0, 0};
    uint64_t files[MOST];
    for (int look = 0; look < 3; look++) {
        for (int descriptor = 0; descriptor < MOST; descriptor++) {
            uint64_t file = file_below(directory, descriptor);
            bool same = look == 0 || files[descriptor] == file;
            files[descriptor] = same ? file : 0;
        }
    }
    for (int descriptor = 0; descriptor < MOST; descriptor++) {
        open.walk += files[descriptor] & 1;
        open.lanes += files[descriptor] != 0 && !(files[descriptor] & 1);
    }
    return open;
}
