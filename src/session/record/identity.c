/* What a series of records is told apart by: what was asked for, where it ran, whose source it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "session/analyze/analyze.h"
#include "session/record/parts.h"
#include "sparse/formats/layout.h"
#include "sys/fault.h"
#include "sys/machine/identity.h"

/* Of the fields below; src/track/store/entry.c makes series keys from them. */
enum { REQUEST_VERSION = 1 };

static void set_text(struct sp_record *r, const char *path, const char *text)
{
    if (text && *text)
        sp_record_set_text(r, path, text);
    else
        sp_record_set_object(r, path, json_null());
}

static void ask_text(struct sp_record *r, enum sp_option option, const char *text)
{
    set_text(r, sp_run_options[option].path, text);
}

static void ask_number(struct sp_record *r, enum sp_option option, double x)
{
    const char *path = sp_run_options[option].path;
    if (x > 0)
        sp_record_set_number(r, path, x);
    else
        sp_record_set_object(r, path, json_null());
}

/* null: left to the program. */
void sp_record_request(struct sp_record *r, const struct sp_analyze_options *o, const char *reorder,
                       const char *device)
{
    static const char *const states[] = {"warm", "cold", "between"};
    static const char *const stores[] = {NULL, "nt", "plain"};
    sp_record_set_count(r, "request.version", REQUEST_VERSION);
    ask_text(r, SP_OPTION_OP, sp_op_name(o->op));
    ask_number(r, SP_OPTION_RHS, o->r);
    ask_text(r, SP_OPTION_ORDER, o->op == SP_OP_SPMV ? NULL : sp_order_name(o->order));
    ask_text(r, SP_OPTION_FORMAT, o->format);
    ask_text(r, SP_OPTION_SCHEDULE, o->schedule);
    ask_text(r, SP_OPTION_PRECISION,
             o->precision >= 0 ? sp_precision_name((enum sp_precision)o->precision) : NULL);
    ask_text(r, SP_OPTION_INDEX, sp_index_name(o->index));
    ask_number(r, SP_OPTION_PREFETCH, o->prefetch);
    ask_number(r, SP_OPTION_THREADS, o->n_threads);
    ask_text(r, SP_OPTION_ISA, o->isa);
    ask_text(r, SP_OPTION_STORE, stores[o->store_nt]);
    ask_text(r, SP_OPTION_PAGES, o->small_pages ? "small" : "huge");
    sp_record_set_flag(r, sp_run_options[SP_OPTION_NO_PIN].path, !o->not_pinned);
    ask_text(r, SP_OPTION_COLD, states[o->state]);
    ask_text(r, SP_OPTION_BETWEEN, o->between);
    ask_text(r, SP_OPTION_REORDER, reorder);
    ask_text(r, SP_OPTION_DEVICE, device);
    ask_number(r, SP_OPTION_SIM_SKEW, o->skew);
    ask_text(r, SP_OPTION_SIM_POLICY, o->policy);
    ask_number(r, SP_OPTION_SIM_LLC, o->llc_B);
    ask_text(r, SP_OPTION_MACHINE, o->machine_name);
}

void sp_record_environment(struct sp_record *r, const struct sp_topology *topology,
                           const struct sp_gpu_device *gpu)
{
    struct sp_identity identity;
    struct utsname system;
    sp_identity_read("", topology, &identity);
    if (gpu)
        sp_identity_add_gpu(&identity, "", gpu->name, gpu->driver);
    sp_record_set_text(r, "env.key", identity.env_key);
    sp_record_set_count(r, "env.version", identity.version);
    json_t *facts = json_object();
    for (int i = 0; i < identity.n; i++)
        json_object_set_new(facts, identity.fact[i].name, json_string(identity.fact[i].value));
    sp_record_set_object(r, "env.identity", facts);
    if (*sp_faults())
        sp_record_add_flag(r, "fault", "faults were put in on purpose: SPMODEL_FAULT=%s", sp_faults());
    if (uname(&system) == 0) {
        sp_record_set_text(r, "env.detail.host", system.nodename);
        sp_record_set_text(r, "env.detail.kernel", system.release);
    }
}

/* What the first of these variables that is set says, and which one that is. */
static const char *first_set(const char *const *names, const char **name)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        *name = *names;
        if (value && *value)
            return value;
    }
    return NULL;
}

const char *sp_source_commit(const char **variable)
{
    static const char *const names[] = {"SPMODEL_COMMIT", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT", NULL};
    return first_set(names, variable);
}

void sp_record_source(struct sp_record *r)
{
    static const char *const branches[] = {"SPMODEL_BRANCH", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME",
                                           "GIT_BRANCH", NULL};
    const char *variable;
    const char *commit = sp_source_commit(&variable), *branch = first_set(branches, &variable);
    if (!commit && !branch)
        return;
    set_text(r, "source.commit", commit);
    set_text(r, "source.branch", branch);
}

void sp_record_code(struct sp_record *r, const struct sp_setup *setup)
{
    char text[17];
    uint64_t hash;
    struct sp_error why;
    const int n = sizeof setup->facts.code / sizeof *setup->facts.code;
    if (!setup->kernel)
        sp_record_set_null(r, "config.code_hash", "nothing was run here");
    else if (!setup->facts.code[0])
        sp_record_set_null(r, "config.code_hash", "the kernel does not say which function computes");
    else if (sp_code_hash(setup->facts.code, n, &hash, &why) != SP_OK)
        sp_record_set_null(r, "config.code_hash", why.what);
    else {
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
        sp_record_set_text(r, "config.code_hash", text);
    }
    snprintf(text, sizeof text, "%016llx", (unsigned long long)sp_partition_hash(&setup->layout.partition));
    sp_record_set_text(r, "config.partition_hash", text);
}
