/* Options as rows: reading values, from text or JSON, into a struct. */
#include "experiments/spec/options.h"
#include "core/array.h"
#include "faults/faults.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(fl_scope) == sizeof(unsigned), "values of FL_OPTION_WORD are unsigned");

const fl_option_row fl_scope_rows[] = {
    {.name = "scope",
     .kind = FL_OPTION_WORD,
     .value = "SCOPE",
     .help = "what a switch knows: the links of its detours, or only its own",
     .preset = "detour",
     .words = fl_scope_names},
    {0}};

/* ---- rows and places ---- */

typedef struct place {
    const fl_option_row *row;
    void *value;
} place;

/* Row *number of the groups, which counts down; its offset, and the title if it begins a group. */
static const fl_option_row *row_at(const fl_option_group *group, int *number, size_t *offset,
                                   const char **title)
{
    size_t base = *offset;
    for (; group->rows || group->groups; group++) {
        *offset = base + group->offset;
        if (group->groups) {
            const fl_option_row *row = row_at(group->groups, number, offset, title);
            if (row)
                return row;
        }
        *title = group->title;
        for (const fl_option_row *row = group->rows; row && row->name; row++, *title = NULL)
            if ((*number)-- == 0) {
                *offset += row->offset;
                return row;
            }
    }
    return NULL;
}

const fl_option_row *fl_option_at(const fl_option_group *groups, int number, const char **title)
{
    const char *ignored;
    size_t offset = 0;
    return row_at(groups, &number, &offset, title ? title : &ignored);
}

static place place_of(const fl_options *options, int number)
{
    const char *title;
    size_t offset = 0;
    const fl_option_row *row = row_at(options->groups, &number, &offset, &title);
    return (place){row, row ? (char *)options->values + offset : NULL};
}

int fl_option_find(const fl_option_group *groups, const char *name, size_t length,
                   const fl_option_row **out)
{
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(groups, i, NULL)) != NULL; i++)
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0) {
            if (out)
                *out = row;
            return i;
        }
    return -1;
}

bool fl_option_given(const fl_options *options, const char *name)
{
    int number = fl_option_find(options->groups, name, strlen(name), NULL);
    assert(number >= 0);
    return number >= 0 && options->given[number];
}

const fl_option_row *fl_option_was(const fl_option_group *groups, const char *name,
                                   const char **now)
{
    size_t length = strlen(name);
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(groups, i, NULL)) != NULL; i++)
        for (const char *old = row->was; old; old = strchr(old, ',')) {
            old += *old == ',';
            if (strcspn(old, ",") != length || strncmp(old, name, length) != 0)
                continue;
            *now = row->now ? row->now : row->name;
            return row;
        }
    return NULL;
}

/* ---- what values own ---- */

void fl_names_clear(fl_name_list *names)
{
    for (unsigned i = 0; i < names->count; i++)
        free(names->of[i]);
    free(names->of);
    *names = (fl_name_list){0};
}

static void clear_value(fl_option_kind kind, void *value)
{
    switch (kind) {
    case FL_OPTION_TEXT:
    case FL_OPTION_NETWORK:
    case FL_OPTION_FILE:
    case FL_OPTION_FOLDER:
        free(*(char **)value);
        *(char **)value = NULL;
        break;
    case FL_OPTION_FILES:
    case FL_OPTION_NAMES:
        fl_names_clear(value);
        break;
    case FL_OPTION_COUNTS:
        free(((fl_count_list *)value)->of);
        *(fl_count_list *)value = (fl_count_list){0};
        break;
    case FL_OPTION_RATES:
        free(((fl_rate_list *)value)->of);
        *(fl_rate_list *)value = (fl_rate_list){0};
        break;
    default:
        break;
    }
}

static size_t size_of(fl_option_kind kind)
{
    switch (kind) {
    case FL_OPTION_SWITCH:
        return sizeof(bool);
    case FL_OPTION_COUNT:
        return sizeof(uint64_t);
    case FL_OPTION_UNSIGNED:
    case FL_OPTION_WORD:
        return sizeof(unsigned);
    case FL_OPTION_NUMBER:
    case FL_OPTION_SECONDS:
        return sizeof(double);
    case FL_OPTION_FILES:
    case FL_OPTION_NAMES:
        return sizeof(fl_name_list);
    case FL_OPTION_COUNTS:
        return sizeof(fl_count_list);
    case FL_OPTION_RATES:
        return sizeof(fl_rate_list);
    default:
        return sizeof(char *);
    }
}

