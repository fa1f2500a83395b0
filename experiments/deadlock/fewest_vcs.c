#include "experiments/deadlock/private.h"

#include <stdlib.h>
#include <string.h>

enum { RULES_MAX = 32 };

/* ---- one cell: a router and a VC assignment ---- */

static fl_status prove_with(fl_proof *proof, fl_router **router, const fl_fewest_channels *cell,
                            const fl_deadlock_study *study, unsigned channels, bool seek,
                            fl_error *error)
{
    fl_deadlock_study copy = *study;
    const fl_proof_options options = {.all_candidates =
                                          fl_deadlock_follows_all(study->candidates, cell->router),
                                      .seek = seek,
                                      .should_stop = fl_deadlock_study_is_stopped,
                                      .user = &copy};
    fl_status status =
        fl_router_create(router, study->network, cell->router->name, cell->router->scope, error);
    if (status)
        return status;
    status = fl_router_set_channels(*router, cell->rule->name, channels, error);
    if (!status)
        status = fl_router_prove(proof, *router, study->model, &options, error);
    if (status)
        fl_router_destroy(*router);
    return status;
}

/* More channels never hurt: a cycle with one channel more is one with the two highest taken for
 * one. And when some are left over, more of them change nothing. */
static fl_status count_channels(fl_fewest_channels *cell, const fl_deadlock_study *study,
                                fl_error *error)
{
    for (unsigned channels = 1; channels <= FL_FEWEST_CHANNELS_MOST && !cell->fewest; channels++) {
        fl_proof proof;
        fl_router *router;
        fl_status status = prove_with(&proof, &router, cell, study, channels, false, error);
        if (status)
            return status;
        bool free = proof.deadlock_free, left_over = proof.channels_used < channels;
        unsigned used = proof.channels_used;
        fl_proof_clear(&proof);
        fl_router_destroy(router);
        if (free)
            cell->fewest = channels;
        cell->fewer = free ? channels - 1 : used;
        cell->useless = !free && left_over;
        if (left_over)
            break;
    }
    return FL_OK;
}

/* Leaves faults out one by one until no single one more can be left out. */
static fl_status shrink(fl_deadlock_witness **witness, const fl_router *router,
                        const fl_deadlock_study *study, fl_error *error)
{
    for (unsigned kept = 0, i = 0; kept < (*witness)->faults; i++) {
        fl_deadlock_witness *w = *witness;
        uint64_t *components = malloc(w->faults * sizeof *components);
        if (!components)
            return fl_fail(error, FL_ERR_MEMORY, "out of memory for a witness");
        unsigned out = i % w->faults;
        memcpy(components, w->components, w->faults * sizeof *components);
        components[out] = components[w->faults - 1];
        fl_deadlock_result result;
        fl_deadlock_study quiet = {.stop = study->stop};
        const fl_deadlock_options options = {.all_candidates =
                                                 fl_deadlock_follows_all(study->candidates, router),
                                             .progress = fl_deadlock_study_goes_on,
                                             .user = &quiet};
        fl_status status = fl_deadlock_check_set(&result, router, study->model, components,
                                                 w->faults - 1, &options, error);
        free(components);
        if (status)
            return status;
        kept = result.witness ? 0 : kept + 1;
        if (result.witness) {
            fl_deadlock_witness_destroy(w);
            *witness = result.witness;
        }
    }
    return FL_OK;
}

/* Goes through the study's fault counts as long as they are fewer than those of the set that is
 * known. */
