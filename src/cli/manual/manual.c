#include "cli/manual/manual.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/formats/format.h"

static void fill(const struct sp_command *c, const struct sp_verb *v, struct sp_manual_entry *e)
{
    *e = (struct sp_manual_entry){.arguments = v ? v->arguments : c->arguments,
                                  .summary = v ? v->summary : c->summary,
                                  .page = v ? &v->page : &c->page,
                                  .family = v ? NULL : c->family,
                                  .command = c,
                                  .run = v ? v->run : c->run};
    snprintf(e->name, sizeof e->name, "%s%s%s", c->name, v ? " " : "", v ? v->name : "");
}

bool sp_manual_get(int i, struct sp_manual_entry *entry)
{
    for (const struct sp_command *const *c = sp_command_table; *c; c++) {
        if (i-- == 0) {
            fill(*c, NULL, entry);
            return true;
        }
        for (const struct sp_verb *const *v = (*c)->family ? (*c)->family->verb : NULL; v && *v; v++)
            if (i-- == 0) {
                fill(*c, *v, entry);
                return true;
            }
    }
    return false;
}

bool sp_manual_find(const char *name, struct sp_manual_entry *entry)
{
    for (int i = 0; sp_manual_get(i, entry); i++)
        if (strcmp(entry->name, name) == 0)
            return true;
    return false;
}

bool sp_manual_exits_with(const struct sp_manual_facts *page, int code)
{
    static const int every[] = {0, 2, 3, 4, 7, 130};
    for (size_t i = 0; i < sizeof every / sizeof *every; i++)
        if (every[i] == code)
            return true;
    for (const char *p = page->exits; p && *p;) {
        char *end;
        if (strtol(p, &end, 10) == code)
            return true;
        p = *end ? end + 1 : end;
    }
    return false;
}

static const char *const units[] = {
    "Files and --json, --csv are in SI base units: s, B, B/s, flop/s, B/flop; keys",
    "carry the unit (time_s, bytes). Numbers are written as in C, in every locale.",
    "",
    "The terminal shows prefixes: 1 kB = 1000 B, 1 MB = 10^6 B, 1 GB = 10^9 B; KiB,",
    "MiB, GiB = powers of 1024, on axes of cache sizes. Gflop/s = 10^9 operations a",
    "second.",
    "",
    "Options take sizes as 64M, 1.5G (powers of 1000), 32KiB, 20MiB (powers of 1024)",
    "or 258e6, and times as 200ms, 5s, 2m.",
    NULL,
};

static const char *const provenance[] = {
    "Every number carries one of these words:",
    "",
    "  measured    a clock's or a counter's reading, with the median's interval",
    "  simulated   the cache simulator's, from the addresses of the very layout that",
    "              runs",
    "  modelled    a formula's, see `spmodel explain V`",
    "  stated      a data sheet's, a paper's or yours",
    "  unknown     with the reason; never 0",
    "",
    "Times are measured. Bytes are measured where hardware counters are there and",
    "count known volumes rightly (`spmodel help counters`), and simulated elsewhere.",
    "The simulator is tested against brute force and cachegrind, which proves the",
    "code, not the hardware: a machine file says whether counters of that kind of",
    "machine have confirmed it (validated).",
    NULL,
};

/* The line of --bytes auto; filled by sp_help_topic_lines(). */
static char of_auto[120];

static void fill_auto(void)
{
    static const char *const names[] = {
#define LIBRARY_COUNTER(NAME, ...) #NAME,
#define KERNEL_COUNTER             LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
    };
    snprintf(of_auto, sizeof of_auto, "  auto         ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(of_auto + strlen(of_auto), sizeof of_auto - strlen(of_auto), "%s%s", i ? ", " : "",
                 names[i]);
    snprintf(of_auto + strlen(of_auto), sizeof of_auto - strlen(of_auto),
             ": the first that is trusted; else sim (default)");
}

