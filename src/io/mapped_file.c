#include "io/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum sp_status fail_open(const char *path, int error, struct sp_error *err)
{
    const char *remedy = error == ENOENT   ? "check the name; `spmodel help input` lists what can be read"
                         : error == EACCES ? "ask its owner for permission to read it"
                                           : NULL;
    return sp_fail_at(err, SP_INPUT, path, 0, 0, remedy, "cannot open the file: %s", strerror(error));
}

enum sp_status sp_map_file(const char *path, struct sp_mapped_file *file, struct sp_error *err)
{
    memset(file, 0, sizeof *file);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return fail_open(path, errno, err);
    struct stat facts;
    enum sp_status status = SP_OK;
    if (fstat(descriptor, &facts) != 0) {
        status = fail_open(path, errno, err);
    } else if (S_ISDIR(facts.st_mode)) {
        status = sp_fail_at(err, SP_INPUT, path, 0, 0, "name the matrix file in it", "this is a directory");
    } else if (S_ISREG(facts.st_mode)) {
        file->regular = true;
        file->mtime_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
        file->n = facts.st_size;
        if (file->n > 0) {
            void *p = mmap(NULL, (size_t)file->n, PROT_READ, MAP_PRIVATE, descriptor, 0);
            if (p == MAP_FAILED)
                status = fail_open(path, errno, err);
            else
                file->text = p;
        }
    }
    close(descriptor);
    if (status != SP_OK)
        memset(file, 0, sizeof *file);
    return status;
}

void sp_unmap_file(struct sp_mapped_file *file)
{
    if (file->text)
        munmap((void *)(uintptr_t)file->text, (size_t)file->n);
    memset(file, 0, sizeof *file);
}
