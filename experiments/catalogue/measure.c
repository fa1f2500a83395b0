#include "experiments/catalogue/private.h"

#include "core/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fl_measurements {
    FL_ARRAY(fl_measured) of;
    uint64_t largest; /* links */
    bool (*should_stop)(void *user);
    void *user;
};

fl_measurements *fl_measurements_create(uint64_t largest, bool (*should_stop)(void *user),
                                        void *user)
{
    fl_measurements *measurements = calloc(1, sizeof *measurements);
    if (measurements) {
        measurements->largest = largest;
        measurements->should_stop = should_stop;
        measurements->user = user;
    }
    return measurements;
}

void fl_measurements_destroy(fl_measurements *measurements)
{
    if (!measurements)
        return;
    for (size_t i = 0; i < measurements->of.count; i++)
        fl_network_destroy(measurements->of.data[i].network);
    free(measurements->of.data);
    free(measurements);
}

unsigned fl_measurements_count(const fl_measurements *measurements)
{
    unsigned count = 0;
    for (size_t i = 0; i < measurements->of.count; i++)
        count += measurements->of.data[i].checked || measurements->of.data[i].have;
    return count;
}

static fl_status find_network(fl_measured **out, fl_measurements *m, const char *spec,
                              fl_error *error)
{
    fl_network *network;
    for (size_t i = 0; i < m->of.count; i++)
        if (strcmp(m->of.data[i].network->spec, spec) == 0) {
            *out = &m->of.data[i];
            return FL_OK;
        }
    fl_status status = fl_network_create(&network, spec, error);
    if (status)
        return status;
    for (size_t i = 0; i < m->of.count; i++) /* the spec as the network writes it may be there */
        if (strcmp(m->of.data[i].network->spec, network->spec) == 0) {
            fl_network_destroy(network);
            *out = &m->of.data[i];
            return FL_OK;
        }
    if (!FL_ARRAY_EXTEND(&m->of, 1)) {
        fl_network_destroy(network);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    }
    *out = &m->of.data[m->of.count - 1];
    **out = (fl_measured){.network = network, .too_large = network->links > m->largest};
    network->type->closed_forms(network, &(*out)->forms);
    return FL_OK;
}

/* ---- properties ---- */

enum {
    NODES,
    SWITCHES,
    LINKS,
    RADIX,
    DIAMETER,
    DISTANCE_WITH_SELF,
    DISTANCE,
    BISECTION,
    DIVERSITY,
    TABLES,
    NODE_TABLES,
    CONNECTIVITY,
    CLUSTERING,
    PROPERTIES
};

static const char *const property_names[] = {"nodes",
                                             "switches",
                                             "links",
                                             "radix",
                                             "diameter",
                                             "average_distance_with_self",
                                             "average_distance",
                                             "bisection_width",
                                             "path_diversity",
                                             "table_entries",
                                             "node_table_entries",
                                             "edge_connectivity",
                                             "clustering_coefficient",
                                             NULL};

/* FL_METRICS_...; 0: a count, or a closed form. */
static const unsigned wanted_of[PROPERTIES] = {
    [DIAMETER] = FL_METRICS_DISTANCES,        [DISTANCE_WITH_SELF] = FL_METRICS_DISTANCES,
    [DISTANCE] = FL_METRICS_DISTANCES,        [BISECTION] = FL_METRICS_BISECTION,
    [DIVERSITY] = FL_METRICS_PATHS,           [TABLES] = FL_METRICS_DISTANCES,
    [CONNECTIVITY] = FL_METRICS_CONNECTIVITY, [CLUSTERING] = FL_METRICS_CLUSTERING};

static double form_of(const fl_measured *m, unsigned property)
{
    const fl_closed_forms *f = &m->forms;
    double nodes = (double)m->network->nodes, with_self = f->average_distance_with_self;
    const double forms[PROPERTIES] = {
        [NODES] = f->nodes,
        [SWITCHES] = f->switches,
        [LINKS] = f->links,
        [RADIX] = f->radix,
        [DIAMETER] = f->diameter,
        [DISTANCE_WITH_SELF] = with_self,
        [DISTANCE] = nodes > 1 ? with_self * nodes / (nodes - 1) : NAN,
        [BISECTION] = f->bisection_width,
        [DIVERSITY] = f->path_diversity != 0 ? f->path_diversity : NAN,
        [TABLES] = NAN,
        [NODE_TABLES] = f->node_table_entries,
        [CONNECTIVITY] = NAN,
        [CLUSTERING] = NAN,
    };
    return forms[property];
}

