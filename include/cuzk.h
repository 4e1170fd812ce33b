/*
 * cuzk.h - Groth16 proofs for Filecoin sectors, behind a C ABI.
 *
 * This header is the manual. It is C99, clean in C++17, and needs nothing but
 * <stddef.h> and <stdint.h>. The library is libcuzk.so.0 (pkg-config: cuzk).
 *
 *
 * A proof in one page
 *
 *     cuzk_options options = CUZK_OPTIONS_INIT;
 *     options.params_dir = "/var/tmp/filecoin-proof-parameters";
 *     cuzk_engine *engine;
 *     cuzk_error *err;
 *     if (cuzk_init(&options, &engine, &err) != CUZK_OK) {
 *         fprintf(stderr, "%s\n", cuzk_error_message(err));
 *         cuzk_error_free(err);
 *         return 1;
 *     }
 *     uint8_t proof[1920];
 *     size_t proof_len = sizeof proof;
 *     cuzk_status status = cuzk_prove_porep(engine, c1, c1_len, sector_number,
 *                                           prover_id, proof, &proof_len, &err);
 *     ...
 *     cuzk_free(engine);
 *
 *
 * Rules that hold for every function
 *
 * Status     A function that can fail returns cuzk_status: CUZK_OK or a
 *            negative CUZK_ERR_*. Nothing is printed, errno and thread-local
 *            state are never used.                                 [errors]
 * Errors     The last parameter, cuzk_error **err, may be NULL. Otherwise *err
 *            is NULL after success, and after a failure an error object that
 *            the caller owns and frees with cuzk_error_free (NULL only if
 *            there was no memory for it).                          [errors]
 * Outputs    After every failure, output handles are NULL and output numbers 0,
 *            except the needed size of the next rule.              [errors]
 * Buffers    An output buffer is (pointer, size_t *len). On entry *len is its
 *            capacity, on return the size of the result. If it is too short,
 *            or the pointer is NULL, nothing is written, *len is the needed
 *            size, and the status is CUZK_ERR_BUFFER_SHORT. A proof is not
 *            computed to find that out: its size follows from the input. It is
 *            the failure of that call alone, also under a key that others use.
 *                                                        [buffers, engine]
 * Structs    An options, request or info struct starts with uint32_t
 *            struct_size, its size as the caller compiled it; the CUZK_*_INIT macros set it. It
 *            may be shorter or longer than the library's: missing fields are
 *            0, and 0 always means the default; bytes the library does not
 *            know must be 0 (CUZK_ERR_STRUCT_SIZE). Fields are only ever added
 *            at the end.                                           [structs]
 * Handles    Engines, jobs and errors are numbers in pointer clothing. They
 *            are never dereferenced, and never reused: a stale, foreign or
 *            invented one gives CUZK_ERR_HANDLE. NULL where a handle is needed
 *            gives CUZK_ERR_ARGUMENT. Freeing NULL, or twice, does nothing.
 *                                                                  [handles]
 * Values     An empty string is CUZK_ERR_ARGUMENT where NULL stands for a
 *            default; a flag is 0 or 1; a number of bytes of 2^63 or more
 *            asks for no limit.                                    [options]
 * Input      Arrays and strings are read during the call and not kept. Strings
 *            are UTF-8 and end with a NUL. Nothing that arrives as bytes is
 *            trusted.
 * Threads    Every function may be called from any thread, on the same handle
 *            at the same time. cuzk_free may run while other calls do; they
 *            return CUZK_ERR_CLOSED or CUZK_ERR_CANCELLED.         [threads]
 * Callbacks  run only inside the call they are passed to, on its thread. The
 *            last parameter is the caller's payload. A return value other
 *            than 0 cancels the work: CUZK_ERR_CANCELLED.          [callbacks]
 *            They return: a longjmp out of one is undefined, and a C++
 *            exception that leaves one ends in std::terminate.     [throws]
 * Fork       The library starts threads, and threads do not survive fork().
 *            In a child of a process that had loaded it, made by fork, _Fork,
 *            vfork or clone, every call returns CUZK_ERR_FORKED at once (exec
 *            is fine), also the one in whose callback the child was forked,
 *            when the callback returns; the functions on errors, versions and
 *            names still work. In Python use the spawn or forkserver start
 *            method.                                               [fork]
 * Signals    The library's threads block every signal but SIGSEGV, SIGBUS,
 *            SIGFPE, SIGILL, SIGSYS and SIGURG: a host that waits with sigwait
 *            or signalfd for one that it has blocked gets it, and handlers run
 *            on threads of the host.                    [delivery, loading]
 * Shortages  The library keeps no descriptor open that it needs: the host may
 *            have none left, which is CUZK_ERR_FILE_IO when a file is to be
 *            opened, or close all that it does not know. cuzk_init, and each
 *            call that proves, ask the system for threads and address space
 *            before they start: what is refused is CUZK_ERR_MEMORY, or
 *            CUZK_ERR_UNSUPPORTED if a system call is forbidden.   [shortage]
 *
 * What a host should know of a library written in Go: it handles SIGSEGV,
 * SIGBUS, SIGFPE, SIGPIPE and SIGURG and passes on what is not its own, and a
 * host that installs handlers later must use SA_ONSTACK [signals]; the runtime
 * starts some threads when the library is loaded and more while it works, and
 * ends the process where the system refuses them at load, or later although
 * cuzk_init was given them (RLIMIT_NPROC, pids.max, a filter that answers clone3
 * with another error than ENOSYS), as it does where RLIMIT_AS or RLIMIT_DATA leave
 * its heap less than a job needs; dlclose() does
 * not unload it; it cannot be loaded on musl; a malformed GOMEMLIMIT, GOGC or
 * GODEBUG in the environment acts on it at load; and a process that already
 * runs Go must not load it - Go hosts import the package github.com/libcuzk/libcuzk/core instead.
 *
 * Bytes      prover_id is the miner's actor id as unsigned LEB128, then zeros.
 *            comm_* are field elements below the order r of the scalar field
 *            of BLS12-381, little-endian, as in commitment CIDs and in chain
 *            messages; randomness is one too. ticket and seed are the 32 bytes
 *            of the beacon as they are: no number, no order. A proof is, for
 *            each partition, the points A, B, C in the compressed form of the
 *            zcash encoding, big-endian: 48, 96 and 48 bytes.
 * Codes      Of every function with an err: CUZK_ERR_ARGUMENT if a pointer is
 *            NULL that may not be, CUZK_ERR_HANDLE, CUZK_ERR_STRUCT_SIZE,
 *            CUZK_ERR_FORKED, CUZK_ERR_INTERNAL and CUZK_ERR_PANIC. "Codes:"
 *            below lists the others. Codes of a proof, whose engine may have
 *            been closed, be short of memory, lack parameters or a device, and
 *            whose input may be no proof, are CUZK_ERR_ARGUMENT, _CLOSED,
 *            _CANCELLED, _DEADLINE, _CONFLICT, _MEMORY, _BUDGET, _DEVICE,
 *            _DEVICE_WRONG, all of the -50s and -60s, _PROOF_INVALID and
 *            _UNSATISFIED.
 *
 * "Since" names the version that introduced a function. A name in brackets is
 * the test in tests/abi that holds the promise before it.
 */
