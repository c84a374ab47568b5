/* kinds.h - populations of three kinds that a collection may come from, and one prediction from all of them.
 */
#ifndef LDPBENCH_KINDS_H
#define LDPBENCH_KINDS_H

#include "stats/surrogate.h"

/* Draws from a smooth law; draws from the law of the fewest points; one population, by nonparametric maximum
 * likelihood. */
enum { KIND_SMOOTH, KIND_SHARP, KIND_POINT, KINDS };

/* The surrogate that makes populations of a kind. */
struct surrogate kind_surrogate(int kind);

/* Whether all kinds count in predictions for a query, one that asks for values of certain ranks; otherwise the smooth
 * kind counts alone. */
bool kinds_count_for(const struct ldp_query *query);

/* The prediction from all kinds, whose own predictions have these means (>= 0), is the sum of scale[k] times that of
 * kind k, trial by trial. */
void kinds_scale(const double mean[KINDS], double scale[KINDS]);

#endif