static const char *const counters[] = {
    "analyze --bytes SOURCE says who counts the bytes that go through the memory",
    "interface:",
    "",
    of_auto,
#define LIBRARY_COUNTER(NAME, LINE) LINE,
#define KERNEL_COUNTER              LIBRARY_COUNTER
#include "base/option/byte_counters.inc"
    "  sim          the cache simulation",
    "  replay:FILE  what a record or a recording holds",
    "",
    "Known volumes (loads, stores, copies, mixes, non-temporal stores, a gather,",
    "loads in cache) run under a counter before it is believed; the idle machine's",
    "background is taken off; windows count for 0.1 s or more. What counts twice,",
    "misses a channel or counts another socket is named and not used.",
    "--require-bytes refuses to simulate (exit code 4). `spmodel doctor` says what",
    "is missing here.",
    "",
    "The other way round:",
    "  likwid-perfctr -c 0-9 -g MEM -m -O -o run.csv spmodel analyze M",
    "marks a region around each sample; spmodel import run.csv M explains it, or any",
    "other program's run.",
    "",
    "Libraries are opened at run time in a process of their own, spmodel-counters.",
    "SPMODEL_LIKWID and SPMODEL_PAPI name another file of the library,",
    "SPMODEL_HELPER the helper program. docs/counters.md",
    NULL,
};

/* Which operation takes which format: names, and an x below; filled by sp_help_topic_lines(). */
static char grid[1 + SP_N_OPS][96];

static void fill_grid(void)
{
    enum { FIRST = 17, BETWEEN = 2 };
    size_t at = FIRST;
    for (int row = 0; row <= SP_N_OPS; row++)
        snprintf(grid[row], sizeof grid[row], row == 0 ? "%s" : "  %-15s",
                 row == 0 ? "" : sp_op_name((enum sp_op)(row - 1)));
    for (int i = 0; i < sp_n_formats; i++) {
        const struct sp_format_kind *kind = sp_format_kinds[i];
        const int place = (int)at;
        at += strlen(kind->name) + BETWEEN;
        for (int row = 0; row <= SP_N_OPS; row++) {
            const size_t used = strlen(grid[row]);
            if (row == 0)
                snprintf(grid[row] + used, sizeof grid[row] - used, "%*s%s", place - (int)used, "",
                         kind->name);
            else if (kind->ops & 1u << (row - 1))
                snprintf(grid[row] + used, sizeof grid[row] - used, "%*sx", place + 1 - (int)used, "");
        }
    }
}

const char *const *sp_help_topic_lines(const struct sp_help_topic *topic)
{
    fill_grid();
    fill_auto();
    return topic->lines;
}

static const char *const formats[] = {
#define SPMV_FORMAT(ID, NAME, NUMBERS, NOTE, SWEPT, ...) __VA_ARGS__,
#define DENSE_FORMAT                                     SPMV_FORMAT
#include "base/option/formats.inc"
    "  auto, all      analyze: the best by a short measurement (sddmm: tiled where",
    "                 the matrix is dense and B larger than the L2); each in turn",
    "",
    grid[0],
    grid[1],
    grid[2],
    grid[3],
    grid[4],
    grid[5],
    "",
    "S is 1 (no sorting) or a multiple of C. Complex matrices run with spmv in crs.",
    "Precisions: f64, f32, c128; spmm and sddmm in crs also f16 and bf16 (stored;",
    "sums in f32), on a GPU spmm in bcsr too, on its matrix units (b_h a multiple of",
    "8). mixed: values of the matrix in f32, vectors and sums in f64 (spmv on CPUs,",
    "not in bcsr and half).",
    "Indices: i32, i64; d16: 16-bit offsets from a base of each row (crs: rows that",
    "span at most 65535 columns) or slot (sell: slots are split where they span",
    "more), for spmv on CPUs.",
    "Schedules: rows, nnz, cyclic[:N], merge (spmv in crs only).",
    "Block vectors (spmmv) lie row by row or, with --order column, one after the",
    "other.",
    NULL,
};

