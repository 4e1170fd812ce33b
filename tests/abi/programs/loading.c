/* Loading the library by dlopen: its threads block the host's signals, the thread
 * that loads it keeps its mask, and a host that blocks signals afterwards gets
 * them. */
#include "check.h"
#include "threads_of_library.h"

#include <dlfcn.h>
#include <time.h>

int main(void)
{
    sigset_t mask, after, some;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &some, NULL) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
    CHECK(check_masks() == 0);
    void *library = dlopen("libcuzk.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        fprintf(stderr, "%s\n", dlerror());
    CHECK(library != NULL);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
    for (int n = 1; n <= 64; n++)
        CHECK(sigismember(&mask, n) == sigismember(&after, n));

    cuzk_status (*init)(const cuzk_options *, cuzk_engine **, cuzk_error **);
    void (*release)(cuzk_engine *);
    *(void **)&init = dlsym(library, "cuzk_init");
    *(void **)&release = dlsym(library, "cuzk_free");
    CHECK(init != NULL && release != NULL);
    cuzk_engine *engine = NULL;
    CHECK(init(NULL, &engine, NULL) == CUZK_OK);
    CHECK(check_masks() >= 1);

    sigaddset(&some, SIGTERM);
    CHECK(pthread_sigmask(SIG_BLOCK, &some, NULL) == 0);
    for (int i = 0; i < 20; i++) {
        const struct timespec second = { 1, 0 };
        siginfo_t info;
        CHECK(kill(getpid(), SIGTERM) == 0);
        CHECK(sigtimedwait(&some, &info, &second) == SIGTERM);
    }
    release(engine);
    return 0;
}
