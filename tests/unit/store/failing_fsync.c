/* Preloaded: fsync and fdatasync fail with EIO as soon as the file named by ARC_TEST_FAIL_FSYNC exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int fails(void)
{
    const char *path = getenv("ARC_TEST_FAIL_FSYNC");
    return path != NULL && access(path, F_OK) == 0;
}

int fsync(int fd)
{
    if (fails()) {
        errno = EIO;
        return -1;
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd)
{
    if (fails()) {
        errno = EIO;
        return -1;
    }
    return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