static const char *const input[] = {
    "  FILE.mtx           Matrix Market, coordinate or array; real, integer, pattern",
    "                     or complex; general, symmetric, skew-symmetric or",
    "                     hermitian (expanded); duplicates are added",
    "  FILE.petsc         PETSc binary, as MatView writes it: the first matrix; real",
    "                     or complex",
    "  FILE.npz           SciPy's save_npz: csr, csc, coo, bsr or dia",
    "  FILE.rb            Rutherford-Boeing or Harwell-Boeing, also .hb .rua .rsa",
    "                     .psa ...: assembled ones",
    "  FILE.mtx.gz ...    the same compressed: .gz .xz .zst .bz2; the content says",
    "                     what a file is",
    "  NAME.tar.gz        an archive of the SuiteSparse collection: its main member",
    "                     is read",
    "  FILE.spm           binary cache made by `spmodel convert`",
    "  -                  standard input",
    "  gen:KIND:...       a generated matrix, for example gen:laplace3d:120,",
    "                     gen:hpcg:128, gen:random:4000000:8, gen:powerlaw:20:16;",
    "                     with modifiers, for example gen:laplace3d:240+permuted:7",
    "                     (`spmodel generate` lists the kinds)",
    "  gen:like:A.mtx:8   a matrix that is like A.mtx, with 8 times its rows and",
    "                     columns",
    "",
    "Several matrices: a bad one is reported, the others are done, the worst exit",
    "code counts.",
    NULL,
};

static const char *const machine_files[] = {
    "A machine is a JSON file NAME.json, schema spmodel.machine/1",
    "(docs/machine.schema.json), looked for in the user's data folder",
    "(spmodel/machines in it), the installed share and the source tree; a name with",
    "'/' or .json at its end is a file (./machines/NAME.json):",
    "",
    "  name, cpu, source             who it is and who says so; kind: cpu (default)",
    "                                or gpu; memory, note",
    "  sockets, numa, llc_domains, cores, threads_per_core, frequency_Hz",
    "  caches     [{level, size_B, line_B, sector_B (GPU: 32), ways (0: fully",
    "              associative), cores_sharing, victim, policy (lru, random, rrip),",
    "              effective_B (null: not measured), cycle_B (what streams find",
    "              again), partition (ways for arrays: matrix=5; matrix: can have",
    "              its own)}] from inner to outer",
    "  ecm        {overlap (0 ... 1, null: not known), how, error, interfaces:",
    "              [{level, one_thread, write_weight}]}: how transfers between",
    "              levels overlap (spmodel explain ecm)",
    "  pages      [{huge, threads, reach_B, walk}]: what TLBs map, and what a gather",
    "             beyond it takes longer (spmodel explain tlb)",
    "  gpu        {threads, blocks, registers, shared_B, block_shared_B, source,",
    "              launch_s, latency_s, L2_latency_s, wait_s, step_s, row_s,",
    "              crs_share, sell_share, duplicate_sectors {lanes_8B, lanes_16B:",
    "              32 lanes that load 8 or 16 bytes each count a sector once, or 16",
    "              or 8 do}, wave (lanes in step, 32 or 64)}:",
    "             what an SM holds at a time, the time of a launch and of a load",
    "             from memory; without it kernels are predicted with the L2 as one",
    "             cache",
    "  ceilings   [{name, level, precision, threads, domains, mode, value, unit,",
    "             origin, how, when}] names load, load_mix, copy, copy_nt, triad,",
    "             triad_nt [B/s]; gather, gather_ld (elements loaded by index)",
    "             [1/s]; scalar, simd, fma [flop/s];",
    "             levels L1, L2, L3, MEM, core; origin measured, modelled or stated;",
    "             value null and why where no source is known. A GPU's cores are its",
    "             SMs (Xe cores), its threads all of them",
    "  validated  true where simulated traffic was compared with counters of that",
    "             kind of machine",
    "  validation {n, mean, mean_abs, most_abs, quantiles, near, near_right, source,",
    "              when, command}: how well (`spmodel validate --write-machine`)",
    NULL,
};

