#include "experiments/catalogue/private.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* ---- shared by the forms ---- */

static const char *const verdict_classes[FL_VERDICTS] = {"given", "good", "good",  "good",  "good",
                                                         "plain", "open", "wrong", "broken"};

static const char *const verdict_meanings[FL_VERDICTS] = {
    "a price, or a value from a simulation of the source: nothing to check",
    "not published: a formula of this project's, and the measured value is the same",
    "published, closed form and measured value are the same, to the digits that are printed",
    "they are the same once the entry is read as the page says",
    "published as a bound of what was measured, and it is one",
    "published and closed form are the same; the page says why nothing was measured",
    "there is no closed form, and what was measured decides nothing",
    "the source is wrong; the derivation is below its table",
    "closed form and measured value differ: a bug of Faultline",
};

static void append_number(fl_text *text, double value)
{
    char digits[64];
    if (isnan(value)) {
        fl_text_append(text, "-");
    } else if (value == floor(value) && fabs(value) < 1e15) {
        size_t length = (size_t)snprintf(digits, sizeof digits, "%.0f", fabs(value));
        fl_text_append(text, "%s", value < 0 ? "-" : "");
        for (size_t i = 0; i < length; i++)
            fl_text_append(text, "%s%c", length > 4 && i > 0 && (length - i) % 3 == 0 ? "," : "",
                           digits[i]);
    } else {
        fl_text_append(text, "%.7g", value);
    }
}

static bool is_formula(const char *published)
{
    for (const char *c = published ? published : "0"; *c; c++)
        if (!isdigit((unsigned char)*c) && !strchr(".,", *c))
            return true;
    return false;
}

/* What stands in the column `published` of one instance. */
static void append_published(fl_text *text, const fl_catalogue_entry *entry,
                             const fl_catalogue_instance *i)
{
    if (is_formula(entry->published))
        append_number(text, i->published);
    else
        fl_text_append(text, "%s", entry->published ? entry->published : "-");
}

static void append_unit(fl_text *text, const fl_catalogue_entry *entry, double value)
{
    if (entry->unit && !isnan(value))
        fl_text_append(text, " %s", entry->unit);
}

static size_t count_differing(const fl_catalogue_table *table)
{
    size_t count = 0;
    for (size_t e = 0; e < table->entry_count; e++)
        count += table->entries[e].verdict == FL_VERDICT_DIFFERS;
    return count;
}

static size_t sum(const size_t counts[FL_VERDICTS])
{
    size_t all = 0;
    for (int v = 0; v < FL_VERDICTS; v++)
        all += counts[v];
    return all;
}

/* ---- HTML ---- */

enum {
    SHOWN = 3
}; /* instances of an entry that are shown at once; those where the source differs always are */

static void append_escaped(fl_text *text, const char *plain)
{
    for (const char *c = plain; *c; c++) {
        const char *entity = *c == '<'   ? "&lt;"
                             : *c == '>' ? "&gt;"
                             : *c == '&' ? "&amp;"
                             : *c == '"' ? "&quot;"
                                         : NULL;
        if (entity)
            fl_text_append(text, "%s", entity);
        else
            fl_text_append_bytes(text, c, 1);
    }
}

/* How far an exponent reaches: ( ... ), or a name or number, and what is called or raised in it. */
static size_t exponent_length(const char *at)
{
    size_t length = 0, depth = 0;
    if (at[length] == '(') {
        do {
            depth += at[length] == '(';
            depth -= at[length] == ')';
            length++;
        } while (depth > 0 && at[length]);
        return length;
    }
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    return length;
}

static void append_math(fl_text *text, const char *formula, size_t length, bool running);

/* Up to the comma or bracket that ends an argument. */
static size_t argument_length(const char *at, size_t left)
{
    size_t length = 0, depth = 0;
    for (; length < left && (depth > 0 || !strchr(",)", at[length])); length++) {
        depth += at[length] == '(';
        depth -= at[length] == ')';
    }
    return length;
}

