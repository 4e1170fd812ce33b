/* The surface of libcuzk_cuda.so: everything that crosses it is plain C.
 *
 * The library proves Groth16 partitions of one circuit on one device: it keeps
 * the parameters there, takes packed witnesses and returns the sums over the
 * parameters; the host assembles and verifies the proof (core/internal/groth16).
 *
 * Field elements are Montgomery form, little-endian limbs: 32 bytes in the
 * scalar field, 48 in the base field; a G1 point is x, y, a G2 point x.c0, x.c1,
 * y.c0, y.c1, and all zero is the identity. Bitmaps count bits from the least
 * significant one of the first word.
 *
 * Every function that can fail takes a cuzk_cuda_error, which may be NULL, and
 * returns its code. No exception leaves the library. All functions are safe for
 * concurrent use, except that an object must not be freed while it is used.
 * Nothing passed in is kept after a call returns.
 */
#ifndef CUZK_CUDA_HEADER
#define CUZK_CUDA_HEADER

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CUZK_CUDA_API __attribute__((visibility("default")))
#else
#define CUZK_CUDA_API
#endif

/* Changes whenever anything below does; the loader refuses another number. */
#define CUZK_CUDA_ABI 7u

/* Codes. */
enum {
    CUZK_CUDA_OK = 0,
    CUZK_CUDA_ARGUMENT = 1, /* sizes or pointers that contradict each other */
    CUZK_CUDA_MEMORY = 2,   /* device or pinned memory exhausted: needed, available */
    CUZK_CUDA_CALL = 3,     /* a CUDA call failed; the device still works */
    CUZK_CUDA_LOST = 4,     /* a CUDA call failed and every later one will: leave the device */
    CUZK_CUDA_POINT = 5,    /* a parameter point was refused: index, reason */
    CUZK_CUDA_INTERNAL = 6, /* fault of the library */
    CUZK_CUDA_STOPPED = 7   /* the run was stopped */
};

/* Why a point was refused. */
enum {
    CUZK_CUDA_POINT_INFINITY = 1,
    CUZK_CUDA_POINT_FLAGS = 2,
    CUZK_CUDA_POINT_COORDINATE = 3,
    CUZK_CUDA_POINT_CURVE = 4
};

typedef struct cuzk_cuda_error {
    int32_t code;
    int32_t cuda;       /* cudaError_t, or 0 */
    int32_t device;     /* index, or -1 */
    int32_t reason;     /* of CUZK_CUDA_POINT */
    int32_t section;    /* of CUZK_CUDA_POINT, or -1 */
    uint64_t needed;    /* bytes, of CUZK_CUDA_MEMORY */
    uint64_t available; /* bytes free within the limit, of CUZK_CUDA_MEMORY */
    uint64_t index;     /* of CUZK_CUDA_POINT: position in the section */
    char stage[32];     /* "open", "circuit", "srs", "upload", "rows", "ntt", "h", … */
    char message[256];  /* the call and what CUDA says */
} cuzk_cuda_error;

typedef struct cuzk_cuda_device cuzk_cuda_device;
typedef struct cuzk_cuda_circuit cuzk_cuda_circuit;
typedef struct cuzk_cuda_srs cuzk_cuda_srs;
typedef struct cuzk_cuda_job cuzk_cuda_job;

CUZK_CUDA_API uint32_t cuzk_cuda_abi(void);

/* ---- devices ---- */

typedef struct cuzk_cuda_info {
    char name[128];
    uint8_t uuid[16];
    int32_t major, minor; /* compute capability */
    int32_t multiprocessors;
    int32_t usable; /* 0: see reason */
    uint64_t memory, available;
    int32_t driver, runtime; /* as CUDA numbers them */
    char reason[192];        /* why the device cannot be used */
} cuzk_cuda_info;

/* Number of devices that CUDA shows (CUDA_VISIBLE_DEVICES is CUDA's matter). */
CUZK_CUDA_API int32_t cuzk_cuda_count(int32_t* count, cuzk_cuda_error* err);
CUZK_CUDA_API int32_t cuzk_cuda_describe(int32_t index, cuzk_cuda_info* out, cuzk_cuda_error* err);

typedef struct cuzk_cuda_options {
    int32_t index;
    uint32_t slots;        /* witnesses on the device at once, at least 1 */
    uint64_t memory_limit; /* bytes this library may allocate there; 0: what is free */
    uint32_t part;         /* points of G1 that are loaded at a time, a multiple of 128; 0: 2^19 */
    uint32_t buffers;      /* pinned buffers for loading; 0: 4 */
} cuzk_cuda_options;

