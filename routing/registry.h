/* Private to routing: how the loader of plug-ins (plugin.c) adds to the tables of router.c and
 * rules.c.
 *
 * The tables are filled before the first network or router is made, by one thread, and never change
 * after that: they are then read without locks. First everything that a plug-in brings is
 * checked, then everything is added. `origin` names the plug-in in messages, and stays. */
#ifndef FL_ROUTING_REGISTRY_H
#define FL_ROUTING_REGISTRY_H

#include "routing/rule.h"

/* Lists end with NULL. FL_ERR_INVALID names the entry and what is wrong with it. Not checked:
 * whether names are free (plugin.c). */
fl_status fl_router_types_check(const fl_router_type *const *types, fl_error *error);

/* Adds types that were checked. They and `origin` are borrowed for good. */
void fl_router_types_add(const fl_router_type *const *types, const char *origin);

/* The plug-in of a type; NULL: it is of the table in router.c. */
const char *fl_router_type_origin(const fl_router_type *type);

/* The same three for rules. */
fl_status fl_rules_check(const fl_rule *const *rules, fl_error *error);
void fl_rules_add(const fl_rule *const *rules, const char *origin);
extern const char *const *const fl_rule_origins; /* by rule; NULL: of the table in rules.c */

/* Stands in front of `next` of a router type from a plug-in: checks every answer. In place of an
 * answer that violates the contract it sets view->violation and offers nothing. */
void fl_router_guard(const fl_router *router, const fl_packet *packet, fl_view *view,
                     fl_decision *decision);

#endif
