#include "experiments/catalogue/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Recursive descent that computes while it reads; the body of a sum is read once a term. */

enum { NAME_MAX_LENGTH = 40, BOUND_MAX = 8, DEPTH_MAX = 60, TERMS_MAX = 10000000 };

typedef struct reader {
    const char *text, *at;
    const fl_formula_names *names;
    struct {
        char name[NAME_MAX_LENGTH];
        double value;
    } bound[BOUND_MAX]; /* of sums, the innermost last */
    unsigned bound_count, depth;
    unsigned long terms;
    const char *what; /* is wrong at `at`; NULL so far */
} reader;

static double fail(reader *r, const char *what)
{
    if (!r->what)
        r->what = what;
    return NAN;
}

static void skip(reader *r)
{
    while (*r->at == ' ')
        r->at++;
}

static bool take(reader *r, const char *mark)
{
    skip(r);
    if (strncmp(r->at, mark, strlen(mark)) != 0)
        return false;
    r->at += strlen(mark);
    return true;
}

static bool need(reader *r, const char *mark, const char *what)
{
    if (r->what || take(r, mark))
        return !r->what;
    fail(r, what);
    return false;
}

static bool take_name(reader *r, char out[NAME_MAX_LENGTH])
{
    size_t length = 0;
    skip(r);
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_')
        length++;
    if (length == 0 || length >= NAME_MAX_LENGTH || !isalpha((unsigned char)*r->at))
        return false;
    memcpy(out, r->at, length);
    out[length] = 0;
    r->at += length;
    return true;
}

static double whole(reader *r);

/* ---- functions ---- */

static double factorial(double x)
{
    return x < 0 || x != floor(x) ? NAN : round(tgamma(x + 1));
}

static double moore(double vertices, double degree)
{
    double left = vertices - 1, level = degree, sum = 0;
    if (!(left > 0) || !(degree >= 1))
        return left > 0 ? NAN : 0;
    for (double distance = 1; left > 0 && level > 1e-12 && distance <= vertices + 1000;
         distance++, level *= degree - 1) {
        sum += distance * fmin(level, left);
        left -= fmin(level, left);
    }
    return left > 1e-6 ? INFINITY : sum / (vertices - 1); /* so few links do not reach all */
}

typedef struct function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
} function;

static const function functions[] = {
    {"log2", log2, NULL},           {"floor", floor, NULL},
    {"ceil", ceil, NULL},           {"round", round, NULL},
    {"sqrt", sqrt, NULL},           {"abs", fabs, NULL},
    {"factorial", factorial, NULL}, {"mod", NULL, fmod},
    {"moore", NULL, moore},         {NULL, NULL, NULL},
};

static double call(reader *r, const function *f)
{
    double x = whole(r), y = 0;
    if (f->two && need(r, ",", "expected a second argument"))
        y = whole(r);
    if (!need(r, ")", "expected ')'"))
        return NAN;
    return f->two ? f->two(x, y) : f->one(x);
}

static double choice(reader *r)
{
    double condition = whole(r), yes = NAN, no = NAN;
    if (need(r, ",", "expected ','"))
        yes = whole(r);
    if (need(r, ",", "expected ','"))
        no = whole(r);
    need(r, ")", "expected ')'");
    return condition != 0 ? yes : no;
}

typedef enum fold { SUM, LEAST, MOST, WHERE_LEAST, WHERE_MOST, FOLDS } fold;
static const char *const fold_names[FOLDS] = {"sum", "min", "max", "argmin", "argmax"};