static fl_status search(fl_fewest_channels *cell, const fl_router *router,
                        const fl_deadlock_study *study, fl_error *error)
{
    fl_router *routers[] = {(fl_router *)router};
    fl_deadlock_study one = *study;
    one.routers = routers;
    one.router_count = 1;
    one.fault_points = 1;
    one.prove = false;
    one.progress = NULL;
    one.announce = NULL;
    fl_status status = FL_OK;
    for (uint32_t i = 0; i < study->fault_points && !status &&
                         (!cell->witness || study->faults[i] < cell->witness->faults);
         i++) {
        fl_deadlock_findings *findings;
        one.faults = &study->faults[i];
        status = fl_deadlock_study_run(&findings, &one, error);
        if (status)
            return status;
        fl_deadlock_result *found = findings->of[0].checks;
        if (findings->of[0].check_count > 0 && found->witness) {
            fl_deadlock_witness_destroy(cell->witness);
            cell->witness = found->witness;
            found->witness = NULL;
            status = shrink(&cell->witness, router, study, error);
        }
        if (!status && findings->partial)
            status = fl_fail(error, FL_ERR_STOPPED, "stopped");
        fl_deadlock_findings_destroy(findings);
    }
    return status;
}

static fl_status find_witness(fl_fewest_channels *cell, const fl_deadlock_study *study,
                              fl_error *error)
{
    fl_proof proof;
    fl_router *router;
    fl_status status = prove_with(&proof, &router, cell, study, cell->fewer, true, error);
    if (status)
        return status;
    cell->witness = proof.witness;
    proof.witness = NULL;
    fl_proof_clear(&proof);
    status = search(cell, router, study, error);
    fl_router_destroy(router);
    return status;
}

static fl_status fill(fl_fewest_channels *cell, const fl_deadlock_study *study, fl_error *error)
{
    fl_status status = cell->defined ? count_channels(cell, study, error) : FL_OK;
    cell->counted = !status;
    if (status)
        cell->fewer = 0;
    if (!status && cell->fewer > 0)
        status = find_witness(cell, study, error);
    cell->finished = !status;
    return status;
}

/* ---- the table ---- */

static fl_status check(const fl_deadlock_study *study, fl_error *error)
{
    for (unsigned r = 0; r < study->router_count; r++) {
        if (study->routers[r]->vc_assignment)
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%s' has its VC assignment already: every one is tried, with 1 to %d channels",
                study->routers[r]->name, FL_FEWEST_CHANNELS_MOST);
        if (!study->routers[r]->next)
            return fl_fail(error, FL_ERR_INVALID,
                           "'%s' is a limit, not a router: its packets hold no channels",
                           study->routers[r]->name);
    }
    return FL_OK;
}

static bool suits_any(const fl_vc_assignment *rule, const fl_deadlock_study *study)
{
    for (unsigned r = 0; r < study->router_count; r++)
        if (fl_vc_assignment_suits(rule, study->routers[r]))
            return true;
    return false;
}

/* All VC assignments that suit some router; `own` where some router has channels of its own choice.
 * Not `spread`, which never needs other numbers than `one`. */
static unsigned list_rules(const fl_vc_assignment **rules, const fl_deadlock_study *study)
{
    unsigned count = 0;
    bool chooses = false;
    for (unsigned r = 0; r < study->router_count; r++)
        chooses |= study->routers[r]->type->channels > 0;
    for (unsigned i = 0; fl_vc_assignments[i] && count < RULES_MAX; i++)
        if ((chooses || strcmp(fl_vc_assignments[i]->name, "own") != 0) &&
            strcmp(fl_vc_assignments[i]->name, "spread") != 0 &&
            suits_any(fl_vc_assignments[i], study))
            rules[count++] = fl_vc_assignments[i];
    return count;
}

static bool is_stopped(const fl_deadlock_study *study)
{
    return study->stop && atomic_load(study->stop);
}

static fl_status fill_all(fl_fewest_table *table, const fl_vc_assignment *const *rules,
                          const fl_deadlock_study *study, fl_error *error)
{
    unsigned cells = table->routers * table->rules;
    fl_status status = FL_OK;
    for (unsigned i = 0; i < cells; i++) {
        fl_fewest_channels *cell = &table->of[i];
        cell->router = study->routers[i / table->rules];
        cell->rule = rules[i % table->rules];
        cell->defined = fl_vc_assignment_suits(cell->rule, cell->router);
    }
    for (unsigned i = 0; i < cells && !status; i++) {
        status = is_stopped(study) ? fl_fail(error, FL_ERR_STOPPED, "stopped")
                                   : fill(&table->of[i], study, error);
        if (study->progress)
            study->progress(study->user, i + 1, cells);
    }
    return status;
}

