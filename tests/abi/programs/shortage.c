/* What the system refuses is an error and never ends the host: descriptors, also
 * when the host has closed all that it did not open, threads, address space, and
 * system calls that a container forbids. Each case runs in a program of its own,
 * since the library is started once in each. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static cuzk_post_request request; /* read before anything is short */

/* Opens an engine, runs jobs on it and closes it: each call succeeds or fails, and
 * none hangs. Returns the status of the first call that failed. */
static cuzk_status use(void)
{
    alarm(60);
    cuzk_options options = CUZK_OPTIONS_INIT;
    cuzk_engine *engine = NULL;
    cuzk_error *err = NULL;
    options.params_dir = "/nonexistent";
    options.threads = 2;
    cuzk_status status = cuzk_init(&options, &engine, &err);
    fprintf(stderr, "  cuzk_init: %s: %s\n", cuzk_status_name(status), cuzk_error_message(err));
    cuzk_error_free(err);
    if (status != CUZK_OK)
        return status;
    cuzk_job_options witness = CUZK_JOB_OPTIONS_INIT;
    witness.witness_only = 1;
    request.job = &witness;
    cuzk_job *job = NULL;
    status = cuzk_submit_post(engine, &request, &job, NULL);
    if (status == CUZK_OK)
        status = cuzk_job_wait(job, -1, NULL, NULL, &err);
    fprintf(stderr, "  witness: %s: %s\n", cuzk_status_name(status), cuzk_error_message(err));
    cuzk_error_free(err);
    cuzk_job_free(job);
    request.job = NULL;
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    cuzk_status proving = cuzk_prove_post(engine, &request, proof, &len, NULL); /* there are no parameters */
    CHECK(proving != CUZK_OK);
    cuzk_free(engine);
    return status;
}

/* Leaves n descriptors free. */
static void leave_descriptors(int n)
{
    const struct rlimit limit = { 64, 64 };
    CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    int last = -1;
    for (int fd; (fd = dup(0)) >= 0;)
        last = fd;
    for (; n > 0; n--)
        close(last--);
}

static void descriptors(int n)
{
    leave_descriptors(n);
    cuzk_status status = use();
    CHECK(status == CUZK_OK || status == CUZK_ERR_FILE_IO);
}

/* The host uses the library, then closes all descriptors that it has not opened, and
 * uses it again. */
static void closing(int n)
{
    (void)n;
    CHECK(use() == CUZK_OK);
    for (int fd = 3; fd < 1024; fd++)
        close(fd);
    CHECK(use() == CUZK_OK);
    leave_descriptors(0);
    use();
}

/* The host has an engine when it runs out of descriptors. */
static void later(int n)
{
    CHECK(use() == CUZK_OK);
    leave_descriptors(n);
    cuzk_status status = use();
    CHECK(status == CUZK_OK || status == CUZK_ERR_FILE_IO);
}

static void threads(int n)
{
    if (geteuid() == 0) /* root has no limit */
        CHECK(setgroups(0, NULL) == 0 && setgid(54321) == 0 && setuid(54321) == 0);
    char text[4096] = "";
    int fd = open("/proc/self/status", O_RDONLY);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    rlim_t most = (rlim_t)(atoi(strstr(text, "Threads:") + 8) + n);
    const struct rlimit limit = { most, most };
    CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0);
    CHECK(use() == CUZK_ERR_MEMORY);
}

static void address_space(int resource, int mib)
{
    char text[4096] = "";
    int fd = open("/proc/self/status", O_RDONLY);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    rlim_t most =
        ((rlim_t)atol(strstr(text, resource == RLIMIT_AS ? "VmSize:" : "VmData:") + 7) << 10) + ((rlim_t)mib << 20);
    const struct rlimit limit = { most, most };
    CHECK(setrlimit(resource, &limit) == 0);
    CHECK(use() == CUZK_ERR_MEMORY);
}

static void space(int mib)
{
    address_space(RLIMIT_AS, mib);
}

static void data(int mib)
{
    address_space(RLIMIT_DATA, mib);
}

/* A filter answers a system call with an error, in all threads. */
static void forbid(int call, int number)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)number),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof code / sizeof *code, code };
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
    use();
}

static void refused(int call)
{
    forbid(call, EPERM);
}

static void unknown(int call)
{
    forbid(call, ENOSYS);
}

/* Runs a case in a new process, from its start, and checks that it ends by itself. */
static void run(char **argv, const char *name, int n)
{
    char number[16];
    snprintf(number, sizeof number, "%d", n);
    fprintf(stderr, "%s %s\n", name, number);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        execl("/proc/self/exe", argv[0], argv[1], argv[2], name, number, (char *)NULL);
        _exit(126);
    }
    int result;
    CHECK(waitpid(child, &result, 0) == child);
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        fprintf(stderr, "%s %s: wait status %#x\n", name, number, (unsigned)result);
    CHECK(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static const struct {
    const char *name;
    void (*run)(int);
} cases[] = {
    { "descriptors", descriptors }, { "closing", closing }, { "later", later },
    { "threads", threads },         { "space", space },     { "data", data },
    { "refused", refused },         { "unknown", unknown },
};

int main(int argc, char **argv)
{
    CHECK(argc == 3 || argc == 5);
    cuzk_bytes vanilla;
    request = winning_request(argv[1], &vanilla);
    uint64_t partitions;
    WORKS(cuzk_post_partitions(10, 1, &partitions, &err)); /* Go's runtime has started */
    for (size_t i = 0; argc == 5 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[3], cases[i].name) == 0) {
            cases[i].run(atoi(argv[4]));
            return 0;
        }
    CHECK(argc == 3);
    for (int n = 0; n < 5; n++)
        run(argv, "descriptors", n), run(argv, "later", n);
    run(argv, "closing", 0);
    for (int n = 0; n < 4; n++)
        run(argv, "threads", n);
    for (int mib = 10; mib <= 160; mib *= 2)
        run(argv, "space", mib), run(argv, "data", mib);
    const int calls[] = {
        SYS_epoll_create1,  SYS_eventfd2,          SYS_epoll_ctl, SYS_epoll_pwait, SYS_clone3,
        SYS_membarrier,     SYS_getrandom,         SYS_madvise,   SYS_sched_yield, SYS_mlock,
        SYS_io_uring_setup, SYS_sched_getaffinity, SYS_statx,     SYS_newfstatat,  SYS_openat,
        SYS_readlinkat,     SYS_prlimit64,         SYS_pread64,   SYS_tgkill,      SYS_nanosleep,
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        run(argv, "refused", calls[i]), run(argv, "unknown", calls[i]);
    return 0;
}
