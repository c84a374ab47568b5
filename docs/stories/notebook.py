# I have a data frame in a notebook: what should I use for a column of it, and how does my idea compare?
import ldpbench, numpy, pandas
people = pandas.read_csv("people.csv", sep=";")
print(ldpbench.advise(people[["how often"]], epsilon=1))
results = ldpbench.compare(["norm_sub", lambda est: numpy.maximum(est, 0)], people["how often"], epsilon=[0.5, 1, 2], oracle=["ss", "grr"])
print(results.answer, results.mine(), results.to_latex(), sep="\n")
