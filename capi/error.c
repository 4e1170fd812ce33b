/*
 * Error objects live in C, so that they can be made and read where Go cannot
 * run: in a forked child. A handle is (serial, slot, tag); a slot's serial
 * grows with every use, so a stale handle never matches.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define SLOT_BITS 20
#define MAX_SLOTS ((uint32_t)1 << SLOT_BITS)

typedef struct slot {
    uint64_t serial;  /* of its next or current use, from 1 */
    cuzk_status code; /* CUZK_OK: free */
    int32_t retryable;
    char *message;
    char *detail;
    uint32_t next_free; /* slot number + 1; 0: none */
} slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the rest */
static slot *slots;
static uint32_t slots_used, slots_room, first_free; /* first_free as next_free */

/* The error of every call in a child process. It is no slot, because a child that
 * was not made by fork() may neither wait for a lock nor allocate memory. */
static const char forked_message[] =
    "this process was forked from one that had loaded libcuzk: exec, or spawn instead of fork";
#define FORKED_ERROR ((cuzk_error *)(uintptr_t)CUZKI_TAG_ERROR) /* serials begin at 1: no slot has this handle */

static int is_forked_error(const cuzk_error *err)
{
    return err == FORKED_ERROR && cuzki_forked();
}

/* Takes the lock and returns 1. In a child it may be held for ever by a thread of
 * the parent: then 0. */
static int take_lock(void)
{
    return (cuzki_forked() ? pthread_mutex_trylock(&lock) : pthread_mutex_lock(&lock)) == 0;
}

static void hold_still(void)
{
    pthread_mutex_lock(&lock);
}

static void go_on(void)
{
    pthread_mutex_unlock(&lock);
}

/* A child must not find the table locked by a thread that it does not have. */
__attribute__((constructor)) static void survive_fork(void)
{
    pthread_atfork(hold_still, go_on, go_on);
}

/* Returns a free slot's number, or MAX_SLOTS if there is no memory. */
static uint32_t take_slot(void)
{
    if (first_free != 0) {
        uint32_t n = first_free - 1;
        first_free = slots[n].next_free;
        return n;
    }
    if (slots_used == slots_room) {
        uint32_t room = slots_room ? 2 * slots_room : 64;
        slot *more = room <= MAX_SLOTS ? realloc(slots, room * sizeof *slots) : NULL;
        if (more == NULL)
            return MAX_SLOTS;
        slots = more;
        slots_room = room;
    }
    memset(&slots[slots_used], 0, sizeof *slots);
    slots[slots_used].serial = 1;
    return slots_used++;
}

/* Returns the live slot of a handle, or NULL. */
static slot *find(const cuzk_error *err)
{
    uint64_t handle = (uintptr_t)err;
    uint32_t n = (handle >> CUZKI_TAG_BITS) & (MAX_SLOTS - 1);
    if ((handle & ((1 << CUZKI_TAG_BITS) - 1)) != CUZKI_TAG_ERROR || n >= slots_used)
        return NULL;
    slot *s = &slots[n];
    return s->code != CUZK_OK && s->serial == handle >> (CUZKI_TAG_BITS + SLOT_BITS) ? s : NULL;
}

cuzk_status cuzki_fail(cuzk_error **err, cuzk_status code, cuzki_failure *failure)
{
    uint32_t n = MAX_SLOTS;
    if (err != NULL) {
        pthread_mutex_lock(&lock);
        n = take_slot();
        if (n < MAX_SLOTS) {
            slot *s = &slots[n];
            s->code = code;
            s->retryable = failure->retryable;
            s->message = failure->message;
            s->detail = failure->detail;
            *err = (cuzk_error *)(uintptr_t)(s->serial << (CUZKI_TAG_BITS + SLOT_BITS) | (uint64_t)n << CUZKI_TAG_BITS |
                                             CUZKI_TAG_ERROR);
        }
        pthread_mutex_unlock(&lock);
    }
    if (n == MAX_SLOTS) {
        free(failure->message);
        free(failure->detail);
    }
    memset(failure, 0, sizeof *failure);
    return code;
}

cuzk_status cuzki_fail_forked(cuzk_error **err)
{
    if (err != NULL)
        *err = FORKED_ERROR;
    return CUZK_ERR_FORKED;
}

cuzk_status cuzki_failf(cuzk_error **err, cuzk_status code, const char *detail, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cuzki_failure failure = { code == CUZK_ERR_MEMORY, strdup(text), strdup(detail) };
    return cuzki_fail(err, code, &failure);
}

cuzk_status cuzk_error_code(const cuzk_error *err)
{
    cuzk_status code = is_forked_error(err) ? CUZK_ERR_FORKED : CUZK_ERR_HANDLE;
    if (is_forked_error(err) || !take_lock())
        return code;
    slot *s = find(err);
    if (s != NULL)
        code = s->code;
    pthread_mutex_unlock(&lock);
    return code;
}

const char *cuzk_error_message(const cuzk_error *err)
{
    const char *text = is_forked_error(err) ? forked_message : "";
    if (is_forked_error(err) || !take_lock())
        return text;
    slot *s = find(err);
    if (s != NULL && s->message != NULL)
        text = s->message;
    pthread_mutex_unlock(&lock);
    return text;
}

const char *cuzk_error_detail(const cuzk_error *err)
{
    const char *text = "";
    if (is_forked_error(err) || !take_lock())
        return text;
    slot *s = find(err);
    if (s != NULL && s->detail != NULL)
        text = s->detail;
    pthread_mutex_unlock(&lock);
    return text;
}

int32_t cuzk_error_retryable(const cuzk_error *err)
{
    int32_t retryable = 0;
    if (is_forked_error(err) || !take_lock())
        return retryable;
    slot *s = find(err);
    if (s != NULL)
        retryable = s->retryable;
    pthread_mutex_unlock(&lock);
    return retryable;
}

void cuzk_error_free(cuzk_error *err)
{
    char *message = NULL, *detail = NULL;
    if (is_forked_error(err) || !take_lock())
        return;
    slot *s = find(err);
    if (s != NULL) {
        message = s->message;
        detail = s->detail;
        s->message = s->detail = NULL;
        s->code = CUZK_OK;
        s->serial++;
        s->next_free = first_free;
        first_free = (uint32_t)(s - slots) + 1;
    }
    pthread_mutex_unlock(&lock);
    free(message);
    free(detail);
}
