/* What to type where a GPU's counters are closed: the same words wherever it is noticed. */
#ifndef SP_SYS_GPU_REMEDIES_H
#define SP_SYS_GPU_REMEDIES_H

extern const char sp_gpu_open_counters[]; /* the driver lets administrators alone profile */
extern const char sp_gpu_open_vgpu[];     /* a virtual GPU */
extern const char sp_gpu_open_wsl[];      /* Windows decides */
extern const char sp_gpu_leave_mig[];     /* a slice of a GPU */

#endif
