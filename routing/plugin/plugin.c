/* Loading plug-ins: checking them, and adding what they bring. */
#include "routing/plugin.h"
#include "routing/registry.h"

#include <dlfcn.h>
#ifdef __linux__
#include <elf.h>
#endif
#include <stdlib.h>
#include <string.h>

enum { PLUGIN_BYTES_MAX = 1 << 30 };

static fl_plugin_info loaded[FL_PLUGINS_MAX];
static unsigned loaded_count;

static const fl_network_type *const no_networks[] = {NULL};
static const fl_router_type *const no_routers[] = {NULL};
static const fl_rule *const no_rules[] = {NULL};

static const fl_network_type *const *networks_of(const fl_plugin *plugin)
{
    return plugin->networks ? plugin->networks : no_networks;
}

static const fl_router_type *const *routers_of(const fl_plugin *plugin)
{
    return plugin->routers ? plugin->routers : no_routers;
}

static const fl_rule *const *rules_of(const fl_plugin *plugin)
{
    return plugin->rules ? plugin->rules : no_rules;
}

/* ---- was it built for this program? ---- */

static const struct {
    const char *name;
    uint32_t size;
} structs[] = {
#define NAME_AND_SIZE(type) {#type, (uint32_t)sizeof(type)},
    FL_PLUGIN_STRUCTS(NAME_AND_SIZE)};

static fl_status check_build(const fl_plugin *plugin, const char *path, fl_error *error)
{
    static const char again[] = "build it again with the headers of Faultline " FL_VERSION;
    if (plugin->magic != FL_PLUGIN_MAGIC)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is not a plug-in: what it calls " FL_PLUGIN_SYMBOL
                       " was not made by FL_PLUGIN",
                       path);
    if (plugin->abi != FL_PLUGIN_ABI)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' was built for version %u of the plug-in interface (Faultline %.40s), and this program has "
            "version %d: %s",
            path, plugin->abi, plugin->built_for ? plugin->built_for : "?", FL_PLUGIN_ABI, again);
    for (uint32_t i = 0; i < FL_PLUGIN_STRUCT_COUNT && i < plugin->struct_count; i++)
        if (plugin->struct_sizes[i] != structs[i].size)
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%s' was built with other headers than this program: its %s has %u bytes instead of %u; %s",
                path, structs[i].name, plugin->struct_sizes[i], structs[i].size, again);
    if (plugin->struct_count != FL_PLUGIN_STRUCT_COUNT)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' was built with other headers than this program: it shares %u structs with it instead of "
            "%d; %s",
            path, plugin->struct_count, FL_PLUGIN_STRUCT_COUNT, again);
    return FL_OK;
}

/* ---- are its names free? ---- */

/* Routers and rules stand in one place of a router's name, so that they share their names. */
static fl_status check_free(const char *name, fl_error *error)
{
    const char *origin = NULL;
    bool found = false;
    for (size_t i = 0; fl_router_types[i] && !found; i++)
        if ((found = strcmp(fl_router_types[i]->name, name) == 0))
            origin = fl_router_type_origin(fl_router_types[i]);
    for (unsigned i = 0; fl_rules[i] && !found; i++)
        if ((found = strcmp(fl_rules[i]->name, name) == 0))
            origin = fl_rule_origins[i];
    if (!found)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID, "there is a router or detour rule '%s' already, %s%s",
                   name, origin ? "of " : "built in", origin ? origin : "");
}

static fl_status check_names(const fl_plugin *plugin, fl_error *error)
{
    const char *names[FL_ROUTER_TYPES_MAX + FL_RULES_MAX];
    unsigned count = 0;
    for (const fl_router_type *const *type = routers_of(plugin); *type; type++)
        names[count++] = (*type)->name;
    for (const fl_rule *const *rule = rules_of(plugin); *rule; rule++)
        names[count++] = (*rule)->name;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++)
            if (strcmp(names[i], names[j]) == 0)
                return fl_fail(error, FL_ERR_INVALID, "it has two routers or rules '%s'", names[i]);
        fl_status status = check_free(names[i], error);
        if (status)
            return status;
    }
    return FL_OK;
}

static fl_status check_contents(const fl_plugin *plugin, fl_error *error)
{
    if (!plugin->name || !fl_text_is_name(plugin->name))
        return fl_fail(error, FL_ERR_INVALID,
                       "its name must be 1 to 41 small letters, digits, '-' and '_', not '%.60s'",
                       plugin->name ? plugin->name : "(none)");
    if (!plugin->version || !*plugin->version || strlen(plugin->version) > 40 ||
        !fl_text_is_utf8(plugin->version))
        return fl_fail(error, FL_ERR_INVALID, "its version must be a text of 1 to 40 characters");
    if (!*networks_of(plugin) && !*routers_of(plugin) && !*rules_of(plugin))
        return fl_fail(error, FL_ERR_INVALID,
                       "it has neither routers nor detour rules nor networks");
    const fl_plugin_info *other = fl_plugin_find(plugin->name);
    if (other)
        return fl_fail(error, FL_ERR_INVALID, "there is a plug-in '%s' already: '%s'", plugin->name,
                       other->path);
    fl_status status = fl_network_types_check(networks_of(plugin), error);
    if (!status)
        status = fl_router_types_check(routers_of(plugin), error);
    if (!status)
        status = fl_rules_check(rules_of(plugin), error);
    return status ? status : check_names(plugin, error);
}