/* How a call with N arguments is written: the text before each of them, and at the end. */
static const struct notation {
    const char *name;
    unsigned arguments;
    const char *before[5];
} notations[] = {
    {"sum(", 4, {"&Sigma;<sub>", "=", "..", "</sub> (", ")"}},
    {"max(", 4, {"max<sub>", "=", "..", "</sub> (", ")"}},
    {"min(", 4, {"min<sub>", "=", "..", "</sub> (", ")"}},
    {"argmax(", 4, {"arg max<sub>", "=", "..", "</sub> (", ")"}},
    {"argmin(", 4, {"arg min<sub>", "=", "..", "</sub> (", ")"}},
    {"if(", 3, {"if ", ": ", ", else ", ""}},
    {"mod(", 2, {"", " mod ", ""}},
    {"factorial(", 1, {"", "!"}},
    {"floor(", 1, {"&lfloor;", "&rfloor;"}},
    {"ceil(", 1, {"&lceil;", "&rceil;"}},
    {"sqrt(", 1, {"&radic;(", ")"}},
    {"log2(", 1, {"log<sub>2</sub>(", ")"}},
};

/* Appends a call that begins here, if one does; its length, or 0. */
static size_t append_call(fl_text *text, const char *at, size_t left)
{
    for (size_t k = 0; k < sizeof notations / sizeof *notations; k++) {
        const struct notation *how = &notations[k];
        size_t length = strlen(how->name);
        if (length >= left || strncmp(at, how->name, length) != 0)
            continue;
        for (unsigned i = 0; i < how->arguments; i++) {
            length += strspn(at + length, " ");
            size_t own = argument_length(at + length, left - length);
            fl_text_append(text, "%s", how->before[i]);
            append_math(text, at + length, own, false);
            length += own + 1;
        }
        fl_text_append(text, "%s", how->before[how->arguments]);
        return length <= left ? length : left;
    }
    return 0;
}

/* How many letters of an index begin here, behind a name of up to three: the m and opt of m_opt. 0:
 * none do. */
static size_t index_length(const char *text, size_t at, size_t left)
{
    size_t named = 0, length = 0;
    while (named < at && isalnum((unsigned char)text[at - 1 - named]))
        named++;
    while (text[at] == '_' && length + 1 < left && isalnum((unsigned char)text[at + 1 + length]))
        length++;
    return named >= 1 && named <= 3 ? length : 0;
}

/* The hyphen of n-1, and of words none: k-ary, kary-ntree. */
static bool is_minus(const char *text, size_t at, bool running)
{
    bool spaced = at > 0 && text[at - 1] == ' ' && text[at + 1] == ' ';
    bool number = at > 0 && (isalnum((unsigned char)text[at - 1]) || text[at - 1] == ')') &&
                  isdigit((unsigned char)text[at + 1]);
    return text[at] == '-' && (!running || spaced || number);
}

/* 2*k^(n-1) as a reader writes it: 2 k<sup>n-1</sup>. In running text only exponents, indices and
 * signs are set. */
static void append_math(fl_text *text, const char *formula, size_t length, bool running)
{
    for (size_t i = 0; i < length; i++) {
        bool begins = !running && (i == 0 || !isalnum((unsigned char)formula[i - 1]));
        size_t called = begins ? append_call(text, formula + i, length - i) : 0;
        size_t raised = formula[i] == '^' && i + 1 < length ? exponent_length(formula + i + 1) : 0;
        size_t lowered = index_length(formula, i, length - i);
        if (called > 0) {
            i += called - 1;
        } else if (lowered > 0) {
            fl_text_append(text, "<sub>%.*s</sub>", (int)lowered, formula + i + 1);
            i += lowered;
        } else if (raised > 0 && i + 1 + raised <= length) {
            bool bracketed = formula[i + 1] == '(';
            fl_text_append(text, "<sup>");
            append_math(text, formula + i + 1 + bracketed, raised - 2 * bracketed, running);
            fl_text_append(text, "</sup>");
            i += raised;
        } else if (formula[i] == '*') { /* a line may break behind a bracket only */
            bool numbers = i > 0 && isdigit((unsigned char)formula[i - 1]) &&
                           isdigit((unsigned char)formula[i + 1]);
            fl_text_append(text, running || numbers               ? "&times;"
                                 : i > 0 && formula[i - 1] == ')' ? "&#8201;"
                                                                  : "&#8239;");
        } else if (strncmp(formula + i, ">=", 2) == 0 || strncmp(formula + i, "<=", 2) == 0) {
            fl_text_append(text, formula[i] == '>' ? "&ge;" : "&le;");
            i++;
        } else if (strncmp(formula + i, "==", 2) == 0) {
            fl_text_append(text, " = ");
            i++;
        } else if (!running && formula[i] == ',' && formula[i + 1] != ' ') {
            fl_text_append(text, ", ");
        } else if (is_minus(formula, i, running)) {
            fl_text_append(text, "&minus;");
        } else {
            append_escaped(text, (const char[]){formula[i], 0});
        }
    }
}