static fl_status out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the options");
}

static fl_status set_copy(char **out, const char *text, fl_error *error)
{
    char *copy = strdup(text);
    if (!copy)
        return out_of_memory(error);
    free(*out);
    *out = copy;
    return FL_OK;
}

static fl_status add_name(fl_name_list *names, const char *name, size_t length, fl_error *error)
{
    /* The memory doubles where the count is a power of two: hostile specs have long lists. */
    bool full = (names->count & (names->count - 1)) == 0;
    if (full && !FL_RESIZE(&names->of, names->count ? 2 * names->count : 1))
        return out_of_memory(error);
    if (!(names->of[names->count] = strndup(name, length)))
        return out_of_memory(error);
    names->count++;
    return FL_OK;
}

fl_status fl_names_add(fl_name_list *names, const char *name, fl_error *error)
{
    return add_name(names, name, strlen(name), error);
}

bool fl_names_hold(const fl_name_list *names, const char *name)
{
    for (unsigned i = 0; i < names->count; i++)
        if (strcmp(names->of[i], name) == 0)
            return true;
    return false;
}

/* ---- numbers ---- */

static void append_end(fl_text *out, double end)
{
    if (end == (double)FL_JSON_U64_MAX)
        fl_text_append(out, "2^53 - 1");
    else
        fl_text_append_double(out, end);
}

static fl_status fail_number(const fl_option_row *row, fl_error *error)
{
    bool integer = row->kind != FL_OPTION_NUMBER;
    fl_text range = {0};
    if (row->most > 0) {
        fl_text_append(&range, " from ");
        append_end(&range, row->least);
        fl_text_append(&range, " to ");
        append_end(&range, row->most);
    } else if (row->least > 0) {
        fl_text_append(&range, " from ");
        append_end(&range, row->least);
    } else if (!integer) {
        fl_text_append(&range, " that is not negative");
    }
    fl_status status = fl_fail(error, FL_ERR_INVALID, "expected a %s%s",
                               integer ? "whole number" : "number", range.data ? range.data : "");
    fl_text_clear(&range);
    return status;
}

static bool is_in_range(const fl_option_row *row, double value)
{
    return value >= row->least && (row->most <= 0 || value <= row->most);
}

static fl_status set_count(const fl_option_row *row, void *out, uint64_t value, fl_error *error)
{
    if (!is_in_range(row, (double)value) || (row->kind == FL_OPTION_UNSIGNED && value > UINT32_MAX))
        return fail_number(row, error);
    if (row->kind == FL_OPTION_UNSIGNED)
        *(unsigned *)out = (unsigned)value;
    else
        *(uint64_t *)out = value;
    return FL_OK;
}

static fl_status set_number(const fl_option_row *row, void *out, double value, fl_error *error)
{
    if (!is_in_range(row, value))
        return fail_number(row, error);
    *(double *)out = value;
    return FL_OK;
}

static fl_status set_seconds(const fl_option_row *row, void *out, const char *text, fl_error *error)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    size_t length = strlen(text);
    char number[32];
    double value;
    if (fl_text_to_double(text, &value) && value <= 1e7 && value >= 0 && value >= row->least) {
        *(double *)out = value;
        return FL_OK;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units && length > 0 && length < sizeof number;
         i++) {
        snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
        if (text[length - 1] != units[i].unit || !fl_text_to_double(number, &value) ||
            !(value > 0 && value <= 1e7))
            continue;
        *(double *)out = value * units[i].seconds;
        return FL_OK;
    }
    return fl_fail(error, FL_ERR_INVALID, "expected a time such as 60s, 5m or 2h");
}

/* ---- words ---- */

static fl_status set_word(const fl_option_row *row, void *out, const char *text, fl_error *error)
{
    fl_text all = {0};
    for (unsigned i = 0; row->words[i]; i++) {
        if (strcmp(text, row->words[i]) == 0) {
            memcpy(out, &i, sizeof i);
            fl_text_clear(&all);
            return FL_OK;
        }
        fl_text_append(&all, "%s%s", i ? (row->words[i + 1] ? ", " : " or ") : "", row->words[i]);
    }
    const char *nearest = fl_text_nearest(text, row->words);
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "expected %s%s%s%s", all.data ? all.data : "?",
                nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    fl_text_clear(&all);
    return status;
}

