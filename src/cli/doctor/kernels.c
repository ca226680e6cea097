#include "cli/doctor/doctor.h"
#include "kernels/gpu_module.h"

/* What files do not tell: whether the module of GPU kernels opens and finds a GPU. */
void sp_doctor_gpu_kernels(struct sp_doctor *d)
{
    static const char name[] = "kernels";
    const struct sp_gpu_module *module;
    struct sp_gpu_device g;
    struct sp_error err;
    if (sp_gpu_module_open(&module, &err) != SP_OK || module->describe(&g, &err) != SP_OK) {
        sp_find_out(d, sp_title_gpu, name, SP_IS_ABSENT, "",
                    "%s: GPUs are modelled (spmodel model --machine)", err.what);
        return;
    }
    sp_find_out(d, sp_title_gpu, name, SP_WORKS, "",
                "they would run on the %s: compute capability %d.%d, %d SMs, %.1f of %.1f GB free", g.name,
                g.major, g.minor, g.n_cores, (double)g.free_B / 1e9, (double)g.memory_B / 1e9);
}
