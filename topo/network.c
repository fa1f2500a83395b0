/* The table of networks and what plug-ins add to it; making one from its spec string. */
#include "topo/topo.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

extern const fl_network_type fl_network_kary_ntree, fl_network_mikant, fl_network_hypercube,
    fl_network_mesh, fl_network_torus, fl_network_fbfly, fl_network_clique, fl_network_xyclique,
    fl_network_clos, fl_network_thintree, fl_network_cat, fl_network_micat, fl_network_fattree3,
    fl_network_dragonfly, fl_network_kns, fl_network_biclique, fl_network_star, fl_network_polarity,
    fl_network_wk, fl_network_rdn, fl_network_random, fl_network_file, fl_network_la, fl_network_nd,
    fl_network_pla, fl_network_pnd, fl_network_pp, fl_network_ap, fl_network_od,
    fl_network_erdos_renyi, fl_network_configuration, fl_network_scale_free,
    fl_network_barabasi_albert, fl_network_watts_strogatz, fl_network_grid_graph;

/* Adding a family of networks is one file and one line here (docs/add-a-network.md). */
static const fl_network_type *table[FL_NETWORK_TYPES_MAX + 1] = {
    &fl_network_kary_ntree,
    &fl_network_mikant,
    &fl_network_clos,
    &fl_network_thintree,
    &fl_network_cat,
    &fl_network_micat,
    &fl_network_fattree3,
    &fl_network_hypercube,
    &fl_network_mesh,
    &fl_network_torus,
    &fl_network_fbfly,
    &fl_network_kns,
    &fl_network_dragonfly,
    &fl_network_clique,
    &fl_network_star,
    &fl_network_biclique,
    &fl_network_xyclique,
    &fl_network_polarity,
    &fl_network_wk,
    &fl_network_rdn,
    &fl_network_random,
    &fl_network_erdos_renyi,
    &fl_network_configuration,
    &fl_network_watts_strogatz,
    &fl_network_scale_free,
    &fl_network_barabasi_albert,
    &fl_network_grid_graph,
    &fl_network_la,
    &fl_network_nd,
    &fl_network_pla,
    &fl_network_pnd,
    &fl_network_pp,
    &fl_network_ap,
    &fl_network_od,
    &fl_network_file,
    NULL,
};

const fl_network_type *const *const fl_network_types = table;

/* ---- what plug-ins add ---- */

static const char *origins[FL_NETWORK_TYPES_MAX];

const char *fl_network_type_origin(const fl_network_type *type)
{
    for (size_t i = 0; table[i]; i++)
        if (table[i] == type)
            return origins[i];
    return NULL;
}

