/* `new-router`: the files of a plug-in to begin with. */
#include "cli/cli.h"
#include "cli/templates.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_LENGTH = 30, FILES_MAX = 5, PATH_LENGTH = 4096 };

typedef struct values {
    bool rule, network;
    char *folder;
    bool json;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {{.name = "rule",
                                      .kind = FL_OPTION_SWITCH,
                                      .offset = offsetof(values, rule),
                                      .help = "a detour rule for trees in place of a router"},
                                     {.name = "network",
                                      .kind = FL_OPTION_SWITCH,
                                      .offset = offsetof(values, network),
                                      .help = "a network, with a router for it"},
                                     {.name = "out",
                                      .kind = FL_OPTION_FOLDER,
                                      .offset = offsetof(values, folder),
                                      .value = "DIR",
                                      .help = "make the folder NAME in DIR (default: here)",
                                      .was = "dir"},
                                     {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", rows, 0),
    FL_OPTION_ROWS(NULL, fl_json_rows, offsetof(values, json)),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

/* ---- the three kinds ---- */

/* A text of a template and what stands there instead, with places such as @NAME@. */
typedef struct replacement {
    const char *from, *to;
} replacement;

typedef struct kind {
    const char *what, *page, *sources, *sweep, *promise;
    struct {
        const char *name, *template;
    } files[FILES_MAX];
    replacement names[6];
} kind;

static const kind router_kind = {
    .what = "A routing algorithm",
    .page = "add-a-router.md",
    .sources = "@NAME@.c",
    .sweep =
        "--topology mikant:k=3,n=3 --routers shortest,gns,gdl,three-turn,gns+x-turns+gdl,@NAME@,limit --faults 0:135:1",
    .promise =
        "As it was written, its curve is that of `shortest`, within the intervals: it takes other paths, of the same lengths.",
    .files = {{"@NAME@.c", "docs/skeletons/router.c"}},
    .names = {{"source-digit", "@NAME@"},
              {"source_digit", "@IDENTIFIER@"},
              {"\"docs/add-a-router.md\"", "\"your paper and its section\""}},
};

static const kind rule_kind = {
    .what = "A detour rule for trees",
    .page = "add-a-router.md",
    .sources = "@NAME@.c",
    .sweep = "--topology mikant:k=3,n=3 --routers shortest,gdl,gdl+@NAME@,limit --faults 0:135:1",
    .promise =
        "As it was written, `gdl+@NAME@` delivers a little more than `gdl`: at 40 faults about one packet in a thousand.",
    .files = {{"@NAME@.c", "docs/skeletons/detour_rule.c"}},
    .names = {{"gdl-twice", "@NAME@"},
              {"gdl_twice", "@IDENTIFIER@"},
              {"\"docs/add-a-router.md\"", "\"your paper and its section\""}},
};

static const kind network_kind = {
    .what = "A network, and a router for it,",
    .page = "add-a-network.md",
    .sources = "@NAME@.c @NAME@-router.c",
    .sweep =
        "--topology @NAME@:k=8 --routers @NAME@-turn-back,limit --fault-model links:class=ring-links --faults 0:8",
    .promise =
        "As it was written, the network is a ring: one fault never parts it, and two part a\n"
        "pair of nodes with a probability of 3/7 (k = 8).",
    .files = {{"@NAME@.c", "docs/skeletons/network.c"},
              {"@NAME@-router.c", "docs/skeletons/ring_router.c"}},
    .names = {{"\"ring\"", "\"@NAME@\""},
              {"ring:k", "@NAME@:k"},
              {"fl_network_ring", "fl_network_@IDENTIFIER@"},
              {"fl_router_ring", "fl_router_@IDENTIFIER@"},
              {"turn-back", "@NAME@-turn-back"},
              {"\"docs/add-a-network.md\"", "\"your paper and its section\""}},
};

/* ---- texts ---- */

static void replace(fl_text *out, const char *text, const replacement *list, size_t count)
{
    while (*text) {
        size_t i = 0;
        while (i < count &&
               (!list[i].from || strncmp(text, list[i].from, strlen(list[i].from)) != 0))
            i++;
        if (i < count)
            fl_text_append(out, "%s", list[i].to);
        else
            fl_text_append_bytes(out, text, 1);
        text += i < count ? strlen(list[i].from) : 1;
    }
}

/* What stands for the places, and with that texts that have places themselves. */
typedef struct job {
    const kind *kind;
    const char *name;
    char identifier[NAME_MAX_LENGTH + 1], version[24];
    char program[PATH_LENGTH + 2],
        prefix[PATH_LENGTH]; /* prefix: where this program is installed, or empty */
    char build[PATH_LENGTH]; /* or the build tree that it is in, or empty */
    fl_text paths[FILES_MAX + 2], texts[FILES_MAX + 2];
    unsigned count;
} job;

static void fill(const job *j, fl_text *out, const char *text)
{
    fl_text hints = {0}, pkgconfig = {0}, docs = {0};
    if (j->prefix[0]) {
        fl_text_append(&hints, "\n             HINTS \"%s\"", j->prefix);
        fl_text_append(&pkgconfig, " (`%s/lib/pkgconfig`)", j->prefix);
        fl_text_append(&docs, " (`%s/share/doc/faultline`)", j->prefix);
    }
    replacement places[] = {
        {"@NAME@", j->name},
        {"@IDENTIFIER@", j->identifier},
        {"@VERSION@", j->version},
        {"@PROGRAM@", j->program},
        {"@HINTS@", hints.data ? hints.data : ""},
        {"@PKGCONFIG@", pkgconfig.data ? pkgconfig.data : ""},
        {"@DOCS@", docs.data ? docs.data : ""},
    };
    replace(out, text, places, sizeof places / sizeof *places);
    fl_text_clear(&hints);
    fl_text_clear(&pkgconfig);
    fl_text_clear(&docs);
}

/* First what differs between the kinds, then the places. */
static void fill_template(const job *j, fl_text *out, const char *file, const replacement *list,
                          size_t count)
{
    const fl_template *template = fl_templates;
    while (template->file && strcmp(template->file, file) != 0)
        template ++;
    fl_text kind_text = {0};
    if (template->file)
        replace(&kind_text, template->text, list, count);
    fill(j, out, kind_text.data ? kind_text.data : "");
    out->failed |= kind_text.failed || !kind_text.data;
    fl_text_clear(&kind_text);
}

static void add_file(job *j, const char *folder, const char *name, const char *template,
                     const replacement *list, size_t count)
{
    fl_text *path = &j->paths[j->count], *text = &j->texts[j->count++];
    fl_text_append(path, "%s/", folder);
    fill(j, path, name);
    fill_template(j, text, template, list, count);
}

static void make_texts(job *j, const char *folder)
{
    const kind *k = j->kind;
    const replacement readme[] = {{"@WHAT@", k->what},
                                  {"@PAGE@", k->page},
                                  {"@SOURCES@", k->sources},
                                  {"@SWEEP@", k->sweep},
                                  {"@PROMISE@", k->promise}};
    for (unsigned i = 0; k->files[i].name; i++)
        add_file(j, folder, k->files[i].name, k->files[i].template, k->names,
                 sizeof k->names / sizeof *k->names);
    add_file(j, folder, "CMakeLists.txt", "cli/templates/CMakeLists.txt", readme,
             sizeof readme / sizeof *readme);
    add_file(j, folder, "README.md", "cli/templates/README.md", readme,
             sizeof readme / sizeof *readme);
}

/* ---- names and places ---- */

static bool is_taken(const char *name)
{
    for (size_t i = 0; fl_router_types[i]; i++)
        if (strcmp(fl_router_types[i]->name, name) == 0)
            return true;
    for (size_t i = 0; fl_network_types[i]; i++)
        if (strcmp(fl_network_types[i]->name, name) == 0)
            return true;
    for (unsigned i = 0; i < fl_rule_count(); i++)
        if (strcmp(fl_rule_name(i), name) == 0)
            return true;
    return false;
}

/* Targets of their own in every folder that CMake builds. */
static bool is_target_of_cmake(const char *name)
{
    static const char *const targets[] = {"all",
                                          "clean",
                                          "depend",
                                          "edit_cache",
                                          "help",
                                          "install",
                                          "list_install_components",
                                          "package",
                                          "package_source",
                                          "rebuild_cache",
                                          "test"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i], name) == 0)
            return true;
    return false;
}

static bool read_name(job *j, const char *name)
{
    if (!fl_text_is_name(name) || strlen(name) > NAME_MAX_LENGTH)
        return fl_complain(
                   "'%.60s' cannot be its name: use 1 to %d small letters, digits, '-' and '_', a letter first",
                   name, NAME_MAX_LENGTH),
               false;
    if (is_target_of_cmake(name))
        return fl_complain("'%s' cannot be its name: CMake has a target of this name; try 'my-%s'",
                           name, name),
               false;
    if (is_taken(name))
        return fl_complain("'%s' cannot be its name: there is one already ('faultline list')",
                           name),
               false;
    j->name = name;
    snprintf(j->identifier, sizeof j->identifier, "%s", name);
    for (char *c = j->identifier; *c; c++)
        *c = *c == '-' ? '_' : *c;
    snprintf(j->version, sizeof j->version, "%.*s", (int)(strrchr(FL_VERSION, '.') - FL_VERSION),
             FL_VERSION);
    return true;
}

/* Where this program is: bin/faultline of an installation, or in a build tree. */
static void find_program(job *j)
{
    char path[PATH_LENGTH];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    snprintf(j->program, sizeof j->program, "faultline");
    if (length <= 0)
        return;
    path[length] = 0;
    const char *quote = strpbrk(path, " \t\"$&();*?<>|") ? "'" : "";
    snprintf(j->program, sizeof j->program, "%s%s%s", quote, path, quote);
    char cache[PATH_LENGTH + 64];
    snprintf(j->build, sizeof j->build, "%.*s", (int)(strrchr(path, '/') - path), path);
    snprintf(cache, sizeof cache, "%s/CMakeCache.txt", j->build);
    if (!fl_file_exists(cache))
        j->build[0] = 0;
    static const char place[] = "/bin/faultline";
    char *end = path + length - strlen(place);
    if (end <= path || strcmp(end, place) != 0)
        return;
    *end = 0;
    char header[PATH_LENGTH + 64];
    snprintf(header, sizeof header, "%s/include/faultline/routing/plugin.h", path);
    if (fl_file_exists(header))
        snprintf(j->prefix, sizeof j->prefix, "%s", path);
}

/* ---- writing ---- */

static bool write_files(const job *j, const char *folder)
{
    fl_error error;
    fl_file_content files[FILES_MAX + 2];
    for (unsigned i = 0; i < j->count; i++) {
        if (j->paths[i].failed || j->texts[i].failed)
            return fl_complain_memory("the files"), false;
        files[i] = (fl_file_content){j->paths[i].data, j->texts[i].data, j->texts[i].length};
    }
    size_t existing = fl_file_existing_folder(folder);
    if (fl_file_make_folder(folder, &error))
        return fl_complain_of(&error), false;
    if (fl_file_write_group(files, j->count, &error)) {
        fl_file_remove_folders(folder, existing);
        return fl_complain_of(&error), false;
    }
    return true;
}

/* The commands that build the plug-in and sweep with it, one a line. */
static void list_commands(const job *j, const char *folder, fl_text *out)
{
    fl_text form = {0};
    if (!j->prefix[0]) /* a plug-in is built with the headers of an installed Faultline */
        fl_text_append(&form, "cmake --install '%s' --prefix \"$HOME/faultline\"\n",
                       j->build[0] ? j->build : "BUILD");
    fl_text_append(&form,
                   "cd %s\ncmake -B build%s && cmake --build build\n"
                   "@PROGRAM@ sweep --plugin build/@NAME@.so %s --out results\n",
                   folder, j->prefix[0] ? "" : " -DCMAKE_PREFIX_PATH=\"$HOME/faultline\"",
                   j->kind->sweep);
    fill(j, out, form.data ? form.data : "");
    out->failed |= form.failed;
    fl_text_clear(&form);
}

/* Takes the first line off a text that `*rest` points into; NULL at its end. */
static const char *next_line(char **rest)
{
    char *line = *rest, *end = line ? strchr(line, '\n') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    *rest = end + 1;
    return line;
}

static void describe(const job *j, char *commands, fl_text *out)
{
    const char *line;
    for (unsigned i = 0; i < j->count; i++)
        fl_text_append(out, "%s\n", j->paths[i].data);
    fl_text_append(out, "\nnext:\n");
    while ((line = next_line(&commands)) != NULL)
        fl_help_append_example(line, out->columns, out);
}

static void describe_as_json(const job *j, char *commands, fl_text *out)
{
    const char *line;
    fl_json_writer json = fl_json_writer_begin(out, 2);
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "name", j->name);
    fl_json_line(&json);
    fl_json_open_array(&json, "files");
    for (unsigned i = 0; i < j->count; i++)
        fl_json_text(&json, NULL, j->paths[i].data);
    fl_json_close(&json);
    fl_json_line(&json);
    fl_json_open_array(&json, "next");
    while ((line = next_line(&commands)) != NULL) {
        fl_json_line(&json);
        fl_json_text(&json, NULL, line);
    }
    fl_json_close(&json);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(out, "\n");
}

