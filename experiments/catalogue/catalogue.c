#include "experiments/catalogue/formula.h"
#include "experiments/catalogue/private.h"

#include "core/array.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fl_verdict_names[FL_VERDICTS] = {
    "given",          "derivation holds", "agrees",
    "agrees as read", "bound holds",      "agrees, not measured",
    "undecided",      "source differs",   "FAULTLINE CONTRADICTS ITSELF",
};

enum { PARAMETERS_MAX = 8, SPEC_MAX = 192 };

/* ---- one instance: parameters, constants, and networks ---- */

typedef struct instance {
    const char *names[PARAMETERS_MAX];
    double values[PARAMETERS_MAX];
    unsigned count;
} instance;

typedef struct job {
    fl_measurements *measurements;
    const cJSON *constants,
        *networks; /* of the file; of the entry: a spec, or one for each letter */
    const instance *at;
    bool measuring, upper_bound;
    fl_text *why_not;
    fl_status status; /* of what a name led to */
    fl_error *error;
} job;

static const cJSON *find(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const char *text_of(const cJSON *object, const char *key)
{
    return cJSON_GetStringValue(find(object, key));
}

static bool find_number(void *user, const char *of, const char *name, double *out)
{
    const job *j = user;
    if (of)
        return false;
    for (unsigned i = 0; i < j->at->count; i++)
        if (strcmp(j->at->names[i], name) == 0) {
            *out = j->at->values[i];
            return true;
        }
    const cJSON *constant = find(j->constants, name);
    if (cJSON_IsNumber(constant))
        *out = constant->valuedouble;
    return cJSON_IsNumber(constant);
}

/* `{...}` in a spec stands for the whole number that the formula in it gives. */
static fl_status expand(char out[SPEC_MAX], const char *pattern, job *j, fl_error *error)
{
    const fl_formula_names names = {find_number, j};
    size_t length = 0;
    for (const char *c = pattern; *c && length + 24 < SPEC_MAX;) {
        const char *close = *c == '{' ? strchr(c, '}') : NULL;
        if (!close) {
            out[length++] = *c++;
            continue;
        }
        char formula[SPEC_MAX];
        double value;
        snprintf(formula, sizeof formula, "%.*s", (int)(close - c - 1), c + 1);
        fl_status status = fl_formula_value(&value, formula, &names, error);
        if (status)
            return status;
        if (!(value >= 0 && value < 1e15) || value != floor(value))
            return fl_fail(error, FL_ERR_INVALID, "'%s' in '%s' is %g, not a whole number", formula,
                           pattern, value);
        length += (size_t)snprintf(out + length, SPEC_MAX - length, "%.0f", value);
        c = close + 1;
    }
    out[length] = 0;
    return FL_OK;
}

static const char *pattern_of(const cJSON *networks, const char *letter)
{
    if (cJSON_IsString(networks))
        return strcmp(letter, "a") == 0 ? networks->valuestring : NULL;
    return text_of(networks, letter);
}

static bool find_name(void *user, const char *of, const char *name, double *out)
{
    job *j = user;
    char spec[SPEC_MAX];
    if (!of)
        return find_number(user, of, name, out);
    const char *pattern = pattern_of(j->networks, of);
    if (!pattern)
        return false;
    *out = NAN;
    if (!j->status)
        j->status = expand(spec, pattern, j, j->error);
    if (!j->status && j->measuring)
        j->status = fl_measurements_value(out, j->measurements, spec, name, &j->upper_bound,
                                          j->why_not, j->error);
    else if (!j->status)
        j->status = fl_measurements_form(out, j->measurements, spec, name, j->error);
    return true;
}

static fl_status value_of(double *out, const char *formula, job *j, bool measuring, fl_error *error)
{
    const fl_formula_names names = {find_name, j};
    *out = NAN;
    j->measuring = measuring;
    j->status = FL_OK;
    j->error = error;
    if (!formula)
        return FL_OK;
    fl_status status = fl_formula_value(out, formula, &names, error);
    return status ? status : j->status;
}

/* ---- judging ---- */

/* `12,345.67`: a number as printed, and half a unit of its last digit. */
static bool printed_number(const char *text, double *value, double *half_unit)
{
    char plain[64];
    size_t length = 0;
    int decimals = -1;
    for (const char *c = text; *c; c++) {
        if (*c == ',')
            continue;
        if ((!isdigit((unsigned char)*c) && *c != '.') || length + 1 == sizeof plain)
            return false;
        decimals += decimals >= 0 || *c == '.';
        plain[length++] = *c;
    }
    plain[length] = 0;
    *half_unit = decimals < 0 ? 0 : .5 * pow(10, -decimals);
    return length > 0 && fl_text_to_double(plain, value);
}

static bool near(double a, double b, double allowed)
{
    return fabs(a - b) <= allowed + 1e-9 * fmax(1, fmax(fabs(a), fabs(b)));
}

typedef struct comparison {
    bool at_most, at_least; /* published as a bound of what is measured */
    bool read;              /* needs a reading to agree */
    bool checkable;         /* has a closed form, or a quantity */
    double allowed;
} comparison;

static bool fits(double published, double value, const comparison *how)
{
    if (how->at_most)
        return value <= published + 1e-9 * fabs(published);
    if (how->at_least)
        return value >= published - 1e-9 * fabs(published);
    return near(published, value, how->allowed);
}

static fl_verdict judge(const fl_catalogue_instance *i, const comparison *how)
{
    bool form = !isnan(i->form), measured = !isnan(i->measured);
    bool bound = how->at_most || how->at_least;
    if (form && measured &&
        (i->upper_bound ? i->measured < i->form - 1e-6 : !near(i->form, i->measured, 0)))
        return FL_VERDICT_BROKEN;
    if (isnan(i->published) && form)
        return measured ? FL_VERDICT_DERIVED : FL_VERDICT_UNMEASURED;
    if (!form && !measured)
        return how->checkable ? FL_VERDICT_UNDECIDED : FL_VERDICT_GIVEN;
    if (i->upper_bound && !bound && i->published != floor(i->published) && how->allowed == 0)
        return FL_VERDICT_DIFFERS; /* no number of links */
    if (!form && i->upper_bound && !bound && !fits(i->published, i->measured, how) &&
        i->measured > i->published)
        return FL_VERDICT_UNDECIDED;
    if (!fits(i->published, form ? i->form : i->measured, how))
        return FL_VERDICT_DIFFERS;
    if (bound)
        return FL_VERDICT_BOUND;
    if (!measured)
        return FL_VERDICT_UNMEASURED;
    return how->read ? FL_VERDICT_AS_READ : FL_VERDICT_AGREES;
}

static bool is_measured(fl_verdict verdict)
{
    return verdict == FL_VERDICT_AGREES || verdict == FL_VERDICT_AS_READ ||
           verdict == FL_VERDICT_DERIVED;
}

/* Of all instances: the worst, but that one which was measured speaks for those which were not. */
static fl_verdict verdict_of(const fl_catalogue_entry *entry)
{
    fl_verdict worst = FL_VERDICT_GIVEN;
    for (size_t i = 0; i < entry->instance_count; i++) {
        fl_verdict mine = entry->instances[i].verdict;
        if (worst == FL_VERDICT_UNMEASURED && is_measured(mine))
            worst = mine;
        else if (mine > worst && !(mine == FL_VERDICT_UNMEASURED && is_measured(worst)))
            worst = mine;
    }
    return worst;
}

/* ---- reading ---- */

typedef struct reading {
    fl_catalogue *catalogue;
    const fl_catalogue_options *options;
    fl_measurements *measurements;
    uint64_t done, all;
} reading;

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        strcpy(copy, text);
    return copy;
}