static void append_running(fl_text *text, const char *plain)
{
    append_math(text, plain, strlen(plain), true);
}

static void append_name(fl_text *out, const fl_catalogue_entry *entry)
{
    append_running(out, entry->row);
    if (entry->column) {
        fl_text_append(out, "<br><span class=\"soft\">");
        append_running(out, entry->column);
        fl_text_append(out, "</span>");
    }
}

static void append_html_unit(fl_text *out, const fl_catalogue_entry *entry, double value)
{
    if (!entry->unit || isnan(value))
        return;
    fl_text_append(out, " ");
    append_running(out, entry->unit);
}

static void append_html_value(fl_text *out, const fl_catalogue_entry *entry, double value,
                              const char *class, const char *before)
{
    fl_text_append(out, "<td class=\"n %s\">%s", class, isnan(value) ? "" : before);
    append_number(out, value);
    append_html_unit(out, entry, value);
    fl_text_append(out, "</td>");
}

/* `a: mikant:k=2,n=3; b: kary-ntree:k=2,n=3`: a line for every network, broken nowhere else. */
static void append_html_networks(fl_text *out, const char *label)
{
    for (const char *next; *label; label = next) {
        size_t length = strcspn(label, ";");
        next = label + length + strspn(label + length, "; ");
        fl_text_append(out, "<span>");
        for (size_t i = 0; i < length; i++)
            append_escaped(out, (const char[]){label[i], 0});
        fl_text_append(out, "</span>%s", *next ? "<br>" : "");
    }
}

/* Several entries may share one derivation: it stands at the first of them. */
static size_t derivation_of(const fl_catalogue_table *table, size_t entry)
{
    for (size_t e = 0; e < entry; e++)
        if (table->entries[e].why && strcmp(table->entries[e].why, table->entries[entry].why) == 0)
            return e;
    return entry;
}

static void append_html_verdict(fl_text *out, const fl_catalogue_table *table, size_t number,
                                const fl_catalogue_instance *i)
{
    bool derived = i->verdict == FL_VERDICT_DIFFERS && table->entries[number].why;
    fl_text_append(out, "<td class=\"v %s\"", verdict_classes[i->verdict]);
    if (i->why_not) {
        fl_text_append(out, " title=\"not measured: ");
        append_escaped(out, i->why_not);
        fl_text_append(out, "\"");
    }
    fl_text_append(out, ">");
    if (derived)
        fl_text_append(out, "<a href=\"#why-%s-%zu\">", table->id,
                       derivation_of(table, number) + 1);
    fl_text_append(out, "%s%s</td></tr>\n", fl_verdict_names[i->verdict], derived ? "</a>" : "");
}

static void append_html_instance(fl_text *out, const fl_catalogue_table *table, size_t number,
                                 const fl_catalogue_instance *i)
{
    const fl_catalogue_entry *entry = &table->entries[number];
    fl_text_append(out, "<td class=\"net\">");
    append_html_networks(out, i->label);
    fl_text_append(out, "</td><td class=\"n published\">");
    append_published(out, entry, i);
    append_html_unit(out, entry, i->published);
    fl_text_append(out, "</td>");
    append_html_value(out, entry, i->form, "form", "");
    append_html_value(out, entry, i->measured, "measured", i->upper_bound ? "&le; " : "");
    append_html_verdict(out, table, number, i);
}

/* Which columns of formulas a table needs. */
typedef struct formulas {
    bool published, derived;
} formulas;

static formulas formulas_of(const fl_catalogue_table *table)
{
    formulas has = {false, false};
    for (size_t e = 0; e < table->entry_count; e++) {
        has.published |= is_formula(table->entries[e].published);
        has.derived |= table->entries[e].form && is_formula(table->entries[e].form);
    }
    return has;
}

