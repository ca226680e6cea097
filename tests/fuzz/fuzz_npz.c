/* SciPy's .npz files. An input is the archive, or what is in it: before each array a line with its name; the
 * archive is then made of them, with its checksums right, for who attacks makes them, too. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "io/files/archive.h"
#include "io/matrix/matrix_formats.h"
#include "sp_config.h"

const char *const fuzz_words[] = {"'<i4'", "'<i8'", "'>f8'",  "'<c16'", "'|b1'", "'|S3'",
                                  "'<U3'", "True",  "False",  "csr",    "csc",   "coo",
                                  "bsr",   "dia",   "(2, 2)", "(3,)",   "()",    NULL};

static void read_archive(const uint8_t *data, size_t size)
{
    const struct sp_load_options options = {.n_threads = 2, .memory_limit_B = 64e6};
    struct sp_load_facts facts = {0};
    struct sp_csr a;
    struct sp_error err = {0};
    char *bytes = malloc(size ? size : 1); /* of exactly this size, for the address sanitizer */
    fuzz_require(bytes != NULL, "no memory");
    memcpy(bytes, data, size);
    const enum sp_status status = sp_npz_read("fuzz.npz", bytes, (int64_t)size, &options, &a, &facts, &err);
    free(bytes);
    if (status == SP_OK)
        fuzz_require(sp_csr_check(&a, NULL) == SP_OK, "the matrix is not canonical");
    else
        fuzz_require_refusal(status, &err);
    sp_csr_free(&a);
}

/* The beginning of the next array from `at` on; `size`: there is none. */
static size_t find_array(const uint8_t *data, size_t size, size_t at)
{
    const uint8_t *p = at < size ? memmem(data + at, size - at, "\x93NUMPY", 6) : NULL;
    return p ? (size_t)(p - data) : size;
}

/* The line before the array, without its end: its beginning. */
static size_t find_name(const uint8_t *data, size_t from, size_t array)
{
    size_t at = array > from ? array - 1 : array;
    while (at > from && data[at - 1] != '\n' && array - at < 20)
        at--;
    return at;
}

static void put_arrays(const uint8_t *data, size_t size, struct sp_zip_writer *w)
{
    size_t from = 0, array = find_array(data, size, 0);
    while (array < size) {
        const size_t name = find_name(data, from, array), next = find_array(data, size, array + 6),
                     end = next < size ? find_name(data, array + 6, next) : size;
        char text[32] = "";
        memcpy(text, data + name, array - name > 0 ? array - name - 1 : 0);
        if (sp_zip_writer_begin(w, text[0] ? text : "x", (int64_t)(end - array), NULL) == SP_OK)
            sp_zip_writer_put(w, data + array, (int64_t)(end - array), NULL);
        from = array + 6;
        array = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!SP_HAVE_LIBARCHIVE || sp_zip_is((const char *)data, (int64_t)size)) {
        read_archive(data, size);
        return 0;
    }
    const int file = memfd_create("archive", MFD_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "w+") : NULL;
    struct sp_zip_writer *w = NULL;
    fuzz_require(stream && sp_zip_writer_open(stream, "fuzz.npz", &w, NULL) == SP_OK, "no archive is made");
    put_arrays(data, size, w);
    sp_zip_writer_close(w, NULL);
    const off_t n = lseek(file, 0, SEEK_END);
    uint8_t *bytes = malloc(n > 0 ? (size_t)n : 1);
    fuzz_require(bytes && pread(file, bytes, (size_t)n, 0) == n, "the archive cannot be read");
    read_archive(bytes, (size_t)n);
    free(bytes);
    fclose(stream);
    return 0;
}