#ifndef CUZK_H
#define CUZK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------- versions -- */

#define CUZK_VERSION_MAJOR 0
#define CUZK_VERSION_MINOR 1
#define CUZK_VERSION_PATCH 0

/*
 * The version of the binary interface of this header. It changes only when a
 * program compiled against an older header would break, and libcuzk.so.N
 * carries it in its name.
 */
#define CUZK_ABI_VERSION 0

/*
 * Returns the library's CUZK_ABI_VERSION. A program that loads the library by
 * hand compares it with the constant it was compiled with.
 * Any thread, also in a forked child. Since 0.1. [version]
 */
int32_t cuzk_abi_version(void);

/*
 * Returns the library's version, "0.1.0": static text, never NULL.
 * Any thread, also in a forked child. Since 0.1. [version]
 */
const char *cuzk_version(void);

/* --------------------------------------------------------------- status -- */

/* The result of a call: CUZK_OK, or negative. Numbers are never reused. */
typedef int32_t cuzk_status;

/* codes: generated from core/internal/status/codes.tsv */
#define CUZK_OK 0
/* -10s: argument and handle */
#define CUZK_ERR_ARGUMENT          (-10) /* argument is NULL, out of range or contradicts another */
#define CUZK_ERR_HANDLE            (-11) /* not a live handle of this library */
#define CUZK_ERR_STRUCT_SIZE       (-12) /* options struct of unknown size or with unknown non-zero bytes */
#define CUZK_ERR_BUFFER_SHORT      (-13) /* output buffer too short; the needed size was returned */
/* -20s: state */
#define CUZK_ERR_CLOSED            (-20) /* engine is closed or closing */
#define CUZK_ERR_CANCELLED         (-21) /* work was cancelled */
#define CUZK_ERR_DEADLINE          (-22) /* deadline passed before the work was done */
#define CUZK_ERR_CONFLICT          (-23) /* same idempotency key, other input */
#define CUZK_ERR_BUSY              (-24) /* resource in use */
#define CUZK_ERR_TIMEOUT           (-25) /* wait ended before the work did, which goes on */
/* -30s: memory */
#define CUZK_ERR_MEMORY            (-30) /* allocation failed */
#define CUZK_ERR_BUDGET            (-31) /* can never fit the memory budget */
/* -40s: device */
#define CUZK_ERR_DEVICE            (-40) /* device call failed */
#define CUZK_ERR_NO_DEVICE         (-41) /* no usable device of the requested kind */
#define CUZK_ERR_DEVICE_WRONG      (-42) /* device returned a wrong result */
/* -50s: parameters and files */
#define CUZK_ERR_SRS_MISSING       (-50) /* parameter file not found */
#define CUZK_ERR_SRS_LAYOUT        (-51) /* parameter file of wrong length or structure */
#define CUZK_ERR_SRS_POINT         (-52) /* point not on curve, not in subgroup or not canonical */
#define CUZK_ERR_SRS_MISMATCH      (-53) /* parameters belong to another circuit */
#define CUZK_ERR_SRS_DIGEST        (-54) /* digest differs from the published one */
#define CUZK_ERR_FILE_IO           (-55) /* file operation failed */
/* -60s: input */
#define CUZK_ERR_INPUT_SYNTAX      (-60) /* malformed JSON or bincode */
#define CUZK_ERR_INPUT_VALUE       (-61) /* well-formed but out of range (field element, count, length) */
#define CUZK_ERR_INPUT_MISMATCH    (-62) /* vanilla proof does not fit the public inputs */
#define CUZK_ERR_UNSUPPORTED       (-63) /* known but not offered */
/* -70s: proof */
#define CUZK_ERR_PROOF_INVALID     (-70) /* produced proof failed verification */
#define CUZK_ERR_PROOF_MALFORMED   (-71) /* proof bytes are not proofs */
#define CUZK_ERR_UNSATISFIED       (-72) /* witness does not satisfy the circuit */
/* -90s: internal and forked */
#define CUZK_ERR_INTERNAL          (-90) /* fault of the library */
#define CUZK_ERR_PANIC             (-91) /* fault of the library, caught */
#define CUZK_ERR_FORKED            (-92) /* called in a forked child */
/* end of codes */

/*
 * Returns the lower-case name of a status, "srs_missing"; "ok" for CUZK_OK and
 * "unknown" for a number that this version does not know. Static, never NULL.
 * Any thread, also in a forked child. Since 0.1. [errors]
 */
const char *cuzk_status_name(cuzk_status status);

/* --------------------------------------------------------------- errors -- */

/* One failure. Owned by whoever received it; immutable. */
typedef struct cuzk_error cuzk_error;

/*
 * Returns the status that the failing call returned; CUZK_ERR_HANDLE if err is
 * NULL or not a live error.
 * Any thread, also in a forked child. Since 0.1. [errors, handles]
 */
cuzk_status cuzk_error_code(const cuzk_error *err);

/*
 * Returns what went wrong and where, for people: one line of UTF-8 without control characters. Never
 * NULL; valid until the error is freed; "" if err is not a live error.
 * Any thread, also in a forked child. Since 0.1. [errors, handles]
 */
const char *cuzk_error_message(const cuzk_error *err);

/*
 * Returns the place for machines, such as "srs.h[4711]" or
 * "vanilla_proofs[0][1].encoding_proof.node"; "" where there is none. As
 * cuzk_error_message otherwise. Since 0.1. [errors, handles]
 */
const char *cuzk_error_detail(const cuzk_error *err);

/*
 * Returns 1 if the same call may succeed later without a change of its input,
 * otherwise 0. Any thread, also in a forked child. Since 0.1. [errors]
 */
int32_t cuzk_error_retryable(const cuzk_error *err);

/*
 * Frees an error and its texts. NULL and a second call do nothing.
 * Any thread, also in a forked child. Since 0.1. [errors, handles]
 */
void cuzk_error_free(cuzk_error *err);

/* --------------------------------------------------------------- engine -- */