static void append_formula_cell(fl_text *out, const char *formula, const char *class, size_t rows)
{
    fl_text_append(out, "<td class=\"math %s\" rowspan=\"%zu\">", class, rows);
    if (formula && is_formula(formula))
        append_math(out, formula, strlen(formula), false);
    fl_text_append(out, "</td>");
}

static void append_html_entry(fl_text *out, const fl_catalogue_table *table, size_t number,
                              formulas has)
{
    const fl_catalogue_entry *entry = &table->entries[number];
    size_t rows = entry->instance_count, hidden = 0;
    for (size_t i = SHOWN; i < rows; i++)
        hidden += entry->instances[i].verdict != FL_VERDICT_DIFFERS;
    fl_text_append(out, "<tbody class=\"entry%s\" id=\"%s-%zu\">\n",
                   entry->verdict == FL_VERDICT_DIFFERS ? "" : " fine", table->id, number + 1);
    for (size_t i = 0; i < rows; i++) {
        bool wrong = entry->instances[i].verdict == FL_VERDICT_DIFFERS;
        fl_text_append(out, "<tr%s>",
                       wrong        ? " class=\"wrong\""
                       : i >= SHOWN ? " class=\"more\""
                                    : "");
        if (i == 0) {
            fl_text_append(out, "<th scope=\"rowgroup\" rowspan=\"%zu\">", rows);
            append_name(out, entry);
            if (hidden > 0)
                fl_text_append(
                    out,
                    "<br><span class=\"soft small\"><span class=\"few\">%zu of </span>%zu instances</span>",
                    rows - hidden, rows);
            fl_text_append(out, "</th>");
        }
        if (i == 0 && has.published)
            append_formula_cell(out, entry->published, "as-published", rows);
        if (i == 0 && has.derived)
            append_formula_cell(out, entry->form, "derived", rows);
        append_html_instance(out, table, number, &entry->instances[i]);
    }
    fl_text_append(out, "</tbody>\n");
}

/* Entries of one text name it once: `row, column; row, column: text`. */
static void append_titles(fl_text *out, const fl_catalogue_table *table, const char *text,
                          size_t first, bool reading, bool html)
{
    size_t listed = 0;
    for (size_t e = first; e < table->entry_count; e++) {
        const fl_catalogue_entry *entry = &table->entries[e];
        const char *mine = reading ? entry->reading : entry->why;
        if (!mine || strcmp(mine, text) != 0)
            continue;
        fl_text_append(out, "%s", listed++ ? "; " : "");
        if (html) {
            append_running(out, entry->row);
            fl_text_append(out, "%s", entry->column ? ", " : "");
            append_running(out, entry->column ? entry->column : "");
        } else {
            fl_text_append(out, "%s%s%s", entry->row, entry->column ? ", " : "",
                           entry->column ? entry->column : "");
        }
    }
}

static bool said_before(const fl_catalogue_table *table, size_t entry, bool reading)
{
    const char *text = reading ? table->entries[entry].reading : table->entries[entry].why;
    for (size_t e = 0; e < entry; e++) {
        const char *other = reading ? table->entries[e].reading : table->entries[e].why;
        if (other && strcmp(other, text) == 0)
            return true;
    }
    return false;
}

/* Was this instance's reason given by an earlier one of its table? */
static bool reason_given_before(const fl_catalogue_table *table, size_t entry, size_t instance)
{
    const char *reason = table->entries[entry].instances[instance].why_not;
    for (size_t e = 0; e <= entry; e++)
        for (size_t i = 0; i < (e == entry ? instance : table->entries[e].instance_count); i++) {
            const char *other = table->entries[e].instances[i].why_not;
            if (other && strcmp(other, reason) == 0)
                return true;
        }
    return false;
}

/* Why something was not measured, every reason once; of two that begin alike (`larger than ...: `)
 * the beginning, too. */
