/*
 * file_systems.c: the one table of file systems.
 *
 * A new file system is a new line here.
 */
#include "system/linux/file_systems.h"
#include "system/maker.h"

#if WEIR_SYSTEM_LINUX

#define BLOCK MEDIUM_BLOCK_DEVICE
#define SERVER MEDIUM_SERVER
#define MEMORY MEDIUM_MEMORY
#define POOL MEDIUM_POOL
#define LOCAL FILE_TIMES_LOCAL
#define FOREIGN FILE_TIMES_FOREIGN
#define NONE FILE_TIMES_NONE

static const struct weir__file_system file_systems[] = {
    {0x0000ef53, BLOCK, LOCAL, "ext4"}, /* ext2 and ext3 too */
    {0x58465342, BLOCK, LOCAL, "XFS"},
    {WEIR_FILE_SYSTEM_BTRFS, BLOCK, LOCAL, "Btrfs"},
    {0xf2f52010, BLOCK, LOCAL, "F2FS"},
    {0xca451a4e, POOL, LOCAL, "bcachefs"},
    {0x2fc12fc1, POOL, LOCAL, "ZFS"},
    {0x794c7630, BLOCK, LOCAL, "overlay"},
    {0x65735546, BLOCK, FOREIGN, "FUSE"},
    {0x00004d44, BLOCK, LOCAL, "FAT"},
    {0x2011bab0, BLOCK, LOCAL, "exFAT"},
    {0x7366746e, BLOCK, LOCAL, "NTFS"},
    {0x5346544e, BLOCK, FOREIGN, "NTFS"},
    {0x15013346, BLOCK, LOCAL, "UDF"},
    {0x00009660, BLOCK, LOCAL, "ISO 9660"},
    {0x73717368, BLOCK, LOCAL, "squashfs"},
    {0xe0f5e1e2, BLOCK, LOCAL, "EROFS"},
    {0x3153464a, BLOCK, LOCAL, "JFS"},
    {0x52654973, BLOCK, LOCAL, "ReiserFS"},
    {0x00003434, BLOCK, LOCAL, "NILFS"},
    {0x00006969, SERVER, FOREIGN, "NFS"},
    {0xff534d42, SERVER, FOREIGN, "CIFS"},
    {0xfe534d42, SERVER, FOREIGN, "SMB"},
    {0x0000517b, SERVER, FOREIGN, "SMB"},
    {0x00c36400, SERVER, FOREIGN, "Ceph"},
    {0x0bd00bd0, SERVER, FOREIGN, "Lustre"},
    {0x01021997, SERVER, FOREIGN, "9P"},
    {0x5346414f, SERVER, FOREIGN, "AFS"},
    {0x6b414653, SERVER, FOREIGN, "AFS"},
    {0x73757245, SERVER, FOREIGN, "Coda"},
    {0x0000564c, SERVER, FOREIGN, "NCP"},
    {0x01161970, SERVER, FOREIGN, "GFS2"},
    {0x7461636f, SERVER, FOREIGN, "OCFS2"},
    {0x47504653, SERVER, FOREIGN, "GPFS"},
    {0x19830326, SERVER, FOREIGN, "BeeGFS"},
    {0x20030528, SERVER, FOREIGN, "OrangeFS"},
    {0xaad7aaea, SERVER, FOREIGN, "PanFS"},
    {0x786f4256, SERVER, FOREIGN, "VirtualBox"},
    {0xbacbacbc, SERVER, FOREIGN, "VMHGFS"},
    {0x01021994, MEMORY, LOCAL, "tmpfs"},
    {0x858458f6, MEMORY, LOCAL, "ramfs"},
    {0x958458f6, MEMORY, LOCAL, "hugetlbfs"},
    {0x00009fa0, MEMORY, NONE, "proc"},
    {0x62656572, MEMORY, NONE, "sysfs"},
    {0x0027e0eb, MEMORY, NONE, "cgroup"},
    {0x63677270, MEMORY, NONE, "cgroup2"},
    {0x64626720, MEMORY, NONE, "debugfs"},
    {0x74726163, MEMORY, NONE, "tracefs"},
    {0x73636673, MEMORY, NONE, "securityfs"},
    {0x62656570, MEMORY, NONE, "configfs"},
    {0xf97cff8c, MEMORY, NONE, "SELinux"},
    {0x43415d53, MEMORY, NONE, "Smack"},
    {0xde5e81e4, MEMORY, NONE, "efivarfs"},
    {0xcafe4a11, MEMORY, NONE, "bpf"},
    {0x6165676c, MEMORY, NONE, "pstore"},
    {0x42494e4d, MEMORY, NONE, "binfmt_misc"},
    {0x07655821, MEMORY, NONE, "resctrl"},
    {0x65735543, MEMORY, NONE, "fusectl"},
    {0x19800202, MEMORY, NONE, "mqueue"},
    {0x6e736673, MEMORY, NONE, "nsfs"},
};

struct weir__file_system weir__file_system_of_type(uint64_t type) {
    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++) {
        if (file_systems[i].type == (uint32_t)type) {
            return file_systems[i];
        }
    }
    return (struct weir__file_system){
        .type = (uint32_t)type, .medium = BLOCK, .times = FOREIGN};
}

#endif
