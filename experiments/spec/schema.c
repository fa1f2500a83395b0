/* JSON Schemas of specs, from the rows that read them. */
#include "experiments/spec/schema.h"
#include "experiments/experiments.h"

#include <string.h>

/* ---- values of rows ---- */

static void append_member(fl_text *out, const char *key, const char *value)
{
    fl_text_append(out, "\"%s\": ", key);
    fl_json_append_string(out, value);
}

static void append_range(const fl_option_row *row, double most, fl_text *out)
{
    fl_text_append(out, ", \"minimum\": ");
    fl_text_append_double(out, row->least);
    if (row->most > 0 || most > 0) {
        fl_text_append(out, ", \"maximum\": ");
        fl_text_append_double(out, row->most > 0 ? row->most : most);
    }
}

static void append_words(const char *const *words, fl_text *out)
{
    fl_text_append(out, "[");
    for (size_t i = 0; words[i]; i++) {
        fl_text_append(out, "%s", i ? ", " : "");
        fl_json_append_string(out, words[i]);
    }
    fl_text_append(out, "]");
}

static void append_type(const fl_option_row *row, fl_text *out)
{
    switch (row->kind) {
    case FL_OPTION_SWITCH:
        fl_text_append(out, "\"const\": true");
        break;
    case FL_OPTION_COUNT:
        fl_text_append(out, "\"type\": \"integer\"");
        append_range(row, (double)FL_JSON_U64_MAX, out);
        break;
    case FL_OPTION_UNSIGNED:
        fl_text_append(out, "\"type\": \"integer\"");
        append_range(row, UINT32_MAX, out);
        break;
    case FL_OPTION_NUMBER:
        fl_text_append(out, "\"type\": \"number\"");
        append_range(row, 0, out);
        break;
    case FL_OPTION_WORD:
        fl_text_append(out, "\"enum\": ");
        append_words(row->words, out);
        break;
    case FL_OPTION_NAMES:
        fl_text_append(out, "\"$ref\": \"#/$defs/names\"");
        break;
    case FL_OPTION_COUNTS:
        fl_text_append(out, "\"$ref\": \"#/$defs/counts\"");
        break;
    case FL_OPTION_RATES:
        fl_text_append(out, "\"$ref\": \"#/$defs/rates\"");
        break;
    default:
        fl_text_append(out, row->most > 0 ? "\"type\": [\"string\", \"integer\"]"
                                          : "\"type\": \"string\"");
        fl_text_append(out, ", \"minLength\": 1");
        if (row->most > 0)
            append_range(row, 0, out);
    }
}

static void append_default(const fl_option_row *row, fl_text *out)
{
    uint64_t count;
    if (!row->preset)
        return;
    fl_text_append(out, ", \"default\": ");
    if ((row->kind == FL_OPTION_COUNT || row->kind == FL_OPTION_UNSIGNED) &&
        fl_text_to_count(row->preset, &count))
        fl_text_append(out, "%llu", (unsigned long long)count);
    else if (row->kind == FL_OPTION_NUMBER)
        fl_text_append(out, "%s", row->preset);
    else
        fl_json_append_string(out, row->preset);
}

void fl_options_append_schema(const fl_option_group *groups, unsigned indent, fl_text *out)
{
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(groups, i, NULL)) != NULL; i++) {
        fl_text_append(out, ",\n%*s\"", (int)indent, "");
        fl_option_append_key(row, out);
        fl_text_append(out, "\": {");
        append_type(row, out);
        append_default(row, out);
        fl_text_append(out, ", ");
        append_member(out, "description", row->help);
        fl_text_append(out, "}");
    }
}

/* ---- pieces ---- */