static void append_html_reasons(fl_text *out, const fl_catalogue_table *table)
{
    const char *before = NULL;
    for (size_t e = 0; e < table->entry_count; e++)
        for (size_t i = 0; i < table->entries[e].instance_count; i++) {
            const char *reason = table->entries[e].instances[i].why_not;
            if (!reason || reason_given_before(table, e, i))
                continue;
            const char *rest = strstr(reason, ": ");
            size_t begins = rest ? (size_t)(rest + 2 - reason) : 0;
            bool alike = before && begins > 0 && strncmp(before, reason, begins) == 0;
            fl_text_append(out, "%s",
                           !before ? "<p class=\"note\"><b>Not measured.</b> "
                           : alike ? ", "
                                   : "; ");
            append_escaped(out, reason + (alike ? begins : 0));
            before = reason;
        }
    fl_text_append(out, "%s", before ? "</p>\n" : "");
}

static void append_html_notes(fl_text *out, const fl_catalogue_table *table)
{
    for (int reading = 0; reading < 2; reading++)
        for (size_t e = 0; e < table->entry_count; e++) {
            const char *text = reading ? table->entries[e].reading : table->entries[e].why;
            if (!text || said_before(table, e, reading))
                continue;
            fl_text_append(out,
                           reading ? "<p class=\"note\"><b>"
                                   : "<div class=\"finding\" id=\"why-%s-%zu\"><b>",
                           table->id, e + 1);
            append_titles(out, table, text, e, reading, true);
            fl_text_append(out, ".</b> ");
            append_running(out, text);
            fl_text_append(out, reading ? "</p>\n" : "</div>\n");
        }
    append_html_reasons(out, table);
}

static void append_html_table(fl_text *out, const fl_catalogue_table *table)
{
    formulas has = formulas_of(table);
    fl_text_append(out, "<h3 id=\"%s\">", table->id);
    append_running(out, table->title);
    fl_text_append(out, "</h3>\n");
    if (table->about) {
        fl_text_append(out, "<p class=\"soft\">");
        append_running(out, table->about);
        fl_text_append(out, "</p>\n");
    }
    fl_text_append(
        out,
        "<div class=\"wide\"><table><thead><tr><th>Property</th>%s%s<th>Instance</th><th class=\"n\">Published</th>"
        "<th class=\"n\">Closed form</th><th class=\"n\">Measured</th><th>Verdict</th></tr></thead>\n",
        has.published ? "<th>Formula, published</th>" : "",
        has.derived ? "<th>Formula, derived</th>" : "");
    for (size_t e = 0; e < table->entry_count; e++)
        append_html_entry(out, table, e, has);
    fl_text_append(out, "</table></div>\n");
    append_html_notes(out, table);
}

static void append_html_findings(fl_text *out, const fl_catalogue *c)
{
    fl_text_append(out, "<h2 id=\"findings\">Where the sources are wrong</h2>\n<ol>\n");
    for (size_t t = 0; t < c->table_count; t++)
        for (size_t e = 0; e < c->tables[t].entry_count; e++) {
            const fl_catalogue_table *table = &c->tables[t];
            if (table->entries[e].verdict != FL_VERDICT_DIFFERS || !table->entries[e].why ||
                said_before(table, e, false))
                continue;
            fl_text_append(out, "<li><a href=\"#why-%s-%zu\">", table->id, e + 1);
            append_titles(out, table, table->entries[e].why, e, false, true);
            fl_text_append(out, "</a> <span class=\"soft\">(%s, ", table->paper);
            append_running(out, table->title);
            fl_text_append(out, ")</span></li>\n");
        }
    fl_text_append(out, "</ol>\n");
}

