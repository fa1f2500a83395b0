/* What a detour rule is: for the rules of this room, and for plug-ins (routing/plugin.h).
 *
 * Between two neighbouring stages of a tree the links form complete bipartite blocks K_{k,k} (of a
 * thin tree K_{k,k'}; of a fat tree's pods and cores K_{K,K/2}).
 * A detour is a short walk over such blocks, and each of its turns has an ordered choice of
 * ports. A rule is therefore data: when it applies, and its turns. Its detours are all combinations
 * of these choices, in the order of nested loops, the first turn outermost. The scope decides
 * how they are used (detours.c): `detour` takes the first whose links are all up; `local` makes
 * each choice where it stands. */
#ifndef FL_ROUTING_RULE_H
#define FL_ROUTING_RULE_H

#include "routing/routing.h"

/* Where a switch stands when base routing's link is down. */
typedef struct fl_detour_context {
    const fl_tree *tree;
    fl_address here, destination; /* the destination's highest digit, by which the nodes of a
                                   * switch differ, is 0 for rules of plug-ins */
    unsigned level;
    bool upward;               /* the link leads up or across (else: down) */
    bool cross;                /* ... across */
    bool same_group;           /* as the destination */
    unsigned side;             /* fl_stage_position */
    const fl_network *network; /* that the tree is, or is part of */
} fl_detour_context;

typedef enum fl_turn_direction {
    FL_TURN_UP, /* towards the top, or across from there */
    FL_TURN_DOWN,
    FL_TURN_BACK,  /* over the same block as the turn before it, in the other direction */
    FL_TURN_ASIDE, /* down, and from level 0, where no switch is below, up: with FL_TURN_RETURN to a
                    * neighbour in the same level, from every level */
    FL_TURN_RETURN /* over the block of FL_TURN_ASIDE, in the other direction */
} fl_turn_direction;

/* The digit that a turn writes runs over these values, beginning with the one after the
 * excluded one and wrapping round. */
typedef enum fl_turn_values {
    FL_TURN_ANY,        /* 0..k-1 */
    FL_TURN_NOT_OWN,    /* all but the digit of the switch where the detour starts */
    FL_TURN_NOT_TARGET, /* all but the destination's digit */
    FL_TURN_TARGET      /* the destination's digit */
} fl_turn_values;

typedef struct fl_turn {
    fl_turn_direction direction;
    fl_turn_values values;
} fl_turn;

struct fl_rule {
    const char *name, *summary, *source;
    bool (*applies)(const fl_detour_context *context);
    /* NULL if the rule can be used on this tree; else why not. */
    const char *(*refuses)(const fl_tree *tree);
    /* NULL, or why the rule will never apply on this tree, though nothing is wrong with it. */
    const char *(*idle)(const fl_tree *tree);
    const char *needs;  /* another rule without which this one is refused, or NULL */
    const char *covers; /* a rule that this one includes: it counts as that rule where another one
                           needs it; or NULL */
    bool downward;      /* it replaces links towards the nodes (else: away from them, or across) */
    fl_turn turns[FL_DETOUR_MAX];
    uint8_t turn_count;
    /* NULL, or a search of its own for what turns cannot express (a rule of this room only; `turns`
     * are then not read, and turn_count is the length of its longest detour). `turn` is 0, or that
     * of a packet in the middle of a detour in scope `local`, with the number that
     * fl_detours_header_state was given. */
    void (*offer)(const fl_detour_context *context, unsigned rule, unsigned turn, unsigned kept,
                  fl_view *view, fl_decision *decision);
};

/* Towards the other group of a mirrored tree; in a plain tree, up. */
FL_INLINE bool fl_detour_context_is_outward(const fl_detour_context *context)
{
    return context->upward && !(context->tree->mirrored && context->same_group);
}

/* gns, three-turn and x-turns help at the same place: where the digit of the top block is to be
 * set on the way to the destination. In a mirrored tree that is the cross link towards the
 * destination's group; in a plain tree it is every link up. */
FL_INLINE bool fl_detour_context_is_forward(const fl_detour_context *context)
{
    return fl_detour_context_is_outward(context) && (context->cross || !context->tree->mirrored);
}

#endif