static void append_head(const char *title, const char *description, const char *required,
                        fl_text *out)
{
    fl_text_append(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  ");
    append_member(out, "title", title);
    fl_text_append(out, ",\n  ");
    append_member(out, "description", description);
    fl_text_append(
        out,
        ",\n  \"type\": \"object\",\n  \"additionalProperties\": false,\n%s  \"properties\": {\n"
        "    \"plugins\": {\n"
        "      \"type\": \"array\", \"minItems\": 1, \"maxItems\": 32,\n"
        "      \"description\": \"Plug-ins that must have been loaded (--plugin FILE); a spec loads "
        "nothing.\",\n"
        "      \"items\": {\n"
        "        \"type\": \"object\", \"additionalProperties\": false, \"required\": [\"name\"],\n"
        "        \"properties\": {\n"
        "          \"name\": {\"type\": \"string\", \"minLength\": 1},\n"
        "          \"version\": {\"type\": \"string\", \"minLength\": 1},\n"
        "          \"hash\": {\"type\": \"string\", \"pattern\": \"^[0-9a-f]{16}$\", "
        "\"description\": \"Of the file, as 'faultline list plugins' shows it.\"}\n"
        "        }\n      }\n    }",
        required);
}

#define FILE_NAME \
    "{\"type\": \"string\", \"pattern\": \"^[^./\\\\\\\\][^/\\\\\\\\]{0,99}$\", \"description\": \"A plain file name.\"}"

static void append_texts(const char *name, const char *source, fl_text *out)
{
    fl_text_append(out,
                   ",\n    \"name\": %s"
                   ",\n    \"title\": {\"type\": \"string\", \"minLength\": 1}"
                   ",\n    \"source\": {\"type\": \"string\", \"minLength\": 1, ",
                   name);
    append_member(out, "description", source);
    fl_text_append(out, "}");
}

static const char lists[] =
    "  \"$defs\": {\n"
    "    \"names\": {\n"
    "      \"description\": \"A list, or one text, a,b,c.\",\n"
    "      \"anyOf\": [{\"type\": \"string\", \"minLength\": 1},\n"
    "                {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 64, \"items\": "
    "{\"type\": \"string\"}}]\n"
    "    },\n"
    "    \"counts\": {\n"
    "      \"description\": \"first:last:step or a,b,c, a number, or a rising list of numbers.\",\n"
    "      \"anyOf\": [{\"type\": \"string\", \"minLength\": 1}, {\"type\": \"integer\", "
    "\"minimum\": 0},\n"
    "                {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"integer\", "
    "\"minimum\": 0}}]\n"
    "    },\n"
    "    \"rates\": {\n"
    "      \"description\": \"first:last:step or a,b,c, a number, or a rising list of numbers, 0 to "
    "1.\",\n"
    "      \"anyOf\": [{\"type\": \"string\", \"minLength\": 1},\n"
    "                {\"type\": \"number\", \"minimum\": 0, \"maximum\": 1},\n"
    "                {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"number\", "
    "\"minimum\": 0, \"maximum\": 1}}]\n"
    "    }\n"
    "  }\n"
    "}\n";

static const char one_axis[] = "\"not\": {\"required\": [\"faults\", \"fault_rate\"]}";

static void begin_list(const char *key, unsigned most, const char *required, fl_text *out)
{
    fl_text_append(out,
                   ",\n    \"%s\": {\n      \"type\": \"array\", \"minItems\": 1, \"maxItems\": "
                   "%u,\n      \"items\": {\n        \"type\": \"object\", "
                   "\"additionalProperties\": false,%s\n        \"properties\": {",
                   key, most, required);
}

static void begin_figures(const char *const *quantities, fl_text *out)
{
    begin_list("figures", 64, " \"required\": [\"name\", \"quantity\"],", out);
    fl_text_append(out, "\n          \"name\": " FILE_NAME
                        ",\n          \"title\": {\"type\": \"string\", \"minLength\": 1},"
                        "\n          \"quantity\": {\"enum\": ");
    append_words(quantities, out);
    fl_text_append(out, "},\n          \"log_y\": {\"type\": \"boolean\", \"default\": false}");
}

/* ---- schemas ---- */

static void append_experiment(fl_text *out)
{
    append_head("Faultline experiment",
                "What `faultline sweep SPEC.json` runs. Keys of a sweep may stand at the top, as "
                "defaults of all sweeps.",
                "", out);
    append_texts(FILE_NAME, "What the experiment is to be compared with.", out);
    fl_options_append_schema(fl_experiment_keys, 4, out);
    begin_list("sweeps", 256, "", out);
    size_t before = out->length;
    fl_options_append_schema(fl_sweep_keys, 10, out);
    if (!out->failed)
        out->data[before] = ' '; /* no comma in front of the first */
    fl_text_append(out, "\n        },\n        %s\n      }\n    }", one_axis);
    begin_figures(fl_quantity_names, out);
    fl_text_append(
        out,
        ",\n          \"routers\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 64, \"items\": {\"type\": \"string\"}, \"description\": "
        "\"Default: all.\"},\n          \"reference\": {\"type\": \"string\", "
        "\"description\": \"Draw differences of success ratios to this router, in "
        "percentage points.\"}\n        }\n      }\n    }\n  },\n  %s,\n%s",
        one_axis, lists);
}

static void append_simulation(fl_text *out)
{
    append_head(
        "Faultline simulation of several curves",
        "What `faultline simulate SPEC.json` runs. Keys of a curve are options of simulate, "
        "with _ for -, and may stand at the top, as what holds for all curves. Without "
        "`curves`, each of the routers is one.",
        "", out);
    append_texts(FILE_NAME, "What the figures are to be compared with.", out);
    fl_options_append_schema(fl_load_keys, 4, out);
    begin_list("curves", FL_LOAD_CURVES_MAX, " \"required\": [\"label\"],", out);
    fl_text_append(out, "\n          \"label\": {\"type\": \"string\", \"minLength\": 1}");
    fl_options_append_schema(fl_load_keys, 10, out);
    fl_text_append(out, "\n        }\n      }\n    }");
    begin_figures(fl_load_quantity_names, out);
    fl_text_append(out, ",\n          \"against\": {\"enum\": ");
    append_words(fl_load_axis_names, out);
    fl_text_append(
        out, ", \"description\": \"cycle for what begins with series_; fault_rate with several "
             "fault rates; else the offered (default) or the accepted load.\"}");
    for (const char *const *end = (const char *const[]){"x_min", "x_max", "y_min", "y_max", NULL};
         *end; end++)
        fl_text_append(out, ",\n          \"%s\": {\"type\": \"number\"}", *end);
    fl_text_append(
        out,
        ",\n          \"curves\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, \"items\": "
        "{\"type\": \"string\"}, \"description\": \"Labels; default: all.\"},\n          "
        "\"difference_to\": {\"type\": \"string\", \"minLength\": 1, \"description\": \"A "
        "label: draws how much more each curve has than that one, run by run.\"}\n        }\n"
        "      }\n    }\n  },\n",
        FL_LOAD_CURVES_MAX);
    fl_text_append(out, "%s", lists);
}

static void append_makespan(fl_text *out)
{
    append_head("Faultline times of workloads on several networks",
                "What `faultline makespan SPEC.json` runs.",
                "  \"required\": [\"name\", \"networks\", \"workloads\"],\n", out);
    append_texts("{\"type\": \"string\", \"minLength\": 1}",
                 "What the times are to be compared with.", out);
    fl_options_append_schema(fl_makespan_keys, 4, out);
    fl_text_append(
        out,
        ",\n    \"router\": {\"type\": \"string\", \"minLength\": 1, \"description\": "
        "\"router of all networks that do not have their own\"}"
        ",\n    \"networks\": {\n      \"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, "
        "\"description\": \"Times are compared with those of the first.\",\n      \"items\": {\n"
        "        \"anyOf\": [\n          {\"type\": \"string\", \"minLength\": 1},\n          {\n"
        "            \"type\": \"object\", \"additionalProperties\": false, \"required\": "
        "[\"topology\"],\n            \"properties\": {\n"
        "              \"topology\": {\"type\": \"string\", \"minLength\": 1},\n"
        "              \"router\": {\"type\": \"string\", \"minLength\": 1},\n"
        "              \"label\": {\"type\": \"string\", \"minLength\": 1, \"description\": "
        "\"Default: the topology.\"}\n            }\n          }\n        ]\n      }\n    }"
        ",\n    \"workloads\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": %d, \"items\": "
        "{\"type\": \"string\", \"minLength\": 1}}"
        ",\n    \"published\": {\n      \"type\": \"object\", \"additionalProperties\": false,\n"
        "      \"description\": \"Values to stand beside the measured ones.\",\n"
        "      \"properties\": {",
        FL_MAKESPAN_NETWORKS_MAX, FL_MAKESPAN_WORKLOADS_MAX);
    for (size_t i = 0; fl_makespan_quantity_names[i]; i++)
        fl_text_append(out, "%s\n        \"%s\": {\"$ref\": \"#/$defs/row\"}", i ? "," : "",
                       fl_makespan_quantity_names[i]);
    fl_text_append(
        out,
        "\n      }\n    }\n  },\n  \"$defs\": {\n    \"row\": {\"description\": \"One "
        "number for each network.\", \"type\": \"array\", \"minItems\": 1, \"maxItems\": "
        "%d, \"items\": {\"type\": \"number\"}}\n  }\n}\n",
        FL_MAKESPAN_NETWORKS_MAX);
}

static void append_deadlock(fl_text *out)
{
    append_head("Faultline deadlock rules",
                "What `faultline deadlock --rules FILE.json` checks: expectations about routers "
                "that are to stay true.",
                "  \"required\": [\"rules\"],\n", out);
    fl_text_append(out, ",\n    \"comment\": {\"type\": \"string\", \"minLength\": 1}");
    begin_list("rules", 10000, " \"required\": [\"topology\", \"router\"],", out);
    fl_text_append(
        out,
        "\n          \"faults\": {\n            \"oneOf\": [{\"type\": \"integer\", \"minimum\": "
        "0}, {\"const\": \"any\"}],\n            \"description\": \"Every set of up to that many "
        "faults is tried; any: a proof for every fault set. May be left out beside a witness.\"\n"
        "          },\n          \"all_candidates\": {\"type\": \"boolean\", \"default\": false, "
        "\"description\": \"Follow every candidate of every switch, not only the first; in proofs "
        "too.\"},\n          \"witness\": {\n            \"type\": \"object\", "
        "\"additionalProperties\": false, \"required\": [\"faults\"],\n            "
        "\"properties\": {\"faults\": {\"type\": \"array\", \"minItems\": 1, \"maxItems\": 1000, "
        "\"items\": {\"type\": \"string\", \"minLength\": 1, \"pattern\": \"^[^;@]+$\"}}},\n"
        "            \"description\": \"There is a cycle when exactly these links are down.\"\n"
        "          }");
    fl_options_append_schema(fl_deadlock_rule_keys, 10, out);
    fl_text_append(
        out,
        "\n        },\n        \"anyOf\": [\n"
        "          {\"required\": [\"expect\", \"faults\"]}, {\"required\": [\"expect\", "
        "\"witness\"]},\n"
        "          {\"required\": [\"length_bound\"], \"not\": {\"anyOf\": [{\"required\": "
        "[\"expect\"]}, {\"required\": [\"faults\"]}, {\"required\": [\"witness\"]}, "
        "{\"required\": [\"cyclic_sets\"]}]}}\n        ],\n        \"allOf\": [\n"
        "          {\"if\": {\"required\": [\"expect\"], \"properties\": {\"expect\": {\"const\": "
        "\"acyclic\"}}}, \"then\": {\"not\": {\"anyOf\": [{\"required\": [\"witness\"]}, "
        "{\"required\": [\"cyclic_sets\"]}]}}},\n"
        "          {\"if\": {\"required\": [\"vc_assignment\"]}, \"then\": {\"required\": "
        "[\"vcs\"]}},\n"
        "          {\"if\": {\"required\": [\"cyclic_sets\"]}, \"then\": {\"required\": "
        "[\"faults\"], \"properties\": {\"faults\": {\"type\": \"integer\"}}}}\n"
        "        ]\n      }\n    }\n  }\n}\n");
}

const char *const fl_schema_names[] = {"experiment", "simulation", "makespan", "deadlock", NULL};

void fl_schema_append(unsigned schema, fl_text *out)
{
    static void (*const append[])(fl_text * out) = {append_experiment, append_simulation,
                                                    append_makespan, append_deadlock};
    append[schema](out);
}
