/*
 * Threads do not survive fork(), and a Go runtime without its threads hangs at
 * the first call. Whether this process is a child is a fact that is looked at, not
 * an event that is heard of: pthread_atfork knows nothing of _Fork, vfork and clone.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fork.h"

/* The process that loaded the library. A child that shares its memory, as
 * vfork's does, has another number. */
static pid_t loader;

/* A page that is zero in a child with memory of its own, also in one that has the
 * same number in another namespace; NULL if the kernel cannot. */
static const volatile unsigned char *alive;

int cuzki_forked(void)
{
    return getpid() != loader || (alive != NULL && *alive == 0);
}

/* Runs when the library is loaded, before Go's runtime starts. */
__attribute__((constructor(101))) static void remember_process(void)
{
    loader = getpid();
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (madvise(page, size, MADV_WIPEONFORK) != 0) {
        munmap(page, size);
        return;
    }
    *page = 1;
    alive = page;
}