static fl_status no_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory");
}

static fl_status label_of(char **out, job *j, fl_error *error)
{
    fl_text text = {0};
    char spec[SPEC_MAX];
    fl_status status = FL_OK;
    const cJSON *item;
    if (cJSON_IsString(j->networks)) {
        status = expand(spec, j->networks->valuestring, j, error);
        fl_text_append(&text, "%s", status ? "" : spec);
    } else if (cJSON_IsObject(j->networks)) {
        cJSON_ArrayForEach(item, j->networks)
        {
            if (!status)
                status = expand(spec, cJSON_IsString(item) ? item->valuestring : "", j, error);
            fl_text_append(&text, "%s%s: %s", text.length ? "; " : "", item->string,
                           status ? "" : spec);
        }
    } else {
        for (unsigned i = 0; i < j->at->count; i++)
            fl_text_append(&text, "%s%s = %.10g", i ? ", " : "", j->at->names[i], j->at->values[i]);
    }
    if (!status) {
        *out = copy_text(text.data ? text.data : "");
        status = *out ? FL_OK : no_memory(error);
    }
    fl_text_clear(&text);
    return status;
}

static fl_status judge_instance(fl_catalogue_instance *out, const cJSON *json, job *j,
                                fl_error *error)
{
    fl_text why_not = {0};
    comparison how = {.at_most = cJSON_IsTrue(find(json, "at_most")),
                      .at_least = cJSON_IsTrue(find(json, "at_least")),
                      .read = find(json, "reading") != NULL};
    const char *published = text_of(json, "published"), *form = text_of(json, "form"),
               *quantity = text_of(json, "quantity");
    const char *unmeasured = text_of(json, "unmeasured");
    how.checkable = form || quantity;
    *out = (fl_catalogue_instance){.published = NAN, .form = NAN, .measured = NAN};
    j->why_not = &why_not;
    j->upper_bound = false;
    fl_status status = label_of(&out->label, j, error);
    if (!status && published && !printed_number(published, &out->published, &how.allowed))
        status = value_of(&out->published, published, j, false, error);
    if (cJSON_IsTrue(find(json, "rounded")))
        how.allowed = fmax(how.allowed, .5);
    if (!status)
        status = value_of(&out->form, form ? form : quantity, j, false, error);
    if (!status && quantity && !unmeasured)
        status = value_of(&out->measured, quantity, j, true, error);
    out->upper_bound = j->upper_bound;
    if (unmeasured)
        fl_text_append(&why_not, "%s", unmeasured);
    if (!status && isnan(out->measured) && why_not.length) {
        out->why_not = copy_text(why_not.data);
        status = out->why_not ? FL_OK : no_memory(error);
    }
    fl_text_clear(&why_not);
    out->verdict = judge(out, &how);
    return status;
}

