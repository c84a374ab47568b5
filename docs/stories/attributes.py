import ldpbench
import pandas

people = pandas.read_csv("people.csv", sep=";", decimal=",").drop(columns="id")
answer = ldpbench.advise(people, epsilon=1, k=2, bins=8, other=20)
print(answer.take())
print(answer.candidates.head(5))
