#include "io/ranks/network_write.h"

#include <stdio.h>

#include "io/files/atomic_file.h"
#include "io/json_text.h"

static json_t *value_object(struct sp_value v, const char *unit)
{
    if (!sp_value_known(v))
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "value", json_real(v.value));
    json_object_set_new(o, "unit", json_string(unit));
    json_object_set_new(o, "origin", json_string(sp_origin_name(v.origin)));
    return o;
}

static json_t *path_object(const struct sp_network_path *p)
{
    if (!sp_value_known(p->latency_s))
        return json_null();
    json_t *o = json_object();
    json_object_set_new(o, "latency", value_object(p->latency_s, "s"));
    json_object_set_new(o, "rank_bandwidth", value_object(p->rank_Bps, "B/s"));
    json_object_set_new(o, "node_bandwidth", value_object(p->node_Bps, "B/s"));
    if (p->rendezvous_B > 0) {
        json_t *r = json_object();
        json_object_set_new(r, "from_B", json_integer((json_int_t)p->rendezvous_B));
        json_object_set_new(r, "latency", value_object(p->rendezvous_s, "s"));
        json_object_set_new(o, "rendezvous", r);
    }
    json_object_set_new(o, "how", sp_json_string(p->how));
    return o;
}

json_t *sp_network_json(const struct sp_network *n)
{
    json_t *o = json_object();
    json_object_set_new(o, "schema", json_string("spmodel.network/1"));
    json_object_set_new(o, "name", sp_json_string(n->name));
    json_object_set_new(o, "what", sp_json_string(n->what));
    json_object_set_new(o, "source", sp_json_string(n->source));
    json_object_set_new(o, "between", path_object(&n->between));
    json_object_set_new(o, "within", path_object(&n->within));
    return o;
}

enum sp_status sp_network_file_write(const char *path, const struct sp_network *n, struct sp_error *err)
{
    struct sp_atomic_file file;
    enum sp_status status = sp_atomic_open(path, &file, err);
    if (status != SP_OK)
        return status;
    json_t *root = sp_network_json(n);
    if (json_dumpf(root, file.stream, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) != 0 ||
        fputc('\n', file.stream) == EOF) {
        sp_atomic_abort(&file);
        status = sp_fail_at(err, SP_OUTPUT, path, 0, 0, NULL, "the network cannot be written");
    } else {
        status = sp_atomic_commit(&file, err);
    }
    json_decref(root);
    return status;
}
