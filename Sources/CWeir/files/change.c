/*
 * change.c: whether a file changed while it was read.
 *
 * DESIGN. To look before and after each file would cost a second fstat, 5 to
 * 9 % of a run over small files. So the clock is looked at before a file is
 * opened, which is no system call, and the file once, after its first read: a
 * file whose time is older than the clock's was not written to since it was
 * opened, and where it is read whole by then, nothing more is asked. The clock
 * is CLOCK_REALTIME_COARSE, the one that the kernel stamps files with: it goes
 * on every few milliseconds, and a stamp is never older than what it showed.
 * The time is st_ctime, which every write sets and nobody else can: st_mtime is
 * what somebody says it is.
 *
 * A time that is not older may be that of a write just before or just after.
 * Then the lane waits until the clock has gone on, which takes one tick and is
 * needed for few files, since the next ones are older by then; reads once more
 * what it has read, and compares. Other bytes: the file changed. The same bytes
 * and times: it did not, and every later write will have another time. (The
 * job could be called again instead. It was rejected: then it would be every
 * job's to bear that, and a file that is read while it is written would be
 * reported as well if the last reading went well.)
 *
 * Files that take more than one read are looked at again at the end. Other
 * sizes or times of modification are a change, also where a log has grown: what
 * was read is neither what was there first nor what was there last. Where the
 * status has changed (st_ctime) and nothing else, it is a change too, since
 * writers can set st_mtime back, unless there is a reason: another mode, owner
 * or number of links. A rename shows no reason, and counts.
 *
 * What no name leads to any more was removed, or replaced. A file without links
 * that was opened through /proc or /dev/stdin is still what its path leads to.
 *
 * Where times come from elsewhere (servers of files, FUSE, what is not known),
 * they cannot be compared with a clock: there files are looked at before and
 * after. In /proc and the like sizes and times say nothing: what is read to
 * its end there is taken as it is.
 *
 * Not seen is what no time tells: stores into a mapping that was written to
 * before, one write that has begun before and goes on, a clock that was set
 * back meanwhile; and on file systems with times of a second or two, a write
 * that keeps the size, long after the first read and within that second.
 */
#include "files/change.h"

#include <sys/vfs.h>
#include <unistd.h>

#include "files/reader.h"
#include "walk/open.h"

/* How often bytes are compared before a file that goes on changing is given
   up. */
#define COMPARISONS_MAX 3

#define COMPARED_AT_ONCE ((size_t)65536)

/* ---- devices ----------------------------------------------------------- */

/* File systems whose times are from this kernel's clock. */
static const uint32_t ours[] = {
    0x0000ef53, /* ext2, ext3, ext4 */
    0x58465342, /* XFS */
    0x9123683e, /* Btrfs */
    0x01021994, /* tmpfs */
    0x858458f6, /* ramfs */
    0x794c7630, /* overlayfs */
    0xf2f52010, /* F2FS */
    0x2fc12fc1, /* ZFS */
    0xca451a4e, /* bcachefs */
    0x00004d44, /* FAT */
    0x2011bab0, /* exFAT */
    0x7366746e, /* NTFS */
    0x15013346, /* UDF */
    0x00009660, /* ISO 9660 */
    0x73717368, /* squashfs */
    0xe0f5e1e2, /* EROFS */
    0x958458f6, /* hugetlbfs */
    0x3153464a, /* JFS */
    0x52654973, /* ReiserFS */
    0x00003434, /* NILFS */
};

/* File systems that make a file up when it is read. */
static const uint32_t sizeless[] = {
    0x00009fa0, /* proc */
    0x62656572, /* sysfs */
    0x0027e0eb, /* cgroup */
    0x63677270, /* cgroup2 */
    0x64626720, /* debugfs */
    0x74726163, /* tracefs */
    0x73636673, /* securityfs */
    0x62656570, /* configfs */
    0xf97cff8c, /* SELinux */
    0x43415d53, /* Smack */
    0xde5e81e4, /* efivarfs */
    0xcafe4a11, /* bpf */
    0x6165676c, /* pstore */
    0x42494e4d, /* binfmt_misc */
    0x07655821, /* resctrl */
    0x65735543, /* fusectl */
    0x19800202, /* mqueue */
    0x6e736673, /* nsfs */
};

static bool is_among(uint32_t type, const uint32_t *types, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (types[i] == type) {
            return true;
        }
    }
    return false;
}

