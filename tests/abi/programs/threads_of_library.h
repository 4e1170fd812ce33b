/* threads_of_library.h - the threads of this process that the library started,
 * and the signals that they block. */
#ifndef THREADS_OF_LIBRARY_H
#define THREADS_OF_LIBRARY_H

#include "files.h"

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

/* Whether a thread of the library may take a signal that is sent to the process:
 * those that an instruction raises, that by which Go interrupts a thread, and the C
 * library's own. */
static inline int is_open(int number)
{
    return number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL || number == SIGSYS ||
           number == SIGURG || number == SIGKILL || number == SIGSTOP || number == 32 || number == 33;
}

/* Checks that every thread but the main one, which is the host's, blocks what it
 * must, and returns how many there are. */
static inline int check_masks(void)
{
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    CHECK(tasks != NULL);
    for (struct dirent *d; (d = readdir(tasks)) != NULL;) {
        char path[300], line[256];
        if (d->d_name[0] == '.' || atoi(d->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%s/status", d->d_name);
        FILE *f = fopen(path, "r");
        if (f == NULL)
            continue; /* it has ended */
        unsigned long long blocked = 0;
        while (fgets(line, sizeof line, f) != NULL)
            sscanf(line, "SigBlk: %llx", &blocked);
        fclose(f);
        for (int n = 1; n <= 64; n++)
            if (!is_open(n) && (blocked >> (n - 1) & 1) == 0) {
                fprintf(stderr, "thread %s does not block signal %d: SigBlk %llx\n", d->d_name, n, blocked);
                exit(1);
            }
        threads++;
    }
    closedir(tasks);
    return threads;
}

#endif
