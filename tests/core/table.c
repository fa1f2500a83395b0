/* core: tables and lines that fit a terminal. */
#include "tests/support.h"

#include "core/core.h"

#include <string.h>

static void expect_text(fl_text *text, const char *expected)
{
    cr_expect(!text->failed);
    cr_expect_str_eq(text->data ? text->data : "", expected);
    fl_text_clear(text);
}

/* ---- lines ---- */

static void expect_fitted(unsigned columns, const char *text, const char *expected)
{
    fl_text out = {.columns = columns};
    fl_text_append(&out, "%s", text);
    fl_text_fit(&out);
    expect_text(&out, expected);
}

Test(lines, a_line_that_fits_stays)
{
    expect_fitted(5, "abcde\n\nab de\n", "abcde\n\nab de\n");
    expect_fitted(0, "any length at all", "any length at all");
    expect_fitted(9, "", "");
}

Test(lines, a_longer_one_is_broken_at_spaces_and_goes_on_indented)
{
    expect_fitted(9, "one two three four\nx\n", "one two\n  three\n  four\nx\n");
    expect_fitted(12, "  one two three", "  one two\n    three");
    expect_fitted(10, "ab   cd   efg", "ab   cd\n  efg");
}

Test(lines, a_long_word_is_broken_after_a_comma_and_nowhere_else)
{
    expect_fitted(8, "n:k=3,n=3,m=4", "n:k=3,\n  n=3,\n  m=4");
    expect_fitted(12, "<0,1>-<1,1>;<0,2>-<1,2>", "<0,1>-<1,1>;\n  <0,2>-<1,\n  2>");
    expect_fitted(4, "1234567 89", "1234567\n  89");
}

Test(lines, characters_count_and_not_bytes)
{
    cr_expect_eq(fl_line_width("\xc3\xa4\xe2\x86\x92x", 6), 3);
    expect_fitted(7, "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4",
                  "\xc3\xa4\xc3\xa4\xc3\xa4 \xc3\xa4\xc3\xa4\xc3\xa4");
}

/* ---- tables ---- */

/* Names, and three columns of numbers of which two can be left out. */
static fl_table numbers(void)
{
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.least = 10, .gap = 2, .left = true}, "router");
    fl_table_column(&table, (fl_column){.least = 8, .gap = 2}, "first");
    fl_table_column(&table, (fl_column){.least = 8, .gap = 2, .rank = 2}, "second");
    fl_table_column(&table, (fl_column){.least = 8, .gap = 2, .rank = 1}, "third");
    for (int i = 0; i < 2; i++) {
        fl_table_cell(&table, "%s", i ? "gns+gdl" : "gns");
        for (int n = 1; n <= 3; n++)
            fl_table_cell(&table, "%d", n * (i ? 1000 : 1));
        fl_table_row(&table);
    }
    return table;
}

static void expect_numbers(unsigned columns, const char *expected)
{
    fl_text out = {.columns = columns};
    fl_table table = numbers();
    fl_table_end(&table, &out);
    cr_expect(!table.columns.data && !table.pieces.data && !table.bytes.data);
    expect_text(&out, expected);
}

Test(table, columns_are_wide_where_there_is_room)
{
    static const char wide[] = "  router         first    second     third\n"
                               "  gns                1         2         3\n"
                               "  gns+gdl         1000      2000      3000\n";
    expect_numbers(0, wide);
    expect_numbers(42, wide);
}

Test(table, in_a_narrow_terminal_they_are_as_wide_as_their_content)
{
    expect_numbers(41, "  router   first  second  third\n"
                       "  gns          1       2      3\n"
                       "  gns+gdl   1000    2000   3000\n");
    expect_numbers(31, "  router   first  second  third\n"
                       "  gns          1       2      3\n"
                       "  gns+gdl   1000    2000   3000\n");
}