static const char *const attaching[] = {
    "`spmodel attach -- PROGRAM` runs a program as it is, with a library in front of",
    "those that it uses (LD_PRELOAD). What it sees are calls of these functions,",
    "each with the matrix in its arguments:",
    "",
    "  PETSc      MatMult, MatMultAdd, MatMultTranspose, MatMultTransposeAdd,",
    "             MatMultHermitianTranspose of AIJ matrices: all of a SeqAIJ, the",
    "             rows of one process of an MPIAIJ (their time includes the exchange",
    "             with other processes); of other types counts and times",
    "  hypre      hypre_CSRMatrixMatvecOutOfPlace, hypre_CSRMatrixMatvec,",
    "             hypre_CSRMatrixMatvecT (real values; the layout of 2.9 to 2.26 is",
    "             known, others are counted and timed)",
    "  MKL        mkl_sparse_{s,d,c,z}_mv and _mm",
    "  librsb     rsb_spmv, rsb_spmm",
    "  cuSPARSE   cusparseSpMV, cusparseSpMM, cusparseSDDMM; timed by events of",
    "             their stream",
    "  rocSPARSE  rocsparse_spmv, rocsparse_spmm, rocsparse_sddmm; likewise",
    "",
    "A product inside another one is part of it. Matrices are known by their sizes",
    "and a hash of sampled indices, so that one that is made again is the same one.",
    "Of each the pattern is kept, never a value. Bytes are simulated as if CRS were",
    "walked by the threads that the library would use, whatever format it has",
    "inside; y = z + A x is judged without z, y = A^T x as if the rows of A^T were",
    "stored (a library that adds into y row by row moves more), a symmetric matrix",
    "of one triangle (MKL, librsb) as half storage, a triangle alone (MKL) as its",
    "rows; hints go with products with A alone. Products on GPUs are judged where",
    "--gpu says which it was: bytes by the model, the time of events. Counted and",
    "timed only: complex numbers on GPUs, of single precision, or with several",
    "vectors; several vectors with half storage; diagonals and blocks alone.",
    "Processes that multiply side by side share the roof of memory and the",
    "last-level cache.",
    "",
    "Also seen: threads, children of fork and exec, libraries that are opened at run",
    "time, also for somebody alone and through dlsym (Python's ctypes; x86-64 and",
    "aarch64 with glibc). What was seen until a crash or SIGKILL is there. A call",
    "costs about 70 ns: 0.7 % of a product of 10 us.",
    "",
    "Not products, so not seen: triangular solves and relaxation (mkl_sparse_*_trsv,",
    "PETSc's MatSolve and MatSOR, hypre_BoomerAMGRelax), since the model has no",
    "dependences. `spmodel analyze L.mtx` of the triangle says how long a product",
    "over the same entries takes; a solve, which moves the same bytes and waits for",
    "rows besides, is hardly faster.",
    "",
    "Of an MPI program on one node: `spmodel attach -- mpirun -n 4 ./solver`; on",
    "other nodes a process is seen where the launcher passes the environment on, and",
    "the folder of --keep is there.",
    "",
    "Not seen, because there is no symbol to stand in front of: loops of the",
    "program's own, templates (Eigen, Kokkos, Trilinos), static functions, libraries",
    "that were linked statically, calls inside a library that was linked with",
    "-Bsymbolic, a second copy of a library, SciPy's own kernels. Nothing at all is",
    "seen of programs that are linked statically or run with more rights than yours",
    "(setuid): the system preloads nothing into them. For those:",
    "`spmodel analyze M --kernel`, libspmodel, `spmodel import`.",
    "",
    "The folder of --keep holds PID-N.splog for each process that multiplied, and",
    "pattern-HASH.sppat for each matrix, which every command reads:",
    "`spmodel analyze seen/pattern-....sppat`. Without --keep only patterns stay that",
    "hints name, beside the records.",
    "",
    "The exit code is the program's own where that is not 0, 128 and the number of",
    "the signal that ended it, 126 or 127 where it cannot be started; else 1 where",
    "no product was seen, and as of analyze. Without a product --html writes no",
    "page, and --json an object with what is known of the program. Ctrl-C reaches",
    "the program; other signals that spmodel gets are passed on to it. What its",
    "processes do in the background after its end is not seen.",
    NULL,
};