CUZK_CUDA_API int32_t cuzk_cuda_open(const cuzk_cuda_options* o, cuzk_cuda_device** out, cuzk_cuda_error* err);
/* Frees the device once its circuits and parameters are freed. */
CUZK_CUDA_API void cuzk_cuda_close(cuzk_cuda_device* d);
/* Bytes allocated by this library, the most so far, and free within the limit. */
CUZK_CUDA_API int32_t cuzk_cuda_memory(cuzk_cuda_device* d, uint64_t* used, uint64_t* peak, uint64_t* available,
                                       cuzk_cuda_error* err);

/* ---- circuits: core/internal/r1cs.Flat and groth16.Plan ---- */

/* Variables of one section of the parameters, in order: inputs, then aux. */
typedef struct cuzk_cuda_query {
    const uint32_t* inputs; /* indices of input variables at positions 0 … */
    const uint64_t* dense;  /* bitmap over aux of the variables in the section; NULL: all */
    const uint32_t* which;  /* for its scalar variables: their rank among all scalar variables */
    uint64_t num_inputs, num_which;
} cuzk_cuda_query;

typedef struct cuzk_cuda_template {
    uint32_t rows, start[2];
} cuzk_cuda_template;
typedef struct cuzk_cuda_instance {
    uint32_t tmpl, row, wire, input, aux, scalar;
} cuzk_cuda_instance;
typedef struct cuzk_cuda_term {
    uint32_t src, coef;
} cuzk_cuda_term;

/* n scalars of a call from out on, which follow by function fn from the variables
 * args[arg], … (sources as in terms, relative to the call): 0, the second where the
 * first, a bit, is 1, else the third; k, the values of Poseidon's circuit for k
 * inputs. */
typedef struct cuzk_cuda_rule {
    uint32_t fn, out, n, arg;
} cuzk_cuda_rule;
/* Poseidon over t elements: tag, 8t + partial round constants, the matrices M and
 * the one before the sparse ones by rows, then column (t) and row (t - 1) of each
 * partial round's; four limbs each. */
typedef struct cuzk_cuda_hash {
    uint32_t t, partial;
    const uint64_t* constants;
    uint64_t num_constants;
} cuzk_cuda_hash;
/* How witnesses are completed from sketches (core/internal/r1cs.Program). */
typedef struct cuzk_cuda_program {
    const cuzk_cuda_rule* rules;
    const uint32_t* args;
    const uint32_t* starts; /* by template, and the end: its first rule */
    const uint32_t* order;  /* calls with rules, */
    const uint32_t* waves;  /* and where they may depend on all before */
    const uint32_t* given;  /* places of a sketch's scalars */
    const cuzk_cuda_hash* hashes;
    uint64_t num_rules, num_args, num_starts, num_order, num_waves, num_given, num_hashes;
} cuzk_cuda_program;

typedef struct cuzk_cuda_circuit_info {
    uint64_t rows, inputs, aux, scalars;
    const uint64_t* coefs; /* four limbs each */
    const cuzk_cuda_template* templates;
    const cuzk_cuda_instance* instances;
    const uint32_t* wires;
    const uint32_t* starts;
    const cuzk_cuda_term* terms;
    uint64_t num_coefs, num_templates, num_instances, num_wires, num_starts, num_terms;
    const uint64_t* bits; /* bitmap over aux: bit variables */
    cuzk_cuda_query l, a, b;
    cuzk_cuda_program program; /* all 0: witnesses come whole */
} cuzk_cuda_circuit_info;

CUZK_CUDA_API int32_t cuzk_cuda_circuit_create(cuzk_cuda_device* d, const cuzk_cuda_circuit_info* info,
                                               cuzk_cuda_circuit** out, cuzk_cuda_error* err);
CUZK_CUDA_API void cuzk_cuda_circuit_free(cuzk_cuda_circuit* c);

/* ---- parameters ---- */

enum { CUZK_CUDA_H = 0, CUZK_CUDA_L = 1, CUZK_CUDA_A = 2, CUZK_CUDA_B1 = 3, CUZK_CUDA_B2 = 4, CUZK_CUDA_SECTIONS = 5 };

typedef struct cuzk_cuda_srs_options {
    uint64_t
        device_limit; /* bytes these parameters may take of the device, work area and slots included; 0: what is free */
    uint64_t host_limit; /* bytes of host memory for sections that do not fit on the device */
    uint64_t stay_limit; /* bytes of bases that may stay on the device; 0: as many as fit */
    uint64_t
        witness_limit; /* with sections that do not stay: a longer witness is on the device only while it is used; 0: a thirty-second of device_limit */
    uint32_t
        piece; /* points of G1 in a piece of what does not stay, at most, but a part at least; 0: as many as are useful */
    int32_t again;      /* the points can be given again: sections that fit nowhere are asked for in every run */
    int32_t one_stream; /* sums never run beside each other */
} cuzk_cuda_srs_options;

