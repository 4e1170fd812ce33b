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
#define CUZK_CUDA_ABI 1u

/* Codes. */
enum {
    CUZK_CUDA_OK = 0,
    CUZK_CUDA_ARGUMENT = 1, /* sizes or pointers that contradict each other */
    CUZK_CUDA_MEMORY = 2,   /* device or pinned memory exhausted: needed, available */
    CUZK_CUDA_CALL = 3,     /* a CUDA call failed; the device still works */
    CUZK_CUDA_LOST = 4,     /* a CUDA call failed and every later one will: leave the device */
    CUZK_CUDA_POINT = 5,    /* a parameter point was refused: index, reason */
    CUZK_CUDA_INTERNAL = 6  /* fault of the library */
};

/* Why a point was refused. */
enum { CUZK_CUDA_POINT_INFINITY = 1, CUZK_CUDA_POINT_FLAGS = 2, CUZK_CUDA_POINT_COORDINATE = 3, CUZK_CUDA_POINT_CURVE = 4 };

typedef struct cuzk_cuda_error {
    int32_t code;
    int32_t cuda;       /* cudaError_t, or 0 */
    int32_t device;     /* index, or -1 */
    int32_t reason;     /* of CUZK_CUDA_POINT */
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
    int32_t major, minor;    /* compute capability */
    int32_t multiprocessors;
    int32_t usable;          /* 0: see reason */
    uint64_t memory, available;
    int32_t driver, runtime; /* as CUDA numbers them */
    char reason[192];        /* why the device cannot be used */
} cuzk_cuda_info;

/* Number of devices that CUDA shows (CUDA_VISIBLE_DEVICES is CUDA's matter). */
CUZK_CUDA_API int32_t cuzk_cuda_count(int32_t *count, cuzk_cuda_error *err);
CUZK_CUDA_API int32_t cuzk_cuda_describe(int32_t index, cuzk_cuda_info *out, cuzk_cuda_error *err);

typedef struct cuzk_cuda_options {
    int32_t index;
    uint32_t slots;        /* witnesses on the device at once, at least 1 */
    uint64_t memory_limit; /* bytes this library may allocate there; 0: what is free */
} cuzk_cuda_options;

CUZK_CUDA_API int32_t cuzk_cuda_open(const cuzk_cuda_options *o, cuzk_cuda_device **out, cuzk_cuda_error *err);
/* Frees the device once its circuits and parameters are freed. */
CUZK_CUDA_API void cuzk_cuda_close(cuzk_cuda_device *d);
/* Bytes allocated by this library, the most so far, and free within the limit. */
CUZK_CUDA_API int32_t cuzk_cuda_memory(cuzk_cuda_device *d, uint64_t *used, uint64_t *peak, uint64_t *available, cuzk_cuda_error *err);

/* ---- circuits: core/internal/r1cs.Flat and groth16.Plan ---- */

