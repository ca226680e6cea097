#include "attach/mpi/pmpi.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/attach_log.h"

static const char *const kind_name[SP_PMPI_N_KINDS] = {"message", "persistent", "neighbour", "one-sided"};

static void put_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fputc('\\', out);
        if (*p < 0x20 || *p >= 0x7f)
            fprintf(out, "\\u%04x", *p);
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

static bool is_same_phase(const struct sp_pmpi_row *a, const struct sp_pmpi_row *b)
{
    return a->level == b->level && a->inside == b->inside;
}

/* The phase of one of its rows; the same pair may stand there more than once. */
static void put_phase(FILE *out, const struct sp_pmpi_job *job, const struct sp_pmpi_row *of)
{
    const char *inside = of->inside && job->inside_name ? job->inside_name((int)of->inside) : NULL;
    int64_t n_collectives = 0;
    fprintf(out, " {\"phase\": %lld", (long long)of->level);
    if (inside) {
        fprintf(out, ", \"inside\": ");
        put_text(out, inside);
    }
    fprintf(out, ", \"pairs\": [");
    const char *comma = "";
    for (const struct sp_pmpi_row *r = of; r < job->row + job->n_rows; r++) {
        if (!is_same_phase(r, of))
            continue;
        if (r->kind == SP_PMPI_COLLECTIVE)
            n_collectives = r->messages > n_collectives ? r->messages : n_collectives;
        if (r->kind < 0 || r->kind >= SP_PMPI_N_KINDS)
            continue;
        fprintf(out,
                "%s\n  {\"from\": %lld, \"to\": %lld, \"kind\": \"%s\", \"messages\": %lld, \"bytes\": %lld}",
                comma, (long long)r->from, (long long)r->to, kind_name[r->kind], (long long)r->messages,
                (long long)r->bytes);
        comma = ",";
    }
    fprintf(out, "], \"collective_calls\": %lld}", (long long)n_collectives);
}

static bool is_first_of_phase(const struct sp_pmpi_job *job, const struct sp_pmpi_row *row)
{
    const struct sp_pmpi_row *r = job->row;
    while (r < row && !is_same_phase(r, row))
        r++;
    return r == row;
}

static void put_job(FILE *out, const struct sp_pmpi_job *job)
{
    char program[PATH_MAX] = "", when[32] = "";
    struct tm t;
    int64_t n_lost = 0;
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    if (gmtime_r(&job->begun_at, &t))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &t);
    for (int64_t i = 0; i < job->n_rows; i++)
        n_lost += job->row[i].kind == SP_PMPI_LOST;
    fprintf(out, "{\"schema\": \"spmodel.messages/1\", \"program\": ");
    put_text(out, program);
    fprintf(out, ", \"begun\": \"%s\", \"ranks\": %d, \"ranks_incomplete\": %lld,\n\"hosts\": [", when,
            job->n_ranks, (long long)n_lost);
    for (int r = 0; r < job->n_ranks; r++) {
        fputs(r ? ", " : "", out);
        put_text(out, job->host[r]);
    }
    fprintf(out, "],\n\"phases\": [");
    const char *comma = "\n";
    for (const struct sp_pmpi_row *r = job->row; r < job->row + job->n_rows; r++) {
        if (r->kind == SP_PMPI_LOST || !is_first_of_phase(job, r))
            continue;
        fputs(comma, out);
        put_phase(out, job, r);
        comma = ",\n";
    }
    fprintf(out, "]}\n");
}

static bool name_file(char *path, size_t size)
{
    const char *file = getenv(SP_PMPI_FILE_VARIABLE), *folder = getenv(SP_ATTACH_FOLDER_VARIABLE);
    const long pid = (long)getpid();
    int n;
    if (file && *file)
        n = snprintf(path, size, "%s", file);
    else if (folder && *folder == '/')
        n = snprintf(path, size, "%s/%ld" SP_ATTACH_MESSAGES_ENDING, folder, pid);
    else
        n = snprintf(path, size, "spmodel-messages.%ld.json", pid);
    return n > 0 && (size_t)n < size;
}

void sp_pmpi_record_write(const struct sp_pmpi_job *job)
{
    char path[PATH_MAX], part[PATH_MAX + 8];
    if (!name_file(path, sizeof path))
        return;
    snprintf(part, sizeof part, "%s.part", path);
    unlink(part);
    FILE *out = fopen(part, "wxe");
    if (!out)
        return;
    put_job(out, job);
    const bool ok = !ferror(out);
    if (fclose(out) != 0 || !ok || rename(part, path) != 0)
        unlink(part);
}