static void append_html_head(fl_text *out, const fl_catalogue *c)
{
    fl_text_append(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>Published and measured properties of interconnection networks</title>\n<style>\n%s</style></head><body>\n",
        fl_catalogue_style[0].text);
    fl_text_append(
        out,
        "<h1>Published and measured properties of interconnection networks</h1>\n"
        "<p>Every table and figure of topological facts of five sources, entry by entry: what is published, what a closed form gives, "
        "what was measured. Measured means: every vertex and link was walked and counted; distances and shortest paths are "
        "those of breadth-first searches from every switch (from one of each class of switches that a symmetry makes alike); "
        "connectivity is by maximum flow. They are exact. A bisection width is that of the best of many partitions into equal "
        "halves, an upper bound, written &le;. Made by <code>faultline catalogue</code> %s.</p>\n",
        FL_VERSION);
    fl_text_append(
        out,
        "<div class=\"wide\"><table class=\"tally\"><thead><tr><th>Verdict</th>"
        "<th class=\"n\">Entries</th><th class=\"n\">Instances</th><th>Meaning</th></tr></thead><tbody>\n");
    for (int v = 0; v < FL_VERDICTS; v++)
        if (c->instances[v])
            fl_text_append(
                out,
                "<tr><td class=\"v %s\">%s</td><td class=\"n\">%zu</td><td class=\"n\">%zu</td><td>%s</td></tr>\n",
                verdict_classes[v], fl_verdict_names[v], c->entries[v], c->instances[v],
                verdict_meanings[v]);
    fl_text_append(
        out,
        "<tr><th>all</th><td class=\"n\">%zu</td><td class=\"n\">%zu</td><td>%u networks measured; larger than ",
        sum(c->entries), sum(c->instances), c->networks);
    append_number(out, (double)c->largest);
    fl_text_append(
        out,
        " links: none</td></tr>\n</tbody></table></div>\n"
        "<p class=\"controls\"><a href=\"#contents\">Contents</a><label><input type=\"checkbox\" id=\"every\"> every instance</label>"
        "<label><input type=\"checkbox\" id=\"only\"> only where a source is wrong</label></p>\n<nav id=\"contents\"><h2>Contents</h2>\n<ul>\n"
        "<li><a href=\"#findings\"><b>Where the sources are wrong</b></a></li>\n");
    for (size_t t = 0; t < c->table_count; t++) {
        bool first = t == 0 || strcmp(c->tables[t].paper, c->tables[t - 1].paper) != 0;
        if (first)
            fl_text_append(out, "%s<li><b>%s</b><ul>\n", t ? "</ul></li>\n" : "",
                           c->tables[t].paper);
        fl_text_append(out, "<li><a href=\"#%s\">", c->tables[t].id);
        append_running(out, c->tables[t].title);
        size_t wrong = count_differing(&c->tables[t]);
        fl_text_append(out, "</a>");
        if (wrong)
            fl_text_append(out, " <span class=\"v wrong\">%zu differ%s</span>", wrong,
                           wrong == 1 ? "s" : "");
        fl_text_append(out, "</li>\n");
    }
    fl_text_append(out, "%s</ul></nav>\n", c->table_count ? "</ul></li>\n" : "");
}

void fl_catalogue_html(const fl_catalogue *c, fl_text *out)
{
    append_html_head(out, c);
    append_html_findings(out, c);
    for (size_t t = 0; t < c->table_count; t++) {
        if (t == 0 || strcmp(c->tables[t].paper, c->tables[t - 1].paper) != 0) {
            fl_text_append(out, "<h2>%s</h2>\n<p class=\"soft\">", c->tables[t].paper);
            append_escaped(out, c->tables[t].source);
            fl_text_append(out, "</p>\n");
        }
        append_html_table(out, &c->tables[t]);
    }
    fl_text_append(out, "</body></html>\n");
}

/* ---- Markdown ---- */

static void append_cell(fl_text *out, const char *plain)
{
    for (const char *c = plain; *c; c++)
        fl_text_append(out, "%s%c", *c == '|' ? "\\" : "", *c);
}

static void append_markdown_instance(fl_text *out, const fl_catalogue_entry *entry,
                                     const fl_catalogue_instance *i, bool first)
{
    fl_text_append(out, "| ");
    append_cell(out, first ? entry->row : "");
    fl_text_append(out, "%s", first && entry->column ? ", " : "");
    append_cell(out, first && entry->column ? entry->column : "");
    fl_text_append(out, " | ");
    if (first && is_formula(entry->published))
        fl_text_append(out, "`%s`", entry->published);
    fl_text_append(out, " | ");
    if (first && entry->form && is_formula(entry->form))
        fl_text_append(out, "`%s`", entry->form);
    fl_text_append(out, " | %s | ", i->label);
    append_published(out, entry, i);
    append_unit(out, entry, i->published);
    fl_text_append(out, " | ");
    append_number(out, i->form);
    append_unit(out, entry, i->form);
    fl_text_append(out, " | %s", i->upper_bound && !isnan(i->measured) ? "<= " : "");
    append_number(out, i->measured);
    append_unit(out, entry, i->measured);
    fl_text_append(out, " | %s%s%s%s |\n", i->verdict == FL_VERDICT_DIFFERS ? "**" : "",
                   fl_verdict_names[i->verdict], i->verdict == FL_VERDICT_DIFFERS ? "**" : "",
                   i->why_not && i->verdict != FL_VERDICT_UNMEASURED ? " (not measured)" : "");
}

