import ldpbench
import pandas

survey = pandas.read_csv("survey.csv")
results = ldpbench.compare("all", survey["how often"], epsilon=[0.5, 1, 2])
print(results.answer)
print(results.best(epsilon=1))
results.report("survey.html")
