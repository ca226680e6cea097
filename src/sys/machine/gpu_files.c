#include "sys/machine/gpu_files.h"

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/machine/sysfs.h"

static bool usable(const char *root, const char *path, bool *there)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", root, path);
    *there = access(name, F_OK) == 0;
    return faccessat(AT_FDCWD, name, R_OK | W_OK, AT_EACCESS) == 0;
}

/* The text after "KEY:" up to the end of its line, without blanks around it. */
static void value_of(const char *text, const char *key, char *value, size_t size)
{
    value[0] = '\0';
    const char *at = text ? strstr(text, key) : NULL;
    if (!at)
        return;
    at += strlen(key);
    at += strspn(at, ": \t");
    size_t n = strcspn(at, "\n");
    while (n > 0 && isspace((unsigned char)at[n - 1]))
        n--;
    snprintf(value, size, "%.*s", (int)n, at);
}

/* "NVRM version: NVIDIA UNIX x86_64 Kernel Module 535.104.05 Sat ..." or "... Open Kernel Module
 * for x86_64 535.104.05 Release Build": the first word of digits and dots. */
static void read_driver(const char *root, struct sp_gpu_files *out)
{
    char line[256];
    if (!sp_sysfs_text(root, line, sizeof line, "/proc/driver/nvidia/version"))
        return;
    line[strcspn(line, "\n")] = '\0';
    out->open_driver = strstr(line, "Open Kernel Module") != NULL;
    char *save = NULL;
    for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if (isdigit((unsigned char)word[0]) && strchr(word, '.') &&
            word[strspn(word, "0123456789.")] == '\0') {
            snprintf(out->driver, sizeof out->driver, "%s", word);
            return;
        }
    snprintf(out->driver, sizeof out->driver, "loaded");
}

/* "NVIDIA A40-8Q", "GRID T4-16C": a number and a letter of vGPU profiles behind a dash. */
static bool is_slice(const char *model)
{
    const char *dash = strrchr(model, '-');
    size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    return strncmp(model, "GRID", 4) == 0 ||
           (digits > 0 && dash[1 + digits] && strchr("QCBA", dash[1 + digits]) && dash[2 + digits] == '\0');
}

/* Entries of ROOT/PATH whose name begins so. */
static int count_entries(const char *root, const char *path, const char *prefix)
{
    char name[512];
    int n = 0;
    snprintf(name, sizeof name, "%s%s", root, path);
    DIR *directory = opendir(name);
    for (struct dirent *e; directory && (e = readdir(directory));)
        n += e->d_name[0] != '.' && strncmp(e->d_name, prefix, strlen(prefix)) == 0;
    if (directory)
        closedir(directory);
    return n;
}

static void read_gpus(const char *root, struct sp_gpu_files *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s/proc/driver/nvidia/gpus", root);
    DIR *directory = opendir(path);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        if (e->d_name[0] == '.')
            continue;
        char information[1024];
        if (sp_sysfs_text(root, information, sizeof information, "/proc/driver/nvidia/gpus/%s/information",
                          e->d_name) &&
            out->n_gpus++ == 0)
            value_of(information, "Model", out->model, sizeof out->model);
    }
    if (directory)
        closedir(directory);
    out->vgpu = is_slice(out->model);
    for (int gpu = 0; gpu < 64; gpu++) {
        snprintf(path, sizeof path, "/proc/driver/nvidia/capabilities/gpu%d/mig", gpu);
        out->n_mig += count_entries(root, path, "gi");
    }
}

static void read_bus(const char *root, struct sp_gpu_files *out)
{
    char path[512], text[24], link[512];
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices", root);
    DIR *directory = opendir(path);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        /* 0x0300xx VGA, 0x0302xx 3-D controller */
        if (e->d_name[0] == '.' ||
            !sp_sysfs_text(root, text, sizeof text, "/sys/bus/pci/devices/%s/vendor", e->d_name) ||
            strcmp(text, "0x10de") != 0 ||
            !sp_sysfs_text(root, text, sizeof text, "/sys/bus/pci/devices/%s/class", e->d_name) ||
            strncmp(text, "0x03", 4) != 0 || out->n_on_bus++ > 0)
            continue;
        snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%.200s/driver", root, e->d_name);
        ssize_t n = readlink(path, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        const char *slash = strrchr(link, '/');
        snprintf(out->bus_driver, sizeof out->bus_driver, "%.23s", slash ? slash + 1 : link);
    }
    if (directory)
        closedir(directory);
}

void sp_gpu_files_read(const char *root, struct sp_gpu_files *out)
{
    memset(out, 0, sizeof *out);
    root = root ? root : "";
    bool there;
    read_driver(root, out);
    read_gpus(root, out);
    read_bus(root, out);
    for (int k = 0; k < 64; k++) {
        char path[32];
        snprintf(path, sizeof path, "/dev/nvidia%d", k);
        bool open = usable(root, path, &there);
        out->n_nodes += there;
        out->n_open += open;
    }
    out->control = usable(root, "/dev/nvidiactl", &there);
    out->uvm = usable(root, "/dev/nvidia-uvm", &there);
    out->profiling_admin = -1;
    char value[8];
    char *params = sp_sysfs_file(root, "/proc/driver/nvidia/params");
    value_of(params, "RmProfilingAdminOnly", value, sizeof value);
    if (isdigit((unsigned char)value[0]))
        out->profiling_admin = atoi(value);
    free(params);
    char release[128];
    usable(root, "/dev/dxg", &there);
    out->wsl = there || (sp_sysfs_text(root, release, sizeof release, "/proc/sys/kernel/osrelease") &&
                         strstr(release, "icrosoft"));
    usable(root, "/dev/kfd", &there);
    out->amd = there;
}

const char sp_gpu_open_counters[] = "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | \\\n"
                                    "    sudo tee /etc/modprobe.d/nvidia-profiling.conf\n"
                                    "sudo update-initramfs -u    (or: sudo dracut -f), then reboot";
const char sp_gpu_open_vgpu[] = "On the host, set the virtual GPU's parameter enable_profiling=1.";
const char sp_gpu_open_wsl[] =
    "In Windows: NVIDIA Control Panel, Developer, Manage GPU Performance Counters, allow all users.";
const char sp_gpu_leave_mig[] =
    "Ask for the whole GPU; its administrator types: sudo nvidia-smi mig -dci && sudo nvidia-smi mig -dgi";

enum sp_status sp_module_file_symbol(const char *file, const char *symbol, void **address,
                                     struct sp_error *err)
{
    *address = NULL;
    enum sp_status status = SP_OK;
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle)
        *address = dlsym(handle, symbol);
    if (!*address) { /* before the loader is called again, which takes its words back */
        const char *words = dlerror();
        status = sp_fail(err, SP_ABSENT, "", "%s cannot be opened: %s", file, words ? words : "no reason");
    }
    if (handle)
        dlclose(handle);
    return status;
}