/* ---- loading ---- */

/* dlopen takes a name without a slash for one to be searched in the system's folders. */
static void *open_object(const char *path, fl_error *error)
{
    fl_text place = {0};
    fl_text_append(&place, "%s%s", strchr(path, '/') ? "" : "./", path);
    void *object = place.failed ? NULL : dlopen(place.data, RTLD_NOW | RTLD_LOCAL);
    fl_text_clear(&place);
    if (!object) {
        const char *reason = dlerror();
        /* It may begin with the path, which stands in front already. */
        const char *far_end = reason ? strstr(reason, path) : NULL;
        if (far_end && strncmp(far_end + strlen(path), ": ", 2) == 0)
            reason = far_end + strlen(path) + 2;
        fl_fail(error, FL_ERR_INVALID, "'%s' cannot be loaded as a plug-in: %s", path,
                reason ? reason : "out of memory");
    }
    return object;
}

/* Loading half a file can end the program: the system's loader trusts what the headers say. */
static bool is_whole_object(const char *data, size_t length)
{
#if defined(__linux__) && UINTPTR_MAX > UINT32_MAX
    Elf64_Ehdr header;
    if (length < sizeof header)
        return false;
    memcpy(&header, data, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_type != ET_DYN)
        return false;
    size_t sections = (size_t)header.e_shnum * header.e_shentsize,
           segments = (size_t)header.e_phnum * sizeof(Elf64_Phdr);
    if (header.e_shoff > length || sections > length - header.e_shoff ||
        header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phoff > length ||
        segments > length - header.e_phoff)
        return false;
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_offset > length || segment.p_filesz > length - segment.p_offset)
            return false;
    }
#else
    (void)data, (void)length;
#endif
    return true;
}

static fl_status look_at_file(char hash[17], const char *path, fl_error *error)
{
    char *data;
    size_t length;
    fl_status status = fl_file_read(&data, &length, path, PLUGIN_BYTES_MAX, error);
    if (status)
        return fl_fail_in(error, status, "no plug-in");
    snprintf(hash, 17, "%016llx", (unsigned long long)fl_text_hash(data, length));
    bool complete = is_whole_object(data, length);
    free(data);
    return complete ? FL_OK
                    : fl_fail(error, FL_ERR_INVALID,
                              "'%s' is not a shared object, or not a whole one", path);
}

static fl_status check_plugin(const fl_plugin *plugin, const char *path, fl_error *error)
{
    fl_error what;
    if (!plugin)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' is not a plug-in: it lacks FL_PLUGIN(...), which exports " FL_PLUGIN_SYMBOL,
            path);
    fl_status status = check_build(plugin, path, error);
    if (status)
        return status;
    status = check_contents(plugin, &what);
    return status ? fl_fail(error, status, "the plug-in '%s': %s", path, what.text) : FL_OK;
}

static fl_status take_up(const fl_plugin *plugin, const char *path, const char *hash,
                         fl_error *error)
{
    fl_text origin = {0};
    fl_text_append(&origin, "plug-in '%s' (%.200s)", plugin->name, path);
    char *copy = strdup(path);
    if (!copy || origin.failed) {
        free(copy);
        fl_text_clear(&origin);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a plug-in");
    }
    fl_plugin_info *info = &loaded[loaded_count++];
    *info = (fl_plugin_info){.plugin = plugin, .path = copy, .origin = origin.data};
    memcpy(info->hash, hash, sizeof info->hash);
    fl_network_types_add(networks_of(plugin), info->origin);
    fl_router_types_add(routers_of(plugin), info->origin);
    fl_rules_add(rules_of(plugin), info->origin);
    return FL_OK;
}

fl_status fl_plugin_load(const char *path, fl_error *error)
{
    char hash[17];
    if (loaded_count == FL_PLUGINS_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s': there are %d plug-ins already, and no more are possible", path,
                       FL_PLUGINS_MAX);
    fl_status status = look_at_file(hash, path, error);
    if (status)
        return status;
    void *object = open_object(path, error);
    if (!object)
        return FL_ERR_INVALID;
    const fl_plugin *plugin = dlsym(object, FL_PLUGIN_SYMBOL);
    status = check_plugin(plugin, path, error);
    if (!status)
        status = take_up(plugin, path, hash, error);
    if (status)
        dlclose(object);
    return status;
}

/* ---- what is loaded ---- */

const fl_plugin_info *fl_plugin_at(unsigned index)
{
    return index < loaded_count ? &loaded[index] : NULL;
}

const fl_plugin_info *fl_plugin_find(const char *name)
{
    for (unsigned i = 0; i < loaded_count; i++)
        if (strcmp(loaded[i].plugin->name, name) == 0)
            return &loaded[i];
    return NULL;
}

bool fl_plugin_is_used(const fl_plugin_info *info, const fl_network *network,
                       const fl_router *router)
{
    bool used = false;
    for (const fl_network_type *const *type = networks_of(info->plugin); *type; type++)
        used |= network && network->type == *type;
    for (const fl_router_type *const *type = routers_of(info->plugin); *type; type++)
        used |= router && router->type == *type;
    for (const fl_rule *const *rule = rules_of(info->plugin); *rule; rule++)
        for (unsigned r = 0; fl_rules[r]; r++)
            used |= router && fl_rules[r] == *rule && (router->enabled_rules >> r & 1);
    return used;
}
