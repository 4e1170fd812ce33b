/*
 * signals.h - the signals that the library's threads block. Not public: the
 * version scripts hide it.
 */
#ifndef CUZK_SIGNALS_H
#define CUZK_SIGNALS_H

#include <signal.h>

/* Blocks on the calling thread, so that the threads that it starts inherit it,
 * every signal but those that an instruction of a thread raises and SIGURG, by
 * which Go's scheduler interrupts a thread; the mask before is in *old. Weak,
 * because cgo links each package by itself before it knows the others. */
void cuzki_block_signals(sigset_t *old) __attribute__((weak));

/* Sets the calling thread's mask to what it was. */
void cuzki_restore_signals(const sigset_t *old) __attribute__((weak));

#endif