/* Variables of one section of the parameters, in order: inputs, then aux. */
typedef struct cuzk_cuda_query {
    const uint32_t *inputs; /* indices of input variables at positions 0 … */
    const uint64_t *dense;  /* bitmap over aux of the variables in the section; NULL: all */
    const uint32_t *which;  /* for its scalar variables: their rank among all scalar variables */
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

typedef struct cuzk_cuda_circuit_info {
    uint64_t rows, inputs, aux, scalars;
    const uint64_t *coefs; /* four limbs each */
    const cuzk_cuda_template *templates;
    const cuzk_cuda_instance *instances;
    const uint32_t *wires;
    const uint32_t *starts;
    const cuzk_cuda_term *terms;
    uint64_t num_coefs, num_templates, num_instances, num_wires, num_starts, num_terms;
    const uint64_t *bits; /* bitmap over aux: bit variables */
    cuzk_cuda_query l, a, b;
} cuzk_cuda_circuit_info;

CUZK_CUDA_API int32_t cuzk_cuda_circuit_create(cuzk_cuda_device *d, const cuzk_cuda_circuit_info *info,
                                               cuzk_cuda_circuit **out, cuzk_cuda_error *err);
CUZK_CUDA_API void cuzk_cuda_circuit_free(cuzk_cuda_circuit *c);

/* ---- parameters ---- */

enum { CUZK_CUDA_H = 0, CUZK_CUDA_L = 1, CUZK_CUDA_A = 2, CUZK_CUDA_B1 = 3, CUZK_CUDA_B2 = 4, CUZK_CUDA_SECTIONS = 5 };

/* Reserves memory for all sections. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_create(cuzk_cuda_circuit *c, cuzk_cuda_srs **out, cuzk_cuda_error *err);
/* Points first … first+count−1 of a section as `.params` files have them: big
 * endian, uncompressed; each is checked to be canonical and on the curve. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_put(cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count,
                                        const uint8_t *points, cuzk_cuda_error *err);
/* The same points as multiples of a generator (12 limbs of x, 12 of y in G1;
 * twice that in G2): the scalars given, four limbs each, or, if scalars is NULL,
 * start·ratio^i for position i. For test parameters. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_generate(cuzk_cuda_srs *s, int32_t section, uint64_t first, uint64_t count,
                                             const uint64_t *generator, const uint64_t *scalars, const uint64_t *start,
                                             const uint64_t *ratio, cuzk_cuda_error *err);
/* Checks that every point was given and makes what sums need. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_finish(cuzk_cuda_srs *s, cuzk_cuda_error *err);
/* One point of a section before finish, as limbs: to spot-check. */
CUZK_CUDA_API int32_t cuzk_cuda_srs_get(cuzk_cuda_srs *s, int32_t section, uint64_t position, uint64_t *point, cuzk_cuda_error *err);
CUZK_CUDA_API void cuzk_cuda_srs_free(cuzk_cuda_srs *s);

/* ---- partitions ---- */

typedef struct cuzk_cuda_witness {
    const uint64_t *inputs;  /* four limbs each, ONE first */
    const uint64_t *bits;    /* bitmap over aux, 0 at scalar variables */
    const uint64_t *scalars; /* four limbs each */
    uint64_t num_inputs, num_bit_words, num_scalars;
} cuzk_cuda_witness;

/* Stages of a partition, in the order in which the device starts them. */
enum {
    CUZK_CUDA_UPLOAD = 0, CUZK_CUDA_ROWS = 1, CUZK_CUDA_NTT = 2, CUZK_CUDA_SUM_H = 3, CUZK_CUDA_SUM_L = 4,
    CUZK_CUDA_SUM_A = 5, CUZK_CUDA_SUM_B1 = 6, CUZK_CUDA_SUM_B2 = 7, CUZK_CUDA_DOWNLOAD = 8, CUZK_CUDA_STAGES = 9
};

typedef struct cuzk_cuda_span {
    double start_ms, end_ms; /* on the device's clock, since it was opened */
} cuzk_cuda_span;

typedef struct cuzk_cuda_result {
    uint64_t h[12], l[12], a[12], b1[12]; /* affine G1 */
    uint64_t b2[24];                      /* affine G2 */
    cuzk_cuda_span spans[CUZK_CUDA_STAGES];
} cuzk_cuda_result;

/* Copies the witness and queues all work of one partition. At most `slots`
 * jobs exist; a further call waits until one is released. */
CUZK_CUDA_API int32_t cuzk_cuda_submit(cuzk_cuda_srs *s, const cuzk_cuda_witness *w, cuzk_cuda_job **out, cuzk_cuda_error *err);
/* Waits for the job and returns its sums; may be called once. */
CUZK_CUDA_API int32_t cuzk_cuda_wait(cuzk_cuda_job *j, cuzk_cuda_result *out, cuzk_cuda_error *err);
/* Waits until the device no longer uses the job's memory, then frees it. */
CUZK_CUDA_API void cuzk_cuda_release(cuzk_cuda_job *j);

#ifdef __cplusplus
}
#endif
#endif
