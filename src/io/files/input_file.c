#include "io/files/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/json_text.h"

static enum sp_status fail_open(const char *path, int error, struct sp_error *err)
{
    return sp_fail_at(err, sp_input_status(error), path, 0, 0, "check the name, and that you may read it",
                      "cannot open the file: %s", strerror(error));
}

/* Was it open when this process began? Then opening it again does not wait. A link to such a name
 * is not one: it may lie in a folder of somebody else. */
static bool is_own_stream(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdin") == 0)
        return true;
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        const size_t n = strlen(folder[i]);
        if (strncmp(path, folder[i], n) == 0 && path[n])
            return path[n + strspn(path + n, "0123456789")] == '\0';
    }
    return false;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)                    ? "a directory"
           : S_ISFIFO(mode)                 ? "a named pipe"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "no regular file";
}

static enum sp_status check_kind(const char *path, mode_t mode, bool own, struct sp_error *err)
{
    if (S_ISREG(mode) || (own && !S_ISDIR(mode)))
        return SP_OK;
    if (S_ISDIR(mode))
        return sp_fail_at(err, SP_INPUT, path, 0, 0, "name a file in it", "this is a directory");
    return sp_fail_at(err, SP_INPUT, path, 0, 0, "put a regular file there", "this is %s, not a file",
                      kind_of(mode));
}

/* Its kind is asked before it is opened, because opening alone does things to some devices, and
 * after, because it may have been exchanged. */
enum sp_status sp_input_open(const char *path, FILE **out, struct sp_error *err)
{
    const bool own = is_own_stream(path);
    struct stat facts;
    *out = NULL;
    if (stat(path, &facts) != 0)
        return fail_open(path, errno, err);
    enum sp_status status = check_kind(path, facts.st_mode, own, err);
    if (status != SP_OK)
        return status;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (own ? 0 : O_NONBLOCK));
    if (fd < 0)
        return fail_open(path, errno, err);
    if (fstat(fd, &facts) != 0)
        status = fail_open(path, errno, err);
    else
        status = check_kind(path, facts.st_mode, own, err);
    *out = status == SP_OK ? fdopen(fd, "r") : NULL;
    if (*out)
        return SP_OK;
    if (status == SP_OK)
        status = fail_open(path, errno, err);
    close(fd);
    return status;
}

static enum sp_status fail_read(const char *path, int error, struct sp_error *err)
{
    return sp_fail_at(err, sp_input_status(error), path, 0, 0,
                      "put a whole copy there, from where it was made",
                      "the file cannot be read to its end: %s", strerror(error));
}

/* Copies at most one byte more than is allowed; false: no memory. */
static bool copy(FILE *from, int64_t most_B, FILE *to)
{
    char block[1 << 14];
    int64_t left = most_B + 1;
    while (left > 0) {
        const size_t want = left < (int64_t)sizeof block ? (size_t)left : sizeof block,
                     n = fread(block, 1, want, from);
        if (n == 0)
            break;
        if (fwrite(block, 1, n, to) != n)
            return false;
        left -= (int64_t)n;
    }
    return true;
}

enum sp_status sp_input_bytes(const char *path, int64_t most_B, char **bytes, size_t *size,
                              struct sp_error *err)
{
    FILE *file;
    *bytes = NULL;
    *size = 0;
    enum sp_status status = sp_input_open(path, &file, err);
    if (status != SP_OK)
        return status;
    FILE *memory = open_memstream(bytes, size);
    errno = 0;
    bool held = memory && copy(file, most_B, memory);
    const int error = ferror(file) ? (errno ? errno : EIO) : 0;
    fclose(file);
    if (memory && (fclose(memory) != 0 || !*bytes)) /* its last allocation tells by NULL alone */
        held = false;
    if (!held)
        status = sp_fail_at(err, SP_MEMORY, path, 0, 0, "free memory", "no memory for this file");
    else if (error)
        status = fail_read(path, error, err);
    else if ((int64_t)*size > most_B)
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "put the file there that was meant; larger ones are not read",
                            "it has more than %lld bytes", (long long)most_B);
    if (status != SP_OK) {
        free(*bytes);
        *bytes = NULL;
        *size = 0;
    }
    return status;
}

enum sp_status sp_input_json(const char *path, int64_t most_B, const char *remedy, json_t **root,
                             struct sp_error *err)
{
    char *bytes;
    size_t size;
    json_error_t fault;
    *root = NULL;
    enum sp_status status = sp_input_bytes(path, most_B, &bytes, &size, err);
    if (status != SP_OK)
        return status;
    *root = sp_json_parse(bytes, size, JSON_REJECT_DUPLICATES, &fault);
    free(bytes);
    if (*root)
        return SP_OK;
    const int column = fault.column > 0 ? fault.column : 1;
    return sp_fail_at(err, SP_INPUT, path, fault.line > 0 ? fault.line : 0, fault.line > 0 ? column : 0,
                      remedy, "not valid JSON: %s", fault.text);
}

/* What the handler knows of a mapping. Guards are never freed: it can walk them at any moment. */
struct sp_mapped_guard {
    _Atomic uintptr_t begin, end; /* page boundaries; begin 0: of no mapping */
    atomic_bool lost;             /* zeros stand for pages that could not be read */
    struct sp_mapped_guard *next;
};