/* ---- lists ---- */

static fl_status split_names(fl_name_list *out, const char *text, fl_error *error)
{
    fl_status status = FL_OK;
    clear_value(FL_OPTION_NAMES, out);
    for (const char *name = text; name && !status;) {
        size_t length = strcspn(name, ",");
        if (length == 0)
            return fl_fail(
                error, FL_ERR_INVALID,
                "there is an empty name, '', in the list; expected names such as shortest,gns");
        status = add_name(out, name, length, error);
        name = name[length] ? name + length + 1 : NULL;
    }
    return status;
}

static fl_status parse_counts(fl_count_list *out, const char *text, fl_error *error)
{
    fl_count_list list = {0};
    fl_status status = fl_axis_parse_counts(&list.of, &list.count, text, error);
    if (status)
        return status;
    clear_value(FL_OPTION_COUNTS, out);
    *out = list;
    return FL_OK;
}

static fl_status parse_rates(fl_rate_list *out, const char *text, fl_error *error)
{
    fl_rate_list list = {0};
    fl_status status = fl_axis_parse_rates(&list.of, &list.count, text, error);
    if (status)
        return status;
    clear_value(FL_OPTION_RATES, out);
    *out = list;
    return FL_OK;
}

/* ---- from text ---- */

static fl_status set_text(const place p, const char *text, fl_error *error)
{
    uint64_t count;
    double number;
    switch (p.row->kind) {
    case FL_OPTION_SWITCH:
        *(bool *)p.value = true;
        return FL_OK;
    case FL_OPTION_COUNT:
    case FL_OPTION_UNSIGNED:
        return fl_text_to_count(text, &count) ? set_count(p.row, p.value, count, error)
                                              : fail_number(p.row, error);
    case FL_OPTION_NUMBER:
        return fl_text_to_double(text, &number) ? set_number(p.row, p.value, number, error)
                                                : fail_number(p.row, error);
    case FL_OPTION_SECONDS:
        return set_seconds(p.row, p.value, text, error);
    case FL_OPTION_WORD:
        return set_word(p.row, p.value, text, error);
    case FL_OPTION_NAMES:
        return split_names(p.value, text, error);
    case FL_OPTION_COUNTS:
        return parse_counts(p.value, text, error);
    case FL_OPTION_RATES:
        return parse_rates(p.value, text, error);
    case FL_OPTION_FILES:
        return fl_names_add(p.value, text, error);
    default:
        return *text ? set_copy(p.value, text, error)
                     : fl_fail(error, FL_ERR_INVALID, "it must not be empty");
    }
}

fl_status fl_option_set_text(fl_options *options, int number, const char *text, fl_error *error)
{
    fl_status status = set_text(place_of(options, number), text, error);
    options->given[number] |= !status;
    return status;
}

fl_status fl_options_begin(fl_options *options, const fl_option_group *groups, void *values,
                           fl_error *error)
{
    *options = (fl_options){.groups = groups, .values = values};
    for (int i = 0;; i++) {
        place p = place_of(options, i);
        if (!p.row)
            return FL_OK;
        assert(i < FL_OPTIONS_MAX);
        memset(p.value, 0, size_of(p.row->kind));
        fl_status status = p.row->preset ? set_text(p, p.row->preset, error) : FL_OK;
        assert(status != FL_ERR_INVALID);
        if (status) { /* what follows owns nothing */
            for (place rest; (rest = place_of(options, ++i)).row;)
                memset(rest.value, 0, size_of(rest.row->kind));
            return status;
        }
    }
}

void fl_options_clear(fl_options *options)
{
    place p;
    for (int i = 0; options->groups && (p = place_of(options, i)).row; i++)
        clear_value(p.row->kind, p.value);
}

/* ---- from JSON ---- */

static fl_status list_names(fl_name_list *out, const cJSON *item, fl_error *error)
{
    const cJSON *name;
    fl_status status = FL_OK;
    if (cJSON_IsString(item))
        return item->valuestring[0] ? split_names(out, item->valuestring, error)
                                    : fl_fail(error, FL_ERR_INVALID, "it must not be empty");
    if (!cJSON_IsArray(item) || !item->child)
        return fl_fail(error, FL_ERR_INVALID, "must be a list of names");
    clear_value(FL_OPTION_NAMES, out);
    cJSON_ArrayForEach(name, item)
    {
        if (status)
            break;
        if (!cJSON_IsString(name))
            return fl_fail(error, FL_ERR_INVALID, "must hold names only");
        status = fl_names_add(out, name->valuestring, error);
    }
    return status;
}

