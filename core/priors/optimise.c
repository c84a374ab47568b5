/* optimise.c - maxima without derivatives.
 *
 * One variable: a grid, so that the global maximum is found if the grid is fine enough, then Brent's method: the vertex
 * of the parabola through the three best points if steps shrink, else a golden section. Two variables: the simplex
 * method of Nelder and Mead, restarted from its result until that no longer changes.
 *
 * Source: Brent, Algorithms for Minimization without Derivatives (1973), ch. 5; Nelder and Mead, Computer Journal 7
 * (1965). GSL has both. They are implemented here because the bytes of results must not depend on the GSL version that
 * a program was built with; the tests compare them with GSL's. */
#include "priors/optimise.h"

#include <math.h>
#include <stdbool.h>

#define GOLDEN 0.38196601125010515 /* (3 - sqrt 5) / 2 */

enum { STEPS_ONE = 100, STEPS_TWO = 200, STARTS = 3 };

struct problem {
    ldp_objective *objective;
    const void *context;
};

/* ---- One variable ---- */

struct point {
    double theta, value;
};

static struct point point_at(const struct problem *problem, double theta)
{
    return (struct point){theta, problem->objective(problem->context, &theta)};
}

/* The vertex of the parabola through three points, as a step from the first; NAN or infinite if there is none. */
static double parabola_step(const struct point *x, const struct point *w, const struct point *v)
{
    const double left = (x->theta - w->theta) * (x->value - v->value);
    const double right = (x->theta - v->theta) * (x->value - w->value);
    return -0.5 * ((x->theta - v->theta) * right - (x->theta - w->theta) * left) / (right - left);
}

/* Brent's method on [a, b] from `best` within: w is the second best point, v the previous w. */
static struct point search(const struct problem *problem, double a, double b, struct point best, double tolerance)
{
    struct point w = best, v = best;
    double last = 0, before = 0; /* the last step and the one before it */
    for (int i = 0; i < STEPS_ONE; i++) {
        const double middle = 0.5 * (a + b), x = best.theta;
        if (fabs(x - middle) + 0.5 * (b - a) <= 2 * tolerance)
            break;
        double step = parabola_step(&best, &w, &v);
        if (!(fabs(step) < 0.5 * fabs(before) && x + step > a + tolerance && x + step < b - tolerance)) {
            before = x < middle ? b - x : a - x;
            step = GOLDEN * before;
        } else {
            before = last;
        }
        if (fabs(step) < tolerance)
            step = step < 0 ? -tolerance : tolerance;
        last = step;
        const struct point next = point_at(problem, x + step);
        if (next.value >= best.value) {
            a = next.theta >= x ? x : a;
            b = next.theta >= x ? b : x;
            v = w;
            w = best;
            best = next;
            continue;
        }
        a = next.theta < x ? next.theta : a;
        b = next.theta < x ? b : next.theta;
        if (next.value >= w.value || w.theta == x) {
            v = w;
            w = next;
        } else if (next.value >= v.value || v.theta == x || v.theta == w.theta) {
            v = next;
        }
    }
    return best;
}

double ldp_maximise_one(ldp_objective *objective, const void *context, double lo, double hi, int steps, double *theta)
{
    const struct problem problem = {objective, context};
    const double width = (hi - lo) / steps;
    struct point best = point_at(&problem, lo);
    int at = 0;
    for (int i = 1; i <= steps; i++) {
        const struct point here = point_at(&problem, i < steps ? lo + width * i : hi);
        if (here.value > best.value) {
            best = here;
            at = i;
        }
    }
    best = search(&problem, at > 0 ? best.theta - width : lo, at < steps ? best.theta + width : hi, best, 1e-7 * width);
    *theta = best.theta;
    return best.value;
}

/* ---- Two variables ---- */

struct vertex {
    double theta[2], value;
};

static struct vertex vertex_at(const struct problem *problem, double first, double second)
{
    struct vertex vertex = {{first, second}, 0};
    vertex.value = problem->objective(problem->context, vertex.theta);
    return vertex;
}

/* from + t (to - from) */
static struct vertex vertex_between(const struct problem *problem, const struct vertex *from, const double to[2],
                                    double t)
{
    return vertex_at(problem, from->theta[0] + t * (to[0] - from->theta[0]),
                     from->theta[1] + t * (to[1] - from->theta[1]));
}

static void sort_vertices(struct vertex vertex[3])
{
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && vertex[j].value > vertex[j - 1].value; j--) {
            const struct vertex spare = vertex[j];
            vertex[j] = vertex[j - 1];
            vertex[j - 1] = spare;
        }
}

/* Moves the worst of three sorted vertices through the middle of the other two; if that does not help, shrinks the
 * triangle. */
static void move_triangle(const struct problem *problem, struct vertex vertex[3])
{
    const double centre[2] = {0.5 * (vertex[0].theta[0] + vertex[1].theta[0]),
                              0.5 * (vertex[0].theta[1] + vertex[1].theta[1])};
    struct vertex next = vertex_between(problem, &vertex[2], centre, 2);
    if (next.value > vertex[0].value) {
        const struct vertex further = vertex_between(problem, &vertex[2], centre, 3);
        vertex[2] = further.value > next.value ? further : next;
        return;
    }
    if (next.value > vertex[1].value) {
        vertex[2] = next;
        return;
    }
    next = vertex_between(problem, &vertex[2], centre, next.value > vertex[2].value ? 1.5 : 0.5);
    if (next.value > vertex[2].value) {
        vertex[2] = next;
        return;
    }
    vertex[1] = vertex_between(problem, &vertex[1], vertex[0].theta, 0.5);
    vertex[2] = vertex_between(problem, &vertex[2], vertex[0].theta, 0.5);
}

static bool is_small(const struct vertex vertex[3], const double step[2])
{
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (fabs(vertex[i].theta[k] - vertex[0].theta[k]) > 1e-6 * step[k])
                return false;
    return true;
}

static struct vertex climb(const struct problem *problem, const struct vertex *start, const double step[2])
{
    struct vertex vertex[3] = {*start, vertex_at(problem, start->theta[0] + step[0], start->theta[1]),
                               vertex_at(problem, start->theta[0], start->theta[1] + step[1])};
    for (int i = 0; i < STEPS_TWO; i++) {
        sort_vertices(vertex);
        if (is_small(vertex, step))
            break;
        move_triangle(problem, vertex);
    }
    sort_vertices(vertex);
    return vertex[0];
}

double ldp_maximise_two(ldp_objective *objective, const void *context, double theta[2], const double step[2])
{
    const struct problem problem = {objective, context};
    struct vertex best = vertex_at(&problem, theta[0], theta[1]);
    for (int i = 0; i < STARTS; i++) {
        const struct vertex before = best;
        const double shrunk[2] = {i ? 0.1 * step[0] : step[0], i ? 0.1 * step[1] : step[1]};
        best = climb(&problem, &before, shrunk);
        if (!(best.value > before.value + 1e-8))
            break;
    }
    theta[0] = best.theta[0];
    theta[1] = best.theta[1];
    return best.value;
}
