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

typedef struct property {
    const char *name;
    unsigned wanted; /* FL_METRICS_...; 0: a count */
    double (*form)(const fl_measured *);
    double (*value)(const fl_measured *);
} property;

static double count_or_none(int64_t count)
{
    return count < 0 ? NAN : (double)count;
}
static double no_form(const fl_measured *m)
{
    return (void)m, NAN;
}

static double nodes_form(const fl_measured *m)
{
    return m->forms.nodes;
}
static double switches_form(const fl_measured *m)
{
    return m->forms.switches;
}
static double links_form(const fl_measured *m)
{
    return m->forms.links;
}
static double radix_form(const fl_measured *m)
{
    return m->forms.radix;
}
static double diameter_form(const fl_measured *m)
{
    return m->forms.diameter;
}
static double with_self_form(const fl_measured *m)
{
    return m->forms.average_distance_with_self;
}
static double distance_form(const fl_measured *m)
{
    double nodes = (double)m->network->nodes;
    return nodes > 1 ? m->forms.average_distance_with_self * nodes / (nodes - 1) : NAN;
}
static double bisection_form(const fl_measured *m)
{
    return m->forms.bisection_width;
}
static double diversity_form(const fl_measured *m)
{
    return m->forms.path_diversity != 0 ? m->forms.path_diversity : NAN;
}

static double nodes_of(const fl_measured *m)
{
    return (double)m->network->nodes;
}
static double switches_of(const fl_measured *m)
{
    return (double)m->network->switches;
}
static double links_of(const fl_measured *m)
{
    return (double)m->network->links;
}
static double radix_of(const fl_measured *m)
{
    return m->network->radix;
}
static double diameter_of(const fl_measured *m)
{
    return m->metrics.diameter;
}
static double with_self_of(const fl_measured *m)
{
    return m->metrics.average_distance_with_self;
}
static double distance_of(const fl_measured *m)
{
    return m->metrics.average_distance;
}
static double bisection_of(const fl_measured *m)
{
    return count_or_none(m->metrics.bisection_width);
}
static double diversity_of(const fl_measured *m)
{
    return m->metrics.path_diversity;
}
static double tables_of(const fl_measured *m)
{
    return (double)m->metrics.table_entries;
}
static double node_tables_form(const fl_measured *m)
{
    return m->forms.node_table_entries;
}
static double connectivity_of(const fl_measured *m)
{
    return count_or_none(m->metrics.edge_connectivity);
}

static const property properties[] = {
    {"nodes", 0, nodes_form, nodes_of},
    {"switches", 0, switches_form, switches_of},
    {"links", 0, links_form, links_of},
    {"radix", 0, radix_form, radix_of},
    {"diameter", FL_METRICS_DISTANCES, diameter_form, diameter_of},
    {"average_distance_with_self", FL_METRICS_DISTANCES, with_self_form, with_self_of},
    {"average_distance", FL_METRICS_DISTANCES, distance_form, distance_of},
    {"bisection_width", FL_METRICS_BISECTION, bisection_form, bisection_of},
    {"path_diversity", FL_METRICS_PATHS, diversity_form, diversity_of},
    {"table_entries", FL_METRICS_DISTANCES, no_form, tables_of},
    {"node_table_entries", 0, node_tables_form, node_tables_form},
    {"edge_connectivity", FL_METRICS_CONNECTIVITY, no_form, connectivity_of},
    {NULL, 0, NULL, NULL},
};

static fl_status find_property(const property **out, const char *name, fl_error *error)
{
    const char *names[sizeof properties / sizeof *properties] = {0};
    unsigned number;
    for (size_t i = 0; properties[i].name; i++)
        names[i] = properties[i].name;
    fl_status status = fl_names_find(&number, names, name, "property", error);
    if (!status)
        *out = &properties[number];
    return status;
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
    const property *p;
    fl_status status = find_property(&p, name, error);
    if (!status)
        status = find_network(&m, all, spec, error);
    if (!status)
        *out = p->form(m);
    return status;
}

fl_status fl_measurements_value(double *out, fl_measurements *all, const char *spec,
                                const char *name, bool *upper_bound, fl_text *why_not,
                                fl_error *error)
{
    fl_measured *m;
    const property *p;
    *out = NAN;
    fl_status status = find_property(&p, name, error);
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
    if (p->wanted == 0)
        status = count_components(all, m, error);
    else if (!(m->have & p->wanted))
        status = measure(all, m, p->wanted, error);
    if (status)
        return status;
    *out = p->value(m);
    *upper_bound |= p->wanted == FL_METRICS_BISECTION;
    if (isnan(*out) && why_not->length == 0)
        fl_text_append(why_not, "the search of %s would take too long", m->network->spec);
    return FL_OK;
}
