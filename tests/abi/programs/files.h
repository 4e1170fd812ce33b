/* files.h - what test programs of all libraries share: a check, and golden
 * files. It comes before other headers. */
#ifndef FILES_H
#define FILES_H

#define _XOPEN_SOURCE 700
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

/* Reads a whole file below dir and puts a NUL behind it; the caller frees it. */
static inline uint8_t *read_file(const char *dir, const char *name, size_t *len)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    fseek(f, 0, SEEK_END);
    *len = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*len + 1);
    CHECK(data != NULL && fread(data, 1, *len, f) == *len);
    data[*len] = '\0';
    fclose(f);
    return data;
}

/* Returns the position after "name": " in a golden JSON file, from text on. */
static inline const char *hex_of(const char *text, const char *name)
{
    char key[64];
    snprintf(key, sizeof key, "\"%s\": \"", name);
    const char *at = strstr(text, key);
    CHECK(at != NULL);
    return at + strlen(key);
}

/* Decodes n bytes of hex. */
static inline void unhex(const char *hex, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        CHECK(sscanf(hex + 2 * i, "%2x", &byte) == 1);
        out[i] = (uint8_t)byte;
    }
}

#endif
