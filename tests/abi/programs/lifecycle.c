/* Engines come and go: a hundred times in a row, two beside each other, without
 * leaving file descriptors or threads behind. */
#include "check.h"

#include <dirent.h>

static int entries(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    CHECK(dir != NULL);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

/* Opens, uses and closes an engine. */
static void once(const uint8_t *c1, size_t c1_len)
{
    cuzk_engine *engine = open_engine("/nonexistent");
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    FAILS(CUZK_ERR_INPUT_MISMATCH,
          cuzk_prove_porep(engine, c1, c1_len, SECTOR_NUMBER + 1, PROVER_ID, proof, &len, &err));
    cuzk_free(engine);
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    size_t c1_len;
    uint8_t *c1 = read_c1(argv[1], &c1_len);
    for (int i = 0; i < 10; i++)
        once(c1, c1_len);
    int files = entries("/proc/self/fd"), threads = entries("/proc/self/task");
    for (int i = 0; i < 100; i++)
        once(c1, c1_len);
    CHECK(entries("/proc/self/fd") == files);
    CHECK(entries("/proc/self/task") <= threads + 8); /* Go keeps some idle */

    /* Two engines know nothing of each other. */
    cuzk_engine *one = open_engine("/nonexistent"), *two = open_engine("/nonexistent");
    CHECK(one != two);
    cuzk_free(one);
    uint8_t proof[PROOF_BYTES];
    size_t len = sizeof proof;
    FAILS(CUZK_ERR_HANDLE, cuzk_prove_porep(one, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    len = sizeof proof;
    FAILS(CUZK_ERR_SRS_MISSING, cuzk_prove_porep(two, c1, c1_len, SECTOR_NUMBER, PROVER_ID, proof, &len, &err));
    cuzk_free(two);
    free(c1);
    return 0;
}