static enum device_kind ask_kind(int fd) {
    struct statfs status;
    if (fstatfs(fd, &status) != 0) {
        return DEVICE_ELSEWHERE;
    }
    uint32_t type = (uint32_t)status.f_type;
    if (is_among(type, sizeless, sizeof sizeless / sizeof *sizeless)) {
        return DEVICE_SIZELESS;
    }
    return is_among(type, ours, sizeof ours / sizeof *ours) ? DEVICE_OURS
                                                            : DEVICE_ELSEWHERE;
}

static enum device_kind kind_of(weir_file_t *file) {
    struct devices *devices = &file->reader->devices;
    uint64_t run = file->stride->files->reading.run;
    dev_t number = file->status.st_dev;
    if (devices->run != run) {
        devices->run = run;
        devices->count = 0;
    }
    size_t known =
        devices->count < DEVICES_KEPT ? devices->count : DEVICES_KEPT;
    for (size_t i = 0; i < known; i++) {
        if (devices->numbers[i] == number) {
            return (enum device_kind)devices->kinds[i];
        }
    }
    size_t place = devices->count++ % DEVICES_KEPT;
    devices->numbers[place] = number;
    devices->kinds[place] = (uint8_t)ask_kind(file->descriptor);
    return (enum device_kind)devices->kinds[place];
}

/* ---- times ------------------------------------------------------------- */

