/* Errors are objects of the caller; a NULL err is allowed; outputs are nothing
 * after a failure; messages say what and where. */
#include "check.h"

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    (void)argv;
    cuzk_engine *engine = (cuzk_engine *)1;
    cuzk_options options = CUZK_OPTIONS_INIT;
    options.backend = 99;

    cuzk_error *err = NULL;
    CHECK(cuzk_init(&options, &engine, &err) == CUZK_ERR_ARGUMENT);
    CHECK(engine == NULL);
    CHECK(strstr(cuzk_error_message(err), "99") != NULL);
    CHECK(strcmp(cuzk_error_detail(err), "options.backend") == 0);
    CHECK(cuzk_error_retryable(err) == 0);

    /* Two errors live beside each other, and texts stay until the free. */
    cuzk_error *other = NULL;
    const char *text = cuzk_error_message(err);
    CHECK(cuzk_init(NULL, NULL, &other) == CUZK_ERR_ARGUMENT);
    CHECK(other != err && strcmp(cuzk_error_detail(other), "out") == 0);
    CHECK(text == cuzk_error_message(err));
    cuzk_error_free(other);
    CHECK(cuzk_error_code(err) == CUZK_ERR_ARGUMENT);
    cuzk_error_free(err);

    /* Without err the status alone is returned. */
    CHECK(cuzk_init(&options, &engine, NULL) == CUZK_ERR_ARGUMENT);

    /* Everything wrong with the options is in one message. */
    cuzk_options twice = CUZK_OPTIONS_INIT;
    twice.memory_budget = 1;
    twice.threads = 0xffffffff;
    CHECK(cuzk_init(&twice, &engine, &err) == CUZK_ERR_ARGUMENT);
    CHECK(strstr(cuzk_error_message(err), "MemoryBudget") != NULL);
    CHECK(strstr(cuzk_error_message(err), "Threads") != NULL);
    cuzk_error_free(err);

    /* A success clears err. */
    err = (cuzk_error *)1;
    CHECK(cuzk_init(NULL, &engine, &err) == CUZK_OK && err == NULL && engine != NULL);
    cuzk_free(engine);
    return 0;
}