static fl_status fail_item(double value, bool counts, fl_error *error)
{
    fl_text shown = {0};
    fl_text_append_double(&shown, value);
    fl_status status =
        fl_fail(error, FL_ERR_INVALID, "'%s': expected %s", shown.data ? shown.data : "",
                counts ? "fault counts (whole numbers)" : "numbers from 0 to 1");
    fl_text_clear(&shown);
    return status;
}

/* A number, or a rising list of them. */
static fl_status list_numbers(double **out, uint32_t *count, const cJSON *item, double most,
                              fl_error *error)
{
    bool list = cJSON_IsArray(item);
    if (!cJSON_IsNumber(item) && !(list && item->child))
        return fl_fail(error, FL_ERR_INVALID,
                       "must be a text such as \"0:10:1\", a number, or a list of numbers");
    double *values = malloc((list ? (size_t)cJSON_GetArraySize(item) : 1) * sizeof *values);
    fl_status status = values ? FL_OK : out_of_memory(error);
    uint32_t n = 0;
    for (const cJSON *number = list ? item->child : item; number && !status;
         number = list ? number->next : NULL) {
        double value = number->valuedouble;
        if (!cJSON_IsNumber(number))
            status = fl_fail(error, FL_ERR_INVALID, "must hold numbers only");
        else if (!(value >= 0 && value <= most) || (most > 1 && value != (double)(uint64_t)value))
            status = fail_item(value, most > 1, error);
        else if (n > 0 && value <= values[n - 1])
            status = fl_fail(error, FL_ERR_INVALID, "the values must rise");
        else
            values[n++] = value;
    }
    if (status) {
        free(values);
        return status;
    }
    *out = values;
    *count = n;
    return FL_OK;
}

static fl_status list_rates(fl_rate_list *out, const cJSON *item, fl_error *error)
{
    fl_rate_list list;
    if (cJSON_IsString(item))
        return parse_rates(out, item->valuestring, error);
    fl_status status = list_numbers(&list.of, &list.count, item, 1, error);
    if (status)
        return status;
    clear_value(FL_OPTION_RATES, out);
    *out = list;
    return FL_OK;
}

static fl_status list_counts(fl_count_list *out, const cJSON *item, fl_error *error)
{
    double *values;
    fl_count_list list;
    if (cJSON_IsString(item))
        return parse_counts(out, item->valuestring, error);
    fl_status status = list_numbers(&values, &list.count, item, (double)FL_JSON_U64_MAX, error);
    if (status)
        return status;
    list.of = malloc(list.count * sizeof *list.of);
    for (uint32_t i = 0; i < list.count && list.of; i++)
        list.of[i] = (uint64_t)values[i];
    free(values);
    if (!list.of)
        return out_of_memory(error);
    clear_value(FL_OPTION_COUNTS, out);
    *out = list;
    return FL_OK;
}

static bool is_count(const cJSON *item, double most)
{
    return most > 0 && cJSON_IsNumber(item) && item->valuedouble >= 0 &&
           item->valuedouble <= most && item->valuedouble == (double)(uint64_t)item->valuedouble;
}

static fl_status set_json(const place p, const cJSON *item, fl_error *error)
{
    double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    switch (p.row->kind) {
    case FL_OPTION_SWITCH:
        if (!cJSON_IsTrue(item))
            return fl_fail(error, FL_ERR_INVALID, "takes no value but true");
        *(bool *)p.value = true;
        return FL_OK;
    case FL_OPTION_COUNT:
    case FL_OPTION_UNSIGNED:
        /* 2^53 itself is refused: 2^53 + 1 reads as the same number. */
        return is_count(item, (double)FL_JSON_U64_MAX)
                   ? set_count(p.row, p.value, (uint64_t)value, error)
                   : fail_number(p.row, error);
    case FL_OPTION_NUMBER:
        return cJSON_IsNumber(item) ? set_number(p.row, p.value, value, error)
                                    : fail_number(p.row, error);
    case FL_OPTION_NAMES:
        return list_names(p.value, item, error);
    case FL_OPTION_COUNTS:
        return list_counts(p.value, item, error);
    case FL_OPTION_RATES:
        return list_rates(p.value, item, error);
    default:
        if (p.row->kind == FL_OPTION_TEXT && is_count(item, p.row->most)) {
            char digits[24];
            snprintf(digits, sizeof digits, "%.0f", value);
            return set_text(p, digits, error);
        }
        if (!cJSON_IsString(item) || !item->valuestring[0])
            return fl_fail(error, FL_ERR_INVALID, "must be a text that is not empty");
        return set_text(p, item->valuestring, error);
    }
}

