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

bool fl_spec_is_file_name(const char *name)
{
    return name[0] != '.' && strlen(name) <= 100 && !strpbrk(name, "/\\");
}

fl_status fl_spec_fail_in(fl_error *error, const char *what, unsigned index, fl_status status)
{
    char place[32];
    snprintf(place, sizeof place, "%s %u", what, index + 1);
    return status ? fl_fail_in(error, status, place) : FL_OK;
}