fl_status fl_fewest_channels_run(fl_fewest_table **out, const fl_deadlock_study *study,
                                 fl_error *error)
{
    fl_status status = check(study, error);
    const fl_vc_assignment *list[RULES_MAX];
    unsigned rules = list_rules(list, study);
    if (status)
        return status;
    fl_fewest_table *table = calloc(1, sizeof *table);
    fl_fewest_channels *of = calloc((size_t)study->router_count * rules + 1, sizeof *of);
    if (!table || !of) {
        free(table);
        free(of);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the table");
    }
    *table = (fl_fewest_table){study->network, study->model,      of,   study->router_count,
                               rules,          study->candidates, false};
    status = fill_all(table, list, study, error);
    table->partial = status == FL_ERR_STOPPED && is_stopped(study);
    if (status && !table->partial) {
        fl_fewest_channels_destroy(table);
        return status;
    }
    *out = table;
    return FL_OK;
}

void fl_fewest_channels_destroy(fl_fewest_table *table)
{
    if (!table)
        return;
    for (unsigned i = 0; i < table->routers * table->rules; i++)
        fl_deadlock_witness_destroy(table->of[i].witness);
    free(table->of);
    free(table);
}

/* ---- writing ---- */

/* "3 (2: 4 faults)": with 2 channels some 4 faults make a cycle; "2 (1: none found)"; "never (1: 3
 * faults)": nor with more than 1; "not proven (2: none found)"; "2 (1: stopped)" and "stopped"
 * after an early end. */
static void write_cell(const fl_fewest_channels *cell, char *out, size_t size)
{
    char fewest[16], faults[32];
    snprintf(fewest, sizeof fewest, "%u", cell->fewest);
    if (cell->witness)
        snprintf(faults, sizeof faults, "%u fault%s", cell->witness->faults,
                 cell->witness->faults == 1 ? "" : "s");
    else
        snprintf(faults, sizeof faults, "%s", cell->finished ? "none found" : "stopped");
    if (!cell->defined)
        snprintf(out, size, "not defined");
    else if (!cell->counted)
        snprintf(out, size, "stopped");
    else if (cell->fewer == 0)
        snprintf(out, size, "%s", fewest);
    else
        snprintf(out, size, "%s (%u: %s)",
                 cell->fewest                     ? fewest
                 : cell->useless && cell->witness ? "never"
                                                  : "not proven",
                 cell->fewer, faults);
}

static unsigned fewest_of_all(const fl_fewest_table *table, unsigned router)
{
    unsigned fewest = 0;
    for (unsigned rule = 0; rule < table->rules; rule++) {
        unsigned of_rule = table->of[router * table->rules + rule].fewest;
        if (of_rule && (!fewest || of_rule < fewest))
            fewest = of_rule;
    }
    return fewest;
}

/* "<= 3" while a rule that was not finished may do with fewer. */
static void write_fewest(const fl_fewest_table *table, unsigned router, char *out, size_t size)
{
    unsigned fewest = fewest_of_all(table, router);
    bool all = true;
    for (unsigned rule = 0; rule < table->rules; rule++)
        all = all && (table->of[router * table->rules + rule].counted ||
                      !table->of[router * table->rules + rule].defined);
    if (fewest)
        snprintf(out, size, "%s%u", all || fewest == 1 ? "" : "<= ", fewest);
    else
        snprintf(out, size, "?");
}

