/* Conjugate gradients on a sparse matrix that couples each rank with itself, its neighbours and the
 * ranks 2, 4, 8, ... places away: ROWS rows a rank, ITERATIONS steps. Each step exchanges whole
 * blocks of the vector over these distances and forms two dot products (all-reduces of one number).
 * Row i has D + 1 on the diagonal and -1 at the columns i + s and i - s (modulo the number of rows)
 * for the shifts s = 1, and ROWS * 2^j below half of all rows, where D is the number of these
 * columns: symmetric and strictly diagonally dominant. The right-hand side is made from a known
 * solution.
 * cg [ROWS [ITERATIONS]] */
#include "experiments/mpi/kernel.h"

#include <math.h>
enum { KNOWN_MOST = 12 }; /* no entry of the solution is larger */

typedef struct matrix {
    const kernel *k;
    int rows;
    double diagonal, off_diagonals;
    double *lower, *upper; /* [rows] blocks of other ranks */
} matrix;

static double dot(const matrix *a, const double *x, const double *y)
{
    double own = 0, all = 0;
    for (int i = 0; i < a->rows; i++)
        own += x[i] * y[i];
    kernel_work(2.0 * a->rows);
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Subtracts from y what the columns at a shift of `ranks` whole blocks hold. */
static void subtract_blocks(const matrix *a, const double *x, double *y, int ranks)
{
    int n = a->k->ranks, lower = (a->k->rank + n - ranks) % n, upper = (a->k->rank + ranks) % n;
    MPI_Sendrecv(x, a->rows, MPI_DOUBLE, upper, 0, a->lower, a->rows, MPI_DOUBLE, lower, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(x, a->rows, MPI_DOUBLE, lower, 1, a->upper, a->rows, MPI_DOUBLE, upper, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < a->rows; i++)
        y[i] -= a->lower[i] + a->upper[i];
}

/* The same at a shift of one row. */
static void subtract_neighbours(const matrix *a, const double *x, double *y)
{
    int n = a->k->ranks, lower = (a->k->rank + n - 1) % n, upper = (a->k->rank + 1) % n;
    double before = 0, after = 0;
    MPI_Sendrecv(&x[a->rows - 1], 1, MPI_DOUBLE, upper, 2, &before, 1, MPI_DOUBLE, lower, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, lower, 3, &after, 1, MPI_DOUBLE, upper, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < a->rows; i++)
        y[i] -= (i > 0 ? x[i - 1] : before) + (i + 1 < a->rows ? x[i + 1] : after);
}

static void multiply(const matrix *a, const double *x, double *y)
{
    for (int i = 0; i < a->rows; i++)
        y[i] = a->diagonal * x[i];
    subtract_neighbours(a, x, y);
    for (int ranks = 1; 2 * ranks < a->k->ranks; ranks *= 2)
        subtract_blocks(a, x, y, ranks);
    kernel_work(2.0 * a->rows * a->off_diagonals);
}

/* An entry of the solution, and of the right-hand side: what multiply must find. */
static double known_at(const matrix *a, double row)
{
    double all = (double)a->rows * a->k->ranks;
    row = fmod(row + all, all);
    return cos(0.37 * row) + fmod(5 * row, 11);
}

static double right_hand_side(const matrix *a, int i)
{
    double row = i + (double)a->rows * a->k->rank,
           sum = a->diagonal * known_at(a, row) - known_at(a, row - 1) - known_at(a, row + 1);
    for (int ranks = 1; 2 * ranks < a->k->ranks; ranks *= 2)
        sum -=
            known_at(a, row - (double)a->rows * ranks) + known_at(a, row + (double)a->rows * ranks);
    return sum;
}

static matrix matrix_create(const kernel *k, int rows)
{
    matrix a = {.k = k, .rows = rows, .off_diagonals = 2};
    for (int ranks = 1; 2 * ranks < k->ranks; ranks *= 2)
        a.off_diagonals += 2;
    a.diagonal = a.off_diagonals + 1;
    a.lower = kernel_allocate((size_t)rows, sizeof *a.lower);
    a.upper = kernel_allocate((size_t)rows, sizeof *a.upper);
    return a;
}

/* Solves A x = b from x = 0. The four vectors x, r, p and q are given as 0, b, b and room. Returns
 * the last norm of r over the first. */
static double solve(const matrix *a, double *x, double *r, double *p, double *q, int iterations)
{
    double norm = dot(a, r, r), first = norm;
    for (int step = 0; step < iterations && norm > 0; step++) {
        multiply(a, p, q);
        double alpha = norm / dot(a, p, q), last = norm;
        for (int i = 0; i < a->rows; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        norm = dot(a, r, r);
        for (int i = 0; i < a->rows; i++)
            p[i] = r[i] + norm / last * p[i];
        kernel_work(6.0 * a->rows);
    }
    return first > 0 ? sqrt(norm / first) : 0;
}

/* How far A x + r is from the right-hand side, at the worst of this rank's rows. */
static double distance(const matrix *a, const double *x, const double *r, double *multiplied)
{
    double worst = 0;
    multiply(a, x, multiplied);
    for (int i = 0; i < a->rows; i++)
        worst = fmax(worst, fabs(right_hand_side(a, i) - multiplied[i] - (r ? r[i] : 0)));
    return worst;
}

/* The products are right, the residual that was carried along is that of x, and the error is not
 * longer than the residual, because all eigenvalues are at least 1. Overwrites x. */
static bool is_right(const matrix *a, double *x, const double *r, double residual, double *room)
{
    double error = 0, all = (double)a->rows * a->k->ranks, rounding = 1e-12 * KNOWN_MOST,
           length = KNOWN_MOST * (2 * a->diagonal) * sqrt(all);
    bool good = distance(a, x, r, room) < rounding * a->diagonal && residual < 1;
    for (int i = 0; i < a->rows; i++) {
        double known = known_at(a, i + (double)a->rows * a->k->rank);
        error = fmax(error, fabs(x[i] - known));
        x[i] = known;
    }
    good &= distance(a, x, NULL, room) < rounding * a->diagonal;
    return good && error < length * residual + 1e-10;
}

int main(int count, char **arguments)
{
    kernel k = kernel_begin(&count, &arguments);
    int rows = kernel_argument(count, arguments, 1, 512, 1, 1 << 24),
        iterations = kernel_argument(count, arguments, 2, 15, 1, 1 << 20);
    size_t room = (size_t)rows;
    matrix a = matrix_create(&k, rows);
    double *x = kernel_allocate(4 * room, sizeof *x), *r = x + room, *p = r + room, *q = p + room;
    for (int i = 0; i < rows; i++)
        r[i] = p[i] = right_hand_side(&a, i);
    kernel_start(&k);
    double residual = solve(&a, x, r, p, q, iterations);
    kernel_stop(&k);
    bool good = is_right(&a, x, r, residual, q);
    free(x);
    free(a.lower);
    free(a.upper);
    return kernel_end(&k, "cg", good);
}