/* A resident prover: compiled circuits, mapped parameters, worker threads. */
typedef struct cuzk_engine cuzk_engine;

/* Where proofs are computed. */
#define CUZK_BACKEND_AUTO 0 /* the best there is */
#define CUZK_BACKEND_CPU  1
#define CUZK_BACKEND_CUDA 2 /* a GPU, or CUZK_ERR_NO_DEVICE: never the CPU instead */

/* What to check of parameter files beyond lengths and points on the curve. */
#define CUZK_CHECK_DIGEST   1u /* the published digest, once per file */
#define CUZK_CHECK_SUBGROUP 2u /* every point in its prime-order subgroup: slow */

typedef struct cuzk_options {
    uint32_t struct_size;       /* sizeof(cuzk_options) */
    int32_t backend;            /* CUZK_BACKEND_* */
    const char *params_dir;     /* folder of .params and .vk files; NULL: the folder of
                                   the network's tools, /var/tmp/filecoin-proof-parameters */
    uint32_t threads;           /* CPU threads; 0: as many as the process may use */
    uint32_t params_check;      /* CUZK_CHECK_*, or-ed */
    uint64_t memory_budget;     /* bytes that proving may hold at once, at most nine tenths
                                   of the machine or control group; 0: those */
    uint64_t max_input;         /* bytes of the largest accepted input; 0: 1 GiB */
    const char *devices;        /* GPUs to use, separated by commas: by index, as CUDA numbers those that
                                   CUDA_VISIBLE_DEVICES leaves, or by UUID or a prefix of it that fits
                                   one. NULL: all that can be used. Who names one must have it:
                                   then CUZK_BACKEND_AUTO does not fall back to the CPU */
    const char *device_library; /* path of libcuzk_cuda.so, which must have a device that can be used;
                                   NULL: in the folder of this library, or else where the
                                   loader finds it */
    uint64_t device_memory_limit; /* bytes used on each device; 0: what is free when the engine opens */
    uint64_t max_batch_wait_ms; /* how long jobs of one circuit wait for each other, and how many ... */
    uint32_t max_batch_size;    /* ... when their parameters do not stay on a device and all devices are
                                   busy; PoSts never wait. 0: 10 s, 4 jobs; size 1: none ever waits */
    uint32_t device_slots;      /* partitions that a device takes up at once; 0: 3 */
} cuzk_options;

#define CUZK_OPTIONS_INIT { sizeof(cuzk_options), CUZK_BACKEND_AUTO, NULL, 0, 0, 0, 0, NULL, NULL, 0, 0, 0, 0 }

/*
 * Opens an engine.
 *   options  may be NULL: all defaults. The environment is not read, but for
 *            FIL_PROOFS_PARAMETER_CACHE, which stands in for a NULL params_dir.
 *   out      receives the engine; the caller frees it with cuzk_free.
 * Cheap: circuits are compiled and parameters mapped when first needed; only
 * CUDA takes some tenths of a second to start.
 * Codes: CUZK_ERR_ARGUMENT (the message lists everything wrong with the options),
 * _NO_DEVICE (the message says of every device why it cannot be used), _DEVICE,
 * _MEMORY and _UNSUPPORTED (see Shortages).
 * Any thread; any number of engines. Since 0.1. [options, lifecycle, threads]
 */
cuzk_status cuzk_init(const cuzk_options *options, cuzk_engine **out, cuzk_error **err);

/*
 * Closes an engine: cancels what runs, waits for it to stop, unmaps its
 * parameters. Calls that other threads have in it return CUZK_ERR_CLOSED or
 * CUZK_ERR_CANCELLED. Work that does not stop within half a minute, in a device
 * that hangs, is given up: waiters of its job return, but for a blocking call
 * without a key, whose memory it may still read; what it uses is not freed. NULL
 * and a second call do nothing.
 * Any thread. Since 0.1. [handles, threads]
 */
void cuzk_free(cuzk_engine *engine);

/* How urgent a job is. */
#define CUZK_PRIORITY_AUTO     0 /* critical for WinningPoSt, high for WindowPoSt, else normal; parameters, fixtures, measurements low */
#define CUZK_PRIORITY_LOW      1
#define CUZK_PRIORITY_NORMAL   2
#define CUZK_PRIORITY_HIGH     3
#define CUZK_PRIORITY_CRITICAL 4

/* What every request may say of its job; requests point to it, NULL asks for
 * nothing special. */
typedef struct cuzk_job_options {
    uint32_t struct_size;       /* sizeof(cuzk_job_options) */
    int32_t priority;           /* CUZK_PRIORITY_*: overtakes waiting partitions of less urgent jobs */
    const char *key;            /* NULL or an idempotency key: as long as a job with it is under way or
                                   remembered as done, the same request gives that job, and another
                                   request CUZK_ERR_CONFLICT */
    uint64_t deadline_ms;       /* from now, 0: none; a job that cannot be done by then fails with
                                   CUZK_ERR_DEADLINE as soon as that is known */
    uint32_t witness_only;      /* 1: a submitted proof ends once its input has been checked and all
                                   partitions solved, with an empty result; it needs no
                                   parameters. Calls that block refuse it with CUZK_ERR_ARGUMENT.
                                   Experimental: see below */
    uint32_t reserved;          /* 0 */
} cuzk_job_options;

#define CUZK_JOB_OPTIONS_INIT { sizeof(cuzk_job_options), CUZK_PRIORITY_AUTO, NULL, 0, 0, 0 }

/* ---------------------------------------------------------------- PoRep -- */

/*
 * Turns a commit-phase-1 output into the seal proof (commit phase 2).
 *   c1_json        the JSON of seal_commit_phase1, raw or in the wrapper
 *                  {"SectorNum":..,"Phase1Out":..,"SectorSize":..}; c1_len bytes.
 *   sector_number  the sector's number.
 *   prover_id      32 bytes: the miner's actor id as unsigned LEB128, then zeros.
 *   proof          receives 192 bytes per partition (1920 for 32 and 64 GiB); of a
 *                  non-interactive sector the aggregate of its partitions (23092
 *                  for 32 GiB), for which the SRS of aggregation is needed too.
 * Everything in c1_json is checked against sector_number, prover_id and itself
 * before proving starts, and the proof is verified before it is returned.
 * Blocks, also, in the order of priorities, while the inputs of waiting jobs
 * leave no room for this one; see cuzk_submit_porep for a call that does not. Any
 * thread; calls on one engine share its threads. Since 0.1.
 * Codes: those of a proof, CUZK_ERR_BUFFER_SHORT.
 *                                                  [prove, buffers, handles]
 */
