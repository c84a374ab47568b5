"""Makes the files of the stories in the current folder: people who do not exist."""

import numpy
import pandas

coins = numpy.random.default_rng(1)
towns = [f"Town {i}, North" for i in range(40)]
users = 5000
people = pandas.DataFrame({"id": numpy.arange(1, users + 1), "age": coins.integers(16, 95, users), "income": coins.gamma(2, 1500, users).round(2),
                           "town": coins.choice(towns, users, p=numpy.arange(40, 0, -1) / 820)})
first = coins.random(users) < 0.4
for i in range(17):
    people[f"question {i + 1}"] = numpy.where(coins.random(users) < 0.8, first, coins.random(users) < 0.5).astype(int)
people.sample(frac=0.03, random_state=1).index.map(lambda i: people.loc.__setitem__((i, "age"), numpy.nan))
people.to_csv("people.csv", index=False, sep=";", decimal=",", encoding="utf-8-sig")

answers = coins.choice(["never", "once a year", "once a month", "every week", "every day", "\u00fcber, \"often\"", None], users,
                       p=[.35, .25, .15, .1, .07, .05, .03])
pandas.DataFrame({"id": numpy.arange(users), "how often": answers}).to_csv("survey.csv", index=False)

counts = coins.multinomial(200000, (lambda w: w / w.sum())(1 / numpy.arange(1, 3001) ** 1.1))
with open("urls.strings", "w", encoding="utf-8") as file:
    for i, count in enumerate(counts):
        if count:
            file.write(f"https://www.example.org/{['news', 'sport', 'help'][i % 3]}/article-{i:05d}?source={i * i % 9973}\t{count}\n")