static double fold_over(reader *r, fold how)
{
    char name[NAME_MAX_LENGTH];
    double from = NAN, to = NAN, result = how == SUM ? 0 : NAN, where = NAN;
    if (!take_name(r, name) || r->bound_count == BOUND_MAX)
        return fail(r, "expected a name to count with");
    if (need(r, ",", "expected ','"))
        from = whole(r);
    if (need(r, ",", "expected ','"))
        to = whole(r);
    if (!need(r, ",", "expected ','"))
        return NAN;
    const char *body = r->at, *far_end = NULL;
    unsigned mine = r->bound_count++;
    strcpy(r->bound[mine].name, name);
    bool empty = !(from <= to); /* read once all the same, to get past it */
    for (double i = from; !r->what && (i <= to || !far_end); i++) {
        r->bound[mine].value = i;
        r->at = body;
        double value = whole(r);
        far_end = r->at;
        if (++r->terms > TERMS_MAX)
            fail(r, "too many terms");
        if (empty)
            break;
        if (how == SUM)
            result += value;
        else if (isnan(result) ||
                 (how == LEAST || how == WHERE_LEAST ? value < result : value > result))
            result = value, where = i;
    }
    r->bound_count = mine;
    need(r, ")", "expected ')'");
    return how == WHERE_LEAST || how == WHERE_MOST ? where : result;
}

static double called(reader *r, const char *name)
{
    for (const function *f = functions; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return call(r, f);
    for (fold how = 0; how < FOLDS; how++)
        if (strcmp(fold_names[how], name) == 0)
            return fold_over(r, how);
    return strcmp(name, "if") == 0 ? choice(r) : fail(r, "no such function");
}

/* ---- operators ---- */

static double named(reader *r)
{
    char name[NAME_MAX_LENGTH], of[NAME_MAX_LENGTH];
    double value = NAN;
    const char *start = r->at;
    if (!take_name(r, name))
        return fail(r, "expected a number, a name or '('");
    if (take(r, "("))
        return called(r, name);
    bool dotted = *r->at == '.';
    if (dotted) {
        r->at++;
        strcpy(of, name);
        if (!take_name(r, name))
            return fail(r, "expected a name after '.'");
    }
    for (unsigned i = r->bound_count; i-- > 0 && !dotted;)
        if (strcmp(r->bound[i].name, name) == 0)
            return r->bound[i].value;
    if (r->names && r->names->find(r->names->user, dotted ? of : NULL, name, &value))
        return value;
    r->at = start;
    return fail(r, "no such name");
}

static double primary(reader *r)
{
    skip(r);
    if (isdigit((unsigned char)*r->at)) {
        char *end;
        double value = strtod(r->at, &end);
        r->at = end;
        return value;
    }
    if (!take(r, "("))
        return named(r);
    double value = whole(r);
    need(r, ")", "expected ')'");
    return value;
}

static double power(reader *r)
{
    if (take(r, "-"))
        return -power(r);
    double base = primary(r);
    return !r->what && take(r, "^") ? pow(base, power(r)) : base;
}

static double product(reader *r)
{
    double value = power(r);
    while (!r->what) {
        if (take(r, "*"))
            value *= power(r);
        else if (take(r, "/"))
            value /= power(r);
        else
            break;
    }
    return value;
}

static double total(reader *r)
{
    double value = product(r);
    while (!r->what) {
        if (take(r, "+"))
            value += product(r);
        else if (take(r, "-"))
            value -= product(r);
        else
            break;
    }
    return value;
}

static double whole(reader *r)
{
    if (r->what || ++r->depth > DEPTH_MAX)
        return fail(r, "nested too deeply");
    static const char *const comparisons[] = {"==", "<=", ">=", "<", ">"};
    double value = total(r);
    for (int i = 0; i < 5; i++)
        if (take(r, comparisons[i])) {
            double other = total(r);
            bool truths[] = {value == other, value <= other, value >= other,
                             value<other, value> other};
            value = isnan(value) || isnan(other) ? NAN : truths[i];
            break;
        }
    r->depth--;
    return value;
}

fl_status fl_formula_value(double *out, const char *formula, const fl_formula_names *names,
                           fl_error *error)
{
    reader r = {.text = formula, .at = formula, .names = names};
    *out = whole(&r);
    skip(&r);
    if (!r.what && *r.at)
        fail(&r, "expected an operator");
    if (r.what)
        return fl_fail(error, FL_ERR_INVALID, "formula '%s', character %d: %s", formula,
                       (int)(r.at - formula) + 1, r.what);
    return FL_OK;
}
