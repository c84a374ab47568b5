#!/usr/bin/env python3
"""The least squares fit of tables that agree and have no negative cell, by CVXOPT's interior points.

Standard input: attributes, their cardinalities, tables; for each the number of its attributes, these, the weight of its
cells, the cells. Output: the least objective, a lower bound of it, and the cells. Exit status 3 without CVXOPT.
"""

import itertools
import sys

try:
    import cvxopt
    import numpy
except ImportError:
    sys.exit(3)

word = iter(sys.stdin.read().split())
cardinality = [int(next(word)) for _ in range(int(next(word)))]
tables = []
for _ in range(int(next(word))):
    own = [int(next(word)) for _ in range(int(next(word)))]
    weight = float(next(word))
    cells = list(itertools.product(*(range(cardinality[a]) for a in own)))
    tables.append((own, weight, cells, [float(next(word)) for _ in cells]))

first = [0]
for table in tables:
    first.append(first[-1] + len(table[2]))


def sums(index: int, shared: list) -> numpy.ndarray:
    """Rows that add up a table's cells by their values of some attributes, in the order of these values."""
    own, _, cells, _ = tables[index]
    values = sorted({tuple(cell[own.index(a)] for a in shared) for cell in cells})
    rows = numpy.zeros((len(values), first[-1]))
    for i, cell in enumerate(cells):
        rows[values.index(tuple(cell[own.index(a)] for a in shared)), first[index] + i] = 1
    return rows


equal, right = [sums(0, [])], [numpy.ones(1)]
for i, j in itertools.combinations(range(len(tables)), 2):
    shared = sorted(set(tables[i][0]) & set(tables[j][0]))
    difference = sums(i, shared) - sums(j, shared)
    equal.append(difference)
    right.append(numpy.zeros(len(difference)))
left, values, right_vectors = numpy.linalg.svd(numpy.vstack(equal), full_matrices=False)
rank = int((values > 1e-9).sum())  # redundant rows would make CVXOPT fail
rows, total = right_vectors[:rank], (left[:, :rank].T @ numpy.concatenate(right)) / values[:rank]

weights = numpy.concatenate([numpy.full(len(t[2]), t[1]) for t in tables])
given = numpy.concatenate([t[3] for t in tables])
cvxopt.solvers.options.update({"show_progress": False, "abstol": 1e-13, "reltol": 1e-12, "feastol": 1e-12, "maxiters": 200})
found = cvxopt.solvers.qp(cvxopt.matrix(numpy.diag(2 * weights)), cvxopt.matrix(-2 * weights * given),
                          cvxopt.matrix(-numpy.eye(first[-1])), cvxopt.matrix(0.0, (first[-1], 1)),
                          cvxopt.matrix(rows), cvxopt.matrix(total))
constant = float((weights * given * given).sum())
print(repr(found["primal objective"] + constant), repr(found["dual objective"] + constant))
print(" ".join(repr(float(x)) for x in found["x"]))
