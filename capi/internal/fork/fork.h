/*
 * fork.h - whether Go may be called. Not public: the version scripts hide it.
 */
#ifndef CUZK_FORK_H
#define CUZK_FORK_H

/* Whether this process is a child of one that had loaded the library, however it
 * was made. Weak, because cgo links each package by itself before it knows the
 * others; in the library it is always there. */
int cuzki_forked(void) __attribute__((weak));

#endif
