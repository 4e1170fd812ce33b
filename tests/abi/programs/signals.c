/* The host's signal handlers are the host's: they are called for its signals and
 * its faults while the library is in use. */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t usr1, interrupts;
static sigjmp_buf after_fault;

static void count(int number)
{
    if (number == SIGUSR1)
        usr1++;
    if (number == SIGINT)
        interrupts++;
}

static void fault(int number)
{
    siglongjmp(after_fault, number);
}

static void handle(int number, void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK | SA_RESTART; /* as cuzk.h asks */
    CHECK(sigaction(number, &action, NULL) == 0);
}

static void *disturb(void *arg)
{
    (void)arg;
    for (int i = 0; i < 200; i++) {
        CHECK(kill(getpid(), SIGUSR1) == 0);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    handle(SIGUSR1, count);
    handle(SIGINT, count);
    handle(SIGSEGV, fault);

    cuzk_engine *engine = open_engine("/nonexistent");
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, disturb, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        uint8_t proof[PROOF_BYTES];
        size_t len = sizeof proof;
        FAILS(CUZK_ERR_SRS_MISSING, cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    }
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(usr1 > 0);
    CHECK(raise(SIGINT) == 0);
    CHECK(interrupts == 1);

    /* A fault of the host goes to the host's handler, and the library goes on. */
    if (sigsetjmp(after_fault, 1) == 0) {
        volatile int *nothing = NULL;
        *nothing = 1;
        CHECK(0);
    }
    cuzk_free(engine);
    engine = open_engine("/nonexistent");
    cuzk_free(engine);
    free(c1);
    return 0;
}