static const char *const own_kernel[] = {
    "spmodel analyze M --kernel ./libmine.so:spmv --signature csr32   a function",
    "spmodel analyze M --kernel ./libmine.so[:SYMBOL]   a struct spmodel_kernel",
    "                                                   (spmodel.h)",
    "",
    "It runs in a process of its own, is checked against the reference before and",
    "after the measurement, beside the roof of its arrays and in turn with the",
    "fastest built-in kernel. Bytes are simulated: of the rows of CRS one after the",
    "other, of the arrays that its stores() names, or from its own trace(). It is",
    "given the matrix in CRS, in --precision, --index and --row-ptr; y = A x, or",
    "with --rhs several vectors, row by row. The matrix and x are read-only, and no",
    "array ends where another begins: what is written beside y is seen. One that",
    "crashes, hangs (--kernel-limit), exits, returns twice (fork) or is wrong is",
    "named: exit code 6; a library or symbol that cannot be used: 3; a misspelt",
    "signature: 2. What it prints goes to standard error. Where memory runs out, the",
    "system ends it first. Processes that it leaves running are ended, and the",
    "report says so (-v).",
    "",
    "Build it: cc -O3 -march=native -fopenmp -shared -fPIC mine.c -o libmine.so",
    "Threads: OpenMP, gcc's or another, takes as many as --threads; prepare() of a",
    "structure is told of them. Threads that it begins itself there, or in its first",
    "execution, may use the processors of all; those of later executions only their",
    "caller's (else --no-pin).",
    "",
    "Signatures, of a function f:",
    "  csr32          void f(int32_t n_r, const int32_t *row_ptr,",
    "                 const int32_t *col, const double *values, const double *x,",
    "                 double *y)",
    "  csr64          the same with int64_t for int32_t",
    "  csr32-ptr64    csr32 with int64_t row_ptr",
    "  csr32-f32      csr32 with float for double; csr64-f32: csr64 with it",
    "  csr32-c128     csr32 with double complex",
    "  csr32-rhs      void f(int32_t n_r, int32_t r, const int32_t *row_ptr, ...): r",
    "                 vectors, element k of row i of x and y at i*r + k; csr64-rhs",
    "                 with int64_t",
    "  fortran32      subroutine f(n_r, row_ptr, col, values, x, y) bind(C), all by",
    "                 reference, rows and columns from 1: integer(int32),",
    "                 real(real64); fortran64 with integer(int64), fortran32-f32",
    "                 with real(real32); without bind(C) the symbol is f_",
    NULL,
};

const struct sp_help_topic sp_help_topics[] = {
    {"exit-codes", "what the exit codes mean", NULL},
    {"units", "units in files, on the terminal and in options", units},
    {"provenance", "measured, simulated, modelled, stated", provenance},
    {"counters", "where bytes come from, and whether to believe it", counters},
    {"formats", "storage formats, precisions, schedules", formats},
    {"input", "what can be given as a matrix", input},
    {"attaching", "what attach sees of a program, and what not", attaching},
    {"own-kernel", "a kernel of your own: how it is given, what it may be", own_kernel},
    {"machine-files", "how a machine is described", machine_files},
    {NULL, NULL, NULL},
};

const struct sp_help_topic *sp_help_topic_find(const char *name)
{
    for (const struct sp_help_topic *t = sp_help_topics; t->name; t++)
        if (strcmp(t->name, name) == 0)
            return t;
    return NULL;
}