/* `{"k": [2, 3], "n": 4}`: every combination. */
static fl_status combine(const cJSON *item, instance *at, const cJSON *json,
                         fl_catalogue_entry *entry, job *j, fl_error *error)
{
    if (!item) {
        if (!FL_RESIZE(&entry->instances, entry->instance_count + 1))
            return no_memory(error);
        j->at = at;
        return judge_instance(&entry->instances[entry->instance_count++], json, j, error);
    }
    if (at->count == PARAMETERS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "more than %d parameters", PARAMETERS_MAX);
    unsigned mine = at->count++;
    at->names[mine] = item->string;
    const cJSON *value = cJSON_IsArray(item) ? item->child : item;
    fl_status status = FL_OK;
    for (; value && !status; value = cJSON_IsArray(item) ? value->next : NULL) {
        if (!cJSON_IsNumber(value))
            return fl_fail(error, FL_ERR_INVALID,
                           "parameter '%s': expected a number or a list of numbers", item->string);
        at->values[mine] = value->valuedouble;
        status = combine(item->next, at, json, entry, j, error);
    }
    at->count--;
    return status;
}

static fl_status judge_all(fl_catalogue_entry *entry, const cJSON *json, const cJSON *instances,
                           job *j, fl_error *error)
{
    fl_status status = FL_OK;
    const cJSON *set = cJSON_IsArray(instances) ? instances->child : instances;
    if (!set) {
        instance none = {.count = 0};
        return combine(NULL, &none, json, entry, j, error);
    }
    for (; set && !status; set = cJSON_IsArray(instances) ? set->next : NULL) {
        instance at = {.count = 0};
        status = cJSON_IsObject(set)
                     ? combine(set->child, &at, json, entry, j, error)
                     : fl_fail(error, FL_ERR_INVALID, "'instances': expected objects");
    }
    return status;
}