/* The first function that must be there and is not, or NULL. */
static const char *missing_function(const fl_network_type *type)
{
    const struct {
        bool there;
        const char *name;
    } functions[] = {
        {type->create, "create"},
        {type->step, "step"},
        {type->node_address, "node_address"},
        {type->node_index, "node_index"},
        {type->switch_address, "switch_address"},
        {type->switch_index, "switch_index"},
        {type->link_code, "link_code"},
        {type->link_index, "link_index"},
        {type->link_ends, "link_ends"},
        {type->link_class, "link_class"},
        {type->class_size, "class_size"},
        {type->class_name, "class_name"},
        {type->label, "label"},
        {type->parse_label, "parse_label"},
        {type->closed_forms, "closed_forms"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!functions[i].there)
            return functions[i].name;
    return NULL;
}

static fl_status check_parameters(const fl_network_type *type, fl_error *error)
{
    size_t count = 0;
    while (count < FL_PARAMETERS_MAX && type->parameters[count].name)
        count++;
    if (count == 0 || count == FL_PARAMETERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "the network '%s' must have 1 to %d parameters",
                       type->name, FL_PARAMETERS_MAX - 1);
    for (size_t i = 0; i < count; i++) {
        const fl_parameter *p = &type->parameters[i];
        if (!fl_text_is_name(p->name) || !p->summary || p->least > p->most)
            return fl_fail(
                error, FL_ERR_INVALID,
                "the network '%s': parameter %zu lacks a name in small letters, a summary, or a range",
                type->name, i + 1);
        if (p->decimals > FL_PARAMETER_DECIMALS_MAX)
            return fl_fail(error, FL_ERR_INVALID,
                           "the network '%s': parameter %zu has %u decimals; %d are the most",
                           type->name, i + 1, p->decimals, FL_PARAMETER_DECIMALS_MAX);
    }
    return FL_OK;
}

static fl_status check_type(const fl_network_type *type, fl_error *error)
{
    if (!type->name || !fl_text_is_name(type->name))
        return fl_fail(
            error, FL_ERR_INVALID,
            "a network's name must be 1 to 41 small letters, digits, '-' and '_', not '%.60s'",
            type->name ? type->name : "(none)");
    if (!type->summary || !type->source)
        return fl_fail(error, FL_ERR_INVALID, "the network '%s' lacks a summary or a source",
                       type->name);
    const char *missing = missing_function(type);
    if (missing)
        return fl_fail(error, FL_ERR_INVALID, "the network '%s' lacks the function '%s'",
                       type->name, missing);
    return check_parameters(type, error);
}

static const fl_network_type *find_name(const fl_network_type *const *types, size_t count,
                                        const char *name)
{
    for (size_t i = 0; i < count && types[i]; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

static size_t count_types(const fl_network_type *const *types)
{
    size_t count = 0;
    while (types[count])
        count++;
    return count;
}

fl_status fl_network_types_check(const fl_network_type *const *types, fl_error *error)
{
    size_t count = 0;
    for (; types[count]; count++) {
        fl_status status = check_type(types[count], error);
        if (status)
            return status;
        const char *name = types[count]->name;
        if (find_name(types, count, name))
            return fl_fail(error, FL_ERR_INVALID, "it has two networks '%s'", name);
        const fl_network_type *other = find_name(table, FL_NETWORK_TYPES_MAX, name);
        const char *origin = other ? fl_network_type_origin(other) : NULL;
        if (other)
            return fl_fail(error, FL_ERR_INVALID, "there is a network '%s' already, %s%s", name,
                           origin ? "of " : "built in", origin ? origin : "");
    }
    if (count_types(table) + count > FL_NETWORK_TYPES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "there would be more than %d networks",
                       FL_NETWORK_TYPES_MAX);
    return FL_OK;
}

void fl_network_types_add(const fl_network_type *const *types, const char *origin)
{
    size_t count = count_types(table);
    for (; *types; types++) {
        assert(count < FL_NETWORK_TYPES_MAX);
        origins[count] = origin;
        table[count++] = *types;
    }
}

/* A network whose functions contradict each other would falsify results, or crash. */
static fl_status check_added(const fl_network *network, const char *origin, fl_error *error)
{
    fl_status status = FL_OK;
    if (network->nodes == 0 || network->switches == 0 || network->links == 0 ||
        network->classes == 0 || network->link_codes < network->links || network->radix == 0 ||
        network->radix > UINT16_MAX || network->node_ports == 0 ||
        network->node_ports > UINT16_MAX || network->step != network->type->step)
        status =
            fl_fail(error, FL_ERR_INVALID,
                    "%s: counts are missing or contradict each other, or the radix is above %d",
                    network->spec, UINT16_MAX);
    else if (network->links <= FL_NETWORK_CHECKED_MAX)
        status = fl_network_check(network, error);
    return status ? fl_fail_in(error, status, origin) : FL_OK;
}

/* ---- making ---- */

/* MiKANT(3,3), as papers write it, is mikant:k=3,n=3 here. Empty if it is not of that form. */
static void suggest_spec(const char *head, const char *name, char *out, size_t size)
{
    const char *value = strchr(name, '(');
    out[0] = 0;
    for (size_t i = 0; value && fl_network_types[i]; i++) {
        const fl_network_type *type = fl_network_types[i];
        if (strcmp(type->name, head) != 0 || type->text)
            continue;
        size_t at = (size_t)snprintf(out, size, "%s", type->name);
        for (const fl_parameter *p = type->parameters; p->name && at < size; p++) {
            size_t digits = value ? strspn(value + 1, "0123456789") : 0;
            if (digits > 0)
                at += (size_t)snprintf(out + at, size - at, "%c%s=%.*s",
                                       p == type->parameters ? ':' : ',', p->name, (int)digits,
                                       value + 1);
            else if (!p->optional)
                at += (size_t)snprintf(out + at, size - at, "%c%s=..",
                                       p == type->parameters ? ':' : ',', p->name);
            value = value ? strchr(value + 1, ',') : NULL;
        }
    }
}

static fl_status find_type(const fl_network_type **out, const char *name, fl_error *error)
{
    const char *names[FL_NETWORK_TYPES_MAX + 1] = {0};
    fl_text all = {0};
    for (size_t i = 0; fl_network_types[i]; i++) {
        if (strcmp(fl_network_types[i]->name, name) == 0) {
            *out = fl_network_types[i];
            fl_text_clear(&all);
            return FL_OK;
        }
        names[i] = fl_network_types[i]->name;
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    }
    char head[64], spec[128];
    size_t length = 0;
    for (; name[length] && name[length] != '(' && length + 1 < sizeof head; length++)
        head[length] = (char)tolower((unsigned char)name[length]);
    head[length] = 0;
    suggest_spec(head, name, spec, sizeof spec);
    const char *nearest = spec[0] ? spec : fl_text_nearest(head, names);
    fl_status status =
        nearest ? fl_fail(error, FL_ERR_INVALID, "unknown network '%.80s'; did you mean '%s'?",
                          name, nearest)
                : fl_fail(error, FL_ERR_INVALID, "unknown network '%.80s'; the networks are %s",
                          name, all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

/* Length of the `name=` that a text behind parameters begins with; 0 where there are none. */
static size_t name_of_text(const fl_network_type *type)
{
    const char *equals = type->text && type->parameters[0].name ? strchr(type->text, '=') : NULL;
    return equals ? (size_t)(equals + 1 - type->text) : 0;
}

static void describe_parameters(const fl_network_type *type, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s:", type->name);
    for (const fl_parameter *p = type->parameters; p->name && at < size; p++)
        at += (size_t)snprintf(out + at, size - at, "%s%s%s=..%s", p->optional ? "[" : "",
                               p == type->parameters ? "" : ",", p->name, p->optional ? "]" : "");
    if (type->text && at < size)
        snprintf(out + at, size - at, "%s%s", type->parameters[0].name ? "," : "", type->text);
}

static fl_status wrong_choice(const fl_network_type *type, const fl_parameter *p, const char *text,
                              fl_error *error)
{
    fl_text all = {0};
    for (size_t i = 0; p->choices[i]; i++)
        fl_text_append(&all, "%s%s", i ? ", " : "", p->choices[i]);
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "%s=%.40s is not possible for %s: %s must be one of %s (%s)",
                p->name, text, type->name, p->name, all.data ? all.data : "?", p->summary);
    fl_text_clear(&all);
    return status;
}

int fl_parameter_print(const fl_parameter *parameter, uint64_t value, char *out, size_t size)
{
    if (parameter->choices)
        return snprintf(out, size, "%s", parameter->choices[value]);
    uint64_t unit = 1;
    for (unsigned i = 0; i < parameter->decimals; i++)
        unit *= 10;
    int places = (int)parameter->decimals;
    uint64_t behind = value % unit;
    for (; places > 0 && behind % 10 == 0; places--)
        behind /= 10;
    return places == 0 ? snprintf(out, size, "%llu", (unsigned long long)(value / unit))
                       : snprintf(out, size, "%llu.%0*llu", (unsigned long long)(value / unit),
                                  places, (unsigned long long)behind);
}

/* "0.25" as 25 hundredths, with two decimals. */
static bool to_units(const char *text, unsigned decimals, uint64_t *value)
{
    char digits[48];
    size_t before = strspn(text, "0123456789");
    bool point = text[before] == '.';
    const char *behind = text + before + point;
    size_t places = strspn(behind, "0123456789");
    if (before == 0 || behind[places] || places > decimals || (point && places == 0) ||
        before + decimals >= sizeof digits)
        return false;
    memcpy(digits, text, before);
    memcpy(digits + before, behind, places);
    memset(digits + before + places, '0', decimals - places);
    digits[before + decimals] = 0;
    return fl_text_to_u64(digits, value);
}

static fl_status wrong_number(const fl_network_type *type, const fl_parameter *p, const char *text,
                              fl_error *error)
{
    char least[48], most[48], kind[48] = "a whole number";
    fl_parameter_print(p, p->least, least, sizeof least);
    fl_parameter_print(p, p->most, most, sizeof most);
    if (p->decimals)
        snprintf(kind, sizeof kind, "a number with at most %u decimals", p->decimals);
    return fl_fail(error, FL_ERR_INVALID,
                   "%s=%.40s is not possible for %s: %s must be %s from %s to %s (%s)", p->name,
                   text, type->name, p->name, kind, least, most, p->summary);
}

static fl_status parse_value(const fl_network_type *type, const fl_parameter *p, const char *text,
                             uint64_t *value, fl_error *error)
{
    if (p->choices) {
        for (*value = 0; p->choices[*value]; ++*value)
            if (strcmp(p->choices[*value], text) == 0)
                return FL_OK;
        return wrong_choice(type, p, text, error);
    }
    bool number = p->decimals ? to_units(text, p->decimals, value) : fl_text_to_u64(text, value);
    return number && *value >= p->least && *value <= p->most ? FL_OK
                                                             : wrong_number(type, p, text, error);
}

/* Reads one `name=value`, changing `item`. */
static fl_status parse_parameter(const fl_network_type *type, char *item, uint64_t *values,
                                 bool *given, fl_error *error)
{
    char form[128];
    describe_parameters(type, form, sizeof form);
    char *equals = strchr(item, '=');
    if (!equals)
        return fl_fail(error, FL_ERR_INVALID, "'%.80s' is not a parameter; write the network as %s",
                       item, form);
    *equals = 0;
    const char *names[FL_PARAMETERS_MAX + 1] = {0};
    for (size_t i = 0; i < FL_PARAMETERS_MAX && type->parameters[i].name; i++) {
        const fl_parameter *p = &type->parameters[i];
        names[i] = p->name;
        if (strcmp(p->name, item) != 0)
            continue;
        if (given[i])
            return fl_fail(error, FL_ERR_INVALID, "%s is given twice for %s", p->name, type->name);
        given[i] = true;
        return parse_value(type, p, equals + 1, &values[i], error);
    }
    const char *nearest = fl_text_nearest(item, names);
    return fl_fail(error, FL_ERR_INVALID, "%s has no parameter '%.40s'; %s%s%s it as %s",
                   type->name, item, nearest ? "did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'? Write" : "write", form);
}

static fl_status parse_parameters(const fl_network_type *type, char *list, uint64_t *values,
                                  fl_error *error)
{
    bool given[FL_PARAMETERS_MAX] = {false};
    for (char *item = list && *list ? list : NULL, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = 0;
        fl_status status = parse_parameter(type, item, values, given, error);
        if (status)
            return status;
    }
    char form[128];
    describe_parameters(type, form, sizeof form);
    for (size_t i = 0; i < FL_PARAMETERS_MAX && type->parameters[i].name; i++) {
        if (!given[i] && !type->parameters[i].optional)
            return fl_fail(error, FL_ERR_INVALID, "%s needs %s (%s); write it as %s", type->name,
                           type->parameters[i].name, type->parameters[i].summary, form);
        if (!given[i])
            values[i] = type->parameters[i].fallback;
    }
    return FL_OK;
}

/* Optional parameters that were not given and that create did not fill in are left out. */
static void write_spec(fl_network *network, const char *text)
{
    size_t size = sizeof network->spec,
           at = (size_t)snprintf(network->spec, size, "%s", network->type->name);
    char before = ':';
    for (size_t i = 0; i < FL_PARAMETERS_MAX && network->type->parameters[i].name && at < size;
         i++) {
        const fl_parameter *p = &network->type->parameters[i];
        if (network->values[i] == FL_NOT_GIVEN)
            continue;
        at += (size_t)snprintf(network->spec + at, size - at, "%c%s=", before, p->name);
        if (at < size)
            at += (size_t)fl_parameter_print(p, network->values[i], network->spec + at, size - at);
        before = ',';
    }
    if (text && at < size)
        snprintf(network->spec + at, size - at, "%c%.*s%s", before,
                 (int)name_of_text(network->type), network->type->text, text);
}

/* ---- text in place of parameters, or behind them ---- */

static fl_status too_long(const fl_network_type *type, const char *text, fl_error *error)
{
    return fl_fail(error, FL_ERR_INVALID,
                   "'%s:%.60s...' is too long: a network's name has room for %d characters",
                   type->name, text, (int)sizeof((fl_network *)0)->spec - 1);
}

/* Of `text`, after the type's own `name=` if it has one; NULL: it is not there. */
static const char *find_text(const fl_network_type *type, const char *list)
{
    size_t length = name_of_text(type);
    for (const char *item = list; item && length > 0; item = strchr(item, ',')) {
        item += item != list;
        if (strncmp(item, type->text, length) == 0)
            return item + length;
    }
    return length > 0 ? NULL : list;
}

const char *fl_network_text(const fl_network *network)
{
    return find_text(network->type, network->spec + strlen(network->type->name) + 1);
}

bool fl_network_set_text(fl_network *network, const char *text)
{
    char copy[sizeof network->spec];
    snprintf(copy, sizeof copy, "%s", text); /* it may be the spec's own */
    write_spec(network, copy);
    const char *written = fl_network_text(network);
    return written && strcmp(written, copy) == 0;
}

/* Reads `list`, what stands after the colon, changing it. */
static fl_status set_text(fl_network *network, char *list, fl_error *error)
{
    const fl_network_type *type = network->type;
    const char *text = list && *list ? find_text(type, list) : NULL;
    char form[128];
    describe_parameters(type, form, sizeof form);
    if (!text || !*text)
        return fl_fail(error, FL_ERR_INVALID, "%s needs %s%s; write it as %s", type->name,
                       type->text, name_of_text(type) ? " as its last parameter" : "", form);
    if (name_of_text(type)) {
        char *end = list + (text - list) - name_of_text(type);
        end[end > list ? -1 : 0] = 0;
        fl_status status = parse_parameters(type, list, network->values, error);
        if (status)
            return status;
    }
    return fl_network_set_text(network, text) ? FL_OK : too_long(type, text, error);
}

fl_status fl_network_create(fl_network **out, const char *spec, fl_error *error)
{
    return fl_network_create_for(out, spec, 0, error);
}

fl_status fl_network_create_for(fl_network **out, const char *spec, double bytes_a_switch,
                                fl_error *error)
{
    char copy[sizeof((fl_network *)0)->spec];
    if (strlen(spec) >= sizeof copy)
        return fl_fail(error, FL_ERR_INVALID,
                       "the network '%.40s...' is longer than %zu characters", spec,
                       sizeof copy - 1);
    if (fl_text_check_name(spec, "the network", error))
        return FL_ERR_INVALID;
    strcpy(copy, spec);
    char *colon = strchr(copy, ':');
    if (colon)
        *colon = 0;
    const fl_network_type *type = NULL;
    fl_status status = find_type(&type, copy, error);
    if (status)
        return status;
    fl_network *network = calloc(1, sizeof *network);
    if (!network)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a network");
    network->type = type;
    network->step = type->step;
    network->node_ports = 1;
    network->bytes_a_switch = bytes_a_switch;
    if (type->text) {
        status = set_text(network, colon ? colon + 1 : NULL, error);
    } else {
        status = parse_parameters(type, colon ? colon + 1 : NULL, network->values, error);
        if (!status)
            write_spec(network, NULL); /* create names it in errors */
    }
    if (!status)
        status = type->create(network, network->values, error);
    if (!status && network->nodes < 2) {
        status = fl_fail(error, FL_ERR_INVALID, "%s has %d node: packets need two at least",
                         network->spec, (int)network->nodes);
        if (type->destroy)
            type->destroy(network);
    }
    if (!status && !type->text)
        write_spec(network, NULL);
    if (status) {
        free(network);
        return status;
    }
    const char *origin = fl_network_type_origin(type);
    if (origin && check_added(network, origin, error)) {
        fl_network_destroy(network);
        return FL_ERR_INVALID;
    }
    *out = network;
    return FL_OK;
}

void fl_network_destroy(fl_network *network)
{
    if (network && network->type->destroy)
        network->type->destroy(network);
    free(network);
}
