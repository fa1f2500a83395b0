/* A layout: chooses what is shown, and how to place it. */
#include "plots/drawings/placing.h"

#include <stdlib.h>

static bool fits_columns(const fl_tree *tree)
{
    return tree && (tree->top + 2) * tree->groups + 2 <= FL_COLUMN_TITLES_MAX;
}

/* numbers: [vertex_count] */
static bool place(fl_layout *layout, uint32_t *numbers)
{
    const fl_network *network = layout->network;
    uint32_t components = network->node_ports > 1 ? fl_place_find_components(layout, numbers) : 1;
    if (components > 1)
        return fl_place_components(layout, numbers, components), true;
    if (fits_columns(network->tree))
        return fl_place_tree(layout);
    if (!fl_place_is_given(network) && fl_place_find_columns(layout, numbers))
        return fl_place_in_columns(layout, numbers), true;
    return fl_place_on_grid_or_circle(layout);
}

fl_status fl_layout_create(fl_layout **out, const fl_drawing *drawing, fl_error *error)
{
    fl_layout *layout = calloc(1, sizeof *layout);
    fl_status status =
        layout ? fl_layout_choose(layout, drawing, error)
               : fl_fail(error, FL_ERR_MEMORY, "out of memory for the layout of a drawing");
    if (!status) {
        uint32_t *numbers = malloc(layout->vertex_count * sizeof *numbers); /* at least one */
        if (!numbers || !place(layout, numbers))
            status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
        free(numbers);
    }
    if (status)
        return fl_layout_destroy(layout), status;
    *out = layout;
    return FL_OK;
}

void fl_layout_destroy(fl_layout *layout)
{
    if (!layout)
        return;
    free(layout->vertices);
    free(layout->edges);
    free(layout->dots);
    free(layout);
}