void fl_fewest_channels_summary(const fl_fewest_table *table, fl_text *out)
{
    char cell[64];
    fl_table shown = {0};
    fl_text_append(
        out,
        "%s, fault model %s: fewest virtual channels proven deadlock-free for every fault set%s%s\n"
        "(in brackets: with one channel less, faults under which there really is a cycle; never: nor do more "
        "channels help)\n\n",
        table->network->spec, fl_fault_model_spec(table->model),
        table->candidates == FL_DEADLOCK_FIRST ? "" : ", ",
        table->candidates == FL_DEADLOCK_FIRST ? ""
                                               : fl_deadlock_candidates_text(table->candidates));
    fl_table_column(&shown, (fl_column){.gap = 2, .left = true}, "router");
    fl_table_column(&shown, (fl_column){.gap = 2, .left = true}, "fewest");
    for (unsigned rule = 0; rule < table->rules; rule++)
        fl_table_column(&shown, (fl_column){.least = 27, .gap = 2, .left = true}, "%s",
                        table->of[rule].rule->name);
    for (unsigned router = 0; router < table->routers; router++) {
        write_fewest(table, router, cell, sizeof cell);
        fl_table_cell(&shown, "%s", table->of[router * table->rules].router->name);
        fl_table_cell(&shown, "%s", cell);
        for (unsigned rule = 0; rule < table->rules; rule++) {
            write_cell(&table->of[router * table->rules + rule], cell, sizeof cell);
            fl_table_cell(&shown, "%s", cell);
        }
        fl_table_row(&shown);
    }
    fl_table_end(&shown, out);
}

void fl_fewest_channels_markdown(const fl_fewest_table *table, fl_text *out)
{
    char cell[64];
    fl_text_append(out, "| router | fewest |");
    for (unsigned rule = 0; rule < table->rules; rule++)
        fl_text_append(out, " `%s` |", table->of[rule].rule->name);
    fl_text_append(out, "\n|---|---|");
    for (unsigned rule = 0; rule < table->rules; rule++)
        fl_text_append(out, "---|");
    for (unsigned router = 0; router < table->routers; router++) {
        write_fewest(table, router, cell, sizeof cell);
        fl_text_append(out, "\n| `%s` | %s |", table->of[router * table->rules].router->name, cell);
        for (unsigned rule = 0; rule < table->rules; rule++) {
            write_cell(&table->of[router * table->rules + rule], cell, sizeof cell);
            fl_text_append(out, " %s |", cell);
        }
    }
    fl_text_append(out, "\n");
}

static void json_cell(const fl_fewest_table *table, const fl_fewest_channels *cell,
                      fl_json_writer *out)
{
    fl_json_open_object(out, NULL);
    fl_json_indent(out, 3);
    fl_json_text(out, "topology", table->network->spec);
    fl_json_text(out, "router", cell->router->name);
    fl_json_text(out, "scope", fl_scope_names[cell->router->scope]);
    fl_json_text(out, "fault_model", fl_fault_model_spec(table->model));
    fl_json_text(out, "candidates",
                 fl_deadlock_follows_all(table->candidates, cell->router) ? "all" : "first");
    fl_json_text(out, "vc_assignment", cell->rule->name);
    fl_json_bool(out, "defined", cell->defined);
    fl_json_number_or_null(fl_json_line(out), "fewest", cell->fewest > 0, cell->fewest);
    fl_json_number_or_null(out, "fewer", cell->fewer > 0, cell->fewer);
    fl_json_bool(out, "never", cell->useless && cell->witness);
    fl_json_bool(out, "finished", cell->finished || !cell->defined);
    fl_deadlock_json_witness(table->network, cell->witness, out);
    fl_json_close(out);
}

void fl_fewest_channels_json(const fl_fewest_table *table, fl_text *text)
{
    fl_json_writer out = fl_json_writer_begin(text, 2);
    fl_json_open_array(&out, NULL);
    for (unsigned i = 0; i < table->routers * table->rules; i++) {
        fl_json_line(&out);
        json_cell(table, &table->of[i], &out);
    }
    fl_json_line(&out);
    fl_json_close(&out);
    fl_text_append(text, "\n");
}
