/*
 * The kernel gives a signal that is sent to a process to any thread that does not
 * block it. A thread of this library must never be that one: the host may wait
 * for the signal with sigwait or signalfd, or expect its handler on a thread of
 * its own.
 *
 * The Go runtime starts its first thread in a constructor of this library, and
 * gives all later ones the mask of the first (runtime.initSigmask). So the
 * constructor here, which runs before that one, blocks signals on the thread that
 * loads the library, and the other, which runs after it, restores them. Of the
 * signals that Go's runtime unblocks by itself capi/internal/goruntime leaves those
 * that an instruction raises.
 */
#include <pthread.h>

#include "signals.h"

void cuzki_block_signals(sigset_t *old)
{
    sigset_t blocked;
    sigfillset(&blocked); /* but for those that the C library keeps for itself */
    const int open[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGURG };
    for (unsigned i = 0; i < sizeof open / sizeof *open; i++)
        sigdelset(&blocked, open[i]);
    pthread_sigmask(SIG_BLOCK, &blocked, old);
}

void cuzki_restore_signals(const sigset_t *old)
{
    pthread_sigmask(SIG_SETMASK, old, NULL);
}

static sigset_t of_host;

/* Priority 101, the first that programs may use: before Go's. */
__attribute__((constructor(101))) static void before_go(void)
{
    cuzki_block_signals(&of_host);
}

/* Without priority: after Go's, whose object is linked before those of cgo. */
__attribute__((constructor)) static void after_go(void)
{
    cuzki_restore_signals(&of_host);
}