fl_status fl_option_set_json(fl_options *options, int number, const cJSON *item, fl_error *error)
{
    fl_status status = set_json(place_of(options, number), item, error);
    options->given[number] |= !status;
    return status;
}

/* ---- keys of objects ---- */

void fl_option_append_key(const fl_option_row *row, fl_text *out)
{
    for (const char *c = row->name; *c; c++)
        fl_text_append(out, "%c", *c == '-' ? '_' : *c);
}

static bool is_key(const fl_option_row *row, const char *key)
{
    const char *name = row->name;
    for (; *key && *name; key++, name++)
        if (*key != (*name == '-' ? '_' : *name))
            return false;
    return *key == *name;
}

static bool is_in(const char *key, const char *const *keys)
{
    for (; *keys; keys++)
        if (strcmp(key, *keys) == 0)
            return true;
    return false;
}

static fl_status fail_unknown(const fl_options *options, const char *key, const char *const *own,
                              fl_error *error)
{
    const char *names[FL_OPTIONS_MAX + 1] = {0}, *now;
    char spelled[FL_OPTIONS_MAX][40], old[64];
    size_t count = 0;
    place p;
    snprintf(old, sizeof old, "%s", key);
    for (char *c = old; *c; c++)
        *c = *c == '_' ? '-' : *c;
    if (fl_option_was(options->groups, old, &now)) {
        char key_now[64];
        snprintf(key_now, sizeof key_now, "%s", now);
        for (char *c = key_now; *c && *c != ' ' && *c != ':'; c++)
            *c = *c == '-' ? '_' : *c;
        return fl_fail(error, FL_ERR_INVALID, "unknown key '%.60s': it is '%s' here", key, key_now);
    }
    for (; *own && count < FL_OPTIONS_MAX; own++)
        names[count++] = *own;
    for (int i = 0; (p = place_of(options, i)).row && count < FL_OPTIONS_MAX; i++, count++) {
        snprintf(spelled[count], sizeof spelled[count], "%s", p.row->name);
        for (char *c = spelled[count]; *c; c++)
            *c = *c == '-' ? '_' : *c;
        names[count] = spelled[count];
    }
    const char *nearest = fl_text_nearest(key, names);
    if (nearest)
        return fl_fail(error, FL_ERR_INVALID, "unknown key '%.100s'; did you mean '%s'?", key,
                       nearest);
    fl_text all = {0};
    for (size_t i = 0; names[i]; i++)
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    fl_status status = fl_fail(error, FL_ERR_INVALID, "unknown key '%.100s'; valid keys are %s",
                               key, all.failed ? "?" : all.data);
    fl_text_clear(&all);
    return status;
}

static fl_status fail_key(fl_error *error, fl_status status, const cJSON *item)
{
    fl_error inner;
    char *shown = cJSON_PrintUnformatted(item);
    if (!error || status != FL_ERR_INVALID) {
        cJSON_free(shown);
        return status;
    }
    inner = *error;
    bool verb = strncmp(inner.text, "must ", 5) == 0 || strncmp(inner.text, "takes ", 6) == 0;
    if (verb)
        status = fl_fail(error, status, "'%.60s' %.800s", item->string, inner.text);
    else
        status = fl_fail(error, status, "'%.60s' %.80s: %.800s", item->string, shown ? shown : "",
                         inner.text);
    cJSON_free(shown);
    return status;
}

fl_status fl_options_read_json(fl_options *options, const cJSON *object, const char *const *own,
                               fl_error *error)
{
    for (const cJSON *item = object->child; item; item = item->next) {
        int i = 0;
        place p;
        if (is_in(item->string, own))
            continue;
        while ((p = place_of(options, i)).row && !is_key(p.row, item->string))
            i++;
        if (!p.row)
            return fail_unknown(options, item->string, own, error);
        fl_status status = fl_option_set_json(options, i, item, error);
        if (status)
            return fail_key(error, status, item);
    }
    return FL_OK;
}