static void append_markdown_table(fl_text *out, const fl_catalogue_table *table)
{
    fl_text_append(out, "\n### %s\n\n", table->title);
    if (table->about)
        fl_text_append(out, "%s\n\n", table->about);
    fl_text_append(
        out,
        "| property | as published | derived | instance | published | closed form | measured | verdict |\n"
        "|---|---|---|---|---:|---:|---:|---|\n");
    for (size_t e = 0; e < table->entry_count; e++)
        for (size_t i = 0; i < table->entries[e].instance_count; i++)
            append_markdown_instance(out, &table->entries[e], &table->entries[e].instances[i],
                                     i == 0);
    for (int reading = 0; reading < 2; reading++)
        for (size_t e = 0; e < table->entry_count; e++) {
            const char *text = reading ? table->entries[e].reading : table->entries[e].why;
            if (!text || said_before(table, e, reading))
                continue;
            fl_text_append(out, "\n%s**", reading ? "- " : "> ");
            append_titles(out, table, text, e, reading, false);
            fl_text_append(out, ".** %s\n", text);
        }
}

void fl_catalogue_markdown(const fl_catalogue *c, fl_text *out)
{
    fl_text_append(
        out,
        "# Published and measured properties of interconnection networks\n\n"
        "Made by `faultline catalogue` %s. Counts, distances, paths and connectivity are measured exactly; a bisection width is the\n"
        "best of many partitions into equal halves, an upper bound (`<=`). %u networks were measured, none of more than ",
        FL_VERSION, c->networks);
    append_number(out, (double)c->largest);
    fl_text_append(out,
                   " links.\n\n| verdict | entries | instances | meaning |\n|---|---:|---:|---|\n");
    for (int v = 0; v < FL_VERDICTS; v++)
        if (c->instances[v])
            fl_text_append(out, "| %s | %zu | %zu | %s |\n", fl_verdict_names[v], c->entries[v],
                           c->instances[v], verdict_meanings[v]);
    for (size_t t = 0; t < c->table_count; t++) {
        if (t == 0 || strcmp(c->tables[t].paper, c->tables[t - 1].paper) != 0)
            fl_text_append(out, "\n## %s\n\n%s\n", c->tables[t].paper, c->tables[t].source);
        append_markdown_table(out, &c->tables[t]);
    }
}

/* ---- CSV ---- */

static void append_quoted(fl_text *out, const char *plain)
{
    fl_csv_append_quoted(out, plain ? plain : "");
}

static void append_csv_number(fl_text *out, double value)
{
    fl_text_append(out, ",");
    if (!isnan(value))
        fl_text_append_double(out, value);
}

void fl_catalogue_csv(const fl_catalogue *c, fl_text *out)
{
    fl_text_append(
        out,
        "paper,table,row,column,unit,published_as,derived,quantity,instance,published,closed_form,measured,upper_bound,verdict,"
        "entry_verdict,not_measured,reading,derivation\n");
    for (size_t t = 0; t < c->table_count; t++)
        for (size_t e = 0; e < c->tables[t].entry_count; e++)
            for (size_t n = 0; n < c->tables[t].entries[e].instance_count; n++) {
                const fl_catalogue_entry *entry = &c->tables[t].entries[e];
                const fl_catalogue_instance *i = &entry->instances[n];
                const char *texts[] = {c->tables[t].paper, c->tables[t].id, entry->row,
                                       entry->column,      entry->unit,     entry->published,
                                       entry->form,        entry->quantity, i->label};
                for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
                    fl_text_append(out, "%s", k ? "," : "");
                    append_quoted(out, texts[k]);
                }
                append_csv_number(out, i->published);
                append_csv_number(out, i->form);
                append_csv_number(out, i->measured);
                fl_text_append(out, ",%d,", i->upper_bound);
                append_quoted(out, fl_verdict_names[i->verdict]);
                fl_text_append(out, ",");
                append_quoted(out, fl_verdict_names[entry->verdict]);
                fl_text_append(out, ",");
                append_quoted(out, i->why_not);
                fl_text_append(out, ",");
                append_quoted(out, entry->reading);
                fl_text_append(out, ",");
                append_quoted(out, entry->why);
                fl_text_append(out, "\n");
            }
}