static fl_status read_entry(reading *r, fl_catalogue_entry *entry, const cJSON *json,
                            const cJSON *file, const cJSON *table, fl_error *error)
{
    static const char *const keys[] = {"row",      "column",   "published", "unit",       "form",
                                       "quantity", "network",  "instances", "reading",    "why",
                                       "at_most",  "at_least", "rounded",   "unmeasured", NULL};
    *entry = (fl_catalogue_entry){.row = text_of(json, "row"),
                                  .column = text_of(json, "column"),
                                  .published = text_of(json, "published"),
                                  .unit = text_of(json, "unit"),
                                  .form = text_of(json, "form"),
                                  .quantity = text_of(json, "quantity"),
                                  .reading = text_of(json, "reading"),
                                  .why = text_of(json, "why")};
    job j = {.measurements = r->measurements,
             .constants = find(file, "constants"),
             .networks = find(json, "network")};
    const cJSON *instances = find(json, "instances");
    char place[256];
    snprintf(place, sizeof place, "%s, '%s', '%s'", text_of(table, "id"),
             entry->row ? entry->row : "", entry->column ? entry->column : "");
    fl_status status = fl_json_check_keys(json, keys, error);
    if (!status && (!entry->row || (!entry->published && !(entry->form && entry->quantity))))
        status = fl_fail(
            error, FL_ERR_INVALID,
            "needs 'row', and 'published' or else 'form' and 'quantity', all of them texts");
    if (!status)
        status =
            judge_all(entry, json, instances ? instances : find(table, "instances"), &j, error);
    entry->verdict = verdict_of(entry);
    if (status)
        return status == FL_ERR_STOPPED ? status : fl_fail_in(error, status, place);
    r->done++;
    if (r->options->progress)
        r->options->progress(r->options->user, r->done, r->all);
    r->catalogue->entries[entry->verdict]++;
    for (size_t i = 0; i < entry->instance_count; i++)
        r->catalogue->instances[entry->instances[i].verdict]++;
    return FL_OK;
}

static fl_status read_table(reading *r, const cJSON *json, const cJSON *file, fl_error *error)
{
    static const char *const keys[] = {"id", "title", "about", "instances", "rows", NULL};
    fl_catalogue *c = r->catalogue;
    const cJSON *rows = find(json, "rows"), *row;
    fl_status status = fl_json_check_keys(json, keys, error);
    if (!status && (!text_of(json, "id") || !text_of(json, "title") || !cJSON_IsArray(rows)))
        status = fl_fail(error, FL_ERR_INVALID, "a table needs 'id', 'title' and a list of 'rows'");
    if (!status && !FL_RESIZE(&c->tables, c->table_count + 1))
        status = no_memory(error);
    if (status)
        return status;
    fl_catalogue_table *table = &c->tables[c->table_count++];
    *table = (fl_catalogue_table){.paper = text_of(file, "paper"),
                                  .source = text_of(file, "source"),
                                  .id = text_of(json, "id"),
                                  .title = text_of(json, "title"),
                                  .about = text_of(json, "about")};
    table->entries = calloc((size_t)cJSON_GetArraySize(rows) + 1, sizeof *table->entries);
    if (!table->entries)
        return no_memory(error);
    cJSON_ArrayForEach(row, rows)
    {
        if (!status)
            status = read_entry(r, &table->entries[table->entry_count++], row, file, json, error);
    }
    return status;
}

