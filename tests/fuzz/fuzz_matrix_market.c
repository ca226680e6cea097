/* The Matrix Market parser on arbitrary bytes. With clang -fsanitize=fuzzer,address,undefined the library
 * drives LLVMFuzzerTestOneInput; compiled without SP_LIBFUZZER this is a program that mutates the files it is
 * given (or a built-in seed) for a number of rounds: fuzz_matrix_market ROUNDS [FILE...]. Whatever the bytes,
 * one and three threads must agree, an accepted matrix must be canonical and a refusal must name a reason and
 * a remedy. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "io/matrix_market.h"

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz_matrix_market: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sp_csr a[2];
    struct sp_error err[2];
    enum sp_status status[2];
    /* A copy of exactly this size, so that the address sanitizer sees a read beyond it. */
    char *text = malloc(size ? size : 1);
    require(text != NULL, "no memory");
    memcpy(text, data, size);
    for (int i = 0; i < 2; i++) {
        struct sp_load_options options = {.n_threads = i ? 3 : 1, .memory_limit_B = 64e6};
        struct sp_load_facts facts = {0};
        memset(&err[i], 0, sizeof err[i]);
        status[i] = sp_mtx_read_text("fuzz.mtx", text, (int64_t)size, &options, &a[i], &facts, &err[i]);
    }
    free(text);
    require(status[0] == status[1], "one and three threads differ");
    require(status[0] == SP_OK || status[0] == SP_INPUT || status[0] == SP_MEMORY, "unexpected status");
    if (status[0] == SP_OK) {
        require(sp_csr_check(&a[0], NULL) == SP_OK, "the matrix is not canonical");
        require(a[0].n_nz == a[1].n_nz && a[0].n_zeros == a[1].n_zeros,
                "one and three threads count differently");
    } else {
        require(err[0].what[0] && err[0].remedy[0], "an error without reason or remedy");
    }
    sp_csr_free(&a[0]);
    sp_csr_free(&a[1]);
    return 0;
}

#ifndef SP_LIBFUZZER
enum { MAX_TEXT = 1 << 16 };

static const char seed_text[] = "%%MatrixMarket matrix coordinate real symmetric\n% remark\n3 3 4\n1 1 1.5\n"
                                "2 1 -2e-3\n3 3 0\n3 2 12345678901234567890\n";

/* A few random edits: bytes replaced, removed, doubled, or taken from the words that matter. */
static size_t mutate(struct sp_random *r, char *text, size_t n)
{
    static const char *const words[] = {"\n",
                                        " ",
                                        "%",
                                        "-",
                                        "1e",
                                        "nan",
                                        "999999999999",
                                        "0",
                                        "\r\n",
                                        "complex",
                                        "array",
                                        "pattern",
                                        "skew-symmetric",
                                        "hermitian",
                                        "integer",
                                        "general",
                                        "\0"};
    int n_edits = 1 + (int)sp_random_below(r, 6);
    for (int i = 0; i < n_edits && n > 0; i++) {
        size_t at = (size_t)sp_random_below(r, (int64_t)n);
        const char *word = words[sp_random_below(r, sizeof words / sizeof *words)];
        size_t length = strlen(word);
        switch (sp_random_below(r, 4)) {
        case 0:
            text[at] = (char)sp_random_next(r);
            break;
        case 1:
            memmove(text + at, text + at + 1, n - at - 1);
            n--;
            break;
        case 2:
            if (n + length < MAX_TEXT) {
                memmove(text + at + length, text + at, n - at);
                memcpy(text + at, word, length);
                n += length;
            }
            break;
        default:
            if (at + length < n)
                memcpy(text + at, word, length);
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    long n_rounds = argc > 1 ? atol(argv[1]) : 10000;
    static char seed[MAX_TEXT], text[MAX_TEXT];
    struct sp_random r = {20261121};
    int n_files = argc > 2 ? argc - 2 : 1;
    for (int f = 0; f < n_files; f++) {
        size_t n = sizeof seed_text - 1;
        memcpy(seed, seed_text, n);
        if (argc > 2) {
            FILE *file = fopen(argv[2 + f], "rb");
            if (!file) {
                perror(argv[2 + f]);
                return 2;
            }
            n = fread(seed, 1, sizeof seed, file);
            fclose(file);
        }
        for (long i = 0; i < n_rounds; i++) {
            memcpy(text, seed, n);
            LLVMFuzzerTestOneInput((const uint8_t *)text, mutate(&r, text, n));
        }
    }
    printf("%ld rounds on %d seed%s: nothing broke\n", n_rounds, n_files, n_files == 1 ? "" : "s");
    return 0;
}
#endif
