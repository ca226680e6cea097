/* What the format stored of the matrix, counted in the layout that ran: no formula over sizes knows it. */
#include "sparse/formats/layout.h"
#include "session/record/parts.h"

static void record_arrays(struct sp_record *r, const struct sp_layout *l)
{
    json_t *arrays = json_object();
    for (int i = 0; i < SP_N_ARRAYS; i++)
        json_object_set_new(arrays, sp_array_name((enum sp_array)i),
                            json_real(sp_layout_array_bytes(l, (enum sp_array)i)));
    sp_record_set_object(r, "layout.arrays_B", arrays);
}

void sp_record_layout(struct sp_record *r, const struct sp_layout *l)
{
    sp_record_set_count(r, "layout.stored", l->n_stored);
    sp_record_set_count(r, "layout.indices", l->n_indices);
    switch (l->format) {
    case SP_FORMAT_HALF:
        sp_record_set_count(r, "layout.window_rows", sp_half_windows(l));
        sp_record_set_flag(r, "layout.phased", l->phased);
        break;
    case SP_FORMAT_STRIPED:
        sp_record_set_count(r, "layout.cells", l->n_cells);
        sp_record_set_count(r, "layout.updated_lines", l->n_updated);
        break;
    case SP_FORMAT_STAGED:
        sp_record_set_count(r, "layout.blocks", l->n_blocks);
        sp_record_set_count(r, "layout.chunks", l->n_chunks);
        sp_record_set_count(r, "layout.listed", l->n_list);
        sp_record_set_count(r, "layout.most_listed", l->most_listed);
        break;
    case SP_FORMAT_TILED:
        sp_record_set_count(r, "layout.blocks", l->n_chunks);
        sp_record_set_count(r, "layout.listed", l->n_indices);
        break;
    case SP_FORMAT_CRS:
    case SP_FORMAT_SELL:
    case SP_FORMAT_SELLU:
    case SP_FORMAT_BCSR:
    case SP_FORMAT_COO:
    case SP_N_FORMATS:
        break;
    }
    record_arrays(r, l);
}