cuzk_status cuzk_prove_porep(cuzk_engine *engine, const uint8_t *c1_json, size_t c1_len,
                             uint64_t sector_number, const uint8_t prover_id[32],
                             uint8_t *proof, size_t *proof_len, cuzk_error **err);

/* What the chain knows of a sealed sector. */
typedef struct cuzk_porep_info {
    uint32_t struct_size;       /* sizeof(cuzk_porep_info) */
    int32_t registered_proof;   /* the network's number of the seal proof, 0 to 19 */
    uint64_t sector_number;
    uint8_t prover_id[32];
    uint8_t comm_r[32];
    uint8_t comm_d[32];
    uint8_t ticket[32];         /* of the seal's randomness: the beacon's bytes */
    uint8_t seed[32];           /* of the interactive randomness: the beacon's bytes */
    uint32_t circuit_proofs;    /* 1: a non-interactive proof in un-aggregated form */
    uint32_t reserved;          /* 0 */
} cuzk_porep_info;

#define CUZK_POREP_INFO_INIT { sizeof(cuzk_porep_info), 0, 0, {0}, {0}, {0}, {0}, {0}, 0, 0 }

/*
 * Verifies a seal proof with the verifying key of the engine's params_dir.
 *   valid  receives 1 if the proof holds, otherwise 0: also after a failure.
 * CUZK_OK with *valid == 0 is a well-formed proof of something else; bytes
 * that are no proof at all are CUZK_ERR_PROOF_MALFORMED.
 * Codes: CUZK_ERR_ARGUMENT, _CLOSED, all of the -50s,
 * _INPUT_VALUE, _UNSUPPORTED, _PROOF_MALFORMED.
 * Any thread. Since 0.1. [prove]
 */
cuzk_status cuzk_verify_porep(cuzk_engine *engine, const cuzk_porep_info *info,
                              const uint8_t *proof, size_t proof_len,
                              int32_t *valid, cuzk_error **err);

/* ------------------------------------------------- proofs of spacetime -- */

/* Some bytes of the caller. */
typedef struct cuzk_bytes {
    const uint8_t *data;
    size_t len;
} cuzk_bytes;

/* A sector and its sealed commitment. */
typedef struct cuzk_post_sector {
    uint64_t sector_number;
    uint8_t comm_r[32];
} cuzk_post_sector;