static uint64_t count_rows(const cJSON *file)
{
    uint64_t count = 0;
    const cJSON *table;
    cJSON_ArrayForEach(table, find(file, "tables")) count +=
        (uint64_t)cJSON_GetArraySize(find(table, "rows"));
    return count;
}

static fl_status parse_file(reading *r, const char *text, const char *where, fl_error *error)
{
    static const char *const keys[] = {"paper", "source", "constants", "tables", NULL};
    fl_catalogue *c = r->catalogue;
    if (!FL_RESIZE(&c->documents, c->document_count + 1))
        return no_memory(error);
    cJSON *file;
    fl_status status = fl_json_parse(&file, text, strlen(text), where, error);
    if (status)
        return status;
    c->documents[c->document_count++] = file;
    r->all += count_rows(file);
    status = fl_json_check_keys(file, keys, error);
    if (!status && (!text_of(file, "paper") || !text_of(file, "source") ||
                    !cJSON_IsArray(find(file, "tables"))))
        status = fl_fail(error, FL_ERR_INVALID, "needs 'paper', 'source' and a list of 'tables'");
    return status ? fl_fail_in(error, status, where) : FL_OK;
}

static fl_status judge_files(reading *r, fl_error *error)
{
    fl_status status = FL_OK;
    for (size_t i = 0; i < r->catalogue->document_count; i++) {
        const cJSON *file = r->catalogue->documents[i], *table;
        cJSON_ArrayForEach(table, find(file, "tables"))
        {
            if (!status)
                status = read_table(r, table, file, error);
            if (status && status != FL_ERR_STOPPED)
                return fl_fail_in(error, status, text_of(file, "paper"));
        }
    }
    return status;
}

static fl_status create(fl_catalogue **out, const fl_published_file *files,
                        const fl_catalogue_options *options, fl_error *error)
{
    static const fl_catalogue_options defaults;
    reading r = {.options = options ? options : &defaults};
    r.catalogue = calloc(1, sizeof *r.catalogue);
    uint64_t largest = r.options->largest ? r.options->largest : FL_CATALOGUE_LARGEST;
    r.measurements = fl_measurements_create(largest, r.options->should_stop, r.options->user);
    fl_status status = r.catalogue && r.measurements ? FL_OK : no_memory(error);
    for (; !status && files->name; files++)
        status = parse_file(&r, files->text, files->name, error);
    if (!status)
        status = judge_files(&r, error);
    if (!status) {
        r.catalogue->largest = largest;
        r.catalogue->networks = fl_measurements_count(r.measurements);
        *out = r.catalogue;
    } else {
        fl_catalogue_destroy(r.catalogue);
    }
    fl_measurements_destroy(r.measurements);
    return status;
}

fl_status fl_catalogue_create(fl_catalogue **out, const fl_catalogue_options *options,
                              fl_error *error)
{
    return create(out, fl_published_files, options, error);
}

fl_status fl_catalogue_read(fl_catalogue **out, const char *text, const char *where,
                            const fl_catalogue_options *options, fl_error *error)
{
    return create(out, (const fl_published_file[]){{where, text}, {NULL, NULL}}, options, error);
}

void fl_catalogue_destroy(fl_catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t t = 0; t < catalogue->table_count; t++) {
        fl_catalogue_table *table = &catalogue->tables[t];
        for (size_t e = 0; e < table->entry_count; e++) {
            for (size_t i = 0; i < table->entries[e].instance_count; i++) {
                free(table->entries[e].instances[i].label);
                free(table->entries[e].instances[i].why_not);
            }
            free(table->entries[e].instances);
        }
        free(table->entries);
    }
    for (size_t i = 0; i < catalogue->document_count; i++)
        cJSON_Delete(catalogue->documents[i]);
    free(catalogue->tables);
    free(catalogue->documents);
    free(catalogue);
}
