#include "experiments/spec/pieces.h"

#include <stdlib.h>
#include <string.h>

fl_status fl_spec_out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the spec");
}

const cJSON *fl_spec_find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

fl_status fl_spec_text(const char **out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    *out = NULL;
    if (!item)
        return FL_OK;
    if (!cJSON_IsString(item) || !item->valuestring[0])
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be a text that is not empty", key);
    *out = item->valuestring;
    return FL_OK;
}

fl_status fl_spec_copy_text(char **out, const cJSON *object, const char *key, fl_error *error)
{
    const char *text;
    fl_status status = fl_spec_text(&text, object, key, error);
    if (status || !text)
        return status;
    free(*out);
    *out = strdup(text);
    return *out ? FL_OK : fl_spec_out_of_memory(error);
}

fl_status fl_spec_flag(bool *out, const cJSON *object, const char *key, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    if (item && !cJSON_IsBool(item))
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be true or false", key);
    *out = cJSON_IsTrue(item);
    return FL_OK;
}

void fl_content_hash(char out[FL_CONTENT_HASH], uint64_t hash)
{
    snprintf(out, FL_CONTENT_HASH, "%016llx", (unsigned long long)hash);
}

static bool is_file_name(const char *name)
{
    return name[0] != '.' && strlen(name) <= 100 && !strpbrk(name, "/\\");
}

fl_status fl_spec_titles(char **name, char **title, char **source, const cJSON *json,
                         fl_error *error)
{
    fl_status status = fl_spec_copy_text(name, json, "name", error);
    if (!status && *name && !is_file_name(*name))
        status = fl_fail(
            error, FL_ERR_INVALID,
            "'name' must be a plain file name: at most 100 characters, no slash, no dot in front");
    if (!status)
        status = fl_spec_copy_text(title, json, "title", error);
    return status ? status : fl_spec_copy_text(source, json, "source", error);
}

fl_status fl_spec_word(unsigned *out, const cJSON *object, const char *key,
                       const char *const *names, fl_error *error)
{
    const cJSON *item = fl_spec_find(object, key);
    fl_text all = {0};
    for (unsigned i = 0; names[i]; i++) {
        if (cJSON_IsString(item) && strcmp(names[i], item->valuestring) == 0) {
            *out = i;
            fl_text_clear(&all);
            return FL_OK;
        }
        fl_text_append(&all, "%s%s", i ? (names[i + 1] ? ", " : " or ") : "", names[i]);
    }
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "'%s' must be %s", key, all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

/* ---- lists ---- */

fl_status fl_spec_list(const cJSON **out, const cJSON *object, const char *key, int most,
                       const char *what, fl_error *error)
{
    *out = fl_spec_find(object, key);
    int size = cJSON_IsArray(*out) ? cJSON_GetArraySize(*out) : 0;
    if (*out && (size < 1 || size > most))
        return fl_fail(error, FL_ERR_INVALID, "'%s' must be a list of 1 to %d %s", key, most, what);
    return FL_OK;
}

fl_status fl_spec_names(fl_name_list *out, const cJSON *object, const char *key, int most,
                        fl_error *error)
{
    const cJSON *list;
    fl_status status = fl_spec_list(&list, object, key, most, "names", error);
    if (status || !list)
        return status;
    for (const cJSON *item = list->child; item && !status; item = item->next)
        status = cJSON_IsString(item)
                     ? fl_names_add(out, item->valuestring, error)
                     : fl_fail(error, FL_ERR_INVALID, "'%s' must hold names only", key);
    return status;
}

static fl_status check_figure(const cJSON *list, const cJSON *figure, const char *const *keys,
                              fl_error *error)
{
    const char *name;
    if (!cJSON_IsObject(figure))
        return fl_fail(error, FL_ERR_INVALID, "it must be an object");
    fl_status status = fl_json_check_keys(figure, keys, error);
    if (!status)
        status = fl_spec_text(&name, figure, "name", error);
    if (!status && (!name || !is_file_name(name)))
        status = fl_fail(error, FL_ERR_INVALID, "'name' must be a plain file name");
    for (const cJSON *other = list->child; other != figure && !status; other = other->next)
        if (strcmp(fl_spec_find(other, "name")->valuestring, name) == 0)
            status = fl_fail(error, FL_ERR_INVALID, "two figures are named '%s'", name);
    return status;
}

fl_status fl_spec_figures(const cJSON **out, const cJSON *json, int most, const char *const *keys,
                          fl_error *error)
{
    fl_status status = fl_spec_list(out, json, "figures", most, "objects", error);
    unsigned i = 0;
    for (const cJSON *item = *out ? (*out)->child : NULL; item && !status; item = item->next)
        status = fl_spec_fail_in(error, "figure", i++, check_figure(*out, item, keys, error));
    return status;
}

/* ---- errors ---- */

fl_status fl_spec_fail_in(fl_error *error, const char *what, unsigned index, fl_status status)
{
    char place[32];
    snprintf(place, sizeof place, "%s %u", what, index + 1);
    return status ? fl_fail_in(error, status, place) : FL_OK;
}
