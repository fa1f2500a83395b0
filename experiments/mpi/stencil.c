/* A stencil: Jacobi sweeps over a periodic grid of DIMENSIONS (2 or 3) dimensions, CELLS cells
 * along each edge of a rank's part, with an exchange of the faces before every one of STEPS sweeps.
 * A product of cosines is an eigenvector of a sweep, so that every cell is known after any number.
 * stencil [DIMENSIONS [CELLS [STEPS]]] */
#include "experiments/mpi/kernel.h"

#include <math.h>

enum { DIMENSIONS_MAX = 3 };

/* A rank's cells are 1..cells along each dimension in use; 0 and cells + 1 are the neighbours'. */
typedef struct grid {
    MPI_Comm ranks;
    int dimensions, cells;
    int size[DIMENSIONS_MAX], place[DIMENSIONS_MAX]; /* of ranks */
    int lower[DIMENSIONS_MAX], upper[DIMENSIONS_MAX];
    int stride[DIMENSIONS_MAX];
    int all; /* cells, with those of the neighbours */
    double *now, *next, *face_out, *face_in;
} grid;

static void grid_create(grid *g, const kernel *k, int dimensions, int cells)
{
    int periodic[DIMENSIONS_MAX] = {1, 1, 1};
    g->dimensions = dimensions;
    g->cells = cells;
    g->all = 1;
    for (int d = 0; d < dimensions; d++) {
        g->size[d] = 0;
        g->stride[d] = g->all;
        g->all *= cells + 2;
    }
    MPI_Dims_create(k->ranks, dimensions, g->size);
    MPI_Cart_create(MPI_COMM_WORLD, dimensions, g->size, periodic, 0, &g->ranks);
    MPI_Cart_coords(g->ranks, k->rank, dimensions, g->place);
    for (int d = 0; d < dimensions; d++)
        MPI_Cart_shift(g->ranks, d, 1, &g->lower[d], &g->upper[d]);
    g->now = kernel_allocate((size_t)g->all, sizeof *g->now);
    g->next = kernel_allocate((size_t)g->all, sizeof *g->next);
    g->face_out = kernel_allocate((size_t)g->all, sizeof *g->face_out);
    g->face_in = kernel_allocate((size_t)g->all, sizeof *g->face_in);
}

static void grid_destroy(grid *g)
{
    free(g->now);
    free(g->next);
    free(g->face_out);
    free(g->face_in);
    MPI_Comm_free(&g->ranks);
}

static int coordinate(const grid *g, int cell, int d)
{
    return cell / g->stride[d] % (g->cells + 2);
}

/* Is it one of this rank's, and not a neighbour's? */
static int is_own(const grid *g, int cell)
{
    for (int d = 0; d < g->dimensions; d++) {
        int x = coordinate(g, cell, d);
        if (x < 1 || x > g->cells)
            return 0;
    }
    return 1;
}

/* Copies the layer x of dimension d between the grid and a face. */
static int copy_face(grid *g, int d, int x, double *face, int into_grid)
{
    int count = 0;
    for (int cell = 0; cell < g->all; cell++)
        if (coordinate(g, cell, d) == x) {
            if (into_grid)
                g->now[cell] = face[count++];
            else
                face[count++] = g->now[cell];
        }
    return count;
}

static void exchange(grid *g)
{
    for (int d = 0; d < g->dimensions; d++)
        for (int up = 0; up < 2; up++) {
            int to = up ? g->upper[d] : g->lower[d], from = up ? g->lower[d] : g->upper[d];
            int count = copy_face(g, d, up ? g->cells : 1, g->face_out, 0);
            MPI_Sendrecv(g->face_out, count, MPI_DOUBLE, to, d * 2 + up, g->face_in, count,
                         MPI_DOUBLE, from, d * 2 + up, g->ranks, MPI_STATUS_IGNORE);
            copy_face(g, d, up ? 0 : g->cells + 1, g->face_in, 1);
        }
}

static void sweep(grid *g)
{
    for (int cell = 0; cell < g->all; cell++) {
        double sum = 0;
        if (!is_own(g, cell))
            continue;
        for (int d = 0; d < g->dimensions; d++)
            sum += g->now[cell - g->stride[d]] + g->now[cell + g->stride[d]];
        g->next[cell] = sum / (2 * g->dimensions);
    }
    double *last = g->now;
    g->now = g->next;
    g->next = last;
}

static double angle(const grid *g, int d)
{
    return 2 * acos(-1) * (d + 1) / (g->size[d] * g->cells);
}

static double start_of(const grid *g, int cell)
{
    double product = 1;
    for (int d = 0; d < g->dimensions; d++)
        product *= cos(angle(g, d) * (g->place[d] * g->cells + coordinate(g, cell, d) - 1) + d + 1);
    return product;
}

static bool is_right(const grid *g, int steps)
{
    double factor = 0, worst = 0;
    for (int d = 0; d < g->dimensions; d++)
        factor += cos(angle(g, d)) / g->dimensions;
    factor = pow(factor, steps);
    for (int cell = 0; cell < g->all; cell++)
        if (is_own(g, cell))
            worst = fmax(worst, fabs(g->now[cell] - factor * start_of(g, cell)));
    return worst < 1e-12;
}

int main(int count, char **arguments)
{
    kernel k = kernel_begin(&count, &arguments);
    int dimensions = kernel_argument(count, arguments, 1, 2, 2, DIMENSIONS_MAX),
        cells = kernel_argument(count, arguments, 2, 32, 1, 1024),
        steps = kernel_argument(count, arguments, 3, 10, 0, 1 << 20);
    grid g;
    grid_create(&g, &k, dimensions, cells);
    for (int cell = 0; cell < g.all; cell++)
        g.now[cell] = start_of(&g, cell);
    kernel_start(&k);
    for (int step = 0; step < steps; step++) {
        exchange(&g);
        sweep(&g);
        kernel_work(2.0 * dimensions * pow(cells, dimensions));
    }
    kernel_stop(&k);
    bool good = is_right(&g, steps);
    grid_destroy(&g);
    return kernel_end(&k, dimensions == 2 ? "stencil2d" : "stencil3d", good);
}
