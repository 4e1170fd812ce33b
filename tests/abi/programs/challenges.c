/* What a caller asks before it makes vanilla proofs, against golden requests,
 * and what cannot be asked. */
#include "check.h"

enum { WINNING = 0, WINDOW_V1 = 5, WINDOW_V1_1 = 10, WINDOW_32G = 13, MANY = 66 };

/* Reads the numbers of the JSON array behind "name": at text into out. */
static size_t numbers_of(const char *text, const char *name, uint64_t *out)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = strstr(text, key);
    CHECK(at != NULL);
    at += strlen(key);
    size_t n = 0;
    for (;; n++) {
        char *end;
        uint64_t value = strtoull(at, &end, 10);
        if (end == at)
            return n;
        CHECK(n < MANY);
        out[n] = value;
        at = end + (*end == ',');
    }
}

/* Compares the challenges of the sectors of a golden request. */
static void compare(const char *golden, const char *name, int32_t registered, size_t sectors)
{
    size_t len;
    char *json = (char *)read_file(golden, name, &len);
    uint8_t randomness[32];
    unhex(hex_of(json, "randomness"), randomness, 32);
    uint64_t numbers[3], want[3 * MANY], nodes[3 * MANY];
    const char *at = strstr(json, "\"sectors\"");
    size_t per = 0;
    for (size_t i = 0; i < sectors; i++) {
        at = strstr(at, "\"challenges\"");
        CHECK(at != NULL);
        per = numbers_of(at, "challenges", want + i * per);
        at = strstr(at, "\"sector_number\":");
        CHECK(at != NULL);
        numbers[i] = strtoull(at + 16, NULL, 10);
    }
    CHECK(per == (registered == WINNING ? 66 : 10));
    size_t count = sectors * per - 1;
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_post_challenges(registered, randomness, numbers, sectors, nodes, &count, &err));
    CHECK(count == sectors * per);
    FAILS(CUZK_ERR_BUFFER_SHORT, cuzk_post_challenges(registered, randomness, numbers, sectors, NULL, &count, &err));
    CHECK(count == sectors * per);
    randomness[31] |= 0xc0; /* no field element */
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_post_challenges(registered, randomness, numbers, sectors, nodes, &count, &err));
    randomness[31] &= 0x3f;
    count = sectors * per;
    WORKS(cuzk_post_challenges(registered, randomness, numbers, sectors, nodes, &count, &err));
    CHECK(count == sectors * per);
    CHECK(memcmp(nodes, want, count * sizeof *nodes) == 0);
    free(json);
}

static void winner(void)
{
    uint8_t randomness[32] = { 1 };
    uint64_t index = 7, seen = 0;
    WORKS(cuzk_post_winner(WINNING, randomness, PROVER_ID, 1, &index, &err));
    CHECK(index == 0);
    for (int i = 0; i < 64; i++) {
        randomness[0] = (uint8_t)i;
        WORKS(cuzk_post_winner(WINNING, randomness, PROVER_ID, 4, &index, &err));
        CHECK(index < 4);
        seen |= UINT64_C(1) << index;
    }
    CHECK(seen == 15);
    uint8_t big[32];
    memset(big, 0xff, sizeof big);
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_post_winner(WINNING, randomness, big, 4, &index, &err));
    CHECK(index == 0);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_winner(WINNING, randomness, PROVER_ID, 0, &index, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_winner(WINDOW_V1, randomness, PROVER_ID, 4, &index, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_winner(WINNING, NULL, PROVER_ID, 4, &index, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_winner(WINNING, randomness, NULL, 4, &index, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_winner(WINNING, randomness, PROVER_ID, 4, NULL, &err));
}

static void partitions(void)
{
    static const uint64_t cases[][2] = { { 0, 1 }, { 1, 1 }, { 2349, 1 }, { 2350, 2 }, { 4698, 2 } };
    uint64_t n = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WORKS(cuzk_post_partitions(WINDOW_32G, cases[i][0], &n, &err));
        CHECK(n == cases[i][1]);
    }
    WORKS(cuzk_post_partitions(WINDOW_32G, UINT64_MAX, &n, &err));
    CHECK(n == UINT64_MAX / 2349 + 1);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_partitions(WINNING, 1, &n, &err));
    CHECK(n == 0);
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_partitions(-1, 1, &n, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_partitions(WINDOW_V1, 1, NULL, &err));
}

static void refused(void)
{
    const uint8_t randomness[32] = { 1 };
    const uint64_t sectors[2] = { 1, 2 };
    uint64_t out[2 * MANY];
    size_t count = 2 * MANY;
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_post_challenges(WINNING, randomness, sectors, 2, out, &count, &err));
    CHECK(count == 0);
    FAILS(CUZK_ERR_INPUT_VALUE, cuzk_post_challenges(WINNING, randomness, (uint64_t *)8, 0, out, &count, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(WINDOW_V1, randomness, sectors, SIZE_MAX, out, &count, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(WINDOW_V1, randomness, sectors, (1 << 20) + 1, out, &count, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(WINDOW_V1, randomness, NULL, 1, out, &count, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(WINDOW_V1, NULL, sectors, 1, out, &count, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(WINDOW_V1, randomness, sectors, 1, out, NULL, &err));
    FAILS(CUZK_ERR_ARGUMENT, cuzk_post_challenges(15, randomness, sectors, 1, out, &count, &err));
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    compare(argv[1], "sectors/2k-v1_1/winning_post.json", WINNING, 1);
    compare(argv[1], "sectors/2k-v1/window_post.json", WINDOW_V1, 3);
    compare(argv[1], "sectors/2k-window3/window_post.json", WINDOW_V1_1, 3);
    winner();
    partitions();
    refused();
    return 0;
}
