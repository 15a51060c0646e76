/* linux_storage_tests.c: the storage of a file, as derived from statfs and sysfs; on
   simulated machines, whose /sys is a tree of files, and for real files. */
#include "tree.h"
#include <weir/storage.h>

/* Not static for this test; storage.c and system/linux/media.c declare them. */
void weir__medium_find(const char *sysfs, uint64_t type, uint32_t identity,
                       uint64_t device, weir_storage_t *out);
void weir__storage_complete(weir_storage_t *storage);

#define EXT 0xEF53
#define BTRFS 0x9123683E
#define FUSE 0x65735546

#define DEVICE(major, minor) ((uint64_t)(major) << 8 | (minor))
#define ROWS(table) (sizeof(table) / sizeof *(table))

static const char *sysfs;

static void start_machine(void) {
    sysfs = tree_create();
    make_text(sysfs, "dev/block/0:0/size", "0\n");
    make_text(sysfs, "fs/btrfs/features/raid56", "0\n");
}

static weir_storage_t find_storage(uint64_t type, uint32_t identity,
                                   unsigned major, unsigned minor) {
    weir_storage_t found;
    weir__medium_find(sysfs, type, identity, DEVICE(major, minor), &found);
    weir__storage_complete(&found);
    return found;
}

static weir_storage_t storage_of(unsigned major, unsigned minor) {
    return find_storage(EXT, 0, major, minor);
}

static void put(const char *device, const char *name, const char *value) {
    if (value != NULL) {
        make_text(sysfs, text("devices/%s/%s", device, name),
                  text("%s\n", value));
    }
}

static void add_device(const char *name, const char *number) {
    put(name, "dev", number);
    make_link(sysfs, text("dev/block/%s", number),
              text("../../devices/%s", name));
}

struct disk {
    const char *name, *number, *rotational, *driver, *vendor, *model;
};

#define DISK(name, number, rotational)                                         \
    ((struct disk){name, number, rotational, "sd", "ATA     ", "ST4000NM0035"})

static void add_disk(struct disk disk) {
    add_device(disk.name, disk.number);
    put(disk.name, "queue/rotational", disk.rotational);
    put(disk.name, "device/vendor", disk.vendor);
    put(disk.name, "device/model", disk.model);
    make_link(sysfs, text("devices/%s/device/driver", disk.name),
              text("../../../bus/drivers/%s", disk.driver));
    make_directory(sysfs, text("devices/%s/slaves", disk.name));
}

static void add_partition(const char *name, const char *number) {
    add_device(name, number);
    put(name, "partition", "1");
}

static void list(const char *directory, const char *device) {
    make_link(sysfs, join(directory, basename(device)),
              join(sysfs, text("devices/%s", device)));
}

static void add_joined(struct disk disk, const char *part, const char *second) {
    const char *directory = text("devices/%s/slaves", disk.name);
    add_disk(disk);
    list(directory, part);
    if (second != NULL) {
        list(directory, second);
    }
}

static void check_storage(weir_storage_t found, weir_storage_kind_t kind,
                          const char *disk, const char *evidence) {
    CHECK(found.kind == kind && strcmp(found.disk, disk) == 0 &&
              strstr(found.evidence, evidence) != NULL &&
              found.evidence[0] != 0,
          "kind %d, disk \"%s\": %s", (int)found.kind, found.disk,
          found.evidence);
}

TEST(a_disk_is_of_the_kind_it_reports) {
    static const struct {
        const char *rotational;
        weir_storage_kind_t kind;
    } rows[] = {{"1", WEIR_STORAGE_ROTATING},
                {"0", WEIR_STORAGE_SOLID},
                {NULL, WEIR_STORAGE_UNKNOWN}};
    for (size_t row = 0; row < ROWS(rows); row++) {
        bool rotates = rows[row].kind == WEIR_STORAGE_ROTATING;
        start_machine();
        add_disk(DISK("sda", "8:0", rows[row].rotational));
        add_partition("sda/sda1", "8:1");
        for (unsigned minor = 0; minor < 2; minor++) {
            weir_storage_t found = storage_of(8, minor);
            check_storage(found, rows[row].kind, "sda", "rotational");
            CHECK_TEXT(found.file_system, "ext4");
            CHECK_EQUAL(found.by_inode, rotates);
            CHECK(rotates ? found.readers == 1 && found.readers_max == 1
                          : found.readers > 1 && found.readers_max >= 64);
            /* A FUSE file system on a disk, such as ntfs-3g. */
            CHECK_EQUAL(find_storage(FUSE, 0, 8, minor).kind, rows[row].kind);
        }
    }
}