/* ---- JSON ---- */

static void append_instance(fl_json_writer *json, const fl_catalogue_table *table,
                            const fl_catalogue_entry *entry, const fl_catalogue_instance *i)
{
    fl_json_open_object(fl_json_line(json), NULL);
    fl_json_text(json, "paper", table->paper);
    fl_json_text(json, "table", table->id);
    fl_json_text(json, "row", entry->row);
    fl_json_text(json, "column", entry->column);
    fl_json_text(json, "unit", entry->unit);
    fl_json_text(json, "instance", i->label);
    fl_json_real(json, "published", i->published, 0);
    fl_json_real(json, "closed_form", i->form, 0);
    fl_json_real(json, "measured", i->measured, 0);
    fl_json_bool(json, "upper_bound", i->upper_bound);
    fl_json_text(json, "verdict", fl_verdict_names[i->verdict]);
    fl_json_text(json, "not_measured", i->why_not);
    fl_json_text(json, "reading", entry->reading);
    fl_json_text(json, "derivation", entry->why);
    fl_json_close(json);
}

void fl_catalogue_json(const fl_catalogue *c, fl_text *out)
{
    fl_json_writer json = fl_json_writer_begin(out, 2);
    fl_json_open_array(&json, NULL);
    for (size_t t = 0; t < c->table_count; t++)
        for (size_t e = 0; e < c->tables[t].entry_count; e++)
            for (size_t n = 0; n < c->tables[t].entries[e].instance_count; n++)
                append_instance(&json, &c->tables[t], &c->tables[t].entries[e],
                                &c->tables[t].entries[e].instances[n]);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(out, "\n");
}

/* ---- a few lines ---- */

static void append_verdicts(const fl_catalogue *c, fl_text *out)
{
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = 30, .gap = 2, .left = true}, "verdict");
    fl_table_column(&table, (fl_column){.least = 8, .gap = 1}, "entries");
    fl_table_column(&table, (fl_column){.least = 10, .gap = 1}, "instances");
    for (int v = 0; v < FL_VERDICTS; v++) {
        if (!c->instances[v])
            continue;
        fl_table_cell(&table, "%s", fl_verdict_names[v]);
        fl_table_cell(&table, "%zu", c->entries[v]);
        fl_table_cell(&table, "%zu", c->instances[v]);
        fl_table_row(&table);
    }
    fl_table_end(&table, out);
}

static void append_wrong_entries(const fl_catalogue *c, fl_text *out)
{
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = 18, .gap = 2, .left = true}, "%s", "");
    fl_table_column(&table, (fl_column){.least = 18, .gap = 1, .left = true}, "%s", "");
    fl_table_column(&table, (fl_column){.gap = 1, .left = true, .wraps = true}, "%s", "");
    for (size_t t = 0; t < c->table_count; t++)
        for (size_t e = 0; e < c->tables[t].entry_count; e++) {
            const fl_catalogue_entry *entry = &c->tables[t].entries[e];
            if (entry->verdict != FL_VERDICT_DIFFERS)
                continue;
            fl_table_cell(&table, "%s", c->tables[t].paper);
            fl_table_cell(&table, "%s", c->tables[t].id);
            fl_table_cell(&table, "%s%s%s", entry->row, entry->column ? ", " : "",
                          entry->column ? entry->column : "");
            fl_table_row(&table);
        }
    fl_table_end(&table, out);
}

void fl_catalogue_summary(const fl_catalogue *c, fl_text *out)
{
    fl_text_append(out, "%zu entries at %zu instances; %u networks measured, none of more than ",
                   sum(c->entries), sum(c->instances), c->networks);
    append_number(out, (double)c->largest);
    fl_text_append(out, " links\n");
    append_verdicts(c, out);
    fl_text_append(out, "where the sources are wrong:\n");
    append_wrong_entries(c, out);
}
