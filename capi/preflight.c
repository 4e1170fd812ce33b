/*
 * What Go's runtime cannot do without. It ends the process when the system refuses
 * a thread, address space or random bytes; so they are asked for here before, and
 * what is refused is an error of the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "shim.h"

/* Address space, writable, that the runtime may want at once: an arena of its heap
 * has 64 MiB, and a call that proves needs several. */
#define ADDRESS_SPACE ((size_t)256 << 20)

/* Threads that the runtime starts beside those that compute. */
#define MORE_THREADS 6
#define MOST_THREADS 64

static cuzk_status refused(cuzk_error **err, const char *what, int number, const char *limits)
{
    cuzk_status code = number == EAGAIN || number == ENOMEM ? CUZK_ERR_MEMORY : CUZK_ERR_UNSUPPORTED;
    return cuzki_failf(err, code, what, "the system refuses %s: %s (%s)", what, strerror(number), limits);
}

static void *wait_for_others(void *start)
{
    pthread_mutex_lock(start);
    pthread_mutex_unlock(start);
    return NULL;
}

/* Whether as many threads can be started as the runtime may have at once. */
static cuzk_status ask_threads(cuzk_error **err)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    int want = MORE_THREADS + (sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : 1);
    if (want > MOST_THREADS)
        want = MOST_THREADS;
    pthread_t threads[MOST_THREADS];
    pthread_mutex_t start = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&start);
    int have = 0, number = 0;
    while (have < want && number == 0) {
        number = pthread_create(&threads[have], NULL, wait_for_others, &start);
        have += number == 0;
    }
    pthread_mutex_unlock(&start);
    for (int i = 0; i < have; i++)
        pthread_join(threads[i], NULL);
    return number == 0 ? CUZK_OK : refused(err, "threads", number, "RLIMIT_NPROC, pids.max, clone3");
}

static cuzk_status ask_memory(cuzk_error **err)
{
    void *p = mmap(NULL, ADDRESS_SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return refused(err, "address space", errno, "RLIMIT_AS, RLIMIT_DATA, vm.overcommit_memory");
    munmap(p, ADDRESS_SPACE);
    return CUZK_OK;
}

static cuzk_status ask_random(cuzk_error **err)
{
    char byte;
    ssize_t n = getrandom(&byte, sizeof byte, GRND_NONBLOCK);
    return n >= 0 || errno == ENOSYS || errno == EAGAIN ? CUZK_OK : refused(err, "random bytes", errno, "getrandom");
}

cuzk_status cuzki_preflight(int threads, cuzk_error **err)
{
    cuzk_status code = ask_memory(err);
    if (code == CUZK_OK && threads)
        code = ask_random(err);
    if (code == CUZK_OK && threads)
        code = ask_threads(err);
    return code;
}