static double count_or_none(int64_t count)
{
    return count < 0 ? NAN : (double)count;
}

static double value_of(const fl_measured *m, unsigned property)
{
    const double values[PROPERTIES] = {
        [NODES] = (double)m->network->nodes,
        [SWITCHES] = (double)m->network->switches,
        [LINKS] = (double)m->network->links,
        [RADIX] = m->network->radix,
        [DIAMETER] = m->metrics.diameter,
        [DISTANCE_WITH_SELF] = m->metrics.average_distance_with_self,
        [DISTANCE] = m->metrics.average_distance,
        [BISECTION] = count_or_none(m->metrics.bisection_width),
        [DIVERSITY] = m->metrics.path_diversity,
        [TABLES] = (double)m->metrics.table_entries,
        [NODE_TABLES] = m->forms.node_table_entries,
        [CONNECTIVITY] = count_or_none(m->metrics.edge_connectivity),
        [CLUSTERING] = m->metrics.clustering_coefficient,
    };
    return values[property];
}

/* ---- measuring ---- */

static fl_status measure(fl_measurements *all, fl_measured *m, unsigned wanted, fl_error *error)
{
    fl_metrics found;
    unsigned also = wanted & FL_METRICS_PATHS ? FL_METRICS_DISTANCES : 0;
    fl_metrics_options options = {
        .wanted = wanted | also, .should_stop = all->should_stop, .user = all->user};
    fl_status status = fl_metrics_compute(&found, m->network, &options, error);
    if (status)
        return status;
    if (wanted & FL_METRICS_DISTANCES) {
        m->metrics.diameter = found.diameter;
        m->metrics.table_entries = found.table_entries;
        m->metrics.average_distance = found.average_distance;
        m->metrics.average_distance_with_self = found.average_distance_with_self;
    }
    if (wanted & FL_METRICS_PATHS)
        m->metrics.path_diversity = found.path_diversity;
    if (wanted & FL_METRICS_CONNECTIVITY)
        m->metrics.edge_connectivity = found.edge_connectivity;
    if (wanted & FL_METRICS_CLUSTERING)
        m->metrics.clustering_coefficient = found.clustering_coefficient;
    if (wanted & FL_METRICS_BISECTION)
        m->metrics.bisection_width = found.bisection_width;
    m->have |= wanted;
    return FL_OK;
}

static fl_status count_components(fl_measurements *all, fl_measured *m, fl_error *error)
{
    if (all->should_stop && all->should_stop(all->user))
        return fl_fail(error, FL_ERR_STOPPED, "stopped");
    fl_status status = m->checked ? FL_OK : fl_network_check(m->network, error);
    m->checked = !status;
    return status;
}

static void append_count(fl_text *text, uint64_t count)
{
    char digits[24];
    size_t length = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    for (size_t i = 0; i < length; i++)
        fl_text_append(text, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

fl_status fl_measurements_form(double *out, fl_measurements *all, const char *spec,
                               const char *name, fl_error *error)
{
    fl_measured *m;
    unsigned p;
    fl_status status = fl_names_find(&p, property_names, name, "property", error);
    if (!status)
        status = find_network(&m, all, spec, error);
    if (!status)
        *out = form_of(m, p);
    return status;
}

fl_status fl_measurements_value(double *out, fl_measurements *all, const char *spec,
                                const char *name, bool *upper_bound, fl_text *why_not,
                                fl_error *error)
{
    fl_measured *m;
    unsigned p;
    *out = NAN;
    fl_status status = fl_names_find(&p, property_names, name, "property", error);
    if (!status)
        status = find_network(&m, all, spec, error);
    if (status)
        return status;
    if (m->too_large) {
        if (why_not->length == 0) {
            fl_text_append(why_not, "larger than ");
            append_count(why_not, all->largest);
            fl_text_append(why_not, " links: %s has ", m->network->spec);
            append_count(why_not, m->network->links);
        }
        return FL_OK;
    }
    if (wanted_of[p] == 0)
        status = count_components(all, m, error);
    else if (!(m->have & wanted_of[p]))
        status = measure(all, m, wanted_of[p], error);
    if (status)
        return status;
    *out = value_of(m, p);
    *upper_bound |= wanted_of[p] == FL_METRICS_BISECTION;
    if (isnan(*out) && why_not->length == 0)
        fl_text_append(why_not, "the search of %s would take too long", m->network->spec);
    return FL_OK;
}
