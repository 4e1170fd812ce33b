/* The library's threads take no part in the delivery of the host's signals: a host
 * that blocks signals and waits for them gets each one, linked with the library. */
#define _GNU_SOURCE
#include "check.h"
#include "threads_of_library.h"

#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

static sigset_t all;

/* Takes a signal as it is sent to the process: by kill, by a timer, by a child that
 * ends. */
static void take(int number)
{
    const struct timespec second = { 1, 0 };
    siginfo_t info;
    CHECK(kill(getpid(), number) == 0);
    nanosleep(&(struct timespec){ 0, 1000000 }, NULL); /* who could steal it does so at once */
    int got = sigtimedwait(&all, &info, &second);
    if (got != number)
        fprintf(stderr, "signal %d: sigtimedwait returned %d\n", number, got);
    CHECK(got == number);
}

static void take_child(void)
{
    int number, result;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid == 0)
        _exit(7);
    alarm(20);
    CHECK(sigwait(&child, &number) == 0 && number == SIGCHLD);
    alarm(0);
    CHECK(waitpid(pid, &result, 0) == pid && WEXITSTATUS(result) == 7);
}

static void take_timer(int number)
{
    timer_t timer;
    struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = number };
    const struct itimerspec soon = { { 0, 0 }, { 0, 1000000 } };
    const struct timespec second = { 1, 0 };
    siginfo_t info;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &soon, NULL) == 0);
    CHECK(sigtimedwait(&all, &info, &second) == number);
    timer_delete(timer);
}

static void take_descriptor(void)
{
    struct signalfd_siginfo info;
    int fd = signalfd(-1, &all, SFD_CLOEXEC);
    CHECK(fd >= 0 && kill(getpid(), SIGHUP) == 0);
    CHECK(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGHUP);
    close(fd);
}

/* Gives the library's threads something to do. */
static cuzk_job *keep_busy(cuzk_engine *engine)
{
    cuzk_measure_request request = CUZK_MEASURE_REQUEST_INIT;
    cuzk_job *job = NULL;
    request.what = CUZK_MEASURE_MSM_G1;
    request.log2_size = 14;
    request.repeats = 65536;
    WORKS(cuzk_submit_measure(engine, &request, &job, &err));
    return job;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    (void)argv;
    sigset_t before;
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
    for (int n = 1; n <= 64; n++)
        CHECK(n == 32 || n == 33 || sigismember(&before, n) == 0); /* loading left no signal blocked */
    sigfillset(&all);
    for (int n = 1; n <= 64; n++)
        if (is_open(n) || n == SIGALRM)
            sigdelset(&all, n);
    CHECK(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);

    cuzk_engine *engine = open_engine("/nonexistent");
    cuzk_job *job = keep_busy(engine);
    for (int round = 0; round < 3; round++) {
        for (int n = 1; n <= 64; n++)
            if (sigismember(&all, n) == 1)
                take(n);
        take_child();
        take_timer(SIGUSR2);
        take_timer(SIGRTMIN);
        take_descriptor();
        CHECK(check_masks() >= 2);
    }
    WORKS(cuzk_job_cancel(job, NULL, &err));
    cuzk_job_free(job);
    cuzk_free(engine);
    CHECK(check_masks() >= 2);
    return 0;
}
