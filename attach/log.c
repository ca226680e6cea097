#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "attach/attach.h"

struct sp_attach_log sp_attach_log;

/* Cells are given room on the disk so many at a time: a page without room would be a SIGBUS in the
 * program. */
enum { AT_ONCE = 64, BEFORE_CELLS = SP_ATTACH_HEADER_B + SP_ATTACH_MATRICES * SP_ATTACH_MATRIX_B };

static char own_path[1200];
static uint32_t n_roomy; /* cells that have room */

static int64_t length(uint32_t n_cells)
{
    return BEFORE_CELLS + (int64_t)n_cells * SP_ATTACH_CELL_B;
}

static int64_t realtime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Beyond that limit the system would send SIGXFSZ, and end a program that runs well alone. */
bool sp_attach_is_within_limit(int64_t size_B)
{
    struct rlimit most;
    return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY ||
           (uint64_t)size_B <= (uint64_t)most.rlim_cur;
}

/* 0, or why not: a number of the system. */
static int give_room(int fd, int64_t begin, int64_t size)
{
    return sp_attach_is_within_limit(begin + size) ? posix_fallocate(fd, begin, size) : EFBIG;
}

static int create(const char *folder)
{
    for (int i = 0; i < 1000; i++) {
        snprintf(own_path, sizeof own_path, "%s/%ld-%d" SP_ATTACH_LOG_ENDING, folder, (long)getpid(), i);
        const int fd = open(own_path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void describe(struct sp_attach_header *h)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    *h = (struct sp_attach_header){.version = SP_ATTACH_VERSION,
                                   .header_B = SP_ATTACH_HEADER_B,
                                   .matrix_B = SP_ATTACH_MATRIX_B,
                                   .cell_B = SP_ATTACH_CELL_B,
                                   .pid = getpid(),
                                   .parent = getppid(),
                                   .began_ns = sp_attach_now_ns(),
                                   .begun_at_ns = realtime_ns()};
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        h->n_cpus = (uint32_t)CPU_COUNT(&set);
    gethostname(h->host, sizeof h->host - 1);
    const ssize_t n = readlink("/proc/self/exe", h->program, sizeof h->program - 1);
    h->program[n > 0 ? n : 0] = '\0';
    memcpy(h->magic, SP_ATTACH_LOG_MAGIC, sizeof h->magic);
}

bool sp_attach_log_open(const char *folder)
{
    n_roomy = 0;
    if (folder != sp_attach_log.folder && snprintf(sp_attach_log.folder, sizeof sp_attach_log.folder, "%s",
                                                   folder) >= (int)sizeof sp_attach_log.folder)
        return false;
    const int saved = errno, fd = create(folder);
    void *map = MAP_FAILED;
    if (fd >= 0 && give_room(fd, 0, SP_ATTACH_HEADER_B) == 0)
        map = mmap(NULL, (size_t)length(SP_ATTACH_CELLS), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && map == MAP_FAILED)
        unlink(own_path);
    errno = saved;
    if (map == MAP_FAILED)
        return false;
    describe(map);
    sp_attach_log.header = map;
    sp_attach_log.matrix = (struct sp_attach_matrix *)((char *)map + SP_ATTACH_HEADER_B);
    sp_attach_log.cell = (struct sp_attach_cell *)((char *)map + BEFORE_CELLS);
    return true;
}

void sp_attach_log_leave(void)
{
    if (sp_attach_log.header)
        munmap(sp_attach_log.header, (size_t)length(SP_ATTACH_CELLS));
    sp_attach_log.header = NULL;
}

void sp_attach_log_close(void)
{
    struct sp_attach_header *h = sp_attach_log.header;
    if (!h)
        return;
    const char *main_pid = getenv(SP_ATTACH_PID_VARIABLE);
    h->ended_ns = sp_attach_now_ns();
    if (h->n_cells == 0 && main_pid && atol(main_pid) != (long)getpid())
        unlink(own_path);
}

void sp_attach_log_lost(const char *why)
{
    struct sp_attach_header *h = sp_attach_log.header;
    if (h && !*h->lost)
        snprintf(h->lost, sizeof h->lost, "%s", why);
}

static void lost_by(int error)
{
    char text[sizeof sp_attach_log.header->lost], reason[100];
    if (error == ENOSPC || error == EDQUOT)
        snprintf(text, sizeof text, "no room on the disk for the log");
    else if (error == EFBIG)
        snprintf(text, sizeof text, "the log could not grow beyond the limit on sizes of files (ulimit -f)");
    else
        snprintf(text, sizeof text, "the log could not grow: %.90s",
                 strerror_r(error, reason, sizeof reason));
    sp_attach_log_lost(text);
}

static bool make_room(int64_t begin, int64_t size)
{
    const int fd = open(own_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    const int error = fd < 0 ? errno : give_room(fd, begin, size);
    if (fd >= 0)
        close(fd);
    if (error)
        lost_by(error);
    return error == 0;
}

static bool make_room_for_cells(void)
{
    const bool ok = make_room(length(n_roomy), AT_ONCE * SP_ATTACH_CELL_B);
    n_roomy += ok ? AT_ONCE : 0;
    return ok;
}

struct sp_attach_cell *sp_attach_log_cell(void)
{
    struct sp_attach_header *h = sp_attach_log.header;
    if (h->n_cells >= SP_ATTACH_CELLS) {
        sp_attach_log_lost("more pairs of a matrix and a thread than a log has room for");
        return NULL;
    }
    if (h->n_cells == n_roomy && !make_room_for_cells())
        return NULL;
    return &sp_attach_log.cell[h->n_cells++];
}

struct sp_attach_matrix *sp_attach_log_matrix(void)
{
    struct sp_attach_header *h = sp_attach_log.header;
    if (h->n_matrices == 0 && !make_room(SP_ATTACH_HEADER_B, BEFORE_CELLS - SP_ATTACH_HEADER_B))
        return NULL;
    if (h->n_matrices < SP_ATTACH_MATRICES)
        return &sp_attach_log.matrix[h->n_matrices++];
    sp_attach_log_lost("more matrices than a log has room for");
    return NULL;
}