/* Decides which sections stay on the device, which in host memory and which
 * nowhere, and reserves memory for them and for proving. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_create(cuzk_cuda_circuit* c, const cuzk_cuda_srs_options* o, cuzk_cuda_srs** out,
                                           cuzk_cuda_error* err);

enum { CUZK_CUDA_ON_DEVICE = 0, CUZK_CUDA_ON_HOST = 1, CUZK_CUDA_IN_FILE = 2 };

typedef struct cuzk_cuda_placement {
    uint64_t device_bytes;               /* work area, slots and tables included */
    uint64_t host_bytes;                 /* of sections in host memory */
    int32_t locked;                      /* 0: some of that could not be locked, and is several times slower */
    int32_t sketches;                    /* witnesses may be sketched */
    int32_t in_pieces;                   /* some section is not on the device: partitions are proved by runs */
    uint32_t slots;                      /* partitions in flight */
    uint32_t together;                   /* partitions that share a pass over h */
    int32_t beside;                      /* sums over l, a and b run beside the transforms and the sum over h */
    int32_t urgent;                      /* a small circuit: its partitions do not wait for those of large ones */
    int32_t home[CUZK_CUDA_SECTIONS];    /* CUZK_CUDA_ON_… */
    uint32_t copies[CUZK_CUDA_SECTIONS]; /* of bases on the device */
    uint32_t pieces[CUZK_CUDA_SECTIONS]; /* that sections are brought in */
} cuzk_cuda_placement;

CUZK_CUDA_API int32_t cuzk_cuda_srs_placement(cuzk_cuda_srs* s, cuzk_cuda_placement* out, cuzk_cuda_error* err);

/* A buffer of pinned memory for one part of a section. */
typedef struct cuzk_cuda_buffer {
    uint32_t index;
    uint8_t* memory;
    uint64_t bytes; /* of a part: points · 96 in G1, half of the points · 192 in G2 */
} cuzk_cuda_buffer;

/* Takes a buffer; waits for one. Every buffer taken must be put or given back. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_take(cuzk_cuda_srs* s, cuzk_cuda_buffer* out, cuzk_cuda_error* err);
CUZK_CUDA_API void cuzk_cuda_srs_give(cuzk_cuda_srs* s, uint32_t buffer);
/* Points first … first+count−1 of a section, in a buffer as `.params` files have
 * them: big endian, uncompressed; each is checked to be canonical and on the
 * curve. First is a multiple of a part and count a part, or what is left of the
 * section. The call queues the work and gives the buffer back; a point that is
 * refused shows in a later take or in finish. Parts may come in any order, from
 * several threads. pass: 0 while parameters are loaded, else of a run. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_put(cuzk_cuda_srs* s, uint32_t buffer, uint64_t pass, int32_t section,
                                        uint64_t first, uint64_t count, cuzk_cuda_error* err);
/* Points as multiples of a generator (12 limbs of x, 12 of y in G1;
 * twice that in G2): the scalars given, four limbs each, or, if scalars is NULL,
 * start·ratio^i for position i. First and count are multiples of a part, or end
 * with the section. For test parameters. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_generate(cuzk_cuda_srs* s, int32_t section, uint64_t first, uint64_t count,
                                             const uint64_t* generator, const uint64_t* scalars, const uint64_t* start,
                                             const uint64_t* ratio, cuzk_cuda_error* err);
/* Checks that every point was given and makes what sums need. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_finish(cuzk_cuda_srs* s, cuzk_cuda_error* err);
/* Points first … first+count−1 of a section before finish, as `.params` files
 * have them. Not of sections that are in the file. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_get(cuzk_cuda_srs* s, int32_t section, uint64_t first, uint64_t count,
                                        uint8_t* encoded, cuzk_cuda_error* err);
CUZK_CUDA_API void cuzk_cuda_srs_free(cuzk_cuda_srs* s);

/* ---- partitions ---- */

/* Parts of a witness: the inputs, ONE first, and the scalar variables, of four
 * limbs each; the bitmap over aux in words of 64, 0 at scalar variables. A sketch
 * has the given scalars instead of all; not where witnesses wait on the host. */