TEST(partitions_share_their_disk) {
    start_machine();
    add_disk(DISK("sda", "8:0", "1"));
    add_partition("sda/sda1", "8:1");
    add_partition("sda/sda2", "8:2");
    add_disk(DISK("sdb", "8:16", "1"));
    add_partition("sdb/sdb1", "8:17");
    add_joined(DISK("dm-0", "252:0", "0"), "sda/sda2", NULL);
    CHECK_EQUAL(storage_of(8, 1).device, DEVICE(8, 0));
    CHECK_EQUAL(storage_of(252, 0).device, DEVICE(8, 0));
    CHECK_EQUAL(storage_of(8, 17).device, DEVICE(8, 16));
}

/* Device-mapper on md on partitions rotates if any of the disks does; its own
   setting does not count. */
TEST(the_disks_below_a_device_decide) {
    for (int row = 0; row < 4; row++) {
        bool first = row & 1, second = row & 2;
        start_machine();
        add_disk(DISK("sda", "8:0", first ? "1" : "0"));
        add_partition("sda/sda1", "8:1");
        add_disk(DISK("sdb", "8:16", second ? "1" : "0"));
        add_joined(DISK("md0", "9:0", "0"), "sda/sda1", "sdb");
        add_joined(DISK("dm-0", "252:0", "1"), "md0", NULL);
        check_storage(storage_of(252, 0),
                      first || second ? WEIR_STORAGE_ROTATING
                                      : WEIR_STORAGE_SOLID,
                      second && !first ? "sdb" : "sda", "of 2 disks");
    }
}

TEST(a_cycle_of_devices_ends) {
    start_machine();
    add_joined(DISK("dm-0", "252:0", "1"), "dm-1", NULL);
    add_joined(DISK("dm-1", "252:1", "1"), "dm-0", NULL);
    CHECK(storage_of(252, 0).readers > 0);
}

/* A 1 of a virtual disk is ignored; a 0 counts. On SATA the vendor is always ATA, and
   the model names the maker. */
