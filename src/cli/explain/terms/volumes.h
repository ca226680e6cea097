/* Bytes of one execution by format, as formulas over the symbols of cli/explain/facts.h: what
 * sp_volume_layout() counts (docs/theory.md), with alpha `a`, a text. */
#ifndef SP_CLI_EXPLAIN_VOLUMES_H
#define SP_CLI_EXPLAIN_VOLUMES_H

#define SP_PRODUCTS   "spmv spmmv spmm"
#define SP_VECTORS(a) "r*(w*s_y*n_r + " a "*s_x*n_nz)"

#define SP_M_CRS   "(s_a + s_i)*n_nz + (s_p + s_b)*n_r + s_p"
#define SP_M_SELL  "(s_a + s_i + s_b/C)*n_nz/beta + (s_p + 4)*ceil(n_r/C) + 4*n_r*sorted"
#define SP_M_SELLU "s_a*n_nz/beta + s_i*n_index + (2*s_p + 8)*ceil(n_r/C) + 4*n_r*sorted"
#define SP_M_BCSR  "(b_h*b_w*s_a + s_i)*n_nz/(beta*b_h*b_w) + s_p*(ceil(n_r/b_h) + 1)"
/* Of a record that does not count its indices. */
#define SP_M_UNITS "(s_a + s_i*(u/C + 1 - u))*n_nz/beta + (2*s_p + 8)*ceil(n_r/C) + 4*n_r*sorted"

#define SP_V_HALF(a, w) "(s_a + s_i)*n_h + s_p*(n_r + 1) + " a "*s_x*n_h + " w "*s_y*n_r"
#define SP_V_STRIPED(a) "(s_a + s_i + 2)*n_nz + 16*(n_C + 1) + w*s_y*n_r + " a "*s_x*n_nz"
/* sp_analysis_w_once() */
#define SP_W_HALF "min(w, max(2, 2*alpha_min*n_h/n_r) + c*W_h/n_r)"

#define SP_M_STAGED "s_i*n_stored + 4*n_l + (s_p + 16)*(n_b + 1) + 4*n_k"
#define SP_STAGES   "2*n*s_x*min(T_k, r)*m_l"
#define SP_M_TILED  "(s_i + s_p)*n_l + 2*n_nz + s_p*(n_b + 2)"

#define SP_SAMPLED(a) "w*s_y*n_nz + r*s_x*(n_r_used + " a "*n_nz)"
#define SP_FUSED(a)   "r*(s_x*n_r_used + w*s_y*n_r + 2*" a "*s_x*n_nz)"

#define SP_V_CRS_SDDMM(a)    "(s_a + s_i)*n_nz + s_p*(n_r + 1) + " SP_SAMPLED(a)
#define SP_V_COO(a)          "(s_a + 2*s_i)*n_nz + " SP_SAMPLED(a)
#define SP_V_TILED(a)        "s_a*n_nz + " SP_M_TILED " + " SP_SAMPLED(a)
#define SP_V_STAGED(a)       "s_a*n_stored + " SP_M_STAGED " + " SP_STAGES " + " SP_VECTORS(a)
#define SP_V_STAGED_SDDMM(a) "s_a*n_stored + " SP_M_STAGED " + " SP_STAGES " + " SP_SAMPLED(a)
#define SP_V_FUSED(a)        "s_i*n_nz + s_p*(n_r + 1) + " SP_FUSED(a)

#endif