enum { CUZK_CUDA_INPUTS = 0, CUZK_CUDA_SCALARS = 1, CUZK_CUDA_BITS = 2, CUZK_CUDA_GIVEN = 3, CUZK_CUDA_PARTS = 4 };
/* So many threads fill at once; more wait for each other. */
#define CUZK_CUDA_FILLERS 16

/* Stages of a partition. Rows, transforms and the sum over h run one after the
 * other, the other sums before, beside or after them. */
enum {
    CUZK_CUDA_UPLOAD = 0,
    CUZK_CUDA_ROWS = 1,
    CUZK_CUDA_NTT = 2,
    CUZK_CUDA_SUM_H = 3,
    CUZK_CUDA_SUM_L = 4,
    CUZK_CUDA_SUM_A = 5,
    CUZK_CUDA_SUM_B1 = 6,
    CUZK_CUDA_SUM_B2 = 7,
    CUZK_CUDA_DOWNLOAD = 8,
    CUZK_CUDA_STAGES = 9
};

typedef struct cuzk_cuda_span {
    double start_ms, end_ms; /* on the device's clock, since it was opened */
} cuzk_cuda_span;

typedef struct cuzk_cuda_result {
    uint64_t h[12], l[12], a[12], b1[12]; /* affine G1 */
    uint64_t b2[24];                      /* affine G2 */
    cuzk_cuda_span spans[CUZK_CUDA_STAGES];
} cuzk_cuda_result;

/* A partition to be. At most as many jobs exist as there are slots; a further
 * call waits until one is released. */
CUZK_CUDA_API int32_t cuzk_cuda_job_create(cuzk_cuda_srs* s, cuzk_cuda_job** out, cuzk_cuda_error* err);
/* Elements first … first+count−1 of a part of the witness: copies them and starts
 * their way to the device. In any order and from several threads, every element
 * once, before the job is started. */
CUZK_CUDA_API int32_t cuzk_cuda_fill(cuzk_cuda_job* j, int32_t part, uint64_t first, const uint64_t* from,
                                     uint64_t count, cuzk_cuda_error* err);
/* Queues all work of a partition, whose parameters are on the device. */
CUZK_CUDA_API int32_t cuzk_cuda_start(cuzk_cuda_job* j, cuzk_cuda_error* err);
/* Waits for the job, which was started or proved by a run, and returns its sums;
 * may be called once. */
CUZK_CUDA_API int32_t cuzk_cuda_wait(cuzk_cuda_job* j, cuzk_cuda_result* out, cuzk_cuda_error* err);
/* A time within a stage when the device had nothing to run of it, because the host
 * was waiting for something. */
typedef struct cuzk_cuda_pause {
    int32_t stage;
    cuzk_cuda_span span;
} cuzk_cuda_pause;

/* The pauses of a job, after wait. Writes at most `capacity`, *count is how many
 * there are; those of a stage in order. */
CUZK_CUDA_API int32_t cuzk_cuda_pauses(cuzk_cuda_job* j, cuzk_cuda_pause* out, uint32_t capacity, uint32_t* count,
                                       cuzk_cuda_error* err);
/* Waits until the device no longer uses the job's memory, then frees it. */
CUZK_CUDA_API void cuzk_cuda_release(cuzk_cuda_job* j);

/* ---- runs: partitions whose parameters come to the device in pieces ---- */

typedef struct cuzk_cuda_run cuzk_cuda_run;

/* Joins jobs of the same parameters, all filled, at most as many as there are
 * slots: each piece serves all of them. One run exists at a time; the jobs must
 * outlive it. Sections that are nowhere must be put meanwhile: passes[i] is the
 * pass over sections[i], one after the other, *count of them (at most
 * CUZK_CUDA_PASSES). A span of a stage is then this job's equal share of the
 * time that the pass took. */
#define CUZK_CUDA_PASSES 128
CUZK_CUDA_API int32_t cuzk_cuda_run_create(cuzk_cuda_srs* s, cuzk_cuda_job* const* jobs, uint32_t num_jobs,
                                           cuzk_cuda_run** out, uint64_t* passes, int32_t* sections, uint32_t* count,
                                           cuzk_cuda_error* err);
/* Queues everything; returns when the last sums are queued, or with
 * CUZK_CUDA_STOPPED. */
CUZK_CUDA_API int32_t cuzk_cuda_run_execute(cuzk_cuda_run* r, cuzk_cuda_error* err);
/* Makes execute, and calls of put that wait for it, return soon. From any thread. */
CUZK_CUDA_API void cuzk_cuda_run_stop(cuzk_cuda_run* r);
CUZK_CUDA_API void cuzk_cuda_run_free(cuzk_cuda_run* r);

#ifdef __cplusplus
}
#endif
#endif
