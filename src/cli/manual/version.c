#include "cli/manual/version.h"

#include <jansson.h>

#include "base/print.h"
#include "sp_config.h"

static const struct part {
    const char *name;
    int have;
    const char *text;
} parts[] = {SP_PARTS};
enum { N_PARTS = sizeof parts / sizeof *parts };

static void print_json(FILE *out)
{
    json_t *list = json_object();
    for (int i = 0; i < N_PARTS; i++)
        json_object_set_new(list, parts[i].name,
                            json_pack("{s:b, s:s}", "have", parts[i].have, "text", parts[i].text));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:o}", "version", SP_VERSION, "git", SP_GIT_VERSION, "compiler",
                  SP_COMPILER, "build_type", SP_BUILD_TYPE, "flags", SP_C_FLAGS, "parts", list);
    json_dumpf(root, out, JSON_INDENT(2));
    fputc('\n', out);
    json_decref(root);
}

void sp_version_print(bool as_json, FILE *out)
{
    if (as_json) {
        print_json(out);
        return;
    }
    sp_print(out, "spmodel %s (%s)\ncompiler %s, %s, flags %s\n", SP_VERSION, SP_GIT_VERSION, SP_COMPILER,
             SP_BUILD_TYPE, SP_C_FLAGS);
    for (int i = 0; i < N_PARTS; i++)
        sp_print(out, "  %s: %s\n", parts[i].name, parts[i].text);
}