TEST(a_virtual_disk_that_rotates_is_unknown) {
    static const struct {
        struct disk disk;
        weir_storage_kind_t kind;
    } rows[] = {
#define ROW(driver, vendor, model, rotational, kind)                           \
    {{"vda", "254:0", rotational, driver, vendor, model}, WEIR_STORAGE_##kind}
        ROW("virtio_blk", "", "", "1", UNKNOWN),
        ROW("vbd", "", "", "1", UNKNOWN),
        ROW("sd", "QEMU    ", "", "1", UNKNOWN),
        ROW("sd", "VMware  ", "", "1", UNKNOWN),
        ROW("virtio_blk", "", "", "0", SOLID),
        ROW("sd", "Msft    ", "", "0", SOLID),
        ROW("sd", "SEAGATE ", "", "1", ROTATING),
        ROW("sd", "ATA     ", "VBOX HARDDISK   ", "1", UNKNOWN),
        ROW("sd", "ATA     ", "QEMU HARDDISK   ", "1", UNKNOWN),
        ROW("sd", "ATA     ", "VMware Virtual S", "1", UNKNOWN),
        ROW("sd", "ATA     ", "ST4000NM0035-1V4", "1", ROTATING)};
    for (size_t row = 0; row < ROWS(rows); row++) {
        bool unknown = rows[row].kind == WEIR_STORAGE_UNKNOWN;
        start_machine();
        add_disk(rows[row].disk);
        add_joined(DISK("dm-0", "252:0", "1"), "vda", NULL);
        for (unsigned major = 252; major <= 254; major += 2) {
            weir_storage_t found = storage_of(major, 0);
            check_row("row %zu", row);
            check_storage(found, rows[row].kind, "vda", "");
            CHECK_EQUAL(strstr(found.evidence, "virtual") != NULL, unknown);
        }
    }
}

TEST(the_file_system_decides_first) {
    static const struct {
        uint64_t type;
        weir_storage_kind_t kind;
        const char *name;
    } rows[] = {{0x6969, WEIR_STORAGE_NETWORK, "NFS"},
                {0xFF534D42, WEIR_STORAGE_NETWORK, "CIFS"},
                /* statfs may sign-extend the type. */
                {0xFFFFFFFFFF534D42, WEIR_STORAGE_NETWORK, "CIFS"},
                {0xFE534D42, WEIR_STORAGE_NETWORK, "SMB"},
                {0x01021997, WEIR_STORAGE_NETWORK, "9P"},
                {0x00C36400, WEIR_STORAGE_NETWORK, "Ceph"},
                {0x0BD00BD0, WEIR_STORAGE_NETWORK, "Lustre"},
                {0x01021994, WEIR_STORAGE_MEMORY, "tmpfs"},
                {0x2FC12FC1, WEIR_STORAGE_UNKNOWN, "ZFS"},
                {0x12345678, WEIR_STORAGE_UNKNOWN, "0x12345678"},
                {0xEF53, WEIR_STORAGE_UNKNOWN, "ext4"}};
    start_machine();
    for (size_t row = 0; row < ROWS(rows); row++) {
        weir_storage_kind_t kind = rows[row].kind;
        weir_storage_t found = find_storage(rows[row].type, 0, 0, 42);
        check_row("%s", rows[row].name);
        check_storage(found, kind, "", "");
        CHECK_TEXT(found.file_system, rows[row].name);
        CHECK_EQUAL(found.device, DEVICE(0, 42));
        CHECK(kind == WEIR_STORAGE_MEMORY ? found.readers_max == found.readers
                                          : found.readers_max >= 64);
        CHECK((found.readers == 16) == (kind == WEIR_STORAGE_NETWORK) ||
                  sysconf(_SC_NPROCESSORS_ONLN) == 4,
              "%zu readers", found.readers);
    }
}

TEST(btrfs_lists_its_devices) {
    const char *one = "fs/btrfs/11111111-2222-3333-4444-555555555555/devices",
               *two = "fs/btrfs/0a1b2c3d-2222-3333-89ab-cdef01234567/devices";
    for (int row = 0; row < 2; row++) {
        start_machine();
        add_disk(DISK("nvme0n1", "259:0", "0"));
        add_disk(DISK("sdb", "8:16", row == 0 ? "1" : "0"));
        add_partition("sdb/sdb2", "8:18");
        make_text(sysfs, join(parent(one), "label"), "");
        make_text(sysfs, join(parent(two), "label"), "");
        make_directory(sysfs, one);
        make_directory(sysfs, two);
        list(one, "nvme0n1");
        list(two, "nvme0n1");
        list(two, "sdb/sdb2");
        /* The first and the third of the UUID's four words. */
        weir_storage_t found =
            find_storage(BTRFS, 0x0A1B2C3D ^ 0x89ABCDEF, 0, 33);
        check_storage(found,
                      row == 0 ? WEIR_STORAGE_ROTATING : WEIR_STORAGE_SOLID,
                      "sdb", "");
        CHECK_TEXT(found.file_system, "Btrfs");
        found = find_storage(BTRFS, 1, 0, 34);
        CHECK_EQUAL(found.kind, WEIR_STORAGE_UNKNOWN);
        CHECK_EQUAL(found.device, DEVICE(0, 34));
    }
}

/* /proc and /sys of this machine are in memory. */
TEST(real_files_have_a_storage) {
    weir_storage_t found;
    for (int row = 0; row < 2; row++) {
        int directory = open(row == 0 ? "/proc" : "/sys", O_PATH);
        CHECK_EQUAL(weir_storage_of(directory, &found, sizeof found), 0);
        check_storage(found, WEIR_STORAGE_MEMORY, "", "");
        close(directory);
    }
    CHECK_EQUAL(weir_storage_of(-1, &found, sizeof found), EBADF);
}
