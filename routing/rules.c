#include "routing/rule.h"

extern const fl_rule fl_rule_adaptive_up, fl_rule_gns, fl_rule_three_turn, fl_rule_x_turns, fl_rule_gdl;

/* The rules in the order in which they are tried. gdl never competes with the others. */
const fl_rule *const fl_rules[] = {
    &fl_rule_adaptive_up,
    &fl_rule_gns,
    &fl_rule_three_turn,
    &fl_rule_x_turns,
    &fl_rule_gdl,
    NULL,
};

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