Test(table, then_the_highest_rank_is_left_out_first_and_named)
{
    expect_numbers(30, "  router   first  third\n"
                       "  gns          1      3\n"
                       "  gns+gdl   1000   3000\n"
                       "  (no room for: second; all\n"
                       "    columns: --json, or to a\n"
                       "    file or a pipe)\n");
    expect_numbers(20, "  router   first\n"
                       "  gns          1\n"
                       "  gns+gdl   1000\n"
                       "  (no room for:\n"
                       "    second, third;\n"
                       "    all columns:\n"
                       "    --json, or to a\n"
                       "    file or a pipe)\n");
}

Test(table, then_it_becomes_a_list_with_all_columns)
{
    expect_numbers(15, "  gns\n"
                       "    first   1\n"
                       "    second  2\n"
                       "    third   3\n"
                       "  gns+gdl\n"
                       "    first   1000\n"
                       "    second  2000\n"
                       "    third   3000\n");
}

Test(table, one_column_may_wrap)
{
    fl_text out = {.columns = 24};
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.left = true, .wraps = true}, "what");
    fl_table_column(&table, (fl_column){.gap = 2}, "value");
    fl_table_cell(&table, "average distance, with self");
    fl_table_cell(&table, "5.01");
    fl_table_row(&table);
    fl_table_cell(&table, "links");
    fl_table_cell(&table, "135");
    fl_table_row(&table);
    fl_table_end(&table, &out);
    expect_text(&out, "what               value\n"
                      "average distance,   5.01\n"
                      "  with self\n"
                      "links                135\n");
}

Test(table, the_rest_of_a_row_follows_its_cells_or_has_lines_of_its_own)
{
    static const char *const expected[] = {
        "  1      10  not steady: a longer warm-up may help\n"
        "  2  deadlocked\n",
        "  1  10\n      not steady: a longer\n      warm-up may help\n"
        "  2  deadlocked\n"};
    for (unsigned i = 0; i < 2; i++) {
        fl_text out = {.columns = i ? 30 : 0};
        fl_table table = {0};
        fl_table_column(&table, (fl_column){.gap = 2}, "%s", "");
        fl_table_column(&table, (fl_column){.least = 30 * i, .gap = 2}, "%s", "");
        fl_table_cell(&table, "1");
        fl_table_cell(&table, i ? "10" : "    10");
        fl_table_rest(&table, "not steady: a longer warm-up may help");
        fl_table_row(&table);
        fl_table_cell(&table, "2");
        fl_table_rest(&table, "deadlocked");
        fl_table_row(&table);
        fl_table_end(&table, &out);
        expect_text(&out, expected[i]);
    }
}

Test(table, lines_stand_between_rows_and_no_line_ends_with_a_space)
{
    fl_text out = {.columns = 20};
    fl_table table = {0};
    fl_table_column(&table, (fl_column){.gap = 1, .left = true}, "a");
    fl_table_column(&table, (fl_column){.gap = 1, .left = true}, "b");
    fl_table_cell(&table, "x");
    fl_table_cell(&table, "%s", "");
    fl_table_row(&table);
    fl_table_line(&table, "  a line that is too long for it");
    fl_table_cell(&table, "y");
    fl_table_row(&table);
    fl_table_end(&table, &out);
    expect_text(&out, " a b\n x\n  a line that is too\n    long for it\n y\n");
}

/* Whatever the width from 13 columns on: no number is cut, and no line is too long. */
Test(table, no_cell_is_ever_cut)
{
    for (unsigned columns = 13; columns < 60; columns++) {
        fl_text out = {.columns = columns};
        fl_table table = {0};
        fl_table_column(&table, (fl_column){.gap = 2, .left = true}, "n");
        for (unsigned i = 0; i < 6; i++)
            fl_table_column(&table, (fl_column){.gap = 1, .rank = i % 3}, "%u", i);
        fl_table_cell(&table, "name");
        for (unsigned i = 0; i < 6; i++)
            fl_table_cell(&table, "0.%u123", i);
        fl_table_row(&table);
        fl_table_end(&table, &out);
        cr_expect(strstr(out.data, "0.0123") && strstr(out.data, "0.3123"), "%u: %s", columns,
                  out.data);
        for (const char *line = out.data; *line; line += strcspn(line, "\n") + 1)
            cr_expect(strcspn(line, "\n") <= columns, "%u: %s", columns, out.data);
        fl_text_clear(&out);
    }
}
