/* Plug-ins: routers, detour rules and networks from shared objects.
 *
 * A plug-in is one C file (or several) that ends with
 *
 *     FL_PLUGIN(.name = "my-router", .version = "1.0", FL_PLUGIN_ROUTERS(&fl_router_my_router));
 *
 * and is built as a shared object against these headers; it is linked to nothing, since the program
 * that loads it has all functions. The same file can stand in the tree of Faultline, where
 * FL_PLUGIN is nothing and a line in a table takes its place (docs/add-a-router.md).
 *
 * What a plug-in may do: compute. Its functions are called by several threads at once. It lives as
 * long as the program. Answers of its routers are checked one by one (guard.c); a crash or an
 * endless loop inside one call is the plug-in's own, and ends the program. */
#ifndef FL_ROUTING_PLUGIN_H
#define FL_ROUTING_PLUGIN_H

#include "routing/routing.h"
#include "routing/rule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for plug-ins ------------------------------------------------------------------ */

/* The version of this interface. It rises whenever a struct below, a function type or a meaning
 * changes; sizes are compared besides, since programs and headers can differ between versions. */
#define FL_PLUGIN_ABI    4
#define FL_PLUGIN_MAGIC  UINT32_C(0x46a17b1e)
#define FL_PLUGIN_SYMBOL "fl_plugin_entry"

/* The structs that plug-ins and program share. */
/* clang-format off */
#define FL_PLUGIN_STRUCTS(X) \
    X(fl_plugin) X(fl_network_type) X(fl_network) X(fl_parameter) \
    X(fl_tree) X(fl_grid) X(fl_groups) X(fl_stages) X(fl_stage_position) X(fl_cubes) \
    X(fl_hop) X(fl_link_ends) X(fl_closed_forms) \
    X(fl_error) X(fl_order) X(fl_view) X(fl_probe) \
    X(fl_packet) X(fl_candidate) X(fl_decision) X(fl_router_type) \
    X(fl_router) X(fl_rule) X(fl_detour_context) X(fl_turn)
/* clang-format on */

#define FL_PLUGIN_ONE(type) +1
enum { FL_PLUGIN_STRUCT_COUNT = 0 FL_PLUGIN_STRUCTS(FL_PLUGIN_ONE) };

typedef struct fl_plugin {
    /* These stay as they are in every version, so that every version can read them. */
    uint32_t magic, abi;
    const char *built_for; /* FL_VERSION of the headers */
    /* These are those of FL_PLUGIN_ABI. */
    uint32_t struct_count, struct_sizes[FL_PLUGIN_STRUCT_COUNT];
    const char *name, *version; /* small letters, digits, '-' and '_'; any text that does not change
                                   what it measures */
    const fl_network_type *const *networks; /* ended by NULL; or NULL */
    const fl_router_type *const *routers;
    const fl_rule *const *rules;
} fl_plugin;

#define FL_PLUGIN_SIZE_OF(type) (uint32_t)sizeof(type),
#define FL_PLUGIN_NETWORKS(...)                  \
    .networks = (const fl_network_type *const[]) \
    {                                            \
        __VA_ARGS__, NULL                        \
    }
#define FL_PLUGIN_ROUTERS(...)                 \
    .routers = (const fl_router_type *const[]) \
    {                                          \
        __VA_ARGS__, NULL                      \
    }
#define FL_PLUGIN_RULES(...)          \
    .rules = (const fl_rule *const[]) \
    {                                 \
        __VA_ARGS__, NULL             \
    }

#if defined(__GNUC__)
#define FL_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define FL_PLUGIN_EXPORT
#endif

#ifdef FL_IN_TREE
#define FL_PLUGIN(...) _Static_assert(1, "nothing in the tree")
#else
#define FL_PLUGIN(...)                                                                         \
    extern FL_PLUGIN_EXPORT const fl_plugin fl_plugin_entry;                                   \
    const fl_plugin fl_plugin_entry = {.magic = FL_PLUGIN_MAGIC,                               \
                                       .abi = FL_PLUGIN_ABI,                                   \
                                       .built_for = FL_VERSION,                                \
                                       .struct_count = FL_PLUGIN_STRUCT_COUNT,                 \
                                       .struct_sizes = {FL_PLUGIN_STRUCTS(FL_PLUGIN_SIZE_OF)}, \
                                       __VA_ARGS__}
#endif

/* ---- for programs --------------------------------------------------------------------- */

enum { FL_PLUGINS_MAX = 32 };

/* A loaded plug-in. */
typedef struct fl_plugin_info {
    const fl_plugin *plugin;
    char *path;    /* as given */
    char *origin;  /* how messages call it: plug-in 'my-router' (./my-router.so) */
    char hash[17]; /* of the file: the same code, unless it loads more */
} fl_plugin_info;

/* Loads a shared object and adds what it has to fl_network_types, fl_router_types and fl_rules.
 * All plug-ins are loaded by one thread, before the first network or router is made: after that the
 * tables are read without locks. A plug-in is never unloaded.
 *
 * FL_ERR_INVALID, with nothing added: not a shared object, no plug-in, another version of the
 * interface or other structs, entries that lack something, a name that is taken. FL_ERR_IO: the
 * file cannot be read. The program must export its symbols, and hold all of the library
 * (docs/use-the-library.md). */
fl_status fl_plugin_load(const char *path, fl_error *error);

/* In the order of loading; NULL after the last. Owned by the library. */
const fl_plugin_info *fl_plugin_at(unsigned index);

/* The plug-in of this name, or NULL. Owned by the library. */
const fl_plugin_info *fl_plugin_find(const char *name);

/* Does the network or the router (NULL: none) need the plug-in? */
bool fl_plugin_is_used(const fl_plugin_info *info, const fl_network *network,
                       const fl_router *router);

/* What routers of plug-ins do at the moment, in the thread with this number among those that ever
 * asked one; false after the last. A thread whose decision has the same number as long before, and
 * whose router is not NULL, is stuck in it. */
typedef struct fl_plugin_activity {
    const fl_router *router; /* NULL: at nothing */
    uint64_t decision;
} fl_plugin_activity;
bool fl_plugin_activity_of(unsigned thread, fl_plugin_activity *out);

/* `begin` is called in every thread before the first decision of a plug-in's router there; NULL:
 * nothing is. To be set before the first router is made. */
void fl_plugin_on_thread(void (*begin)(void));

/* Which router of a plug-in this thread is in, or NULL; for signal handlers. */
const fl_router *fl_plugin_running(void);

#ifdef __cplusplus
}
#endif
#endif
