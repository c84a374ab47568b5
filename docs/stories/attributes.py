import ldpbench
import pandas

people = pandas.read_csv("people.csv", sep=";", decimal=",").drop(columns="id")
answer = ldpbench.recommend(people, task="marginals", epsilon=1, k=2, bins=8, other=20)
print(answer.best(), answer.tied())
print(answer.ranking.head(5))
