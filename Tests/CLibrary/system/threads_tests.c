/* threads_tests.c: how many threads the system can start. */
#include "check.h"

#include <sys/resource.h>

#include <weir/spi.h>

#include "tree.h"

TEST(threads_that_can_be_started_at_once_are_counted) {
    enum { COUNT = 1000 };
    const struct rlimit limit = {(rlim_t)1 << 32, RLIM_INFINITY};
    CHECK(weir_spi_threads_available(0) == 0);
    CHECK_EQUAL(weir_spi_threads_available(20), 20);
    if (heap_bytes_in_use() == 0) {
        check_skip("the memory of a sanitizer has no limit");
    }
    /* A stack has 8 MiB, so 4 GiB have no room for a thousand. */
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    size_t count = weir_spi_threads_available(COUNT);
    CHECK(count > 20 && count < COUNT, "%zu", count);
    CHECK_EQUAL(weir_spi_threads_available(20), 20);
}
