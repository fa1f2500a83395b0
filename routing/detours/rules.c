/* The table of detour rules, and what plug-ins add to it. */
#include "routing/registry.h"

#include <assert.h>
#include <string.h>

extern const fl_rule fl_rule_adaptive_up, fl_rule_gns, fl_rule_gns_any_level, fl_rule_three_turn,
    fl_rule_x_turns, fl_rule_gdl, fl_rule_adaptive_ecube;

/* The rules in the order in which they are tried. gdl and adaptive-ecube never compete with the
 * others. */
static const fl_rule *table[FL_RULES_MAX + 1] = {
    &fl_rule_adaptive_up, &fl_rule_gns, &fl_rule_gns_any_level,  &fl_rule_three_turn,
    &fl_rule_x_turns,     &fl_rule_gdl, &fl_rule_adaptive_ecube, NULL,
};

const fl_rule *const *const fl_rules = table;

/* ---- what plug-ins add ---- */

static const char *origins[FL_RULES_MAX];

const char *const *const fl_rule_origins = origins;

static fl_status check_turns(const fl_rule *rule, fl_error *error)
{
    if (rule->offer)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the detour rule '%s' has a function 'offer'; a plug-in's rule is made of turns",
            rule->name);
    if (rule->turn_count < 1 || rule->turn_count > FL_DETOUR_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "the detour rule '%s' has %u turns; there must be 1 to %d", rule->name,
                       rule->turn_count, FL_DETOUR_MAX);
    for (unsigned i = 0; i < rule->turn_count; i++) {
        if ((unsigned)rule->turns[i].direction > FL_TURN_RETURN ||
            (unsigned)rule->turns[i].values > FL_TURN_TARGET)
            return fl_fail(error, FL_ERR_INVALID,
                           "the detour rule '%s': turn %u is none of those in routing/rule.h",
                           rule->name, i + 1);
        if (i == 0 && (rule->turns[i].direction == FL_TURN_BACK ||
                       rule->turns[i].direction == FL_TURN_RETURN))
            return fl_fail(error, FL_ERR_INVALID,
                           "the detour rule '%s': its first turn cannot lead back", rule->name);
    }
    return FL_OK;
}

static fl_status check_rule(const fl_rule *const *rules, unsigned index, fl_error *error)
{
    const fl_rule *rule = rules[index];
    if (!rule->name || !fl_text_is_name(rule->name))
        return fl_fail(
            error, FL_ERR_INVALID,
            "a rule's name must be 1 to 41 small letters, digits, '-' and '_', not '%.60s'",
            rule->name ? rule->name : "(none)");
    if (!rule->summary || !rule->source || !rule->applies)
        return fl_fail(error, FL_ERR_INVALID,
                       "the detour rule '%s' lacks a summary, a source, or the function 'applies'",
                       rule->name);
    bool found = rule->needs == NULL;
    for (unsigned i = 0; table[i] && !found; i++)
        found = strcmp(table[i]->name, rule->needs) == 0;
    for (unsigned i = 0; i < index && !found; i++)
        found = strcmp(rules[i]->name, rule->needs) == 0;
    if (!found)
        return fl_fail(error, FL_ERR_INVALID,
                       "the detour rule '%s' needs the rule '%.60s', and there is none", rule->name,
                       rule->needs);
    return check_turns(rule, error);
}

fl_status fl_rules_check(const fl_rule *const *rules, fl_error *error)
{
    unsigned count = 0;
    for (; rules[count]; count++) {
        fl_status status = check_rule(rules, count, error);
        if (status)
            return status;
    }
    if (fl_rule_count() + count > FL_RULES_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "there would be %u detour rules; at most %d are possible",
                       fl_rule_count() + count, FL_RULES_MAX);
    return FL_OK;
}

void fl_rules_add(const fl_rule *const *rules, const char *origin)
{
    for (unsigned count = fl_rule_count(); *rules; rules++) {
        assert(count < FL_RULES_MAX);
        origins[count] = origin;
        table[count++] = *rules;
    }
}

/* ---- what the table holds ---- */

const char *fl_rule_name(unsigned rule)
{
    return fl_rules[rule]->name;
}

const char *fl_rule_summary(unsigned rule)
{
    return fl_rules[rule]->summary;
}

const char *fl_rule_source(unsigned rule)
{
    return fl_rules[rule]->source;
}

unsigned fl_rule_count(void)
{
    unsigned count = 0;
    while (fl_rules[count])
        count++;
    return count;
}

unsigned fl_rule_extra_links(unsigned rule)
{
    return fl_rules[rule]->turn_count - 1u;
}