fl_status fl_option_fail(fl_error *error, fl_status status, const char *name, const char *value)
{
    fl_error inner;
    if (!error || !status)
        return status;
    inner = *error;
    return fl_fail(error, status, "--%.40s%s%.80s: %.880s", name, value ? " " : "",
                   !value   ? ""
                   : *value ? value
                            : "''",
                   inner.text);
}

/* ---- copies and texts ---- */

static fl_status copy_value(fl_option_kind kind, void *onto, const void *from, fl_error *error)
{
    const fl_name_list *names = from;
    const fl_count_list *counts = from;
    const fl_rate_list *rates = from;
    fl_status status = FL_OK;
    void *copy;
    switch (kind) {
    case FL_OPTION_TEXT:
    case FL_OPTION_NETWORK:
    case FL_OPTION_FILE:
    case FL_OPTION_FOLDER:
        return set_copy(onto, *(char *const *)from, error);
    case FL_OPTION_FILES:
    case FL_OPTION_NAMES:
        clear_value(kind, onto);
        for (unsigned i = 0; i < names->count && !status; i++)
            status = add_name(onto, names->of[i], strlen(names->of[i]), error);
        return status;
    case FL_OPTION_COUNTS:
        if (!(copy = malloc(counts->count * sizeof *counts->of)))
            return out_of_memory(error);
        memcpy(copy, counts->of, counts->count * sizeof *counts->of);
        clear_value(kind, onto);
        *(fl_count_list *)onto = (fl_count_list){copy, counts->count};
        return FL_OK;
    case FL_OPTION_RATES:
        if (!(copy = malloc(rates->count * sizeof *rates->of)))
            return out_of_memory(error);
        memcpy(copy, rates->of, rates->count * sizeof *rates->of);
        clear_value(kind, onto);
        *(fl_rate_list *)onto = (fl_rate_list){copy, rates->count};
        return FL_OK;
    default:
        memcpy(onto, from, size_of(kind));
        return FL_OK;
    }
}

fl_status fl_options_lay_over(fl_options *onto, const fl_options *from, fl_error *error)
{
    place p, q;
    fl_status status = FL_OK;
    for (int i = 0; !status && (p = place_of(onto, i)).row; i++)
        for (int j = 0; !status && (q = place_of(from, j)).row; j++)
            if (p.row == q.row && from->given[j]) {
                status = copy_value(p.row->kind, p.value, q.value, error);
                onto->given[i] = true;
            }
    return status;
}

void fl_option_append(const fl_options *options, int number, fl_text *out)
{
    place p = place_of(options, number);
    const fl_name_list *names = p.value;
    const fl_count_list *counts = p.value;
    const fl_rate_list *rates = p.value;
    unsigned word;
    switch (p.row->kind) {
    case FL_OPTION_SWITCH:
        break;
    case FL_OPTION_COUNT:
        fl_text_append(out, "%llu", (unsigned long long)*(uint64_t *)p.value);
        break;
    case FL_OPTION_UNSIGNED:
        fl_text_append(out, "%u", *(unsigned *)p.value);
        break;
    case FL_OPTION_NUMBER:
        fl_text_append_double(out, *(double *)p.value);
        break;
    case FL_OPTION_SECONDS:
        fl_text_append_double(out, *(double *)p.value);
        fl_text_append(out, "s");
        break;
    case FL_OPTION_WORD:
        memcpy(&word, p.value, sizeof word);
        fl_text_append(out, "%s", p.row->words[word]);
        break;
    case FL_OPTION_FILES:
    case FL_OPTION_NAMES:
        for (unsigned i = 0; i < names->count; i++)
            fl_text_append(out, "%s%s", i ? "," : "", names->of[i]);
        break;
    case FL_OPTION_COUNTS:
        for (uint32_t i = 0; i < counts->count; i++)
            fl_text_append(out, "%s%llu", i ? "," : "", (unsigned long long)counts->of[i]);
        break;
    case FL_OPTION_RATES:
        for (uint32_t i = 0; i < rates->count; i++) {
            fl_text_append(out, "%s", i ? "," : "");
            fl_text_append_double(out, rates->of[i]);
        }
        break;
    default:
        fl_text_append(out, "%s", *(char **)p.value ? *(char **)p.value : "");
    }
}
