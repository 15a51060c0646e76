/* linux_quota_tests.c: the number of cores that the quotas of cgroups allow, on
   simulated machines: trees of files with their own /proc and their own cgroups. */
#include "system/linux/quota.h"
#include "tree.h"

#define MOUNT(type, options, top, point)                                       \
    "31 23 0:28 " top " " point " rw,nosuid shared:9 - " type                  \
    " cgroup rw," options "\n"
#define V1 MOUNT("cgroup", "cpu,cpuacct", "/", "/sys/fs/cgroup/cpu,cpuacct")
#define V2 V2_PART("/", "")
/* The part of the tree of cgroups that is mounted at a place. */
#define V2_PART(top, place)                                                    \
    MOUNT("cgroup2", "cgroup2", top, "/sys/fs/cgroup" place)
#define TOP1 "cpu,cpuacct/"

struct machine {
    size_t cores;
    const char *cgroups; /* the lines of /proc/self/cgroup */
    const char *mounts;  /* those of /proc/self/mountinfo */
    const char *files;   /* below /sys/fs/cgroup: PATH TEXT|PATH TEXT... */
};

static void check_machines(const struct machine *machines, size_t count) {
    for (const struct machine *at = machines; at < machines + count; at++) {
        const char *root = tree_create();
        char *rest = text("%s", at->files), *path, *line;
        make_text(root, "proc/self/cgroup", at->cgroups);
        make_text(root, "proc/self/mountinfo",
                  text("22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n%s",
                       at->mounts));
        while ((line = strsep(&rest, "|")) != NULL && *line != 0) {
            path = strsep(&line, " ");
            make_text(root, join("sys/fs/cgroup", path), text("%s\n", line));
        }
        check_row("%s%s%s", at->cgroups, at->mounts, at->files);
        CHECK_EQUAL(weir__cores_by_quota(root), at->cores);
    }
}

#define TEST_MACHINES(name, ...)                                               \
    TEST(name) {                                                               \
        static const struct machine machines[] = {__VA_ARGS__};                \
        check_machines(machines, sizeof machines / sizeof *machines);          \
    }

/* Rounded up; `max` is none. */
#define UNIT(quota, cores)                                                     \
    { cores, "0::/slice/a.service\n", V2, "slice/a.service/cpu.max " quota }
TEST_MACHINES(the_quota_of_the_unit_counts, UNIT("150000 100000", 2),
              UNIT("100000 100000", 1), UNIT("1000 100000", 1),
              UNIT("800000 100000", 8), UNIT("25000 10000", 3),
              UNIT("max 100000", SIZE_MAX), UNIT("", SIZE_MAX),
              UNIT("100000", SIZE_MAX), UNIT("-1 100000", SIZE_MAX),
              UNIT("100000 0", SIZE_MAX))

#define WAY_UP(root, a, b, c)                                                  \
    {                                                                          \
        2, "0::/a/b/c\n", V2,                                                  \
            "cpu.max " root "00000 100000|a/cpu.max " a "00000 100000|"        \
            "a/b/cpu.max " b "00000 100000|a/b/c/cpu.max " c "00000 100000|"   \
            "a/other/cpu.max 100000 100000"                                    \
    }
/* The last one: a cgroup without the controller, with `max`, or with a file that
   nobody can read (a directory) hides no quota above it. */
TEST_MACHINES(the_least_quota_on_the_way_up_counts, WAY_UP("2", "9", "9", "9"),
              WAY_UP("9", "2", "9", "9"), WAY_UP("9", "9", "2", "9"),
              WAY_UP("9", "9", "9", "2"),
              {3, "0::/a/b/c/d\n", V2,
               "a/cpu.max 300000 100000|a/b/cpu.max max 100000|"
               "a/b/c/cpu.max/x "})

#define VERSION_ONE(quota, cores)                                              \
    {                                                                          \
        cores, "7:cpuset:/set\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/y\n",  \
            MOUNT("cgroup", "cpuset", "/", "/sys/fs/cgroup/cpuset") V1,        \
            "cpuset/set/cpu.cfs_quota_us 50000|cpuset/set/cpu.cfs_period_us "  \
            "100000|" TOP1 "docker/x/cpu.cfs_period_us 100000|" TOP1           \
            "docker/x/cpu.cfs_quota_us " quota "|" TOP1 "cpu.cfs_quota_us -1"  \
    }
/* Both versions are mounted, and the controller is in either. */
#define HYBRID(one, two)                                                       \
    {                                                                          \
        2, "4:cpu,cpuacct:/s/one\n0::/s/two\n", V2_PART("/", "/unified") V1,   \
            TOP1 "s/cpu.cfs_quota_us " one "|" TOP1                            \
                 "s/cpu.cfs_period_us 100000|"                                 \
                 "unified/s/cpu.max " two " 100000"                            \
    }
TEST_MACHINES(version_one_counts, VERSION_ONE("250000", 3),
              VERSION_ONE("-1", SIZE_MAX), VERSION_ONE("100000", 1),
              HYBRID("200000", "max"), HYBRID("-1", "200000"))

/* A part of the tree is mounted: in a namespace of its own, or with the paths of the
   host. */
#define PART(path, top, directory)                                             \
    { 2, "0::" path "\n", V2_PART(top, ""), directory "cpu.max 200000 100000" }
/* Of two mounts, the one with the cgroup counts. */
#define TWO_PARTS(mounts)                                                      \
    {                                                                          \
        2, "0::/b/c\n", mounts,                                                \
            "one/cpu.max 100000 100000|two/c/cpu.max 200000 100000"            \
    }
TEST_MACHINES(a_container_sees_its_part, PART("/", "/", ""),
              PART("/in", "/", "in/"), PART("/docker/abc", "/docker/abc", ""),
              PART("/docker/abc/in", "/docker/abc", "in/"),
              PART("/../b", "/..", "b/"),
              PART("/pod 1/in", "/pod\\0401", "in/"),
              TWO_PARTS(V2_PART("/a", "/one") V2_PART("/b", "/two")),
              TWO_PARTS(V2_PART("/b", "/two") V2_PART("/a", "/one")))

/* Only the top of the mounted part is read, and nothing that ".." or a longer name
   would lead to. */
#define OUTSIDE(path, top)                                                     \
    {                                                                          \
        3, "0::" path "\n", V2_PART(top, "/here"),                             \
            "cpu.max 100000 100000|other/cpu.max 100000 100000|"               \
            "d/cpu.max 100000 100000|here/d/cpu.max 100000 100000|"            \
            "hered/cpu.max 100000 100000|here/cpu.max 300000 100000"           \
    }
TEST_MACHINES(outside_the_part_its_top_counts, OUTSIDE("/..", "/"),
              OUTSIDE("/../..", "/"), OUTSIDE("/../other", "/"),
              OUTSIDE("/", "/../.."), OUTSIDE("/docker/abcd", "/docker/abc"),
              OUTSIDE("/host/path", "/docker/abc"))

TEST(without_cgroups_there_is_no_quota) {
    char *path = text("0::%06030d\n", 0); /* of names of 200 bytes */
    for (size_t at = 3; at < strlen(path) - 1; at += 201) {
        path[at] = '/';
    }
    const struct machine machines[] = {
        {SIZE_MAX, "", V2 V1, ""},
        {SIZE_MAX, "0::/a\n4:cpu:/a\n", "", ""},
        {SIZE_MAX, path, V2, ""},
        {SIZE_MAX, "4:cpu\n0:\n\n:\n", V1 V2, ""}};
    check_machines(machines, 4);
    CHECK_EQUAL(weir__cores_by_quota(tree_create()), SIZE_MAX);
}
