import ldpbench
import numpy
import pandas

def shrink(est, protocol, n):
    return numpy.maximum(est - protocol.sigma(n), 0)

results = ldpbench.compare(["norm_sub", "power_ns", shrink], pandas.read_csv("survey.csv")["how often"], epsilon=[0.5, 1, 2])
print(results.answer, results.mine(), sep="\n")
print(results.plot("pdf", width="column", size=8))
