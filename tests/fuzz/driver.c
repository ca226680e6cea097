#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "fuzz.h"

void fuzz_require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void fuzz_require_refusal(enum sp_status status, const struct sp_error *err)
{
    if (status != SP_INPUT && status != SP_MEMORY && status != SP_USAGE && status != SP_ABSENT) {
        fprintf(stderr, "fuzz: status %s: %s\n", sp_status_name(status), err->what);
        abort();
    }
    fuzz_require(err->what[0] != '\0', "a refusal without a reason");
}

const char *fuzz_path(const uint8_t *data, size_t size)
{
    static char path[64];
    static int file = -1;
    if (file >= 0)
        close(file);
    file = memfd_create("fuzz", MFD_CLOEXEC);
    fuzz_require(file >= 0 && write(file, data, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0,
                 "no memory for a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

/* ---- edits ---- */

struct text {
    uint8_t *at; /* [most] */
    size_t n, most;
};

/* Puts `length` bytes in the place of `gone` ones at `at`, as far as there is room. */
static void replace(struct text *t, size_t at, size_t gone, const void *with, size_t length)
{
    if (at + gone > t->n || t->n - gone + length > t->most || length > 4096)
        return;
    uint8_t copy[4096];
    memcpy(copy, with, length);
    memmove(t->at + at + length, t->at + at + gone, t->n - at - gone);
    memcpy(t->at + at, copy, length);
    t->n += length - gone;
}

struct span {
    size_t at, n;
};

static bool is_in(const char *set, uint8_t c)
{
    return c && strchr(set, c);
}

/* The stretch around a random place that none of `ends` interrupts. */
static struct span stretch(struct sp_random *r, const struct text *t, const char *ends)
{
    size_t from = (size_t)sp_random_below(r, (int64_t)t->n), to;
    while (from < t->n && is_in(ends, t->at[from]))
        from++;
    for (to = from; to < t->n && !is_in(ends, t->at[to]); to++)
        ;
    while (from > 0 && !is_in(ends, t->at[from - 1]))
        from--;
    return (struct span){from, to - from};
}

static void put_word(struct sp_random *r, struct text *t, struct span s)
{
    static const char *const common[] = {"0",
                                         "1",
                                         "-1",
                                         "2",
                                         "3",
                                         "10",
                                         "255",
                                         "x",
                                         "",
                                         "1e9",
                                         "nan",
                                         "inf",
                                         "-",
                                         ".",
                                         "\n",
                                         " ",
                                         "\r\n",
                                         "%",
                                         "\xff",
                                         "\"",
                                         ",",
                                         "1e-9",
                                         "4294967296",
                                         "9223372036854775807",
                                         "99999999999999999999"};
    int64_t n_words = 0, n_common = sizeof common / sizeof *common;
    while (fuzz_words[n_words])
        n_words++;
    const int64_t k = sp_random_below(r, n_words + n_common);
    const char *word = k < n_words ? fuzz_words[k] : common[k - n_words];
    replace(t, s.at, s.n, word, strlen(word));
}

static void edit(struct sp_random *r, struct text *t)
{
    static const char blanks[] = " \t\r\n,:;\"{}[]()", line[] = "\n";
    const size_t at = (size_t)sp_random_below(r, (int64_t)t->n);
    const struct span word = stretch(r, t, blanks), other = stretch(r, t, blanks), from = stretch(r, t, line),
                      to = stretch(r, t, line);
    switch (sp_random_below(r, 8)) {
    case 0:
        t->at[at] = (uint8_t)sp_random_next(r);
        break;
    case 1:
        replace(t, at, (size_t)(1 + sp_random_below(r, 8)), "", 0);
        break;
    case 2:
        put_word(r, t, (struct span){at, 0});
        break;
    case 3:
        put_word(r, t, word);
        break;
    case 4:
        replace(t, word.at, word.n, t->at + other.at, other.n);
        break;
    case 5:
        replace(t, to.at, 0, t->at + from.at, from.n < t->n - from.at ? from.n + 1 : from.n);
        break;
    case 6:
        replace(t, to.at, to.n < t->n - to.at ? to.n + 1 : to.n, "", 0);
        break;
    default:
        t->at[at] ^= (uint8_t)(1 << sp_random_below(r, 8));
    }
}

static size_t mutate(struct sp_random *r, uint8_t *data, size_t n, size_t most)
{
    struct text t = {data, n, most};
    for (int64_t k = 1 + sp_random_below(r, 5); k > 0 && t.n > 0; k--)
        edit(r, &t);
    return t.n;
}

#ifdef SP_LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    struct sp_random r = {seed};
    if (size == 0 || sp_random_below(&r, 2))
        return LLVMFuzzerMutate(data, size, most);
    return mutate(&r, data, size, most);
}
#else
enum { MOST = 1 << 17 };

static size_t read_file(const char *folder, const char *name, uint8_t *data)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    fuzz_require(f != NULL, path);
    const size_t n = fread(data, 1, MOST, f);
    fclose(f);
    return n;
}

/* Each file of the corpus as it is, then `n_rounds` times edited. */
static int run_folder(const char *folder, long n_rounds)
{
    static uint8_t seed[MOST], data[MOST];
    struct dirent **list;
    const int n = scandir(folder, &list, NULL, alphasort);
    int n_seeds = 0;
    for (int f = 0; f < n; f++) {
        struct sp_random r = {20261121};
        const size_t size = list[f]->d_name[0] == '.' ? 0 : read_file(folder, list[f]->d_name, seed);
        n_seeds += size > 0;
        for (long i = 0; size > 0 && i <= n_rounds; i++) {
            memcpy(data, seed, size);
            LLVMFuzzerTestOneInput(data, i == 0 ? size : mutate(&r, data, size, MOST));
        }
        free(list[f]);
    }
    if (n >= 0)
        free(list);
    return n_seeds;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s ROUNDS FOLDER\n", argv[0]);
        return 2;
    }
    const int n_seeds = run_folder(argv[2], atol(argv[1]));
    fuzz_require(n_seeds > 0, "no file in the corpus");
    printf("%s rounds on each of %d seeds: nothing broke\n", argv[1], n_seeds);
    return 0;
}
#endif
