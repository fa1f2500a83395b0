/* The plug-ins that a spec names: they must have been loaded. */
#include "experiments/spec/pieces.h"
#include "routing/plugin.h"

#include <string.h>

static const char *const plugin_keys[] = {"name", "version", "hash", NULL};

/* A spec names the plug-ins that it needs, but loads none: a file of numbers that runs code of its
 * choice would be a trap. The canonical spec in results names version and file hash as well, so
 * that results of different code are never added up. */
static fl_status check_plugin(const cJSON *object, fl_error *error)
{
    if (!cJSON_IsObject(object))
        return fl_fail(error, FL_ERR_INVALID,
                       "'plugins' must hold objects such as {\"name\": \"my-router\"}");
    fl_status status = fl_json_check_keys(object, plugin_keys, error);
    if (status)
        return status;
    const cJSON *name = fl_spec_find(object, "name"), *version = fl_spec_find(object, "version"),
                *hash = fl_spec_find(object, "hash");
    if (!cJSON_IsString(name) || (version && !cJSON_IsString(version)) ||
        (hash && !cJSON_IsString(hash)))
        return fl_fail(
            error, FL_ERR_INVALID,
            "an entry of 'plugins' must have a 'name', and may have a 'version' and a 'hash', all of them texts");
    const fl_plugin_info *info = fl_plugin_find(name->valuestring);
    if (!info)
        return fl_fail(error, FL_ERR_INVALID,
                       "the plug-in '%.60s'%s%.40s is needed: give its file with --plugin",
                       name->valuestring, version ? " " : "", version ? version->valuestring : "");
    if (version && strcmp(version->valuestring, info->plugin->version) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "version %.40s of the plug-in '%s' is needed, and '%s' is version %s",
                       version->valuestring, info->plugin->name, info->path, info->plugin->version);
    if (hash && strcmp(hash->valuestring, info->hash) != 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the plug-in '%s' is needed as it was then (file hash %.40s), and '%s' is another (%s)",
            info->plugin->name, hash->valuestring, info->path, info->hash);
    return FL_OK;
}

fl_status fl_spec_check_plugins(const cJSON *json, fl_error *error)
{
    const cJSON *list;
    fl_status status = fl_spec_list(&list, json, "plugins", FL_PLUGINS_MAX, "objects", error);
    for (const cJSON *item = list ? list->child : NULL; item && !status; item = item->next)
        status = check_plugin(item, error);
    return status;
}
