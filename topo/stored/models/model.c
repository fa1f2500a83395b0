/* Random graphs of switches, drawn until one is connected. */
#include "topo/stored/models/model.h"

#include <stdlib.h>

static uint32_t root_of(uint32_t *parent, uint32_t s)
{
    while (parent[s] != s) {
        parent[s] = parent[parent[s]];
        s = parent[s];
    }
    return s;
}

static bool connected(const fl_explicit_graph *graph, uint32_t *parent)
{
    uint32_t components = graph->switches;
    for (uint32_t s = 0; s < graph->switches; s++)
        parent[s] = s;
    for (uint64_t link = 0; link < graph->links && components > 1; link++) {
        uint32_t a = root_of(parent, graph->ends[2 * link]),
                 b = root_of(parent, graph->ends[2 * link + 1]);
        components -= a != b;
        parent[a < b ? b : a] = a < b ? a : b;
    }
    return components == 1;
}

/* Graphs of which only every hundredth is connected are still found, if they are not large. */
static unsigned attempts_of(const fl_model *model)
{
    uint64_t quick = 100000000 / (model->links_most + 1);
    if (model->attempts > 0)
        return model->attempts;
    return quick < 20 ? 20 : quick > 200 ? 200 : (unsigned)quick;
}

static fl_status refuse(const fl_network *network, const fl_model *model, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID, "%s: none of %u random graphs was connected; %s",
                   network->spec, attempts_of(model),
                   model->advice ? model->advice : "another seed may help");
}

fl_status fl_model_make(fl_network *network, const fl_model *model, fl_error *error)
{
    fl_explicit_graph graph;
    fl_rng rng;
    bool made = false;
    fl_status status =
        fl_explicit_begin(&graph, network, model->nodes, model->switches, model->links_most, error);
    if (status)
        return status;
    uint32_t *parent = malloc(model->switches * sizeof *parent);
    if (!parent)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", network->spec);
    else if (model->prepare)
        status = model->prepare(model->user, error);
    fl_rng_seed(&rng, model->seed, FL_PURPOSE_ROUTING, 0);
    for (unsigned i = attempts_of(model); !status && i > 0 && !made; i--) {
        graph.links = 0;
        made = model->draw(model->user, &graph, &rng) && connected(&graph, parent);
    }
    free(parent);
    if (!made) {
        fl_explicit_abandon(&graph);
        return status ? status : refuse(network, model, error);
    }
    fl_explicit_fill_homes(&graph, model->nodes_of, model->user);
    return fl_explicit_finish(network, &graph, model->radix, error);
}

void fl_model_counts(uint64_t switches, uint64_t nodes_each, fl_closed_forms *out)
{
    fl_explicit_closed_forms(NULL, out);
    out->nodes = (double)(switches * nodes_each);
    out->switches = (double)switches;
}