static struct sp_mapped_guard *_Atomic guards;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of taking and giving back a guard */
static pthread_once_t installed = PTHREAD_ONCE_INIT;
static struct sigaction before;
static uintptr_t page_B;

static bool put_zeros(struct sp_mapped_guard *g, uintptr_t at)
{
    const uintptr_t begin = atomic_load(&g->begin), end = atomic_load(&g->end), from = at & ~(page_B - 1);
    if (begin == 0 || at < begin || at >= end)
        return false;
    atomic_store(&g->lost, true);
    /* Read only: they are all the kernel's one page of zeros. */
    return mmap((void *)from, end - from, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
                -1, 0) != MAP_FAILED;
}

/* On the thread that read. Its access is made again when this returns. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    const int error = errno;
    bool mended = false;
    if (info->si_code > 0) /* from the kernel, for an address */
        for (struct sp_mapped_guard *g = atomic_load(&guards); g && !mended; g = g->next)
            mended = put_zeros(g, (uintptr_t)info->si_addr);
    if (!mended) {
        sigaction(number, &before, NULL);
        if (info->si_code <= 0)
            raise(number);
    }
    errno = error;
}

static void install(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    page_B = (uintptr_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &action, &before);
}

static struct sp_mapped_guard *take_guard(uintptr_t begin, uintptr_t end)
{
    pthread_mutex_lock(&lock);
    struct sp_mapped_guard *g = atomic_load(&guards);
    while (g && atomic_load(&g->begin) != 0)
        g = g->next;
    if (!g && (g = calloc(1, sizeof *g)) != NULL) {
        g->next = atomic_load(&guards);
        atomic_store(&guards, g);
    }
    if (g) {
        atomic_store(&g->lost, false);
        atomic_store(&g->end, end);
        atomic_store(&g->begin, begin);
    }
    pthread_mutex_unlock(&lock);
    return g;
}

static enum sp_status fail_map(const char *path, int error, struct sp_error *err)
{
    const char *remedy = error == ENOENT   ? "check the name; `spmodel help input` lists what can be read"
                         : error == EACCES ? "ask its owner for permission to read it"
                                           : NULL;
    return sp_fail_at(err, sp_input_status(error), path, 0, 0, remedy, "cannot open the file: %s",
                      strerror(error));
}

static size_t file_pages_B(int64_t n)
{
    return ((size_t)n + page_B - 1) & ~(page_B - 1);
}

/* The file's pages and one of newlines behind them: every line has an end. */
static int map_text(struct sp_mapped_file *file)
{
    const size_t size = file_pages_B(file->n);
    char *p =
        mmap(NULL, size + page_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return errno;
    int error = 0;
    memset(p + size, '\n', page_B);
    if (mmap(p, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file->descriptor, 0) == MAP_FAILED)
        error = errno;
    else if (!(file->guard = take_guard((uintptr_t)p, (uintptr_t)p + size)))
        error = ENOMEM;
    if (error)
        munmap(p, size + page_B);
    else
        file->text = p;
    return error;
}

static int64_t modified_ns(const struct stat *facts)
{
    return (int64_t)facts->st_mtim.tv_sec * 1000000000 + facts->st_mtim.tv_nsec;
}

enum sp_status sp_map_file(const char *path, struct sp_mapped_file *file, struct sp_error *err)
{
    memset(file, 0, sizeof *file);
    pthread_once(&installed, install);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_map(path, errno, err);
    struct stat facts;
    enum sp_status status = SP_OK;
    if (fstat(descriptor, &facts) != 0) {
        status = fail_map(path, errno, err);
    } else if (S_ISDIR(facts.st_mode)) {
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "name the matrix file in it", "this is a directory");
    } else if (S_ISREG(facts.st_mode)) {
        *file = (struct sp_mapped_file){
            .n = facts.st_size, .mtime_ns = modified_ns(&facts), .regular = true, .descriptor = descriptor};
        const int error = file->n > 0 ? map_text(file) : 0;
        if (error)
            status = fail_map(path, error, err);
    }
    if (status != SP_OK || !file->regular)
        close(descriptor);
    if (status != SP_OK)
        memset(file, 0, sizeof *file);
    return status;
}

/* Shortened inside its last page it gives no signal, so its facts are asked, too. */
static bool has_changed(const struct sp_mapped_file *file)
{
    struct stat facts;
    return (file->guard && atomic_load(&file->guard->lost)) || fstat(file->descriptor, &facts) != 0 ||
           facts.st_size != file->n || modified_ns(&facts) != file->mtime_ns;
}

enum sp_status sp_unmap_file(struct sp_mapped_file *file, const char *path, enum sp_status status,
                             struct sp_error *err)
{
    if (!file->regular)
        return status;
    if (status != SP_INTERRUPTED && has_changed(file))
        status = sp_fail_at(err, SP_INPUT, path, 0, 0,
                            "try again when it is complete; if it is, its disk or file server gives errors",
                            "the file changed or became unreadable while it was read");
    if (file->guard)
        atomic_store(&file->guard->begin, 0);
    if (file->text)
        munmap((void *)(uintptr_t)file->text, file_pages_B(file->n) + page_B);
    close(file->descriptor);
    memset(file, 0, sizeof *file);
    return status;
}
