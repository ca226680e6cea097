#include "sys/gpu/gpu_remedies.h"

const char sp_gpu_open_counters[] = "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 | \\\n"
                                    "    sudo tee /etc/modprobe.d/nvidia-profiling.conf\n"
                                    "sudo update-initramfs -u    (or: sudo dracut -f), then reboot";
const char sp_gpu_open_vgpu[] = "On the host, set the virtual GPU's parameter enable_profiling=1.";
const char sp_gpu_open_wsl[] =
    "In Windows: NVIDIA Control Panel, Developer, Manage GPU Performance Counters, allow all users.";
const char sp_gpu_leave_mig[] =
    "Ask for the whole GPU; its administrator types: sudo nvidia-smi mig -dci && sudo nvidia-smi mig -dgi";
