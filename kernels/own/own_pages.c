#include "kernels/own/own_pages.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LINE_B = 64, PATTERN = 0xa5, HUGE_B = 2 << 20 };

static size_t whole(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/* The pages that an array of so many bytes has, without those around it. */
struct room {
    size_t page_B, lines_B, body_B;
};

static struct room room_of(size_t bytes)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE), lines_B = whole(bytes > 0 ? bytes : 1, LINE_B);
    return (struct room){page_B, lines_B, whole(lines_B, page_B)};
}

static void *take(size_t bytes, bool huge)
{
    const struct room r = room_of(bytes);
    char *map = mmap(NULL, r.body_B + 2 * r.page_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    char *body = map + r.page_B, *at = body + r.body_B - r.lines_B;
    if (mprotect(body, r.body_B, PROT_READ | PROT_WRITE) != 0) {
        munmap(map, r.body_B + 2 * r.page_B);
        return NULL;
    }
    if (huge && r.body_B >= HUGE_B)
        madvise(body, r.body_B, MADV_HUGEPAGE);
    if (at > body)
        memset(body, PATTERN, (size_t)(at - body));
    if (r.lines_B > bytes)
        memset(at + bytes, PATTERN, r.lines_B - bytes);
    return at;
}

static void *take_huge(void *context, size_t bytes)
{
    (void)context;
    return take(bytes, true);
}

static void *take_small(void *context, size_t bytes)
{
    (void)context;
    return take(bytes, false);
}

static void give_back(void *context, void *p, size_t bytes)
{
    (void)context;
    const struct room r = room_of(bytes);
    if (p)
        munmap((char *)p + r.lines_B - r.body_B - r.page_B, r.body_B + 2 * r.page_B);
}

const struct sp_allocator sp_own_pages_huge = {take_huge, give_back, NULL};
const struct sp_allocator sp_own_pages_small = {take_small, give_back, NULL};

bool sp_own_pages_are(const struct sp_allocator *a)
{
    return a == &sp_own_pages_huge || a == &sp_own_pages_small;
}

void sp_own_pages_array(const void *p, size_t size_B, const char *name, struct sp_own_array *array)
{
    const struct room r = room_of(size_B);
    const uintptr_t at = (uintptr_t)p, body = at + r.lines_B - r.body_B;
    *array = (struct sp_own_array){
        .map = body - r.page_B, .map_to = body + r.body_B + r.page_B, .at = at, .to = at + size_B};
    snprintf(array->name, sizeof array->name, "%s", name);
}

void sp_own_pages_protect(struct sp_own_array *a, bool read_only)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
    mprotect((void *)(a->map + page_B), a->map_to - a->map - 2 * page_B,
             read_only ? PROT_READ : PROT_READ | PROT_WRITE);
    a->read_only = read_only;
}

void sp_own_pages_look(const struct sp_own_array *a, size_t *before_B, size_t *behind_B)
{
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned char *at = (const unsigned char *)a->at, *to = (const unsigned char *)a->to,
                        *first = (const unsigned char *)(a->map + page_B),
                        *end = (const unsigned char *)(a->map_to - page_B);
    *before_B = *behind_B = 0;
    for (const unsigned char *p = first; p < at && *before_B == 0; p++)
        if (*p != PATTERN)
            *before_B = (size_t)(at - p);
    for (const unsigned char *p = end; p > to && *behind_B == 0; p--)
        if (p[-1] != PATTERN)
            *behind_B = (size_t)(p - to);
}