static int make(job *j, const char *folder, bool json)
{
    int code = FL_EXIT_BAD_INPUT;
    if (fl_file_exists(folder))
        return fl_complain("'%s' is there already: choose another name, or another --out", folder);
    fl_text commands = {0}, shown = {.columns = json ? 0 : fl_terminal_columns()};
    make_texts(j, folder);
    list_commands(j, folder, &commands);
    (json ? describe_as_json : describe)(j, commands.data, &shown);
    shown.failed |= commands.failed;
    if (shown.failed || write_files(j, folder))
        code = fl_print_text(&shown);
    fl_text_clear(&shown);
    fl_text_clear(&commands);
    for (unsigned i = 0; i < j->count; i++) {
        fl_text_clear(&j->paths[i]);
        fl_text_clear(&j->texts[i]);
    }
    return code;
}

static int run(fl_call *call)
{
    const values *v = call->options.values;
    const char *parent = v->folder ? v->folder : "";
    fl_text folder = {0};
    job j = {0};
    if (call->argument_count == 0)
        return fl_complain(
            "what should it be called? Give a name, as in 'faultline new-router my-router'");
    if (v->rule && v->network)
        return fl_complain("give --rule or --network, not both");
    j.kind = v->rule ? &rule_kind : v->network ? &network_kind : &router_kind;
    if (!read_name(&j, call->arguments[0]))
        return FL_EXIT_BAD_INPUT;
    find_program(&j);
    fl_text_append(&folder, "%s%s%s", parent, *parent ? "/" : "", call->arguments[0]);
    int code =
        folder.failed ? fl_complain_memory("the name of a folder") : make(&j, folder.data, v->json);
    fl_text_clear(&folder);
    return code;
}

const fl_command fl_command_new_router = {
    .name = "new-router",
    .summary = "writes a router, a detour rule or a network of your own to begin with: a plug-in",
    .about =
        "Makes a folder with a plug-in to begin with: a C file that works, a CMakeLists.txt and "
        "a README.md.\n\n"
        "NAME is what it will be called in --routers or --topology: small letters, digits, '-' "
        "and '_'. docs/add-a-router.md goes on from there. Nothing is overwritten.",
    .usage = (const char *const[]){"NAME [OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .argument = "NAME",
    .arguments_max = 1,
    .examples = (const char *const[]){"faultline new-router my-router",
                                      "cd my-router && cmake -B build && cmake --build build",
                                      "faultline sweep mikant:k=3,n=3 --plugin build/my-router.so "
                                      "--routers shortest,my-router",
                                      NULL},
    .notes = FL_PLACES_TEXT,
    .exits = "exit codes: 0 done, 2 bad input (nothing done)",
    .run = run,
};