typedef struct cuzk_post_request {
    uint32_t struct_size;       /* sizeof(cuzk_post_request) */
    int32_t registered_proof;   /* the network's number, 0 to 14: says winning or window, and the size */
    uint8_t randomness[32];     /* a canonical field element: the network clears the top two bits */
    uint8_t prover_id[32];
    const cuzk_bytes *vanilla_proofs; /* bincode, one per sector, in ascending sector number */
    size_t vanilla_count;       /* exactly 1 for WinningPoSt */
    uint32_t single;            /* 1: the sectors are those of one partition of a WindowPoSt ... */
    uint32_t partition;         /* ... and this is its index; 0 otherwise */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_post_request;

#define CUZK_POST_REQUEST_INIT { sizeof(cuzk_post_request), 0, {0}, {0}, NULL, 0, 0, 0, NULL }

/*
 * Turns the vanilla proofs of sectors into a WinningPoSt, a WindowPoSt, or one
 * partition of a WindowPoSt.
 *   request  what to prove; everything in it is checked before proving starts.
 *   proof    receives 192 bytes per partition, in partition order.
 * The proof is verified before it is returned. Blocks. Any thread.
 * Codes: those of a proof, CUZK_ERR_BUFFER_SHORT.
 * Since 0.1. [kinds]
 */
cuzk_status cuzk_prove_post(cuzk_engine *engine, const cuzk_post_request *request,
                            uint8_t *proof, size_t *proof_len, cuzk_error **err);

/* What the chain knows of a proof of spacetime. */
typedef struct cuzk_post_info {
    uint32_t struct_size;       /* sizeof(cuzk_post_info) */
    int32_t registered_proof;
    uint8_t randomness[32];
    uint8_t prover_id[32];
    const cuzk_post_sector *sectors; /* in any order */
    size_t sector_count;
    uint32_t single;            /* 1: the proof is of one partition of a WindowPoSt ... */
    uint32_t partition;         /* ... with this index; 0 otherwise */
} cuzk_post_info;

#define CUZK_POST_INFO_INIT { sizeof(cuzk_post_info), 0, {0}, {0}, NULL, 0, 0, 0 }

/*
 * Verifies a proof of spacetime; as cuzk_verify_porep otherwise.
 * Codes: as cuzk_verify_porep.
 * Any thread. Since 0.1. [kinds]
 */
cuzk_status cuzk_verify_post(cuzk_engine *engine, const cuzk_post_info *info,
                             const uint8_t *proof, size_t proof_len,
                             int32_t *valid, cuzk_error **err);

/*
 * Makes a WindowPoSt of the proofs of all its partitions, in order: count
 * pieces of 192 bytes, each checked to be a proof, none verified.
 * Codes: CUZK_ERR_ARGUMENT, _BUFFER_SHORT, _INPUT_VALUE, _PROOF_MALFORMED.
 * Any thread. Since 0.1. [kinds]
 */
cuzk_status cuzk_post_merge(int32_t registered_proof, const cuzk_bytes *parts, size_t count,
                            uint8_t *proof, size_t *proof_len, cuzk_error **err);

/*
 * What a caller must know before it can make vanilla proofs. randomness is
 * a canonical field element, else CUZK_ERR_INPUT_VALUE; no engine is needed.
 *
 * cuzk_post_winner says which of so many eligible sectors a WinningPoSt is about.
 *   eligible   how many there are, at least 1, in ascending sector number.
 *   index      receives the number of the one, counted from 0.
 * cuzk_post_partitions says how many partitions a WindowPoSt of so many sectors
 * has, at least 1.
 * cuzk_post_challenges says which nodes the vanilla proofs must open.
 *   sectors    numbers of the sectors, at most 2^20, in the order of their vanilla
 *              proofs, which is ascending: one for WinningPoSt. Another order is
 *              no error; it matters for the first version of WindowPoSt.
 *   challenges receives the nodes, as many for each sector (66 for WinningPoSt,
 *              10 for WindowPoSt), sector by sector.
 *   count      counts elements; the two-call rule holds otherwise.
 * Codes: CUZK_ERR_ARGUMENT, _INPUT_VALUE; _BUFFER_SHORT of cuzk_post_challenges.
 * Any thread. Since 0.1. [challenges]
 */
cuzk_status cuzk_post_winner(int32_t registered_proof, const uint8_t randomness[32],
                             const uint8_t prover_id[32], uint64_t eligible, uint64_t *index,
                             cuzk_error **err);
cuzk_status cuzk_post_partitions(int32_t registered_proof, uint64_t sector_count,
                                 uint64_t *partitions, cuzk_error **err);
cuzk_status cuzk_post_challenges(int32_t registered_proof, const uint8_t randomness[32],
                                 const uint64_t *sectors, size_t sector_count,
                                 uint64_t *challenges, size_t *count, cuzk_error **err);

/* ------------------------------------------------------- sector updates -- */

typedef struct cuzk_update_request {
    uint32_t struct_size;       /* sizeof(cuzk_update_request) */
    int32_t registered_proof;   /* the network's number, 0 to 4 */
    uint8_t comm_r_old[32];
    uint8_t comm_r_new[32];
    uint8_t comm_d_new[32];
    const cuzk_bytes *vanilla_proofs; /* bincode, one per partition, in order */
    size_t vanilla_count;       /* all partitions: 16 for 512 MiB and more */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_update_request;

#define CUZK_UPDATE_REQUEST_INIT { sizeof(cuzk_update_request), 0, {0}, {0}, {0}, NULL, 0, NULL }

/*
 * Turns the vanilla proofs of a sector update (SnapDeals) into its proof; as
 * Codes: those of a proof, CUZK_ERR_BUFFER_SHORT.
 * cuzk_prove_post otherwise. Since 0.1. [kinds]
 */
cuzk_status cuzk_prove_update(cuzk_engine *engine, const cuzk_update_request *request,
                              uint8_t *proof, size_t *proof_len, cuzk_error **err);

/* What the chain knows of a sector update. */
typedef struct cuzk_update_info {
    uint32_t struct_size;       /* sizeof(cuzk_update_info) */
    int32_t registered_proof;
    uint8_t comm_r_old[32];
    uint8_t comm_r_new[32];
    uint8_t comm_d_new[32];
} cuzk_update_info;

#define CUZK_UPDATE_INFO_INIT { sizeof(cuzk_update_info), 0, {0}, {0}, {0} }

/*
 * Verifies the proof of a sector update; as cuzk_verify_porep otherwise.
 * Codes: as cuzk_verify_porep.
 * Any thread. Since 0.1. [kinds]
 */
cuzk_status cuzk_verify_update(cuzk_engine *engine, const cuzk_update_info *info,
                               const uint8_t *proof, size_t proof_len,
                               int32_t *valid, cuzk_error **err);

/*
 * Verifies the vanilla proofs of all partitions of a sector update, with the
 * published verifier's answer for every input. No parameters are needed.
 * CUZK_ERR_INPUT_SYNTAX, CUZK_ERR_INPUT_VALUE where that verifier fails too.
 * Any thread. Since 0.1. [kinds]
 */
cuzk_status cuzk_verify_update_vanilla(cuzk_engine *engine, const cuzk_update_info *info,
                                       const cuzk_bytes *vanilla_proofs, size_t vanilla_count,
                                       int32_t *valid, cuzk_error **err);

/* ----------------------------------------------------------- aggregates -- */

/* The versions of SnarkPack: the network's RegisteredAggregationProof. */
#define CUZK_SNARK_PACK_V1 0 /* chains accept it in old messages only */
#define CUZK_SNARK_PACK_V2 1

/* What the chain knows of one sector of an aggregate. */
typedef struct cuzk_aggregate_sector {
    uint64_t sector_number;
    uint8_t comm_r[32];
    uint8_t comm_d[32];
    uint8_t ticket[32];
    uint8_t seed[32];
} cuzk_aggregate_sector;

typedef struct cuzk_aggregate_request {
    uint32_t struct_size;       /* sizeof(cuzk_aggregate_request) */
    int32_t registered_proof;   /* of every sector: the network's number of the seal proof, 0 to 19 */
    int32_t version;            /* CUZK_SNARK_PACK_* */
    uint32_t commitments_only;  /* 1: of the sectors only comm_r and seed are known, and prover_id is
                                   not, which suffices for making the aggregate. Then that the
                                   proofs hold is not checked: if one does not, neither does
                                   the aggregate */
    uint8_t prover_id[32];      /* as for cuzk_prove_porep */
    const cuzk_aggregate_sector *sectors;
    size_t sector_count;
    const cuzk_bytes *proofs;   /* of the sectors, in their order: 192 bytes per partition */
    size_t proof_count;         /* as many as sectors */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_aggregate_request;

#define CUZK_AGGREGATE_REQUEST_INIT { sizeof(cuzk_aggregate_request), 0, 0, 0, {0}, NULL, 0, NULL, 0, NULL }

/*
 * Aggregates seal proofs (SnarkPack): one proof that all of them hold, of
 * 2260 + 2976 * log2(n) bytes for n circuit proofs, n the next power of two: 40948
 * for 819 sectors of 32 GiB. Equal requests give equal bytes. Interactive sectors:
 * up to 16384 circuit proofs. Non-interactive ones: 1 to 65 sectors, and of each
 * the circuit proofs (see cuzk_porep_request).
 * Needs the file v28-fil-inner-product-v1.srs in the engine's params_dir, and unless
 * commitments_only is set the verifying key of the circuit.
 * The aggregate is verified before it is returned. Fails with
 *   CUZK_ERR_ARGUMENT         unknown numbers of proof or version
 *   CUZK_ERR_INPUT_VALUE      too few or too many sectors, not as many proofs, a
 *                             commitment of zeros or that is no field element
 *   CUZK_ERR_PROOF_MALFORMED  a proof of another length, or no proof: the detail
 *                             names it, "proofs[3]"
 *   CUZK_ERR_PROOF_INVALID    a proof that does not hold: the detail names the first
 *   CUZK_ERR_SRS_MISSING, _LAYOUT, _POINT, _DIGEST  the SRS; one that is too short
 *                             says how many points it has and how many are needed
 *   CUZK_ERR_BUDGET           more memory than the engine may hold
 * Blocks as cuzk_prove_porep does. Any thread. Since 0.1. [aggregate]
 */
cuzk_status cuzk_aggregate(cuzk_engine *engine, const cuzk_aggregate_request *request,
                           uint8_t *aggregate, size_t *aggregate_len, cuzk_error **err);

/* What the chain knows of an aggregate. */
typedef struct cuzk_aggregate_info {
    uint32_t struct_size;       /* sizeof(cuzk_aggregate_info) */
    int32_t registered_proof;
    int32_t version;
    uint32_t reserved;          /* 0 */
    uint8_t prover_id[32];
    const cuzk_aggregate_sector *sectors; /* in the order in which they were aggregated */
    size_t sector_count;
} cuzk_aggregate_info;

#define CUZK_AGGREGATE_INFO_INIT { sizeof(cuzk_aggregate_info), 0, 0, 0, {0}, NULL, 0 }

/*
 * Verifies an aggregate; as cuzk_verify_porep otherwise. The verdict is that of the
 * published verifier, which ignores bytes behind an aggregate. An aggregate of
 * another number of proofs than these sectors have is CUZK_ERR_PROOF_MALFORMED.
 * Any thread. Since 0.1. [aggregate]
 */
cuzk_status cuzk_verify_aggregate(cuzk_engine *engine, const cuzk_aggregate_info *info,
                                  const uint8_t *aggregate, size_t aggregate_len,
                                  int32_t *valid, cuzk_error **err);

/* An aggregate and what it is said to prove. */
typedef struct cuzk_aggregate_claim {
    const cuzk_aggregate_info *info;
    const uint8_t *aggregate;
    size_t aggregate_len;
} cuzk_aggregate_claim;

/*
 * Verifies many aggregates in one combined check, such as all of a block: a false
 * one passes with a chance of 2^-128.
 *   verdicts  receives for each claim CUZK_OK if it holds, CUZK_ERR_PROOF_INVALID if it
 *             does not, else the code of why it could not be checked; unspecified
 *             after a failure of the call, which is about all of them.
 * Any thread. Since 0.1. [aggregate]
 */
cuzk_status cuzk_verify_aggregates(cuzk_engine *engine, const cuzk_aggregate_claim *claims, size_t count,
                                   cuzk_status *verdicts, cuzk_error **err);

/* ----------------------------------------------------- test parameters -- */

/* The kinds of proof. */
#define CUZK_KIND_POREP        1
#define CUZK_KIND_WINNING_POST 2
#define CUZK_KIND_WINDOW_POST  3
#define CUZK_KIND_UPDATE       4
#define CUZK_KIND_AGGREGATE    5 /* of parameters alone: the SRS of aggregation */

typedef struct cuzk_params_options {
    uint32_t struct_size;       /* sizeof(cuzk_params_options) */
    int32_t kind;               /* CUZK_KIND_* */
    uint64_t sector_size;       /* bytes; 0 for CUZK_KIND_AGGREGATE */
    const char *dir;            /* existing folder for the files; it must be named */
    const char *seed_label;     /* NULL: random secrets, forgotten afterwards. "golden": the
                                   fixed secrets of the test vectors, known to everyone */
    const cuzk_job_options *job; /* NULL: nothing special */
    uint64_t length;            /* for CUZK_KIND_AGGREGATE, else 0: points per vector of the SRS, twice
                                   as many as proofs can be aggregated */
} cuzk_params_options;

#define CUZK_PARAMS_OPTIONS_INIT { sizeof(cuzk_params_options), 0, 0, NULL, NULL, NULL, 0 }

/* How far a piece of work is. */
typedef struct cuzk_progress {
    uint32_t struct_size;       /* sizeof(cuzk_progress), as the library knows it */
    uint32_t reserved;
    const char *stage;          /* "solve", "prove", ...: valid during the callback */
    uint64_t done;              /* of total, in units of the stage */
    uint64_t total;             /* 0: unknown */
} cuzk_progress;

/* Receives progress now and then; a value other than 0 cancels the work. */
typedef int32_t (*cuzk_progress_fn)(const cuzk_progress *progress, void *payload);

/*
 * Makes parameters for tests: a .params and a .vk file under the network's
 * names. Both take their names together or neither does, also if the process
 * is killed; files that exist are never replaced, CUZK_ERR_FILE_IO names them.
 * What a maker that was killed has left (".NAME.making") the next one removes.
 * Whoever made the files could forge proofs: they are worth nothing on a real
 * network. CUZK_KIND_AGGREGATE makes the SRS of aggregation, one file for all
 * circuits.
 *   options  what to make, and where.
 *   fn       may be NULL; called on this thread with payload.
 * Codes: CUZK_ERR_ARGUMENT, _CLOSED, _CANCELLED, _DEADLINE, _CONFLICT, _BUSY, _MEMORY, _BUDGET,
 * _FILE_IO, _UNSUPPORTED.
 * Blocks: a minute or two for 2 KiB PoRep. Any thread. Since 0.1. [callbacks]
 */
cuzk_status cuzk_params_make(cuzk_engine *engine, const cuzk_params_options *options,
                             cuzk_progress_fn fn, void *payload, cuzk_error **err);

/* ========================================================= experimental ==
 * The functions below may still change before 1.0; those above only with
 * CUZK_ABI_VERSION.
 */

/* ----------------------------------------------------------------- jobs -- */

/* Work that was handed to an engine and goes on without its caller. */
typedef struct cuzk_job cuzk_job;

typedef struct cuzk_porep_request {
    uint32_t struct_size;       /* sizeof(cuzk_porep_request) */
    uint32_t circuit_proofs;    /* 1: of a non-interactive proof the proofs of all partitions, which
                                   the network takes only as an aggregate; others have only these */
    const uint8_t *c1_json;
    size_t c1_len;
    uint64_t sector_number;
    uint8_t prover_id[32];      /* as for cuzk_prove_porep; with circuit_proofs, zeros: not known,
                                   then c1_json is checked against itself alone */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_porep_request;

#define CUZK_POREP_REQUEST_INIT { sizeof(cuzk_porep_request), 0, NULL, 0, 0, {0}, NULL }

/*
 * As cuzk_prove_porep, but returns at once with a job. Malformed input is the
 * job's failure, not the call's. The input is copied; if the inputs of waiting
 * jobs leave no room for it, the call fails with CUZK_ERR_BUSY, retryable. That
 * room is an eighth of the memory that proving may hold, or that of one input of
 * max_input if that is more, up to half.
 * Codes: CUZK_ERR_ARGUMENT, _CLOSED, _CONFLICT, _BUSY, _MEMORY, _INPUT_VALUE (longer than
 * max_input), _UNSUPPORTED. The others of a proof are the job's.
 * Any thread. Since 0.1. [jobs]
 */
cuzk_status cuzk_submit_porep(cuzk_engine *engine, const cuzk_porep_request *request,
                              cuzk_job **out, cuzk_error **err);

/*
 * As cuzk_prove_post, but returns at once with a job, as above. Since 0.1. [kinds]
 * Codes: as cuzk_submit_porep.
 */
cuzk_status cuzk_submit_post(cuzk_engine *engine, const cuzk_post_request *request,
                             cuzk_job **out, cuzk_error **err);

/*
 * As cuzk_prove_update, but returns at once with a job, as above. Since 0.1. [kinds]
 * Codes: as cuzk_submit_porep.
 */
cuzk_status cuzk_submit_update(cuzk_engine *engine, const cuzk_update_request *request,
                               cuzk_job **out, cuzk_error **err);

/* As cuzk_aggregate, but returns at once with a job, as above. Since 0.1. [aggregate] */
cuzk_status cuzk_submit_aggregate(cuzk_engine *engine, const cuzk_aggregate_request *request,
                                  cuzk_job **out, cuzk_error **err);

/*
 * As cuzk_params_make, but returns at once with a job. Its result is the path
 * Codes: as cuzk_submit_porep.
 * of the .params or .srs file. Any thread. Since 0.1. [jobs]
 */
cuzk_status cuzk_submit_params(cuzk_engine *engine, const cuzk_params_options *options,
                               cuzk_job **out, cuzk_error **err);

/*
 * Waits until the job ends.
 *   timeout_ms  how long; negative: for ever; 0: only looks.
 *   fn          may be NULL; called on this thread with payload while waiting,
 *               and once before the wait ends.
 * Returns CUZK_OK when the job succeeded, the job's own failure when it did
 * not, and CUZK_ERR_TIMEOUT when it still runs: then it goes on.
 * Codes: CUZK_ERR_TIMEOUT, and those of the job.
 * Any thread, any number of waiters. Since 0.1. [jobs, callbacks]
 */
cuzk_status cuzk_job_wait(cuzk_job *job, int64_t timeout_ms, cuzk_progress_fn fn, void *payload,
                          cuzk_error **err);

/*
 * Copies the result of a job that succeeded; the two-call rule holds. A job
 * that still runs gives CUZK_ERR_BUSY, one that failed its own failure.
 * Codes: CUZK_ERR_BUSY, _BUFFER_SHORT, and those of the job.
 * Any thread. Since 0.1. [jobs]
 */
cuzk_status cuzk_job_result(cuzk_job *job, uint8_t *out, size_t *len, cuzk_error **err);

/*
 * Copies a report as JSON, {"kind":"porep","state":"done","stages":[{"name":
 * "solve","wall_ms":12.5},..]}, without a NUL; the two-call rule holds. Works
 * Codes: CUZK_ERR_BUFFER_SHORT.
 * in every state. Any thread. Since 0.1. [jobs]
 */
cuzk_status cuzk_job_report(cuzk_job *job, uint8_t *out, size_t *len, cuzk_error **err);

/*
 * Asks a job to stop, for all who wait for it: one that is queued never runs, one
 * that runs ends with CUZK_ERR_CANCELLED within seconds and gives its memory back,
 * or as it would have if it was nearly done. Returns at once.
 *   ended  may be NULL; receives 1 if the job had ended before, so that nothing is
 *          stopped; otherwise 0, also after a failure.
 * Codes: none but those of every function.
 * Any thread. Since 0.1. [jobs]
 */
cuzk_status cuzk_job_cancel(cuzk_job *job, int32_t *ended, cuzk_error **err);

/*
 * Forgets a job, and cancels it if it still runs, unless another submit with
 * its key waits for it; waiters get its end. NULL and a second call do nothing. Any thread. Since 0.1. [jobs, handles, cycles]
 */
void cuzk_job_free(cuzk_job *job);

/* ------------------------------------------- parameters, state, draining -- */

/*
 * Starts a job that brings the parameters of a kind of proof to where they are
 * used: checked and mapped, and on an engine with devices onto each of them, where
 * the first proof of its kind would wait for it. Its result is empty.
 *   kind, sector_size  as in cuzk_params_options; for CUZK_KIND_AGGREGATE sector_size
 *                      is the number of proofs to be ready for, padding included.
 * Codes: CUZK_ERR_ARGUMENT, _CLOSED, _MEMORY. Of the job: CUZK_ERR_CLOSED, _CANCELLED, _MEMORY,
 * _BUDGET, _DEVICE, all of the -50s, _UNSUPPORTED.
 * Any thread. Since 0.1. [engine]
 */
cuzk_status cuzk_submit_load(cuzk_engine *engine, int32_t kind, uint64_t sector_size,
                             cuzk_job **out, cuzk_error **err);

/*
 * Lets go of the parameters of a kind of proof, of all with kind 0.
 *   freed  may be NULL; receives the bytes of memory that this freed.
 * Codes: CUZK_ERR_ARGUMENT, _BUSY, _UNSUPPORTED.
 * CUZK_ERR_BUSY while they are in use. Any thread. Since 0.1. [engine]
 */
cuzk_status cuzk_params_evict(cuzk_engine *engine, int32_t kind, uint64_t sector_size,
                              uint64_t *freed, cuzk_error **err);

/*
 * Copy what can be seen of an engine, without a NUL; the two-call rule holds,
 * and what is copied may grow between two calls.
 *   cuzk_engine_status   JSON: jobs in each state, queues, memory by purpose,
 *                        parameters with their sizes.
 *   cuzk_engine_metrics  the Prometheus text format.
 *   cuzk_engine_trace    the last events of all jobs in the Chrome trace format,
 *                        for chrome://tracing and Perfetto.
 * Codes: CUZK_ERR_BUFFER_SHORT.
 * Any thread. Since 0.1. [engine]
 */
cuzk_status cuzk_engine_status(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err);
cuzk_status cuzk_engine_metrics(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err);
cuzk_status cuzk_engine_trace(cuzk_engine *engine, uint8_t *out, size_t *len, cuzk_error **err);

/* Waiting and running pieces of work of one kind. */
typedef struct cuzk_queue {
    uint32_t waiting[5];        /* by CUZK_PRIORITY_*; [0]: all of them */
    uint32_t running;
    uint64_t oldest_ms;         /* how long the one has waited that has waited longest */
} cuzk_queue;

/* Bytes. */
typedef struct cuzk_memory {
    uint64_t host;              /* pageable */
    uint64_t pinned;            /* page-locked; counted against the limit of host too */
    uint64_t device;            /* of all devices */
} cuzk_memory;

/* A device that the engine may use, or had to give up. */
typedef struct cuzk_device {
    char name[48];              /* ends with a NUL, as uuid does */
    char uuid[48];
    uint64_t memory;            /* bytes that the engine may use there */
    uint64_t used;              /* and those that it does */
    uint32_t usable;            /* 0: it failed, and gets no work any more */
    uint32_t reserved;
} cuzk_device;

/* Where parameters are, slowest first. */
#define CUZK_TIER_DISK   0 /* only in the file */
#define CUZK_TIER_MAPPED 1 /* the file is mapped */
#define CUZK_TIER_DEVICE 2 /* in memory of a device */

/* What can be seen of an engine at one moment. */
typedef struct cuzk_snapshot {
    uint32_t struct_size;       /* sizeof(cuzk_snapshot), set by the caller */
    int32_t backend;            /* CUZK_BACKEND_CPU or _CUDA: what is used, never AUTO */
    const char *version;        /* as cuzk_version() */
    uint32_t threads;           /* CPU threads */
    uint32_t device_count;      /* may exceed the length of devices */
    uint64_t jobs_queued;       /* now */
    uint64_t jobs_running;
    uint64_t jobs_done;         /* ever; these three never decrease */
    uint64_t jobs_failed;
    uint64_t jobs_cancelled;
    cuzk_queue solve;           /* partitions before the CPU's solvers */
    cuzk_queue prove;           /* solved partitions before all provers */
    cuzk_memory limit;
    cuzk_memory used_params;
    cuzk_memory used_partitions; /* under way: witnesses, vectors, buckets */
    cuzk_memory used_other;
    uint64_t idle_bytes;        /* the part of what is used that can be evicted now */
    uint64_t input_limit;       /* bytes of inputs of jobs that wait, beside limit.host */
    uint64_t input_used;
    uint64_t memory_waiting;    /* pieces of work that wait for memory */
    uint64_t params_count[3];   /* by CUZK_TIER_*: copies, on disk what has no other copy ... */
    uint64_t params_bytes[3];   /* ... and their bytes */
    uint64_t lost_events;       /* of the trace: those that it has no room for any more */
    cuzk_device devices[16];
} cuzk_snapshot;

#define CUZK_SNAPSHOT_INIT { sizeof(cuzk_snapshot), 0, NULL, 0, 0, 0, 0, 0, 0, 0, \
    { {0}, 0, 0 }, { {0}, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, \
    0, 0, 0, 0, {0}, {0}, 0, { { {0}, {0}, 0, 0, 0, 0 } } }

/*
 * Fills a snapshot of an engine: what cuzk_engine_status tells, for programs
 * without a JSON reader. Its parts are taken one after the other.
 *   snapshot  struct_size says how long the caller's is; fields that the library
 *             does not know become 0.
 * Codes: none but those of every function.
 * Any thread. Since 0.1. [snapshot]
 */
cuzk_status cuzk_engine_snapshot(cuzk_engine *engine, cuzk_snapshot *snapshot, cuzk_error **err);

/*
 * Accepts no more jobs and waits until those under way have ended: the gentle
 * half of closing, before cuzk_free.
 *   timeout_ms  how long; negative: for ever. CUZK_ERR_TIMEOUT when it is over:
 *               jobs go on, but no new ones are accepted.
 * Codes: CUZK_ERR_TIMEOUT, _CLOSED.
 * Any thread. Since 0.1. [engine]
 */
cuzk_status cuzk_engine_drain(cuzk_engine *engine, int64_t timeout_ms, cuzk_error **err);

/* --------------------------------------------- fixtures and measurements -- */

typedef struct cuzk_fixture_options {
    uint32_t struct_size;       /* sizeof(cuzk_fixture_options) */
    int32_t kind;               /* CUZK_KIND_* */
    uint64_t sector_size;       /* bytes */
    uint64_t seed;              /* below 2^48; equal seeds give equal files */
    uint64_t sectors;           /* of a WindowPoSt, at most 65536; 0: one */
    const char *dir;            /* existing folder for the files */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_fixture_options;

#define CUZK_FIXTURE_OPTIONS_INIT { sizeof(cuzk_fixture_options), 0, 0, 0, 0, NULL, NULL }

/*
 * Starts a job that makes the input of a proof over sectors that were never
 * sealed: valid in every respect that a prover or verifier can see, of any
 * sector size, made in seconds, and worthless on a network. The files are
 * c1.json and sector-0.json for a PoRep; KIND.json and the vanilla proofs
 * (bincode) that it names otherwise. Files of these names are replaced. The
 * result is the path of the .json that says what the chain knows.
 * Codes: as cuzk_submit_porep. Of the job: CUZK_ERR_CLOSED, _CANCELLED, _DEADLINE, _FILE_IO,
 * _UNSUPPORTED.
 * Any thread. Since 0.1. [fixtures]
 */
cuzk_status cuzk_submit_fixture(cuzk_engine *engine, const cuzk_fixture_options *options,
                                cuzk_job **out, cuzk_error **err);

/* What can be measured, in elements. */
#define CUZK_MEASURE_FIELD      1 /* multiplications in the scalar field */
#define CUZK_MEASURE_NTT        2 /* one transform of so many values */
#define CUZK_MEASURE_MSM_G1     3 /* the sum of so many points times full scalars */
#define CUZK_MEASURE_MSM_G2     4
#define CUZK_MEASURE_BIT_SUM_G1 5 /* the sum of half of so many points */
#define CUZK_MEASURE_POSEIDON   6 /* hashes of eight field elements */
#define CUZK_MEASURE_SHA256     7 /* hashes of two nodes */

typedef struct cuzk_measure_request {
    uint32_t struct_size;       /* sizeof(cuzk_measure_request) */
    int32_t what;               /* CUZK_MEASURE_* */
    uint32_t log2_size;         /* of 2^log2_size elements, at most 28 */
    uint32_t repeats;           /* at most 65536; 0: one */
    const cuzk_job_options *job; /* NULL: nothing special */
} cuzk_measure_request;

#define CUZK_MEASURE_REQUEST_INIT { sizeof(cuzk_measure_request), 0, 0, 0, NULL }

/*
 * Starts a job that times one part of proving alone, while nothing is proved.
 * What was computed is checked. The result is an array of uint64_t, nanoseconds
 * of each repetition. On an engine with devices, CUZK_MEASURE_NTT (a sixth of a
 * proof's transforms) and _MSM_G1 (its sum over h) are those of proofs of a
 * circuit of that size, at least 2^5, on the first usable device, and the others
 * are CUZK_ERR_UNSUPPORTED; otherwise all are of the CPU's threads.
 * Codes: as cuzk_submit_porep. Of the job: CUZK_ERR_CLOSED, _CANCELLED, _DEADLINE, _BUDGET,
 * _DEVICE, _DEVICE_WRONG, _UNSUPPORTED.
 * Any thread. Since 0.1. [fixtures]
 */
cuzk_status cuzk_submit_measure(cuzk_engine *engine, const cuzk_measure_request *request,
                                cuzk_job **out, cuzk_error **err);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_H */
