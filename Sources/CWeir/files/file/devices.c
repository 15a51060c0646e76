/* devices.c: the worth of times and sizes on the devices that a lane meets. */
#include "files/file/devices.h"

enum weir__file_times weir__device_file_times(struct devices *devices,
                                              uint64_t run, int fd,
                                              const struct stat *status) {
    if (devices->run != run) {
        devices->run = run;
        devices->count = 0;
    }
    size_t known =
        devices->count < DEVICES_KEPT ? devices->count : DEVICES_KEPT;
    for (size_t i = 0; i < known; i++) {
        if (devices->numbers[i] == status->st_dev) {
            return (enum weir__file_times)devices->times[i];
        }
    }
    size_t place = devices->count++ % DEVICES_KEPT;
    devices->numbers[place] = status->st_dev;
    devices->times[place] = (uint8_t)weir__file_times_of(fd);
    return (enum weir__file_times)devices->times[place];
}