static bool is_before(struct timespec a, struct timespec b) {
    return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

static struct timespec clock_of_files(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now;
}

void weir__change_begin(weir_file_t *file) {
    file->watch.opened = clock_of_files();
}

/* Whether the file may have been written to since. A time without a fraction is
   of a file system that keeps seconds, or every other one. */
static bool is_young(const struct stat *status, struct timespec opened) {
    struct timespec latest = status->st_ctim;
    if (latest.tv_nsec % 10000000 == 0) {
        latest.tv_sec += 2;
    }
    return !is_before(latest, opened);
}

/* How far the clock is behind the file's time, in nanoseconds; 0 where it is
   not, or far. */
static int64_t lag(const struct stat *status) {
    struct timespec now = clock_of_files(), time = status->st_ctim;
    int64_t ahead = time.tv_nsec - now.tv_nsec + 1;
    if (time.tv_sec > now.tv_sec) {
        ahead += 1000000000;
    }
    bool is_near = time.tv_sec == now.tv_sec || time.tv_sec == now.tv_sec + 1;
    return is_near && ahead > 0 ? ahead : 0;
}

/* Waits until the clock has passed the file's time, where that is about to be;
   for a time that is in the future it does not. */
static void wait_out_tick(const struct stat *status) {
    struct timespec tick = {.tv_nsec = 0};
    clock_getres(CLOCK_REALTIME_COARSE, &tick);
    const struct timespec pause = {.tv_nsec = tick.tv_nsec / 2};
    for (int i = 0; i < 8; i++) {
        int64_t behind = lag(status);
        if (behind == 0 || behind > 2 * (int64_t)tick.tv_nsec) {
            return;
        }
        nanosleep(&pause, NULL);
    }
}

static bool is_same_time(struct timespec a, struct timespec b) {
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool weir__change_differs(const struct stat *before, const struct stat *after) {
    if (before->st_size != after->st_size ||
        !is_same_time(before->st_mtim, after->st_mtim)) {
        return true;
    }
    bool has_reason = before->st_nlink != after->st_nlink ||
                      before->st_mode != after->st_mode ||
                      before->st_uid != after->st_uid ||
                      before->st_gid != after->st_gid;
    return !is_same_time(before->st_ctim, after->st_ctim) && !has_reason;
}

/* ---- the first piece --------------------------------------------------- */

/* Whether what is in the lane's buffer is what the file begins with. */
static int compare(weir_file_t *file, bool *is_same) {
    char *bytes = malloc(COMPARED_AT_ONCE);
    size_t done = 0;
    int error = bytes ? 0 : ENOMEM;
    *is_same = true;
    while (!error && *is_same && done < file->piece) {
        size_t left = file->piece - done;
        ssize_t got = pread(file->descriptor, bytes,
                            left < COMPARED_AT_ONCE ? left : COMPARED_AT_ONCE,
                            (off_t)done);
        if (got < 0) {
            error = errno == EINTR ? 0 : errno;
            continue;
        }
        *is_same = got > 0 &&
                   memcmp(bytes, file->reader->buffer + done, (size_t)got) == 0;
        done += (size_t)got;
    }
    free(bytes);
    return error;
}

/* Compares until nothing has happened between two looks. */
static int compare_patiently(weir_file_t *file) {
    struct watch *watch = &file->watch;
    for (int i = 0; i < COMPARISONS_MAX; i++) {
        struct stat before = file->status;
        bool is_same;
        wait_out_tick(&before);
        int error = compare(file, &is_same);
        if (!error && fstat(file->descriptor, &file->status) != 0) {
            error = errno;
        }
        if (error) {
            return error;
        }
        if (!is_same) {
            break;
        }
        if (!weir__change_differs(&before, &file->status)) {
            return 0;
        }
    }
    watch->is_changed = true;
    return 0;
}

/* Whether st_size is how much there is to read. */
static bool has_size(const weir_file_t *file, enum device_kind kind) {
    return kind == DEVICE_OURS || file->status.st_blocks > 0;
}

int weir__change_after_piece(weir_file_t *file) {
    struct watch *watch = &file->watch;
    enum device_kind kind = kind_of(file);
    watch->is_needless = !S_ISREG(file->status.st_mode) ||
                         kind == DEVICE_SIZELESS ||
                         files_are_literal(file->stride->files);
    if (watch->is_needless) {
        return 0;
    }
    watch->is_on = true;
    file->reader->looks_first = kind == DEVICE_ELSEWHERE;
    int error = 0;
    if (kind == DEVICE_ELSEWHERE || is_young(&file->status, watch->opened)) {
        error = compare_patiently(file);
    }
    off_t size = file->status.st_size;
    if ((off_t)file->piece > size && has_size(file, kind)) {
        watch->is_changed = true;
    }
    watch->is_certain = (off_t)file->piece == size;
    return error;
}

void weir__change_before_reading(weir_file_t *file) {
    struct watch *watch = &file->watch;
    if (watch->is_on || watch->is_needless) {
        return;
    }
    enum device_kind kind = kind_of(file);
    watch->is_on = S_ISREG(file->status.st_mode) && kind != DEVICE_SIZELESS &&
                   !files_are_literal(file->stride->files);
    watch->is_needless = !watch->is_on;
    if (watch->is_on) {
        file->reader->looks_first = kind == DEVICE_ELSEWHERE;
        if (file->entry->state == ENTRY_PATH) {
            wait_out_tick(&file->status);
        }
    }
}

/* ---- the end ----------------------------------------------------------- */

static bool is_gone(const weir_file_t *file) {
    struct stat status;
    return weir__stat(entry_path(file->stride, file->entry),
                      file->entry->path_length, &status) != 0 ||
           status.st_ino != file->status.st_ino ||
           status.st_dev != file->status.st_dev;
}

static void look_again(weir_file_t *file) {
    struct watch *watch = &file->watch;
    struct stat status;
    if (fstat(file->descriptor, &status) != 0) {
        if (errno != ESTALE) {
            weir__opened_fail(file, errno);
        }
        watch->is_changed = errno == ESTALE;
        return;
    }
    bool was_read_whole =
        file->is_at_end && !file->is_lent && file->entry->state == ENTRY_PATH;
    watch->is_changed = weir__change_differs(&file->status, &status) ||
                        (was_read_whole && has_size(file, kind_of(file)) &&
                         file->entry->bytes != (uint64_t)status.st_size);
    file->status = status;
}

void weir__change_end(weir_file_t *file) {
    struct watch *watch = &file->watch;
    struct entry *entry = file->entry;
    if (!watch->is_on) {
        return;
    }
    if (!watch->is_changed && !(watch->is_certain && !file->is_lent)) {
        look_again(file);
    }
    bool is_removed = entry->state == ENTRY_PATH &&
                      file->status.st_nlink == 0 && is_gone(file);
    if ((watch->is_changed || is_removed) && entry->outcome == WEIR_FILE_DONE) {
        entry->outcome = WEIR_FILE_CHANGED;
        entry->error = is_removed ? ENOENT : 0;
    }
}

bool weir__change_is_certain(const weir_file_t *file) {
    const struct watch *watch = &file->watch;
    bool has_seconds = file->status.st_ctim.tv_nsec % 10000000 == 0;
    return watch->is_on &&
           !(has_seconds && is_young(&file->status, watch->opened));
}
