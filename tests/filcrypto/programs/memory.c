/* Memory that ends in the midst of a result: the call fails with a message, and
 * what it had allocated is gone with the result. */
#include "drop.h"

extern void *__libc_calloc(size_t, size_t);
extern void __libc_free(void *);

/* Of this thread while a call is watched: the arrays that live, and how many
 * more are given out before there are none. */
static __thread int watching, live, room;

/* The sizes of the arrays of a result for three sectors. */
static int watched(size_t size)
{
    return watching && (size == 3 * 8 || size == 3 * 16 || size == 10 * 8);
}

/* Arrays are marked by their address. */
static void *marked[64];

void *calloc(size_t n, size_t size)
{
    if (!watched(n * size))
        return __libc_calloc(n, size);
    if (room-- <= 0)
        return NULL;
    void *p = __libc_calloc(n, size);
    marked[live++] = p;
    return p;
}

void free(void *p)
{
    for (int i = 0; watching && p != NULL && i < live; i++)
        if (marked[i] == p)
            marked[i] = marked[--live];
    __libc_free(p);
}

static Result_GenerateFallbackSectorChallenges_t *call(void)
{
    static const uint8_32_array_t randomness = { { 1 } }, prover = { { 2 } };
    static const uint64_t sectors[] = { 7, 8, 9 };
    return generate_fallback_sector_challenges(5, /* WindowPoSt of 2 KiB */ &randomness,
                                               (slice_ref_uint64_t){ sectors, 3 }, &prover);
}

int main(void)
{
    Result_GenerateFallbackSectorChallenges_t *r = call(); /* what a first call needs is there */
    CHECK(OK(r));
    destroy_generate_fallback_sector_challenges_response(r);
    for (int have = 0; have <= 5; have++) { /* the list, three of nodes, the ids */
        watching = 1;
        room = have;
        r = call();
        CHECK(live == have);
        if (have < 5)
            CHECK(FAILED(r, "memory"));
        else
            CHECK(OK(r) && r->value.ids.len == 3 && r->value.challenges.ptr[2].len == 10);
        destroy_generate_fallback_sector_challenges_response(r);
        CHECK(live == 0);
        watching = 0;
    }
    return 0;
}
